#pragma once
// What the shmem methods share: every link has slots and the newest message's number in its
// receiver's symmetric memory, and the last number read in its sender's.
//
//   shmem_putmem             into a slot
//   shmem_fence              orders it before ...
//   shmem_ulong_atomic_set   ... the number, which the receiver polls
//
// OpenSHMEM 1.5 has this in one call, shmem_put_signal; 1.4, which Open MPI offers, has not. No
// call waits for the other side.

#include "exchange/core/method.hpp"
#include "mpi/shmem_runtime.hpp"

#include <span>

namespace halocline::detail {

class ShmemLinks {
 public:
  /// Slots for `outgoing[i]` and `incoming[i]` bytes. Collective.
  ShmemLinks(const Setup& setup, const std::vector<std::size_t>& outgoing,
             const std::vector<std::size_t>& incoming, int slots);

  /// As sender: message `number` (1, 2, ...) of a link into its slot, and then its number.
  void put(std::size_t link, std::uint64_t number, const std::byte* message) {
    put(link, number, {message, out_there_[link].bytes});
  }
  /// The same of one that is shorter than its slot.
  void put(std::size_t link, std::uint64_t number, std::span<const std::byte> message);
  /// The last one that the receiver has read.
  std::uint64_t read_of(std::size_t link) const;

  /// As receiver: the newest number that has come, and where its message is.
  std::uint64_t newest_of(std::size_t link) const;
  const std::byte* message(std::size_t link, std::uint64_t number) const;
  /// I have read up to this one.
  void notify_read(std::size_t link, std::uint64_t number);

  /// Word by word, each one atomic, in slot 0: the others first, then word 0, then the number.
  void write_words(std::size_t link, std::uint64_t number, std::span<const std::uint64_t> words);
  void read_words(std::size_t link, std::span<std::uint64_t> words) const;

 private:
  struct End {
    int pe;
    std::byte* place;  // symmetric: here and there
    std::size_t bytes;
  };
  using Number = unsigned long;
  static_assert(sizeof(Number) == sizeof(std::uint64_t));

  static Number* number(const End& end) { return reinterpret_cast<Number*>(end.place); }
  std::byte* slot(const End& end, std::uint64_t message) const;

  std::size_t slots_;
  SymmetricMemory memory_;
  std::vector<End> out_there_, out_here_, in_here_,
      in_there_;  // at receiver and sender of each link
};

}  // namespace halocline::detail
