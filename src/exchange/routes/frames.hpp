#pragma once
// Frames: messages whose length changes from step to step, carried by any method.
//
// Every link has a frame: a word that says how many bytes its message has, and room for so many as
// are expected. To the method a frame is a block of cells like any other; one that knows of frames
// moves only what is in use (Setup::in_use), the others the whole. What does not fit follows in the
// same step as a message of its own, which its receiver expects when it has read the word; so
// nothing is announced in a round of its own, and nothing is lost.
//
// Methods whose messages other ranks read in memory of the method's own let frames be written and
// read there (Method::lend_frames). And where both ends know how long each message is, as in an
// exchange of cells, and the method takes messages of any length and place, there are no frames:
// each message is sent from where it is packed, or lies, and received where it belongs.
//
// Afterwards both ends know how much more room there should have been. Where making a method
// anew concerns nobody else (p2p), they do so at once; all others agree by a reduction that nobody
// waits for until `period` steps later.

#include "exchange/core/method.hpp"
#include "link_memory.hpp"
#include "mpi/under_way.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace halocline::detail {

/// The room of each link, in bytes.
struct FrameLinks {
  std::vector<int> peers;
  std::vector<std::size_t> rooms;
};

/// How long this step's message is on each link.
enum class Lengths {
  told,  ///< by its header
  known  ///< to both ends
};

class Frames {
 public:
  /// Collective. Both ends of a link name the same room, or all ranks throw.
  Frames(MPI_Comm comm, FrameLinks sends, FrameLinks receives, const Scheme& scheme,
         Lengths lengths);
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;

  /// Where the next step's message of `bytes` on link `send` is to be written. Every step begins
  /// with empty messages.
  std::byte* message(std::size_t send, std::size_t bytes);
  /// Whether it is to be written there past the caches (Layout::stream).
  bool streams(std::size_t send, std::size_t bytes) const noexcept;
  /// Messages have no headers, since lengths are known. Then what is to be received in the next
  /// step is `expect`ed: there, or in memory of the library's own.
  bool bare() const noexcept { return framing_->bare; }
  void expect(std::size_t receive, std::size_t bytes, std::byte* there);
  /// And a message may be sent from where it lies.
  void send_from(std::size_t send, std::byte* there, std::size_t bytes);
  void start();
  void finish();
  /// What has come on link `receive`; until the next start.
  std::span<const std::byte> received(std::size_t receive) const { return in_[receive].arrived; }

  Method& method() const noexcept { return *method_; }
  const Setup& setup() const noexcept { return method_->setup(); }
  bool ends_alone() const { return method_->ends_alone(); }
  void leave() noexcept { method_->leave(); }
  const std::vector<int>& targets() const noexcept { return sends_.peers; }
  const std::vector<int>& sources() const noexcept { return receives_.peers; }

  Step step;  ///< the caller's

 private:
  struct Frame {
    std::byte* home = nullptr;   ///< in `memory_`
    std::byte* begin = nullptr;  ///< in this step: there, or in what the method lends
    bool is_written = false;     ///< for the next step
    std::size_t most = 0;        ///< bytes of the longest message since it was made
    /// A message that is longer than the frame.
    std::shared_ptr<std::vector<std::byte>> all = std::make_shared<std::vector<std::byte>>();
    std::span<const std::byte> arrived{};  ///< the last one, here or in the frame
    std::uint64_t bytes() const noexcept;
    std::byte* message() const noexcept { return begin + Framing::header; }
  };

  void make(Setup setup);
  void set_length(std::size_t send, std::size_t bytes);
  void finish_method();
  void send_rests();
  void receive_rests();
  void grow_in_time();
  void grow();

  FrameLinks sends_, receives_;
  std::vector<Frame> out_, in_;
  LinkMemory memory_;  // of the frames
  std::shared_ptr<Framing> framing_ = std::make_shared<Framing>();
  std::unique_ptr<Method> method_;
  std::optional<std::size_t> lent_;  // Method::lend_frames
  bool alone_;  // both ends of a link may make their methods anew without the others

  std::vector<UnderWay> rests_;
  bool short_of_room_ = false;
  std::uint64_t step_ = 0;
  std::optional<Pending<int>> wanted_;  // by anyone; while they are asked
};

}  // namespace halocline::detail
