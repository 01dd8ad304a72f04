#pragma once
// Atomic words in memory that ranks of one island share, each alone on its cache line.

#include <halocline/memory.hpp>
#include <halocline/more/waiting.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace machine {

/// `words` words of every rank, zero at first. Collective; throws halocline::Error, naming `who`
/// needs them, unless `peers` (ranks of `comm`) share memory with this rank.
class SharedWords {
 public:
  SharedWords(MPI_Comm comm, const char* who, const std::vector<int>& peers, std::size_t words = 1)
      : who_(who), comm_(comm), memory_(comm, words * line, halocline::MemoryKind::shared) {
    std::string complaint;
    for (const int peer : peers)
      if (memory_.of_peer(comm, peer) == nullptr)
        complaint = std::string(who) + ": rank " + std::to_string(peer) +
                    " does not share memory with rank " +
                    std::to_string(halocline::mpi::rank(comm));
    halocline::mpi::agree(comm, complaint);
    HALOCLINE_MPI(MPI_Barrier, comm);  // nobody may look before its owner has zeroed it
  }

  std::atomic_ref<std::uint64_t> of(int rank, std::size_t word) const {
    return std::atomic_ref(
        *reinterpret_cast<std::uint64_t*>(memory_.of_peer(comm_, rank) + word * line));
  }

  /// Waits until the word is at least `value`.
  void await(std::atomic_ref<std::uint64_t> word, std::uint64_t value) const {
    halocline::wait_until(who_, [&] { return word.load(std::memory_order_acquire) >= value; });
  }

 private:
  static constexpr std::size_t line = 128;  // the processor fetches cache lines in pairs
  const char* who_;
  MPI_Comm comm_;
  halocline::Memory memory_;
};

}  // namespace machine
