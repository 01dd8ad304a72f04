#pragma once
// Words in a window, read and changed by atomic operations alone: nothing is ever torn, and nobody
// has to wait for anybody before the next change.

#include "exchange/core/free_list.hpp"
#include "memory/cache_line.hpp"

#include <halocline/more/mpi.hpp>
#include <halocline/more/waiting.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace halocline::detail {

/// Each rank's words, which may hold anything at first. Collective to make and to end.
class Words {
 public:
  using Word = std::int64_t;
  /// Words of a cache line: what is polled keeps so far from what others change.
  static constexpr std::size_t line = cache_line / sizeof(Word);

  Words(MPI_Comm comm, std::size_t count);
  ~Words();
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  /// MPI_REPLACE or MPI_SUM on word `word` of `rank`; done there when this returns.
  /// `what` is who waits for it.
  void change(int rank, std::size_t word, MPI_Op operation, Word value, const char* what);
  /// Replaces the words from `word` on, one by one in any order; done there when this returns.
  void write(int rank, std::size_t word, std::span<const Word> values, const char* what);
  /// Reads the words from `word` on, one by one in any order.
  void read(int rank, std::size_t word, std::span<Word> values, const char* what) const;

  /// Words of mine that nobody uses, any more or yet, are zero when this returns.
  void clear(std::size_t word, std::size_t count);

  /// A word of mine, cheap enough to poll.
  Word look(std::size_t word) const;

 private:
  MPI_Comm comm_;
  mpi::Window window_;
  Word* base_ = nullptr;
  bool unified_ = false;
};

/// Words for many, in few windows.
class WordPool {
 public:
  using Place = FreeList::Place;
  explicit WordPool(MPI_Comm comm) : comm_(comm) {}

  /// Some words of mine, until the end of this object. Others find them by their place.
  class Part {
   public:
    Part(WordPool& pool, std::size_t count);
    ~Part();
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    Place place() const noexcept { return place_; }
    /// Like those of Words; `place` is that of the rank's words, and `word` counts from mine.
    void change(int rank, Place place, MPI_Op operation, Words::Word value, const char* what) const;
    void write(int rank, Place place, std::span<const Words::Word> values, const char* what) const;
    void read(int rank, Place place, std::span<Words::Word> values, const char* what) const;
    Words::Word look(std::size_t word) const;
    /// Until my word has come to `value`.
    void await(std::size_t word, Words::Word value, const char* what) const;

   private:
    WordPool& pool_;
    Place place_ = 0;
    Place size_;
  };

 private:
  static constexpr Place each = 1 << 16;  ///< words of a window
  struct Piece {
    Place begin;
    std::unique_ptr<Words> words;
  };
  /// The words that hold this place, and its number among them.
  std::pair<Words*, std::size_t> find(Place place) const;
  void grow(std::size_t words);

  MPI_Comm comm_;
  std::vector<Piece> pieces_;  // the same on all ranks
  Place end_ = 0;
  FreeList free_;  // of my words
};

}  // namespace halocline::detail
