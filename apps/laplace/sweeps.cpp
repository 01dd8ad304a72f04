// Sweeps blocked in time: a wavefront through the planes, tiled along y (D. Wonnacott, IPDPS 2000,
// time skewing; G. Wellein et al., COMPSAC 2009, wavefronts; T. Malas et al., SIAM J. Sci. Comput.
// 37, 2015, who tile along y as well).
//
// Sweep s = 0, 1, ... computes plane f - s at front f, and of it the rows g - s of a tile of
// numbers g. In the numbers f and g whatever a point needs of the sweep before has smaller or equal
// numbers, and so has whoever still needs what the point's memory held, two sweeps before; hence
// any order of tiles of f and g that does not decrease is right, and two arrays are enough.
//
// One tile's planes that are in use, about 2 * (sweeps + 2), fit the second-level cache. Fronts
// are cut into slabs, so that the rows around a cut are still in the third-level cache when the
// next tile comes: two rows of every plane, asked for a front ahead. Threads have slabs in turn,
// and each is a tile behind the thread that has the slab before: only what both sides of a cut
// between slabs need goes from core to core.
//
// Limits, see docs/explanation/sweeps.md: 32 bytes of memory traffic for as many sweeps of a point
// as are made together (24 bytes a sweep in plain loops); 40 bytes a sweep pass between the first-
// and the second-level cache. A vector of points takes five loads, one store, two shifts of lanes,
// five additions and a multiplication.

#include "sweeps.hpp"

#include "stencil.hpp"

#include <numerics/lanes.hpp>
#include <numerics/no_denormals.hpp>

#include <algorithm>
#include <cstddef>

#include <omp.h>

namespace laplace {

using namespace numerics;

namespace {

constexpr int together = 8;                          // sweeps
constexpr std::ptrdiff_t second_level = 640 * 1024;  // bytes of it for a tile
constexpr std::ptrdiff_t third_level = 8 << 20;      // bytes of it for a slab of a tile

struct Span {
  std::ptrdiff_t begin, end;
};

/// Points [x.begin, x.end) of a row, from rows of `box`. Loads that cross cache lines count twice,
/// so the points to the left and right come from shifted registers. Not inlined: rows may be short,
/// and what their ends need stays in registers here.
[[gnu::noinline]] void sweep_row(const double* in, double* out, const Box& box, Span x) {
  constexpr int L = widest;
  using V = Lanes<L>;
  const double *const south = in - box.row, *const north = in + box.row,
                      *const below = in - box.plane, *const above = in + box.plane;
  // Whole vectors from the row's beginning; below 0 the points of a halo are.
  std::ptrdiff_t i = x.begin - ((x.begin % L) + L) % L;
  V before = broadcast<L>(in[i - 1]), here = load<L>(in + i);
  const auto next = [&] {
    const V after = load<L>(in + i + L);
    const V sum =
        sum_of_six<V>(across<L, L - 1>(before, here), across<L, 1>(here, after), load<L>(south + i),
                      load<L>(north + i), load<L>(below + i), load<L>(above + i));
    before = here, here = after;
    return sum * sixth;
  };
  const auto some = [&] {
    store_some<L>(out + i, next(), std::max<std::ptrdiff_t>(x.begin - i, 0),
                  std::min<std::ptrdiff_t>(x.end - i, L) - 1);
    i += L;
  };
  if (i < x.begin) some();
  for (; i + L <= x.end; i += L) store<L>(out + i, next());
  if (i < x.end) some();
}

/// Brings points of a row into the second-level cache.
void prefetch(const double* row, Span points) {
  constexpr std::ptrdiff_t line = 8;
  for (std::ptrdiff_t i = points.begin; i < points.end; i += line)
    __builtin_prefetch(row + i, 0, 2);
}

/// The squares of the differences between two rows, summed up lane by lane.
Lanes<widest> squared_changes(const double* before, const double* after, Span x) {
  constexpr int L = widest;
  const auto change = [&](std::ptrdiff_t i) { return load<L>(after + i) - load<L>(before + i); };
  Lanes<L> sum{};
  std::ptrdiff_t i = x.begin;
  for (; i + L <= x.end; i += L) sum += change(i) * change(i);
  const Lanes<L> rest = only<L>(change(i), 0, x.end - i - 1);
  return sum + rest * rest;
}

/// Sweeps [first, first + count) of the whole.
struct Part {
  int first, count;
};

class Wavefront {
 public:
  Wavefront(const Sweeps& sweeps, Part part, int threads) : sweeps_(sweeps), part_(part) {
    const std::ptrdiff_t row = sweeps.from.row * static_cast<std::ptrdiff_t>(sizeof(double));
    const Span planes = reach(0, 0), rows = reach(1, 0);
    fronts_ = {planes.begin, planes.end + part.count - 1};
    rows_ = {rows.begin, rows.end + part.count - 1};
    const std::ptrdiff_t all_fronts = fronts_.end - fronts_.begin,
                         all_rows = rows_.end - rows_.begin;
    const std::ptrdiff_t in_use = 2 * (part.count + 2);
    const std::ptrdiff_t highest =
        std::max<std::ptrdiff_t>(second_level / (in_use * row) - 2, together);
    // The last thread begins as many tiles after the first as there are threads before it.
    const std::ptrdiff_t least = threads > 1 ? 16 * (threads - 1) : 1;
    tiles_ = std::min(std::max(least, (all_rows + highest - 1) / highest), all_rows);
    const std::ptrdiff_t plane = 2 * (all_rows / tiles_ + part.count + 2) * row;
    const std::ptrdiff_t thickest = std::max(third_level / plane, 2 * in_use) * threads;
    slabs = std::min((all_fronts + thickest - 1) / thickest * threads, all_fronts);
  }

  /// What thread `thread` of `threads` does: every so many slabs, following, tile by tile, the
  /// thread that has the slab before. Returns the squares of what the whole's last sweep changes,
  /// if they are wanted.
  double run(int thread, int threads, std::vector<numerics::Progress>& progress,
             bool crowded) const;

  std::ptrdiff_t slabs;

 private:
  /// What sweep s of this part computes along an axis.
  Span reach(std::size_t axis, int s) const {
    const std::ptrdiff_t more = sweeps_.count - 1 - (part_.first + s);
    const auto& continues = sweeps_.continues[axis];
    return {continues[0] ? -more : 0, sweeps_.from.size[axis] + (continues[1] ? more : 0)};
  }
  static Span piece(Span all, std::ptrdiff_t pieces, std::ptrdiff_t index) {
    const std::ptrdiff_t size = all.end - all.begin;
    return {all.begin + index * size / pieces, all.begin + (index + 1) * size / pieces};
  }
  void front(std::ptrdiff_t f, Span tile, Lanes<widest>& sum) const;

  const Sweeps& sweeps_;
  Part part_;
  Span fronts_, rows_;
  std::ptrdiff_t tiles_;
};

void Wavefront::front(std::ptrdiff_t f, Span tile, Lanes<widest>& sum) const {
  for (int s = 0; s < part_.count; ++s) {
    const std::ptrdiff_t k = f - s;
    const Span planes = reach(0, s), all_rows = reach(1, s), x = reach(2, s);
    if (k < planes.begin || k >= planes.end) continue;
    const bool back = (part_.first + s) % 2 != 0;
    const Box &in = back ? sweeps_.to : sweeps_.from, &out = back ? sweeps_.from : sweeps_.to;
    const std::ptrdiff_t begin = std::max(tile.begin - s, all_rows.begin),
                         end = std::min(tile.end - s, all_rows.end);
    const bool watched = sweeps_.watched && part_.first + s == sweeps_.count - 1;
    // Rows that the next front reads of the tile before, if there is one: each row brings a share.
    const bool follows = tile.begin > rows_.begin && k + 1 < planes.end;
    const double* from = in.at(k, begin);
    double* to = out.at(k, begin);
    for (std::ptrdiff_t j = begin; j < end; ++j, from += in.row, to += out.row) {
      if (follows) {
        const Span share = piece(x, end - begin, j - begin);
        prefetch(in.at(k + 2, begin - 1), share);
        prefetch(in.at(k + 2, begin), share);
      }
      sweep_row(from, to, in, x);
      if (watched) sum += squared_changes(from, to, x);
    }
  }
}

double Wavefront::run(int thread, int threads, std::vector<numerics::Progress>& progress,
                      bool crowded) const {
  Lanes<widest> sum{};
  const auto tiles_of = [&](std::ptrdiff_t slab) -> numerics::Progress& {
    return progress[static_cast<std::size_t>(slab)];
  };
  for (std::ptrdiff_t slab = thread; slab < slabs; slab += threads) {
    const Span fronts = piece(fronts_, slabs, slab);
    for (std::ptrdiff_t t = 0; t < tiles_; ++t) {
      if (slab > 0 && threads > 1) numerics::wait_for(tiles_of(slab - 1), t + 1, crowded);
      const Span tile = piece(rows_, tiles_, t);
      for (std::ptrdiff_t f = fronts.begin; f < fronts.end; ++f) front(f, tile, sum);
      tiles_of(slab).steps.store(t + 1, std::memory_order_release);
    }
  }
  double all = 0;
  for (int lane = 0; lane < widest; ++lane) all += sum[lane];
  return all;
}

}  // namespace

int worthwhile(const Box& box, int most) {
  constexpr std::ptrdiff_t points_per_thread = 16 * 1024;
  return static_cast<int>(std::clamp<std::ptrdiff_t>(box.points() / points_per_thread, 1, most));
}

double sweep(const Sweeps& sweeps, int threads, Workspace& workspace) {
  double sum = 0;
  if (sweeps.from.empty()) return sum;
  std::vector<numerics::Progress>& progress = workspace.progress;
  for (Part part{0, 0}; part.first < sweeps.count; part.first += part.count) {
    part.count = static_cast<int>(first_part(sweeps.count - part.first, together));
    const Wavefront wavefront(sweeps, part, threads);
    if (std::ssize(progress) < wavefront.slabs)
      progress = std::vector<numerics::Progress>(static_cast<std::size_t>(wavefront.slabs));
    for (numerics::Progress& slab : progress) slab.steps.store(0, std::memory_order_relaxed);
    const auto work = [&](int thread, int of) {
      const numerics::NoDenormals flush;
      return wavefront.run(thread, of, progress, threads > numerics::cpus);
    };
    if (threads == 1) {
      sum += work(0, 1);
      continue;
    }
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    sum += work(omp_get_thread_num(), omp_get_num_threads());
  }
  return sum;
}

}  // namespace laplace
