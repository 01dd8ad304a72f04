#pragma once
// Sums over all workers while they go on iterating, and once they stand.

#include <functional>
#include <optional>

namespace laplace {

class GlobalSum {
 public:
  virtual ~GlobalSum() = default;

  /// Moves a sum on and never waits; asks `mine` once for my part. Returns the sum when it is known
  /// here; then the next one begins. All workers see the same sums in the same order.
  virtual std::optional<double> advance(const std::function<double()>& mine) = 0;
  /// Ends the sum under way. Collective.
  virtual void drain() = 0;
  /// The sum of what all workers bring; waits. No other sum may be under way. Collective.
  virtual double everywhere(double mine) = 0;
};

}  // namespace laplace
