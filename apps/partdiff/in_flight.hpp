#pragma once
// Several sweeps in flight, one in each lane of a vector ("temporal vectorization", L. Yuan et al.,
// SC21; the wavefront over threads is that of G. Wellein et al., COMPSAC 2009).
//
// In step t of pass p lane l computes sweep l+1 at point (p - l, t - l): each lane is a row above
// and a column to the left of the lane before it, so that all it needs of the sweep before has just
// been computed there. With
//     New_p[t]   lane l: sweep l+1 at (p - l, t - l), which step t of pass p computes,
//     Old_p[t]   lane l: sweep l   at (p + 1 - l, t + 1 - l), that is New_p[t] pushed by one lane,
//                        and in lane 0 what memory has at (p + 1, t + 1),
// the values around the point of each lane are
//     old: up Old_{p-2}[t-1], left Old_{p-1}[t-2], itself Old_{p-1}[t-1], right Old_{p-1}[t],
//          down Old_p[t-1];     new: up New_{p-1}[t], left New_p[t-1].
// So a step is a few additions of whole vectors for as many points as there are lanes, nearly all
// of it in registers: one value comes from memory and one, of the last lane, goes there. The grid
// is updated in place: L sweeps read and write each point once.
//
// A band is a few passes that advance together, each one step behind the pass above, because a pass
// alone is a chain of dependent operations. From band to band go two diagonals per column.
// Bands are shared out to the threads in turn, each following the one above at a distance.
//
// Limits, see docs/explanation/sweeps.md: 2 bytes of memory traffic a point and sweep with 8 lanes;
// what counts is the latency of the chain, hidden by as many passes as the registers hold.

#include "stencil.hpp"
#include "sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <omp.h>

namespace partdiff {

/// What all bands of a block of sweeps share.
template <int L>
struct Block {
  Patch patch;
  Region counted;
  std::ptrdiff_t first_row = 0;   ///< of those computed here; negative if sweeps come from above
  Lanes<L>* diagonals = nullptr;  ///< two for each step: Old_p, and New_p or Old_{p-1}
  const Lanes<L>* column_source = nullptr;  ///< of each step, in lane l that of column t - l, or 0

  /// What memory has of a point of the patch or beside it; corners are not needed.
  double value(std::ptrdiff_t row, std::ptrdiff_t column) const {
    if (row >= first_row && row < patch.rows) {
      if (column >= 0 && column < patch.columns) return patch.data[row * patch.stride + column];
      if (column == -1) return patch.left[row];
      if (column == patch.columns) return patch.right[row];
    } else if (column >= 0 && column < patch.columns) {
      if (row == -1) return patch.up[column];
      if (row == patch.rows) return patch.down[column];
    }
    return 0;
  }
};

template <class Method, int L, bool source, bool residuum>
class Band {
 public:
  /// Passes, each of which takes about four registers; single sweeps have fewer values on the way.
  static constexpr int R = L == 1 ? 8 : band_rows;
  static constexpr std::ptrdiff_t first_step = -2;
  static std::ptrdiff_t end_step(const Patch& patch) { return patch.columns + L - 1 + R - 1; }

  /// Passes p .. p + R - 1.
  Band(const Block<L>& block, std::ptrdiff_t p) : block_(block), p_(p) {
    const Patch& patch = block.patch;
    for (int q = 0; q < R; ++q) {
      row_source_[q] = broadcast<L>(0);
      for (int l = 0; source && l < L; ++l)
        if (const auto row = p + q - l; row >= first_computed() && row < patch.rows)
          row_source_[q] = with<L>(row_source_[q], l, patch.row_source[row]);
    }
    // Whether every lane of every pass is inside, and in which steps.
    rows_inside_ = p - (L - 1) >= first_computed() && p + R < patch.rows;
    inner_begin_ = L - 1 + R - 1;
    inner_end_ = patch.columns - 1;
    if (residuum) {
      const Region& counted = block.counted;
      rows_inside_ = rows_inside_ && p - (L - 1) >= counted.r0 && p + R <= counted.r1;
      inner_begin_ += counted.c0;
      inner_end_ = std::min(inner_end_, counted.c1);
    }
    inner_end_ = std::max(inner_end_, inner_begin_);
  }

  /// The steps before `until` that have not been done yet.
  void advance(std::ptrdiff_t until) {
    if (rows_inside_)
      steps<none, columns>(until);
    else
      steps<rows, rows | columns>(until);
  }
  /// The next band may do the steps before this one.
  std::ptrdiff_t done() const { return step_ - (R - 1); }

  /// In each lane the largest change of its sweep.
  Lanes<L> largest() const { return larger<L>(largest_[0], largest_[1]); }

 private:
  using V = Lanes<L>;

  /// Across which edges of the patch, or of what is counted, lanes may stand.
  enum Edges { none = 0, columns = 1, rows = 2 };
  template <int inside, int at_the_ends>
  void steps(std::ptrdiff_t until) {
    some_steps<at_the_ends>(std::min(until, inner_begin_));
    some_steps<inside>(std::min(until, inner_end_));
    some_steps<at_the_ends>(until);
  }
  template <int edges>
  void some_steps(std::ptrdiff_t until);

  /// Rows above that sweeps come from are computed, but for the one that is complete.
  std::ptrdiff_t first_computed() const { return block_.first_row < 0 ? 1 - L : 0; }

  /// A value to the left or right of the patch.
  template <int edges>
  double beside(std::ptrdiff_t row, std::ptrdiff_t column) const {
    if constexpr (edges & rows) return block_.value(row, column);
    return column < 0 ? block_.patch.left[row] : block_.patch.right[row];
  }
  /// A value of the row above or below the patch; anything in the corners.
  template <int edges>
  double beyond(const double* line, std::ptrdiff_t column) const {
    if ((edges & columns) && (column < 0 || column >= block_.patch.columns)) return 0;
    return line[column];
  }
  template <int edges>
  void overwrite_new(V& value, std::ptrdiff_t pass, std::ptrdiff_t t) const;
  template <int edges>
  void overwrite_old(V& value, std::ptrdiff_t pass, std::ptrdiff_t t) const;
  V counted(V change, std::ptrdiff_t pass, std::ptrdiff_t t) const {
    const Region& region = block_.counted;
    return only<L>(change, std::max(t - region.c1, pass - region.r1) + 1,
                   std::min(t - region.c0, pass - region.r0));
  }

  const Block<L> block_;
  const std::ptrdiff_t p_;
  bool rows_inside_ = false;
  std::ptrdiff_t step_ = first_step, inner_begin_ = first_step, inner_end_ = first_step;
  // Every pass's last three Old, the last first, and its last New; `in` is the pass above.
  V old_[R][3] = {}, new_[R] = {}, in_[3] = {}, in_more_[2] = {};
  V row_source_[R];
  V largest_[2] = {};
};

template <class Method, int L, bool source, bool residuum>
template <int edges>
void Band<Method, L, source, residuum>::some_steps(std::ptrdiff_t until) {
  if (step_ >= until) return;
  // Local copies, which no store to memory can reach, stay in registers.
  const std::ptrdiff_t stride = block_.patch.stride, p = p_;
  double* const data = block_.patch.data;
  V* const diagonals = block_.diagonals + 2 * (R + 2);
  const V* const column_source = block_.column_source + R + 2;
  V old0[R], old1[R], old2[R], fresh[R], in[3], in_more[2], largest[2];
#pragma GCC unroll 16
  for (int q = 0; q < R; ++q) {
    old0[q] = old_[q][0], old1[q] = old_[q][1], old2[q] = old_[q][2];
    fresh[q] = new_[q];
  }
  for (int i = 0; i < 3; ++i) in[i] = in_[i];
  for (int i = 0; i < 2; ++i) in_more[i] = in_more_[i], largest[i] = largest_[i];

  for (std::ptrdiff_t step = step_; step < until; ++step) {
    in[2] = in[1], in[1] = in[0], in[0] = diagonals[2 * step];
    in_more[1] = in_more[0], in_more[0] = diagonals[2 * step + 1];
    // From the last pass to the first: each finds what the pass above had one step ago.
#pragma GCC unroll 16
    for (int q = R - 1; q >= 0; --q) {
      const std::ptrdiff_t t = step - q;
      Around<V> around;
      around.down = old0[q];
      around.right = q == 0 ? in[0] : old0[q - 1];
      const V self = q == 0 ? in[1] : old1[q - 1];
      if constexpr (Method::needs_new) {
        around.new_up = q == 0 ? in_more[0] : fresh[q - 1];
        around.new_left = fresh[q];
      } else {
        around.old_left = q == 0 ? in[2] : old2[q - 1];
        around.old_up = q == 0 ? in_more[1] : q == 1 ? in[2] : old2[q - 2];
      }
      V value = Method::update(around);
      if constexpr (source) value += row_source_[q] * column_source[t];
      if constexpr (residuum) {
        V change = magnitude<L>(self - value);
        if constexpr (edges != none) change = counted(change, p + q, t);
        largest[q % 2] = larger<L>(largest[q % 2], change);
      }
      const std::ptrdiff_t row = p + q - (L - 1), column = t - (L - 1);
      double next;
      if constexpr (edges == none) {
        data[row * stride + column] = last<L>(value);
        next = data[(p + q + 1) * stride + t + 1];
      } else {
        const bool row_inside =
            !(edges & rows) || (row >= first_computed() && row < block_.patch.rows);
        const bool column_inside =
            !(edges & columns) || (column >= 0 && column < block_.patch.columns);
        if (row_inside && column_inside) data[row * stride + column] = last<L>(value);
        if constexpr (Method::needs_new) overwrite_new<edges>(value, p + q, t);
        next = !(edges & columns) && p + q + 1 < block_.patch.rows
                   ? data[(p + q + 1) * stride + t + 1]
                   : block_.value(p + q + 1, t + 1);
      }
      V pushed = push<L>(next, value);
      if constexpr (edges != none) overwrite_old<edges>(pushed, p + q, t);
      old2[q] = old1[q], old1[q] = old0[q], old0[q] = pushed;
      if constexpr (Method::needs_new) fresh[q] = value;
    }
    diagonals[2 * (step - (R - 1))] = old0[R - 1];
    diagonals[2 * (step - (R - 1)) + 1] = Method::needs_new ? fresh[R - 1] : old1[R - 2];
  }

#pragma GCC unroll 16
  for (int q = 0; q < R; ++q) {
    old_[q][0] = old0[q], old_[q][1] = old1[q], old_[q][2] = old2[q];
    if constexpr (Method::needs_new) new_[q] = fresh[q];
  }
  for (int i = 0; i < 3; ++i) in_[i] = in[i];
  for (int i = 0; i < 2; ++i) in_more_[i] = in_more[i], largest_[i] = largest[i];
  step_ = until;
}

/// The points around the patch are the same in every sweep: lanes of New that stand on them.
template <class Method, int L, bool source, bool residuum>
template <int edges>
void Band<Method, L, source, residuum>::overwrite_new(V& value, std::ptrdiff_t pass,
                                                      std::ptrdiff_t t) const {
  if ((edges & columns) && t >= -1 && t < L - 1)  // column -1
    value = with<L>(value, t + 1, beside<edges>(pass - (t + 1), -1));
  if ((edges & rows) && pass < L - 1 && block_.first_row == 0)  // row -1
    value = with<L>(value, pass + 1, beyond<edges>(block_.patch.up, t - (pass + 1)));
}

/// Lanes of Old that stand on points around the patch; lane 0 is right already.
template <class Method, int L, bool source, bool residuum>
template <int edges>
void Band<Method, L, source, residuum>::overwrite_old(V& value, std::ptrdiff_t pass,
                                                      std::ptrdiff_t t) const {
  if constexpr (edges & columns) {
    if (t > -2 && t < L - 2)  // column -1
      value = with<L>(value, t + 2, beside<edges>(pass + 1 - (t + 2), -1));
    const std::ptrdiff_t end = block_.patch.columns;
    if (const auto lane = t + 1 - end; lane > 0 && lane < L)
      value = with<L>(value, lane, beside<edges>(pass + 1 - lane, end));
  }
  if constexpr (edges & rows) {
    if (pass < L - 2 && block_.first_row == 0)  // row -1
      value = with<L>(value, pass + 2, beyond<edges>(block_.patch.up, t + 1 - (pass + 2)));
    if (const auto lane = pass + 1 - block_.patch.rows; lane > 0 && lane < L)
      value = with<L>(value, lane, beyond<edges>(block_.patch.down, t + 1 - lane));
  }
}

/// How the bands are shared out: a tile is some bands, which go through the columns together,
/// `width` steps at a time. Inside a tile the diagonals and rows stay in the thread's cache, of
/// which they take up to 400 KB; from tile to tile they pass to another thread, whose distance is
/// one width at least. Taller tiles pass less, and wait longer for the first.
struct Tiles {
  Tiles(std::ptrdiff_t columns, std::ptrdiff_t bands, int most_threads) : bands_(bands) {
    threads = static_cast<int>(std::min<std::ptrdiff_t>(most_threads, bands));
    width = std::clamp<std::ptrdiff_t>(columns / (4 * threads), 32, 256);
    const std::ptrdiff_t highest = std::clamp<std::ptrdiff_t>(bands / (8 * threads), 1, 32);
    // Each thread has as many, and none is much lower than the others.
    const std::ptrdiff_t turns = (bands + highest * threads - 1) / (highest * threads);
    count = std::min(turns * threads, bands);
  }
  /// Its first band; those of tile `count` would begin behind the last.
  std::ptrdiff_t first(std::ptrdiff_t tile) const { return tile * bands_ / count; }

  std::ptrdiff_t width, count;
  int threads;

 private:
  std::ptrdiff_t bands_;
};

/// What pass -1 leaves behind: the row above, or lanes that are on their way down from there.
template <class Method, int L>
void begin_diagonals(const Block<L>& block, Lanes<L>* diagonals) {
  const std::ptrdiff_t columns = block.patch.columns;
  const int lanes = block.first_row < 0 ? L : 1;
  double* const fresh = reinterpret_cast<double*>(diagonals + 1);
  for (int l = 0; l < lanes; ++l) {
    // Step t has column t - l in lane l.
    const auto at = [&](std::ptrdiff_t column) -> double& {
      return fresh[2 * L * (column + l) + l];
    };
    const double* const row =
        block.first_row < 0 ? block.patch.data - (1 + l) * block.patch.stride : block.patch.up;
    for (std::ptrdiff_t column = 0; column < columns; ++column) at(column) = row[column];
    if (l + block.first_row == 0) continue;
    at(-1) = block.value(-1 - l, -1);
    at(columns) = block.value(-1 - l, columns);
  }
  for (std::ptrdiff_t t = -2; t < columns + L; ++t) {
    Lanes<L>* const slot = diagonals + 2 * t;
    slot[0] = push<L>(block.value(0, t + 1), slot[1]);
    if (!Method::needs_new) slot[1] = with<L>(slot[1], 0, block.value(-1, t + 1));
  }
}

/// Lanes that are on their way down stay in the rows that they have reached.
template <int L>
void end_diagonals(const Patch& patch, const Lanes<L>* diagonals) {
  const double* const fresh = reinterpret_cast<const double*>(diagonals + 1);
  for (int l = 0; l < L - 1; ++l) {
    double* const row = patch.data + (patch.rows - 1 - l) * patch.stride;
    for (std::ptrdiff_t column = 0; column < patch.columns; ++column)
      row[column] = fresh[2 * L * (column + l) + l];
  }
}

/// L sweeps.
template <class Method, int L, bool source, bool residuum>
void block_of_sweeps(const Sweeps& sweeps, double* changes, int threads, Workspace& workspace) {
  using TheBand = Band<Method, L, source, residuum>;
  constexpr std::ptrdiff_t R = TheBand::R;
  const Patch& patch = sweeps.patch;
  const std::ptrdiff_t begin = TheBand::first_step, end = TheBand::end_step(patch);

  Block<L> block{.patch = patch, .counted = sweeps.counted};
  if (sweeps.from_above) block.first_row = block.counted.r0 = -L;
  const std::ptrdiff_t slots = end + R + 2;
  block.diagonals = reinterpret_cast<Lanes<L>*>(
      workspace.diagonals.reserve(static_cast<std::size_t>(2 * slots * L)));
  std::fill_n(block.diagonals, 2 * slots, broadcast<L>(0));
  Lanes<L>* const diagonals = block.diagonals + 2 * (R + 2);
  begin_diagonals<Method, L>(block, diagonals);
  if (source) {
    auto* const sources =
        reinterpret_cast<Lanes<L>*>(workspace.sources.reserve(static_cast<std::size_t>(slots * L)));
    Lanes<L> lanes = broadcast<L>(0);
    for (std::ptrdiff_t slot = 0; slot < slots; ++slot) {
      const std::ptrdiff_t column = slot - (R + 2);
      const bool inside = column >= 0 && column < patch.columns;
      sources[slot] = lanes = push<L>(inside ? patch.column_source[column] : 0, lanes);
    }
    block.column_source = sources;
  }

  const std::ptrdiff_t passes = patch.rows + (sweeps.to_below ? 0 : L - 1);
  const std::ptrdiff_t bands = (passes + R - 1) / R;
  const Tiles tiles(patch.columns, bands, threads);
  std::vector<numerics::Progress>& progress = workspace.progress;
  if (std::ssize(progress) < tiles.count)
    progress = std::vector<numerics::Progress>(static_cast<std::size_t>(tiles.count));
  for (numerics::Progress& tile : progress) tile.steps.store(begin, std::memory_order_relaxed);

  Lanes<L> largest = broadcast<L>(0);
  const auto work = [&](std::ptrdiff_t first, std::ptrdiff_t threads, bool crowded) {
    Lanes<L> mine = broadcast<L>(0);
    std::vector<TheBand> tile;
    for (std::ptrdiff_t i = first; i < tiles.count; i += threads) {
      tile.clear();
      for (std::ptrdiff_t b = tiles.first(i); b < tiles.first(i + 1); ++b)
        tile.emplace_back(block, b * R);
      for (std::ptrdiff_t until = begin; tile.back().done() < end - (R - 1);) {
        until += tiles.width;
        // The last steps of a band need nothing new from above.
        if (i > 0)
          numerics::wait_for(progress[static_cast<std::size_t>(i - 1)],
                             std::min(until, end - (R - 1)), crowded);
        std::ptrdiff_t lead = until;
        for (TheBand& band : tile) {
          band.advance(std::min(lead, end));
          lead -= R - 1;
        }
        progress[static_cast<std::size_t>(i)].steps.store(tile.back().done(),
                                                          std::memory_order_release);
      }
      for (const TheBand& band : tile)
        if (residuum) mine = larger<L>(mine, band.largest());
    }
    return mine;
  };
  if (tiles.threads == 1) {
    largest = work(0, 1, false);
  } else {
    const bool crowded = tiles.threads > numerics::cpus;
#pragma omp parallel num_threads(tiles.threads)
    {
      const Lanes<L> mine = work(omp_get_thread_num(), omp_get_num_threads(), crowded);
#pragma omp critical
      largest = larger<L>(largest, mine);
    }
  }
  if (sweeps.to_below) end_diagonals<L>(patch, diagonals);
  if (!residuum) return;
  double values[L];
  std::memcpy(values, &largest, sizeof values);
  for (int l = 0; l < L; ++l) changes[l] = std::max(changes[l], values[l]);
}

/// Blocks of as many sweeps as a register has lanes, and what is left in narrower ones.
template <class Method, int L = widest>
void sweeps_in_flight(const Sweeps& sweeps, int threads, Workspace& workspace, int done = 0) {
  if (sweeps.patch.empty()) return;
  for (; sweeps.count - done >= L; done += L) {
    double* const changes = sweeps.changes ? sweeps.changes + done : nullptr;
    const auto run = [&](auto block) { block(sweeps, changes, threads, workspace); };
    if (sweeps.patch.row_source)
      changes ? run(block_of_sweeps<Method, L, true, true>)
              : run(block_of_sweeps<Method, L, true, false>);
    else
      changes ? run(block_of_sweeps<Method, L, false, true>)
              : run(block_of_sweeps<Method, L, false, false>);
  }
  if constexpr (L > 1) sweeps_in_flight<Method, L / 2>(sweeps, threads, workspace, done);
}

}  // namespace partdiff
