// Process grids from weights: every way to write a number as a product, and the cheapest of them.

#include <halocline/error.hpp>
#include <halocline/more/dims.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace halocline {

namespace {

using Dims = std::vector<int>;

std::vector<int> divisors(int n) {
  std::vector<int> small, large;
  for (int d = 1; d <= n / d; ++d)
    if (n % d == 0) {
      small.push_back(d);
      if (d != n / d) large.push_back(n / d);
    }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

/// The cheapest product over the levels, found by trying all; a branch is left as soon as its outer
/// levels cost more than the best so far.
class Search {
 public:
  Search(const std::vector<int>& counts, const CutCosts& costs)
      : counts_(counts),
        costs_(costs),
        levels_(counts.size(), Dims(costs.weights.size(), 1)),
        product_(costs.weights.size(), 1),
        spent_(counts.size()) {
    for (int count : counts) divisors_.push_back(divisors(count));
    level(0);
  }
  std::vector<Dims> best() && { return std::move(best_); }

 private:
  double cost() const {
    double sum = 0;
    for (std::size_t axis = 0; axis < product_.size(); ++axis) {
      const bool closed = !costs_.periodic.empty() && costs_.periodic[axis];
      const int planes = product_[axis] == 1 ? 0 : product_[axis] - (closed ? 0 : 1);
      sum += costs_.weights[axis] * planes;
    }
    return sum;
  }

  bool fits(std::size_t axis) const {
    if (!costs_.most.empty() && product_[axis] > costs_.most[axis]) return false;
    if (costs_.fixed.empty() || costs_.fixed[axis] == 0) return true;
    return costs_.fixed[axis] % product_[axis] == 0;
  }

  void level(std::size_t which) {
    if (which < counts_.size()) return axis(which, 0, counts_[which]);
    for (std::size_t i = 0; i < product_.size(); ++i)
      if (!costs_.fixed.empty() && costs_.fixed[i] != 0 && product_[i] != costs_.fixed[i]) return;
    if (!best_.empty() && (spent_ > least_ || (spent_ == least_ && product_ <= dims_))) return;
    best_ = levels_, least_ = spent_, dims_ = product_;
  }

  /// Gives `rest` of a level's count to this axis and those after it.
  void axis(std::size_t which, std::size_t i, int rest) {
    if (i + 1 == product_.size()) return part(which, i, rest, 1);
    for (int parts : divisors_[which]) {
      if (parts > rest) break;
      if (rest % parts == 0) part(which, i, parts, rest / parts);
    }
  }

  void part(std::size_t which, std::size_t i, int parts, int rest) {
    const int before = product_[i];
    levels_[which][i] = parts;
    product_[i] = before * parts;
    if (fits(i)) {
      if (i + 1 < product_.size()) {
        axis(which, i + 1, rest);
      } else {
        spent_[which] = cost();
        const auto outer = static_cast<std::ptrdiff_t>(which) + 1;
        if (best_.empty() || !std::lexicographical_compare(least_.begin(), least_.begin() + outer,
                                                           spent_.begin(), spent_.begin() + outer))
          level(which + 1);
      }
    }
    product_[i] = before;
  }

  const std::vector<int>& counts_;
  const CutCosts& costs_;
  std::vector<std::vector<int>> divisors_;
  std::vector<Dims> levels_, best_;
  Dims product_, dims_;
  std::vector<double> spent_, least_;  // by each level and those outside of it
};

}  // namespace

std::vector<std::vector<int>> weighted_levels(const std::vector<int>& counts,
                                              const CutCosts& costs) {
  const std::size_t axes = costs.weights.size();
  const auto wrong = [&](std::size_t entries) { return entries != 0 && entries != axes; };
  if (axes == 0 || wrong(costs.periodic.size()) || wrong(costs.most.size()) ||
      wrong(costs.fixed.size()))
    throw Error("process grid: weights, and all that is said of axes, need an entry for each axis");
  for (double weight : costs.weights)
    if (!std::isfinite(weight) || weight < 0)
      throw Error("process grid: weight " + std::to_string(weight) +
                  ": must be a finite number >= 0");
  for (int count : counts)
    if (count < 1) throw Error("process grid: " + std::to_string(count) + " ranks: must be >= 1");
  for (int parts : costs.fixed)
    if (parts < 0)
      throw Error("process grid: " + std::to_string(parts) + " parts along an axis: must be >= 0");
  return Search(counts, costs).best();
}

std::vector<int> weighted_dims(int ranks, const CutCosts& costs) {
  auto levels = weighted_levels({ranks}, costs);
  return levels.empty() ? std::vector<int>{} : std::move(levels.front());
}

std::vector<int> fitting_dims(int ranks, const CutCosts& costs) {
  std::int64_t used = ranks;
  if (!costs.most.empty()) {
    used = 1;
    for (std::int64_t most : costs.most)
      used = std::min<std::int64_t>(ranks, used * std::min<std::int64_t>(most, ranks));
  }
  for (; used > 0; --used)
    if (auto dims = weighted_dims(static_cast<int>(used), costs); !dims.empty()) return dims;
  return {};
}

Range part_of(std::int64_t cells, int parts, int index) {
  const std::int64_t least = cells / parts, longer = cells % parts;
  const std::int64_t begin = least * index + std::min<std::int64_t>(index, longer);
  return {begin, begin + least + (index < longer ? 1 : 0)};
}

CutCosts Mesh::costs() const {
  CutCosts costs{{}, periodic, cells, {}};
  for (std::size_t axis = 0; axis < cells.size(); ++axis) {
    double face = 1;
    for (std::size_t other = 0; other < cells.size(); ++other)
      if (other != axis) face *= static_cast<double>(cells[other]);
    costs.weights.push_back(face * (halos[axis].below + halos[axis].above));
  }
  return costs;
}

}  // namespace halocline
