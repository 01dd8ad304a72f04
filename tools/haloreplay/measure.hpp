#pragma once
// Replays a pattern: all its contenders in turn, in random order, as often as there is time for.

#include "plan.hpp"
#include "traffic.hpp"

#include <base/median.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace haloreplay {

using halocline::base::Interval;

/// Samples of one contender with one way to compute. Of the slowest rank unless they are `mine`.
struct Series {
  std::vector<double> with, without;        ///< seconds of a step
  std::vector<double> mine, alone, inside;  ///< of this rank: with, without, within the calls
  Interval felt{}, step{}, saves{};
  std::vector<double> ranks_mine{}, ranks_alone{}, ranks_inside{};  ///< medians, on rank 0
};

struct Result {
  std::string name;
  std::string left_out{};  ///< why; empty if it was measured to the end
  bool slower = false;     ///< clearly so, and therefore measured less
  std::size_t steps = 0;   ///< of a sample
  Series recorded{}, balanced{};
};

struct Replayed {
  std::string name;
  double scale = 1;  ///< of the lengths of computing
  double seconds = 0;
  std::size_t bytes = 0;
  bool recorded = false, balanced = false;  ///< which series there are
  std::vector<Result> results{};
};

/// What a replay needs to know beside the pattern.
struct Circumstances {
  double limit = 10, width = 0.05, longest = 0.005;
  std::size_t rounds = 500;
  std::uint64_t seed = 1;
  double a_sum = 1e-9;  ///< seconds
  double seconds = 60;  ///< there are for the pattern
  /// Contenders that ended an earlier launch, and why they are left out.
  std::map<std::string, std::string> out{};
  /// Told what is tried now, on all ranks.
  std::function<void(const std::string& contender)> now{};
};

/// Collective over the world; the same on all ranks but for what is `mine`. `abandoned` becomes
/// true if an exchange was left in the middle.
Replayed replay(const PlannedPattern& pattern, const Traffic& traffic,
                const Circumstances& circumstances, bool& abandoned);

}  // namespace haloreplay
