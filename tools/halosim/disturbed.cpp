#include "disturbed.hpp"

#include <halocline/error.hpp>

#include <algorithm>
#include <cmath>

namespace halosim {

namespace {

constexpr double most_interruptions = 1e6;

std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Random numbers that do not depend on the order in which ranks are looked at.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t rank, std::uint64_t step)
      : state_(mixed(mixed(mixed(seed) ^ rank) ^ step)) {}
  double uniform() {  // (0, 1)
    state_ = mixed(state_);
    return (static_cast<double>(state_ >> 12) + 0.5) / 4503599627370496.0;
  }
  double normal() {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * 3.141592653589793 * uniform());
  }

 private:
  std::uint64_t state_;
};

}  // namespace

double slowness(const Disturbance& disturbance, std::size_t rank) {
  Dice dice(disturbance.seed, rank, ~0ULL);
  const double drawn = std::max(0.1, 1 + disturbance.imbalance * dice.normal());
  return static_cast<int>(rank) == disturbance.slow_rank ? drawn * disturbance.slow_factor : drawn;
}

double longer(const Disturbance& disturbance, std::size_t rank, double slowness, int step,
              std::size_t at, double plain) {
  double seconds = plain * slowness, interrupted = 0;
  if (disturbance.noise_every_s > 0 || !disturbance.samples.empty()) {
    Dice dice(disturbance.seed, rank, static_cast<std::uint64_t>(step) << 20 | at);
    if (!disturbance.samples.empty())
      seconds *= disturbance.samples[static_cast<std::size_t>(
          dice.uniform() * static_cast<double>(disturbance.samples.size()))];
    if (disturbance.noise_every_s > 0) {
      if (seconds > most_interruptions * disturbance.noise_every_s)
        throw halocline::Error("noise: more than a million interruptions while a rank computes");
      for (double at_s = -std::log(dice.uniform()) * disturbance.noise_every_s; at_s < seconds;
           at_s -= std::log(dice.uniform()) * disturbance.noise_every_s)
        interrupted += disturbance.noise_s;
    }
  }
  return seconds - plain + interrupted;
}

}  // namespace halosim
