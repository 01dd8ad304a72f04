#include "powers.hpp"

#include <machine/stopwatch.hpp>
#include <numerics/following.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

#include <omp.h>

namespace spmv {

using namespace halocline;

Powers::Powers(MPI_Comm comm, const Matrix& matrix, const Plan& plan, int power)
    : power_(power), plan_(plan), deep_(deep_of(comm, matrix, power)), own_(matrix.rows.size()) {
  // The element behind the last one is 0, for what fills up.
  const std::size_t elements = deep_.indices.size() + 1;
  memory_ = Array<double>(comm, elements, plan.scheme);
  exchange_ = std::make_unique<Exchange>(comm, deep_.pattern, memory_, plan.scheme);
  for (auto& result : results_) result = Array<double>(comm, elements);
  const Rows rows{deep_.begin, deep_.columns, deep_.values, deep_.rows};
  format_ = layout() == Layout::crs
                ? make_crs(rows, plan.threads)
                : make_sell(rows, plan.threads, 1, static_cast<std::int32_t>(elements - 1));
  shares_ = format_->shares(plan.threads);
  cut();
  choose();
  neighbours_ = {};
  deep_.columns = {};
  deep_.values = {};
}

std::span<double> Powers::x() const {
  return {memory_.data() + deep_.own, static_cast<std::size_t>(own_)};
}

/// Pieces, and who reads whom. A sweep reads what the one before has written, and writes where that
/// one has read.
void Powers::cut() {
  constexpr std::int64_t entries = 8192;  // small beside any cache, large beside a call
  std::vector<std::int32_t> piece_of(deep_.indices.size());
  std::int64_t stored = 0;
  for (std::int64_t slice = 0; slice < format_->slices(); ++slice) {
    if (pieces_.empty() || format_->stored_before(slice) - stored >= entries) {
      stored = format_->stored_before(slice);
      pieces_.push_back({slice, slice, format_->rows_of(slice)[0], power_});
    }
    Piece& piece = pieces_.back();
    piece.last = slice + 1;
    for (const std::int32_t row : format_->rows_of(slice)) {
      piece.away = std::min(piece.away, deep_.steps[static_cast<std::size_t>(row)]);
      piece_of[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(std::ssize(pieces_) - 1);
    }
  }
  neighbours_.resize(pieces_.size());
  std::vector<std::int32_t> last_reader(pieces_.size(), -1);
  for (const std::int32_t row : deep_.rows) {
    const auto r = static_cast<std::size_t>(row);
    const std::int32_t reader = piece_of[r];
    const auto add = [&](std::int32_t other) {
      if (std::exchange(last_reader[static_cast<std::size_t>(other)], reader) == reader) return;
      neighbours_[static_cast<std::size_t>(reader)].push_back(other);
      neighbours_[static_cast<std::size_t>(other)].push_back(reader);
    };
    add(reader);
    for (auto e = static_cast<std::size_t>(deep_.begin[r]);
         e < static_cast<std::size_t>(deep_.begin[r + 1]); ++e) {
      const auto column = static_cast<std::size_t>(deep_.columns[e]);
      if (deep_.steps[column] < power_) add(piece_of[column]);  // else of x alone, which stays
    }
  }
  for (auto& others : neighbours_) {
    std::ranges::sort(others);
    others.erase(std::unique(others.begin(), others.end()), others.end());
  }
}

/// Rows after which the matrix is much like itself, such as a grid's plane: the usual distance of
/// the entries that are farthest from the diagonal.
std::int32_t Powers::period() const {
  constexpr std::size_t sample = 61;
  std::vector<std::int32_t> far;
  std::int32_t farthest = 0;
  for (const bool count : {true, false})
    for (std::size_t i = 0; i < deep_.rows.size(); i += sample) {
      const std::int32_t row = deep_.rows[i];
      for (auto e = static_cast<std::size_t>(deep_.begin[static_cast<std::size_t>(row)]);
           e < static_cast<std::size_t>(deep_.begin[static_cast<std::size_t>(row) + 1]); ++e) {
        const std::int32_t distance = std::abs(deep_.columns[e] - row);
        if (count)
          farthest = std::max(farthest, distance);
        else if (distance > farthest / 2)
          far.push_back(distance);
      }
    }
  if (far.empty()) return 1;
  const auto middle = far.begin() + std::ssize(far) / 2;
  std::nth_element(far.begin(), middle, far.end());
  return *middle;
}

/// Sweeps of a grid that follow each other are a plane apart, and all between the first and the
/// last of them ought to stay in caches: so planes are taken in strips, each through the whole
/// grid, which leans to one side by as much as a sweep reads of its neighbours.
Powers::Traversal Powers::traversal(int at_a_time, int strips) const {
  Traversal traversal{at_a_time, strips};
  if (at_a_time == 1) return traversal;
  const std::int64_t rows = period();
  const auto strip = [&](std::int32_t piece) {
    return pieces_[static_cast<std::size_t>(piece)].row % rows * strips / rows;
  };
  std::vector<std::int32_t> order(pieces_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, strip);
  traversal.visits = wavefront(neighbours_, order, at_a_time, plan_.threads);
  if (const int rest = power_ % at_a_time; rest > 1)
    traversal.last = wavefront(neighbours_, order, rest, plan_.threads);
  return traversal;
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

/// Steps from `first` on, each as soon as the one before is far enough.
void Powers::sweep_following(int first, const Visits& visits) {
  const int threads = static_cast<int>(visits.size());
  std::vector<numerics::Progress> done(visits.size());
  const bool crowded = threads > numerics::cpus;
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    std::ptrdiff_t count = 0;
    for (const Visit& visit : visits[thread]) {
      if (visit.after > 0) numerics::wait_for(done[thread - 1], visit.after, crowded);
      take(first + visit.sweep, pieces_[static_cast<std::size_t>(visit.piece)]);
      done[thread].steps.store(++count, std::memory_order_release);
    }
  }
}

void Powers::compute(const Traversal& traversal) {
  for (int step = 1; step <= power_; step += traversal.at_a_time) {
    const int steps = std::min(traversal.at_a_time, power_ + 1 - step);
    if (steps == 1)
      sweep_shared(step);
    else
      sweep_following(step, steps == traversal.at_a_time ? traversal.visits : traversal.last);
  }
}

/// Seconds: the least of some.
double Powers::time_of(const Traversal& traversal) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const auto begin = machine::Clock::now();
    compute(traversal);
    if (i > 0) least = std::min(least, machine::seconds_since(begin));
  }
  return least;
}

void Powers::choose() {
  if (pieces_.empty()) return;
  std::size_t pairs = 0;
  for (const auto& others : neighbours_) pairs += others.size();
  // Where most pieces need most others, no sweep can follow another.
  if (2 * pairs > pieces_.size() * pieces_.size() && pieces_.size() > 4) return;
  const std::size_t rows_of_piece = deep_.rows.size() / pieces_.size() + 1;
  const std::size_t most = static_cast<std::size_t>(period()) / rows_of_piece / 2;
  double least = time_of(traversal_);
  for (int steps = power_; steps > 1; steps /= 2) {
    double of_steps = std::numeric_limits<double>::infinity();
    // More and thinner strips, as long as that makes it faster.
    for (int strips = 1; strips == 1 || static_cast<std::size_t>(strips) <= most; strips *= 2) {
      Traversal candidate = traversal(steps, strips);
      const double seconds = time_of(candidate);
      if (seconds < least) least = seconds, traversal_ = std::move(candidate);
      if (seconds > 1.05 * of_steps) break;
      of_steps = std::min(of_steps, seconds);
    }
    if (of_steps > 1.3 * least) break;
  }
}

std::span<const double> Powers::multiply() {
  {
    const machine::Stopwatch waiting(times.wait);
    exchange_->run();
  }
  const machine::Stopwatch computing(times.compute);
  compute(traversal_);
  return {to(power_) + deep_.own, static_cast<std::size_t>(own_)};
}

}  // namespace spmv
