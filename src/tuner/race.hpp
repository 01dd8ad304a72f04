#pragma once
// The race: which of several candidates is the fastest, in as few measurements as it takes. Knows
// neither MPI nor clocks, so that it can be driven by a simulation.

#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace halocline::detail {

/// A median and the interval that holds the true one with 99 %, from order statistics (Hoefler and
/// Belli, SC15, section 3.1.3): nothing is assumed of the distribution.
struct Estimate {
  double median = 0, low = 0, high = 0;
  std::size_t samples = 0;
};
Estimate estimate(std::vector<double> samples);

/// Racing (Maron and Moore, 1994): all runners are measured in rounds, each repetition in another
/// random order; after a round those are dropped whose interval lies above that of the fastest.
class Race {
 public:
  struct Runner {
    std::string name;
    std::vector<double> seconds{};
    std::string dropped{};  ///< why; empty while it runs
  };
  /// Seconds of each visit; `visits` are indices of runners.
  using Measure = std::function<std::vector<double>(const std::vector<std::size_t>& visits)>;
  /// Seconds left. The race looks before each round.
  using Left = std::function<double()>;

  explicit Race(unsigned seed) : dice_(seed) {}

  std::size_t enter(std::string name);
  void add(std::size_t runner, double seconds) { runners_[runner].seconds.push_back(seconds); }
  void drop(std::size_t runner, std::string why) { runners_[runner].dropped = std::move(why); }
  /// Measure the runners until one is left, until they differ by no more than a hundredth, or until
  /// the time is up (a second more if there are too few samples to say anything); `most` limits the
  /// rounds. What those still running did before is forgotten:
  /// it was at another time, and with other neighbours in the order.
  void run(const Measure& measure, const Left& left, int most);

  const std::vector<Runner>& runners() const noexcept { return runners_; }
  std::vector<std::size_t> running() const;
  Estimate of(std::size_t runner) const { return estimate(runners_[runner].seconds); }
  /// The smallest median of those running; there must be one.
  std::size_t leader() const;

 private:
  std::vector<std::size_t> visits(int repetitions);
  void cull(int round);
  bool has_samples(std::size_t least) const;
  bool decided() const;

  std::vector<Runner> runners_;
  std::minstd_rand dice_;
};

}  // namespace halocline::detail
