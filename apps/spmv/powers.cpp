#include "powers.hpp"

#include <machine/stopwatch.hpp>
#include <numerics/following.hpp>

#include <algorithm>
#include <limits>

#include <omp.h>

namespace spmv {

using namespace halocline;

Powers::Powers(MPI_Comm comm, const Matrix& matrix, const Plan& plan, int power)
    : power_(power), plan_(plan), deep_(deep_of(comm, matrix, power)), own_(matrix.rows.size()) {
  // The element behind the last one is 0, for what fills up.
  const std::size_t elements = deep_.indices.size() + 1;
  memory_ = Array<double>(comm, elements, plan.scheme);
  exchange_ = std::make_unique<Exchange>(comm, deep_.pattern, memory_, plan.scheme);
  if (exchange_->direct())
    throw Error(plan.scheme.str() + " fills no halo, where powers need one; use +access=slots");
  for (auto& result : results_) result = Array<double>(comm, elements);
  const Rows rows{deep_.begin, deep_.columns, deep_.values, deep_.rows};
  format_ = layout() == Layout::crs
                ? make_crs(rows, plan.threads)
                : make_sell(rows, plan.threads, 1, static_cast<std::int32_t>(elements - 1));
  shares_ = format_->shares(plan.threads);
  cut();
  deep_.columns = {};
  deep_.values = {};
  at_a_time_ = fastest();
}

std::span<double> Powers::x() const {
  return {memory_.data() + deep_.own, static_cast<std::size_t>(own_)};
}

/// Pieces, and how far behind each other sweeps must be. A sweep reads what the one before has
/// written, and writes where that one has read.
void Powers::cut() {
  constexpr std::int64_t entries = 4096;  // small beside any cache, large beside a call
  std::vector<std::ptrdiff_t> piece_of(deep_.indices.size());
  std::int64_t stored = 0;
  for (std::int64_t slice = 0; slice < format_->slices(); ++slice) {
    if (pieces_.empty() || format_->stored_before(slice) - stored >= entries) {
      stored = format_->stored_before(slice);
      pieces_.push_back({slice, slice, power_, 0});
    }
    Piece& piece = pieces_.back();
    piece.last = slice + 1;
    for (const std::int32_t row : format_->rows_of(slice)) {
      piece.away = std::min(piece.away, deep_.steps[static_cast<std::size_t>(row)]);
      piece_of[static_cast<std::size_t>(row)] = std::ssize(pieces_) - 1;
    }
  }
  for (const std::int32_t row : deep_.rows) {
    const auto r = static_cast<std::size_t>(row);
    const std::ptrdiff_t reader = piece_of[r];
    for (auto e = static_cast<std::size_t>(deep_.begin[r]);
         e < static_cast<std::size_t>(deep_.begin[r + 1]); ++e) {
      const auto column = static_cast<std::size_t>(deep_.columns[e]);
      if (deep_.steps[column] == power_) continue;  // of x alone, which stays
      const std::ptrdiff_t writer = piece_of[column];
      Piece &of_reader = pieces_[static_cast<std::size_t>(reader)],
            &of_writer = pieces_[static_cast<std::size_t>(writer)];
      of_reader.after = std::max(of_reader.after, writer + 1);
      of_writer.after = std::max(of_writer.after, reader + 1);
    }
  }
  // In the order of the pieces.
  for (std::size_t i = 1; i < pieces_.size(); ++i)
    pieces_[i].after = std::max(pieces_[i].after, pieces_[i - 1].after);
}

const double* Powers::from(int step) const {
  return step == 1 ? memory_.data() : to(step - 1);
}

double* Powers::to(int step) const {
  return results_[static_cast<std::size_t>(step % 2)].data();
}

void Powers::take(int step, const Piece& piece) {
  if (piece.away > power_ - step) return;  // nobody here needs it any more
  format_->multiply(from(step), to(step), piece.first, piece.last);
}

void Powers::sweep_shared(int step) {
#pragma omp parallel num_threads(plan_.threads) if (plan_.threads > 1)
  {
    const auto share = static_cast<std::size_t>(omp_get_thread_num());
    format_->multiply(from(step), to(step), shares_[share], shares_[share + 1]);
  }
}

/// Steps from `first` to before `last`, each as soon as the one before is far enough. A thread has
/// several of them that follow each other, and follows the thread before.
void Powers::sweep_following(int first, int last) {
  const int steps = last - first, threads = std::min(plan_.threads, steps);
  std::vector<numerics::Progress> done(static_cast<std::size_t>(threads));
  const bool crowded = threads > numerics::cpus;
  const auto pieces = std::ssize(pieces_);
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    const int thread = omp_get_thread_num();
    const int begin = first + steps * thread / threads,
              end = first + steps * (thread + 1) / threads;
    std::vector<std::ptrdiff_t> next(static_cast<std::size_t>(end - begin), 0);
    const auto piece = [&](std::size_t i) -> const Piece& {
      return pieces_[static_cast<std::size_t>(next[i])];
    };
    while (next.back() < pieces) {
      if (next[0] < pieces) {
        if (thread > 0)
          numerics::wait_for(done[static_cast<std::size_t>(thread) - 1], piece(0).after, crowded);
        take(begin, piece(0));
        ++next[0];
      }
      for (std::size_t i = 1; i < next.size(); ++i)
        while (next[i] < pieces && next[i - 1] >= piece(i).after) {
          take(begin + static_cast<int>(i), piece(i));
          ++next[i];
        }
      done[static_cast<std::size_t>(thread)].steps.store(next.back(), std::memory_order_release);
    }
  }
}

void Powers::compute(int at_a_time) {
  for (int step = 1; step <= power_; step += at_a_time) {
    if (at_a_time == 1)
      sweep_shared(step);
    else
      sweep_following(step, std::min(step + at_a_time, power_ + 1));
  }
}

int Powers::fastest() {
  int best = 1;
  if (pieces_.empty()) return best;
  double least = std::numeric_limits<double>::infinity();
  // Where a sweep must wait until the one before is nearly over, it cannot follow it.
  const bool follows = pieces_[pieces_.size() / 2].after < 3 * std::ssize(pieces_) / 4;
  std::vector<int> candidates{1};
  for (int steps = power_; follows && steps > 1; steps /= 2) candidates.push_back(steps);
  for (const int candidate : candidates)
    for (int i = 0; i < 3; ++i) {
      const auto begin = machine::Clock::now();
      compute(candidate);
      const double seconds = machine::seconds_since(begin);
      if (i > 0 && seconds < least) least = seconds, best = candidate;
    }
  return best;
}

std::span<const double> Powers::multiply() {
  {
    const machine::Stopwatch waiting(times.wait);
    exchange_->run();
  }
  const machine::Stopwatch computing(times.compute);
  compute(at_a_time_);
  return {to(power_) + deep_.own, static_cast<std::size_t>(own_)};
}

}  // namespace spmv
