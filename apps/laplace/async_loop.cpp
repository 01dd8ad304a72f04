#include "async_loop.hpp"

#include "halo_period.hpp"
#include "slowness.hpp"

#include <numerics/no_denormals.hpp>

#include <machine/stopwatch.hpp>

#include <halocline/more/waiting.hpp>
#include <halocline/wait.hpp>

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace laplace {

using machine::Clock, machine::seconds_since;

namespace {

/// Synchronous iterations that a confirmation may take: jumps between workers' parts, which
/// asynchronous iterations may leave, are smoothed out by a few.
constexpr int most_to_confirm = 16;

/// Iterations from one look at the sums to the next, at least.
constexpr std::int64_t sum_period = 8;

/// Sweeps that are blocked in time together, at most, while halos are not sent.
constexpr std::int64_t most_at_once = 8;

class AsyncLoop {
 public:
  AsyncLoop(System& system, HaloTraffic& traffic, GlobalSum& residuals, GlobalSum& orders,
            const AsyncSettings& settings)
      : system_(system),
        traffic_(traffic),
        residuals_(residuals),
        settings_(settings),
        period_(settings.halo_period, settings.first, orders),
        halos_(traffic.links()) {}

  AsyncOutcome run() {
    const numerics::NoDenormals no_denormals;
    system_.initialise();
    // Also a start together, so that times mean the same on all workers.
    source_ = norm_of_source(system_, residuals_);
    begin_ = Clock::now();
    double target = settings_.tolerance;
    for (bool go_on = true; go_on;) {
      ++outcome_.phases;
      go_on = iterate_until(target) && settings_.confirm;
      period_.drain();
      residuals_.drain();
      traffic_.drain();
      confirm(go_on);
      go_on = go_on && !outcome_.converged;
      // By this factor the asynchronous sum took too much for the tolerance.
      target *= std::clamp(0.9 * settings_.tolerance / outcome_.residual, 0.1, 0.9);
    }
    outcome_.seconds = seconds_since(begin_);
    outcome_.halo_period = period_.settled() ? period_.now() : 0;
    return std::move(outcome_);
  }

 private:
  double sweep(int steps, bool wanted) {
    outcome_.iterations += steps;
    const machine::Stopwatch computing(outcome_.computing);
    const Slowness slowness(settings_.slow);
    return system_.sweep(steps, wanted);
  }

  /// To the next time that halos are sent.
  int steps() const {
    return static_cast<int>(std::clamp<std::int64_t>(
        std::min(next_send_, settings_.max_iterations) - outcome_.iterations, 1, most_at_once));
  }

  double relative(double squared) const { return std::sqrt(squared) / source_; }

  void receive() {
    const bool news = traffic_.receive() > 0;
    for (std::size_t link = 0; link < halos_.size(); ++link) {
      Halo& halo = halos_[link];
      halo.age += outcome_.iterations - last_receive_;
      if (news && traffic_.iteration_of(link) != halo.iteration)
        halo = {traffic_.iteration_of(link), 0};
      outcome_.age.sum += static_cast<double>(halo.age);
      outcome_.age.oldest = std::max(outcome_.age.oldest, halo.age);
    }
    last_receive_ = outcome_.iterations;
    outcome_.age.halos += static_cast<std::int64_t>(halos_.size());
  }

  /// Until a sum says that the target is reached, which gives true, or that it will not be. All
  /// workers see the same sums, so that all of them leave after the same one.
  bool iterate_until(double target) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    auto last = Clock::now();
    std::int64_t next_look = outcome_.iterations;
    bool given = false;  // my part of the sum under way
    for (;;) {
      receive();
      const bool look = outcome_.iterations >= next_look;
      const double squared = sweep(steps(), look && !given);
      if (outcome_.iterations >= next_send_) {
        traffic_.send(static_cast<std::uint64_t>(outcome_.iterations));
        next_send_ = outcome_.iterations + period_.now();
        // Where workers share cores, those who have not seen this yet make better use of the time:
        // turns of the scheduler's length would be spent on old halos.
        if (settings_.crowded) sched_yield();
      }
      if (!look) continue;
      next_look = outcome_.iterations + sum_period - 1;

      period_.advance();
      const auto sum = residuals_.advance([&] {
        given = true;
        // The sum of this is as large whatever the others bring, and so ends the iterations.
        return outcome_.iterations >= settings_.max_iterations ? infinity : squared;
      });
      if (!sum) {
        if (seconds_since(last) > settings_.timeout) give_up();
        continue;
      }
      given = false;
      last = Clock::now();
      const double residual = relative(*sum);
      if (settings_.first && std::isfinite(residual)) {
        const double seconds = seconds_since(begin_);
        record(seconds, residual);
        period_.observe(seconds, outcome_.iterations, residual);
        if (settings_.progress) settings_.progress(outcome_.iterations, residual);
      }
      if (residual <= target) return true;
      if (!std::isfinite(residual)) return false;
    }
  }

  [[noreturn]] void give_up() const {
    throw halocline::Timeout("no sum over all workers within " +
                             std::to_string(std::lround(settings_.timeout)) +
                             " s: at least one does not answer (--timeout)");
  }

  /// Keeps some thousand points: every second one is dropped when there are more.
  void record(double seconds, double residual) {
    constexpr std::size_t most = 2000;
    if (sums_++ % stride_ != 0) return;
    auto& points = outcome_.convergence;
    points.push_back({seconds, residual});
    if (points.size() < most) return;
    for (std::size_t i = 0; 2 * i < points.size(); ++i) points[i] = points[2 * i];
    points.resize(points.size() / 2);
    stride_ *= 2;
  }

  /// The true residual; if `may_sweep`, after as many synchronous iterations as it takes to bring
  /// it within the tolerance, but only a few.
  void confirm(bool may_sweep) {
    for (int done = 0;; ++done) {
      traffic_.exchange();
      outcome_.residual = relative(residuals_.everywhere(system_.residual()));
      outcome_.converged = outcome_.residual < settings_.tolerance;
      if (outcome_.converged || !may_sweep || done == most_to_confirm) break;
      sweep(1, false);
      ++outcome_.synchronous;
    }
    if (settings_.first) outcome_.convergence.push_back({seconds_since(begin_), outcome_.residual});
  }

  struct Halo {
    std::uint64_t iteration = 0;
    std::int64_t age = 0;
  };

  System& system_;
  HaloTraffic& traffic_;
  GlobalSum& residuals_;
  const AsyncSettings& settings_;
  HaloPeriod period_;
  AsyncOutcome outcome_;
  double source_ = 1;  ///< |b|
  Clock::time_point begin_;
  std::vector<Halo> halos_;
  std::int64_t next_send_ = 1, last_receive_ = 0;
  std::int64_t sums_ = 0, stride_ = 1;
};

}  // namespace

double norm_of_source(const System& system, GlobalSum& sum) {
  const double norm = std::sqrt(sum.everywhere(system.source()));
  if (!(norm > 0)) throw halocline::Error("b is zero, so that no residual is relative to it");
  return norm;
}

AsyncOutcome iterate(System& system, HaloTraffic& traffic, GlobalSum& residuals, GlobalSum& orders,
                     const AsyncSettings& settings) {
  return AsyncLoop(system, traffic, residuals, orders, settings).run();
}

}  // namespace laplace
