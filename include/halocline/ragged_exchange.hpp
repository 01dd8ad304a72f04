#pragma once
// Ragged exchanges: links carry a number of elements that changes from step to step.

#include <halocline/memory.hpp>
#include <halocline/scheme.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

namespace detail {
class Frames;
}

/// The sender decides at each step how many elements a link carries; the receiver learns it from
/// the exchange itself. All ranks of `comm` construct and use it in the same order, also those
/// without links. `start` and `finish` are those of Exchange.
class RaggedExchange {
 public:
  /// Sends to `targets` and receives from `sources`: ranks of `comm`. A rank may be named several
  /// times: then its links carry what they have in the order of both lists, in one message. What is
  /// sent to this rank itself is copied; a negative rank (MPI_PROC_NULL) exchanges nothing.
  /// `capacity` is the expected most elements on a link, of which the largest that any rank gives
  /// counts; more elements follow in the same step, and both ends make room. Collective; throws the
  /// same Error on all ranks unless each link has its other end.
  RaggedExchange(MPI_Comm comm, const std::vector<int>& targets, const std::vector<int>& sources,
                 std::size_t element_bytes, std::size_t capacity, const Scheme& scheme = {});
  ~RaggedExchange();
  RaggedExchange(RaggedExchange&&) noexcept;
  RaggedExchange& operator=(RaggedExchange&&) noexcept;

  /// The buffer for the `count` elements to be sent on link `link` (an index into `targets`) in the
  /// next step. Call it and write the elements between `finish` and `start`. Every step begins with
  /// nothing to send; a second call for the same link replaces the first. Throws Error if T is not
  /// as large as an element.
  template <class T>
  std::span<T> outgoing(std::size_t link, std::size_t count) {
    static_assert(detail::elements_are_bytes<T>());
    return {static_cast<T*>(outgoing_bytes(link, count, sizeof(T))), count};
  }
  /// Copies these elements into that buffer at once. Throws Error, too, if they lie on a device.
  template <class T>
  void send(std::size_t link, std::span<const T> elements) {
    static_assert(detail::elements_are_bytes<T>());
    send_bytes(link, std::as_bytes(elements), sizeof(T));
  }

  void start();
  void finish();  ///< waits; throws Timeout when nothing moves for too long
  void run() {
    start();
    finish();
  }

  /// The elements that came on link `link` (an index into `sources`) in the last step; valid until
  /// the next `start`.
  template <class T>
  std::span<const T> received(std::size_t link) const {
    static_assert(detail::elements_are_bytes<T>());
    const std::span<const std::byte> bytes = received_bytes(link, sizeof(T));
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  /// `outgoing`, `send` and `received` for callers that know only at run time what an element is.
  /// All bytes are those of whole elements.
  void* outgoing_bytes(std::size_t link, std::size_t count) {
    return outgoing_bytes(link, count, element_bytes_);
  }
  void send_bytes(std::size_t link, std::span<const std::byte> elements) {
    send_bytes(link, elements, element_bytes_);
  }
  std::span<const std::byte> received_bytes(std::size_t link) const {
    return received_bytes(link, element_bytes_);
  }

  /// The ranks that it is of, in their order: a duplicate of the communicator that it was made on,
  /// which the library sends on.
  MPI_Comm comm() const;
  const Scheme& scheme() const;  ///< of `auto`: what it has become

 private:
  void* outgoing_bytes(std::size_t link, std::size_t count, std::size_t element_bytes);
  void send_bytes(std::size_t link, std::span<const std::byte> elements, std::size_t element_bytes);
  std::span<const std::byte> received_bytes(std::size_t link, std::size_t element_bytes) const;
  void check_size(std::size_t element_bytes) const;
  detail::Frames& frames() const;

  /// Where a link's elements are: in the frame of its peer, as one of `Links::sharing`.
  struct Place {
    std::size_t frame, number;
  };
  /// All links in one direction.
  struct Links {
    Links(const std::vector<int>& named, int me);
    std::vector<int> peers;            ///< other ranks, each once: one for each frame
    std::vector<std::size_t> sharing;  ///< links in each frame; one has it for itself
    std::size_t with_itself = 0;       ///< links with this rank
    std::vector<Place> places;         ///< of all links
    /// What is on its way in no frame: of links that share one, or are with this rank, or with
    /// none.
    std::vector<std::vector<std::byte>> beside;
  };
  void pack_shared();

  std::size_t element_bytes_;
  std::shared_ptr<detail::Frames> frames_;
  Links out_, in_;
  std::uint16_t traced_ = 0;  // its number in a trace
  std::uint32_t step_ = 0;
};

}  // namespace halocline

#pragma GCC visibility pop
