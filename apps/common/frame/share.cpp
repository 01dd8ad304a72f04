#include "share.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace frame {

using namespace halocline;

namespace {

/// The rows of a share one after the other, as they lie in the file.
class RowsOfShare {
 public:
  RowsOfShare(const Share& share, std::int64_t first)
      : share_(share), first_(first), rows_(share.mine[1].size()), points_(share.mine[2].size()) {}

  std::int64_t count() const { return share_.words() > 0 ? share_.mine[0].size() * rows_ : 0; }
  std::int64_t bytes() const { return word_bytes * points_; }
  /// Where row `i` begins in the file.
  std::int64_t place(std::int64_t i) const {
    const std::int64_t plane = share_.mine[0].begin + i / rows_,
                       row = share_.mine[1].begin + i % rows_;
    return first_ +
           word_bytes * ((plane * share_.shape[1] + row) * share_.shape[2] + share_.mine[2].begin);
  }
  std::int64_t end(std::int64_t i) const { return place(i) + bytes(); }
  /// Whether a row needs no buffer, which would be large.
  bool alone() const { return share_.stride[2] == 1 && bytes() >= 4 << 20; }
  /// Where row `i` begins in memory.
  char* begin(std::int64_t i) const {
    return static_cast<char*>(share_.data) +
           word_bytes * (i / rows_ * share_.stride[0] + i % rows_ * share_.stride[1]);
  }
  /// Calls `act(word of the row, its place in memory)`, or once for all where these follow each
  /// other.
  template <class Act>
  void each(std::int64_t i, const Act& act) const {
    char* const row = begin(i);
    if (share_.stride[2] == 1 || points_ == 1) return act(0, row, bytes());
    for (std::int64_t k = 0; k < points_; ++k)
      act(word_bytes * k, row + word_bytes * k * share_.stride[2], word_bytes);
  }

 private:
  const Share& share_;
  std::int64_t first_, rows_, points_;
};

}  // namespace

void write_share(MPI_Comm comm, SharedFile& file, std::int64_t first, const Share& share) {
  const RowsOfShare rows(share, first);
  // Some rows at a time, so that buffers stay small.
  constexpr std::int64_t most = 32 << 20;
  const std::int64_t slab =
      std::max<std::int64_t>(1, most / std::max<std::int64_t>(1, rows.bytes()));
  std::int64_t rounds = (rows.count() + slab - 1) / slab;
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &rounds, 1, MPI_INT64_T, MPI_MAX, comm);
  std::vector<char> run;
  for (std::int64_t next = 0; rounds > 0; --rounds) {
    const std::int64_t end = std::min(rows.count(), next + slab);
    while (next < end) {
      // Rows that follow each other in the file go together, wherever they are in memory.
      const std::int64_t place = rows.place(next);
      if (rows.alone()) {
        file.put(place, rows.begin(next++), rows.bytes());
        continue;
      }
      run.clear();
      do {
        const std::size_t begin = run.size();
        run.resize(begin + static_cast<std::size_t>(rows.bytes()));
        rows.each(next, [&](std::int64_t at, const char* from, std::int64_t bytes) {
          std::memcpy(run.data() + begin + at, from, static_cast<std::size_t>(bytes));
        });
        ++next;
      } while (next < end && rows.place(next) == place + std::ssize(run));
      file.put(place, run.data(), std::ssize(run));
    }
    file.deal();
  }
}

void read_share(const Descriptor& file, std::int64_t first, const Share& share) {
  const RowsOfShare rows(share, first);
  // Rows that are near each other in one go, with what lies between.
  constexpr std::int64_t most = 4 << 20, near = 64 << 10;
  std::vector<char> piece;
  for (std::int64_t next = 0; next < rows.count();) {
    const std::int64_t place = rows.place(next);
    if (rows.alone()) {
      file.read(place, rows.begin(next++), rows.bytes());
      continue;
    }
    std::int64_t last = next;
    while (last + 1 < rows.count() && rows.place(last + 1) - rows.end(last) <= near &&
           rows.end(last + 1) - place <= most)
      ++last;
    piece.resize(static_cast<std::size_t>(rows.end(last) - place));
    file.read(place, piece.data(), std::ssize(piece));
    for (; next <= last; ++next)
      rows.each(next, [&](std::int64_t at, char* to, std::int64_t bytes) {
        std::memcpy(to, piece.data() + (rows.place(next) - place) + at,
                    static_cast<std::size_t>(bytes));
      });
  }
}

}  // namespace frame
