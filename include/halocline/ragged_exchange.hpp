#pragma once
// Ragged exchanges: links carry a number of elements that changes from step to step.

#include <halocline/mpi.hpp>
#include <halocline/scheme.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace halocline {

namespace detail {
class Frames;
}

/// The sender decides at each step how many elements a link carries; the receiver learns it from
/// the exchange itself. All ranks of `comm` construct and use it in the same order, also those
/// without links. `start` and `finish` are those of Exchange.
class RaggedExchange {
 public:
  /// I send to `targets` and receive from `sources`, ranks of `comm`, each named once and none of
  /// them myself; with a negative one (MPI_PROC_NULL) nothing is exchanged. `capacity` elements are
  /// expected on a link at most, as on all ranks; what is more follows in the same step, and both
  /// ends make room. Collective; the same Error on all ranks if a rank does not expect a sender.
  RaggedExchange(MPI_Comm comm, const std::vector<int>& targets, const std::vector<int>& sources,
                 std::size_t element_bytes, std::size_t capacity, const Scheme& scheme);
  ~RaggedExchange();
  RaggedExchange(RaggedExchange&&) noexcept;
  RaggedExchange& operator=(RaggedExchange&&) noexcept;

  /// Room for the `count` elements that leave on link `link` (an index into `targets`) in the next
  /// step, to be asked for and written between `finish` and `start`. Every step begins with nothing
  /// to send; who asks again for the same link begins anew. Throws Error if T is not as large as an
  /// element.
  template <class T>
  std::span<T> outgoing(std::size_t link, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    return {static_cast<T*>(outgoing_bytes(link, count, sizeof(T))), count};
  }
  /// The same, from elsewhere: they are copied at once. Throws Error, too, if they lie on a device.
  template <class T>
  void send(std::size_t link, std::span<const T> elements) {
    static_assert(std::is_trivially_copyable_v<T>);
    send_bytes(link, std::as_bytes(elements), sizeof(T));
  }

  void start();
  void finish();  ///< waits; throws Timeout when nothing moves for too long
  void run() {
    start();
    finish();
  }

  /// What came on link `link` (an index into `sources`) in the last step; until the next `start`.
  template <class T>
  std::span<const T> received(std::size_t link) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::span<const std::byte> bytes = received_bytes(link, sizeof(T));
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  const Scheme& scheme() const noexcept;  ///< of `auto`: what it has become

 private:
  void* outgoing_bytes(std::size_t link, std::size_t count, std::size_t element_bytes);
  void send_bytes(std::size_t link, std::span<const std::byte> elements, std::size_t element_bytes);
  std::span<const std::byte> received_bytes(std::size_t link, std::size_t element_bytes) const;
  void check_size(std::size_t element_bytes) const;
  detail::Frames& frames() const;

  std::size_t element_bytes_;
  std::unique_ptr<detail::Frames> frames_;
  std::vector<std::optional<std::size_t>> out_, in_;  // a link's frame; none: nobody is there
  std::vector<std::byte> for_nobody_;
  std::uint16_t traced_ = 0;  // its number in a trace
  std::uint32_t step_ = 0;
};

}  // namespace halocline
