// Which kernel a block of Jacobi sweeps takes, and how threads share it: each has rows of its own.
//
// Beyond its rows a thread sees anything (the points around the whole patch), so that after d
// sweeps the d rows on either side of a cut are wrong. The 4d rows around each cut are copied
// before, and swept apart; of these the 2d in the middle are right, and go where the wrong ones
// are. Threads need each other twice in d sweeps, for 4d rows more a cut. (Overlapped tiling; J.
// Meng and K. Skadron, ICS 2009, call the copies ghost zones.)

#include "in_flight.hpp"
#include "jacobi_wavefront.hpp"

namespace partdiff {

namespace {

void on_one_thread(const Sweeps& sweeps, Workspace& workspace) {
  const int together = sweeps_in_wavefront(sweeps.patch.columns);
  if (together == 0) {
    sweeps_in_flight<Jacobi>(sweeps, 1, workspace);
    return;
  }
  Sweeps part = sweeps;
  for (int done = 0; done < sweeps.count; done += part.count) {
    part.count = std::min(together, sweeps.count - done);
    part.changes = sweeps.changes ? sweeps.changes + done : nullptr;
    if (part.count == 1)
      sweeps_in_flight<Jacobi>(part, 1, workspace);
    else
      jacobi_wavefront(part, workspace);
  }
}

struct Rows {
  std::ptrdiff_t begin, end;
};

/// Rows [0, `rows`) cut for threads that sweep `depth` times, all with as much to do.
class Cuts {
 public:
  Cuts(std::ptrdiff_t rows, int depth, int most_threads)
      : rows_(rows),
        depth_(depth),
        threads_(std::clamp<std::ptrdiff_t>(rows / (4 * depth), 1, most_threads)) {}

  int threads() const { return static_cast<int>(threads_); }
  /// The rows of a thread, from one cut to the next.
  Rows part(int thread) const { return {cut(thread), cut(thread + 1)}; }
  /// Those of its rows that are right after all sweeps.
  Rows right(int thread) const {
    const auto [begin, end] = part(thread);
    return {begin > 0 ? begin + depth_ : begin, end < rows_ ? end - depth_ : end};
  }
  /// What is swept apart around the cut below the rows of a thread, and what of it is right; the
  /// last thread has none.
  Rows strip(int thread) const { return around(thread, 2 * depth_); }
  Rows right_in_strip(int thread) const { return around(thread, depth_); }

 private:
  /// The last thread has no strip, and as many rows more.
  std::ptrdiff_t cut(std::ptrdiff_t thread) const {
    if (thread == threads_) return rows_;
    const std::ptrdiff_t strip = 4 * depth_;
    return thread * (rows_ + (threads_ - 1) * strip) / threads_ - thread * strip;
  }
  Rows around(std::ptrdiff_t thread, std::ptrdiff_t reach) const {
    const std::ptrdiff_t below = cut(thread + 1);
    if (below == rows_) return {rows_, rows_};
    return {std::max<std::ptrdiff_t>(below - reach, 0), std::min(below + reach, rows_)};
  }

  std::ptrdiff_t rows_, depth_, threads_;
};

/// What one thread does in a block of sweeps.
class Share {
 public:
  Share(const Cuts& cuts, int thread, const Sweeps& all)
      : rows_(cuts.strip(thread)),
        right_(cuts.right_in_strip(thread)),
        all_(all.patch),
        part_(over(cuts.part(thread), cuts.right(thread), all)),
        strip_(over(rows_, right_, all)) {}

  /// Before any thread sweeps.
  void copy_strip(Workspace& workspace) {
    Patch& strip = strip_.patch;
    if (strip.empty()) return;
    strip.stride = aligned(strip.columns);
    strip.data = workspace.strip.reserve(static_cast<std::size_t>(strip.rows * strip.stride));
    copy_rows(all_.part(rows_.begin, rows_.end, 0, all_.columns), strip);
  }
  void sweep(Workspace& workspace) {
    for (Sweeps* sweeps : {&part_, &strip_}) {
      if (sweeps->changes) sweeps->changes = changes_;
      if (!sweeps->patch.empty()) on_one_thread(*sweeps, workspace);
    }
  }
  /// When all threads have swept.
  void put_right() const {
    if (strip_.patch.empty()) return;
    copy_rows(
        strip_.patch.part(right_.begin - rows_.begin, right_.end - rows_.begin, 0, all_.columns),
        all_.part(right_.begin, right_.end, 0, all_.columns));
  }
  double change(int sweep) const { return changes_[sweep]; }

 private:
  /// Some of the rows alone; changes count where they are right.
  static Sweeps over(Rows rows, Rows right, const Sweeps& all) {
    Sweeps part = all;
    part.patch = all.patch.part(rows.begin, rows.end, 0, all.patch.columns);
    part.patch.up = all.patch.up;
    part.patch.down = all.patch.down;
    part.counted.r0 = std::max(all.counted.r0, right.begin) - rows.begin;
    part.counted.r1 = std::max(part.counted.r0, std::min(all.counted.r1, right.end) - rows.begin);
    return part;
  }
  static void copy_rows(const Patch& from, const Patch& to) {
    for (std::ptrdiff_t r = 0; r < from.rows; ++r)
      std::copy_n(from.data + r * from.stride, from.columns, to.data + r * to.stride);
  }

  Rows rows_, right_;
  Patch all_;
  Sweeps part_, strip_;
  double changes_[widest] = {};
};

void on_threads(const Cuts& cuts, const Sweeps& sweeps, Workspace& workspace) {
  const int threads = cuts.threads();
  std::vector<Workspace>& of = workspace.of_threads;
  if (std::ssize(of) < threads) of.resize(static_cast<std::size_t>(threads));
  std::vector<Share> shares;
  for (int thread = 0; thread < threads; ++thread) shares.emplace_back(cuts, thread, sweeps);
#pragma omp parallel num_threads(threads)
  {
    // The threads may be fewer than were asked for.
#pragma omp for schedule(static)
    for (int i = 0; i < threads; ++i) shares[i].copy_strip(of[i]);
#pragma omp for schedule(static)
    for (int i = 0; i < threads; ++i) shares[i].sweep(of[i]);
#pragma omp for schedule(static) nowait
    for (int i = 0; i < threads; ++i) shares[i].put_right();
  }
  for (int k = 0; sweeps.changes && k < sweeps.count; ++k)
    for (const Share& share : shares)
      sweeps.changes[k] = std::max(sweeps.changes[k], share.change(k));
}

}  // namespace

void jacobi_sweeps(const Sweeps& sweeps, int threads, Workspace& workspace) {
  if (sweeps.patch.empty()) return;
  Sweeps block = sweeps;
  for (int done = 0; done < sweeps.count; done += block.count) {
    block.count = std::min(widest, sweeps.count - done);
    block.changes = sweeps.changes ? sweeps.changes + done : nullptr;
    const Cuts cuts(block.patch.rows, block.count, threads);
    if (cuts.threads() == 1)
      on_one_thread(block, workspace);
    else
      on_threads(cuts, block, workspace);
  }
}

}  // namespace partdiff
