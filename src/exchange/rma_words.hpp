#pragma once
// Words in a window, read and changed by atomic operations alone: nothing is ever torn, and nobody
// has to wait for anybody before the next change.

#include "memory/cache_line.hpp"

#include <halocline/mpi.hpp>
#include <halocline/wait.hpp>

#include <cstdint>
#include <span>

namespace halocline::detail {

/// Each rank's words, which begin at zero. Collective to make and to end.
class Words {
 public:
  using Word = std::int64_t;
  /// Words of a cache line: what is polled keeps so far from what others change.
  static constexpr std::size_t line = cache_line / sizeof(Word);

  Words(MPI_Comm comm, std::size_t count, const char* what);
  ~Words();
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  /// MPI_REPLACE or MPI_SUM on word `word` of `rank`; done there when this returns.
  void change(int rank, std::size_t word, MPI_Op operation, Word value);
  /// Replaces the words from `word` on, one by one in any order; done there when this returns.
  void write(int rank, std::size_t word, std::span<const Word> values);
  /// Reads the words from `word` on, one by one in any order.
  void read(int rank, std::size_t word, std::span<Word> values) const;

  /// A word of mine, cheap enough to poll.
  Word look(std::size_t word) const;
  /// Until my word has come to `value`.
  void await(std::size_t word, Word value) const;

 private:
  MPI_Comm comm_;
  const char* what_;
  mpi::Window window_;
  Word* base_ = nullptr;
  bool unified_ = false;
};

}  // namespace halocline::detail
