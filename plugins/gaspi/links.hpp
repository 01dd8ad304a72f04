#pragma once
// What the gaspi methods share: messages 1, 2, ... of each link go into slots in its receiver's
// segment, in turn, and so they lie at their sender, as GASPI writes from a segment, too.
//
//   gaspi_write_notify       the message, and then a notification of the link and the slot
//   gaspi_notify_waitsome    looks for notifications without waiting
//   gaspi_notify             notifies the sender that a slot has been read, where nothing else does
//   gaspi_wait               before what was written from is used again, and before a queue is full
//
// Messages take turns between two queues: waiting for one does not wait for the newest message.

#include "segments.hpp"

#include <array>
#include <halocline/more/async_method.hpp>
#include <memory>
#include <optional>
#include <set>
#include <span>

namespace halocline_gaspi {

/// Gives each peer in `to` some numbers and returns those that the peers in `from` gave me.
/// Collective over the peers named.
using Numbers = std::vector<std::int64_t>;
std::vector<Numbers> trade(MPI_Comm comm, const std::vector<int>& to,
                           const std::vector<Numbers>& mine, const std::vector<int>& from);

class NotifiedLinks {
 public:
  struct End {
    int peer;  ///< a rank of the exchange's communicator
    std::size_t bytes;
  };
  /// `permits`: receivers say what they have read. Collective.
  NotifiedLinks(const Setup& setup, const std::vector<End>& outgoing,
                const std::vector<End>& incoming, int slots, bool permits);
  ~NotifiedLinks();
  NotifiedLinks(const NotifiedLinks&) = delete;
  NotifiedLinks& operator=(const NotifiedLinks&) = delete;

  // ---- as sender of message `number` of a link ----
  /// Whether all messages have left whose places the one of this number, and its like, will take.
  bool left(std::uint64_t number);
  /// Where it is to be written before it is sent; `left` has been true since the last was.
  std::byte* place(std::size_t link, std::uint64_t number) const;
  /// Its first `bytes`.
  void send(std::size_t link, std::uint64_t number, std::size_t bytes);
  /// A row of bytes of one of my segments, and where it goes in one of the receiver's.
  struct Row {
    gaspi_segment_id_t from, to;
    gaspi_offset_t from_at, to_at;
    gaspi_size_t bytes;
  };
  /// In place of a slot's: the first `bytes` of rows, none of which is longer than `at_once()`.
  void send(std::size_t link, std::uint64_t number, std::span<const Row> rows, std::size_t bytes);
  std::size_t at_once() const noexcept { return at_once_; }
  /// Whether all messages of this number, and its like, have left.
  bool has_left(std::uint64_t number) const;
  /// The last one that has been read. With `permits`.
  std::uint64_t read_of(std::size_t link);

  /// How many permits a receiver has sent for this link all in all, where that is not one for each
  /// message: it leaves some out, or its permits go before them.
  void set_permits(std::size_t link, std::uint64_t all) { permits_->due[link] = all; }

  // ---- as receiver ----
  /// A link whose message of this number has come and was not named before; its slot is the same
  /// for all links.
  std::optional<std::size_t> next(std::uint64_t number);
  /// The newest message of a link, given the newest that was known.
  std::uint64_t newest_of(std::size_t link, std::uint64_t known);
  const std::byte* message(std::size_t link, std::uint64_t number) const;
  /// I have read up to this one. With `permits`.
  void notify_read(std::size_t link, std::uint64_t number);

  /// Messages may still be on their way when this ends: its memory is not used again.
  void abandon() { left_behind_ = true; }

 private:
  using Id = gaspi_notification_id_t;
  /// The notifications of a link, one for each slot.
  struct Notifications {
    Id first, stride;
    Id of(std::size_t slot) const { return first + static_cast<Id>(slot) * stride; }
  };
  struct There {  // the other end of a link
    gaspi_rank_t rank;
    gaspi_segment_id_t segment;
    gaspi_offset_t slots;
    Notifications notifications;
    std::uint64_t base;
  };
  struct Permits {
    gaspi_segment_id_t segment;
    std::size_t slots;
    std::vector<Notifications> of;  // each outgoing link
    std::uint64_t base;
    std::vector<std::uint64_t> read;        // numbers of messages
    std::vector<std::uint64_t> taken, due;  // how many permits
    std::uint64_t read_of(std::size_t link);
    bool all_taken();
  };

  std::size_t slot(std::uint64_t number) const { return number % slots_; }
  gaspi_queue_id_t queue(std::uint64_t number) const { return queues_[number % 2]; }
  gaspi_offset_t at(gaspi_offset_t slots, std::size_t bytes, std::uint64_t number) const;
  void greet(const std::set<int>& fresh, const std::vector<int>& to, const std::vector<int>& from);
  void make_room(gaspi_queue_id_t queue, std::size_t entries);

  MPI_Comm comm_;
  std::string what_;
  std::size_t slots_;
  std::size_t at_once_, room_;  // most bytes of a write, most entries of a queue
  std::size_t list_;            // most rows of a list
  std::array<gaspi_queue_id_t, 2> queues_;
  std::vector<End> outgoing_, incoming_;
  Segments::Part part_;
  std::uint64_t base_;                    // what notifications of my part say is counted from here
  std::vector<gaspi_offset_t> out_, in_;  // slots in my segment
  Notifications arrivals_;                // of the first incoming link; the others follow
  std::shared_ptr<Permits> permits_;
  std::vector<There> out_there_, in_there_;
  bool left_behind_ = false;
};

std::unique_ptr<Method> make_gaspi(Setup setup);
/// pack=off: from field to field.
std::unique_ptr<Method> make_in_place(Setup setup);
std::unique_ptr<AsyncMethod> make_asynchronous(Setup setup, const AsyncOptions& options);

}  // namespace halocline_gaspi
