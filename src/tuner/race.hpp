#pragma once
// The race: which of several candidates is the fastest, in as few measurements as it takes. Knows
// neither MPI nor clocks, so that it can be driven by a simulation.

#include "base/median.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace halocline::detail {

/// One runner against another in the same repetitions. A machine that is slower for a while is
/// slower for both.
struct Duel {
  base::Interval times;  ///< as long as the other: the median of the repetitions' quotients, 99 %
  double excess = 0;     ///< of the mean over the other's, in standard errors of the difference

  Duel(std::span<const double> mine, std::span<const double> other);
};

/// Racing in blocks, as in F-Race and irace (M. Birattari et al., GECCO 2002; M. López-Ibáñez et
/// al., Operations Research Perspectives 3, 2016, doi:10.1016/j.orp.2016.09.002): in each
/// repetition all runners are measured one after the other, in another random order, and compared
/// only with what others took in the same repetition. A runner must hold its own by the median and
/// by the mean: the median alone overlooks one that is fast mostly and now and then takes a
/// thousand times as long; the mean alone punishes one for what else happened on the machine. What
/// happens now and then takes time to be seen. It lies in how a family waits, so the best of
/// another family than the leader's, the rival, stays on as the alternative until it has been seen.
class Race {
 public:
  struct Runner {
    std::string name;
    std::string family{};
    std::vector<double> seconds{};
    double times = 0;       ///< as long as the fastest in the same repetitions; 0 if unknown
    std::string dropped{};  ///< why; empty while it runs
  };
  /// Seconds of each visit; `visits` are indices of runners.
  using Measure = std::function<std::vector<double>(const std::vector<std::size_t>& visits)>;
  /// Seconds left. The race looks before each round.
  using Left = std::function<double()>;

  explicit Race(unsigned seed) : dice_(seed) {}

  std::size_t enter(std::string name, std::string family = {});
  void add(std::size_t runner, double seconds) { runners_[runner].seconds.push_back(seconds); }
  /// Out: it takes `times` as long as the fastest (0: not known).
  void drop(std::size_t runner, double times, std::string why);
  /// Measure the runners until one is left, until they differ by no more than a hundredth, or until
  /// the time is up (half a second more if there are too few samples to say anything); `most`
  /// limits the rounds. What those still running did before is forgotten: it was at another time,
  /// and with other neighbours in the order.
  void run(const Measure& measure, const Left& left, int most);

  const std::vector<Runner>& runners() const noexcept { return runners_; }
  std::vector<std::size_t> running() const;
  base::Interval of(std::size_t runner) const {
    return base::median(runners_[runner].seconds, 0.99);
  }
  double mean(std::size_t runner) const;
  /// The smallest median of those running whose mean is not above the smallest beyond chance; there
  /// must be one.
  std::size_t leader() const;

 private:
  Duel duel(std::size_t runner, std::size_t other) const;
  std::size_t smallest_mean() const;
  std::optional<std::size_t> rival(std::size_t leader) const;
  std::vector<std::size_t> visits(std::size_t repetitions);
  void cull(int round);
  bool has_samples(std::size_t least) const;
  bool decided() const;

  std::vector<Runner> runners_;
  std::minstd_rand dice_;
};

}  // namespace halocline::detail
