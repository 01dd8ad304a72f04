// Panels from their owners: SUMMA's broadcasts, or in such an order that at a time each rank is
// asked by few.

#include "schedule.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace matmul {

using namespace halocline;

namespace {

class Fetching {
 public:
  Fetching(const Part& part, bool rotated)
      : part_(part), rotated_(rotated), schedule_{.owned = Owned(part)} {
    const auto width = static_cast<std::size_t>(part_.width());
    const std::size_t of_a =
        part_.cut.n > 1 ? static_cast<std::size_t>(part_.rows.size()) * width : 0;
    const std::size_t of_b =
        part_.cut.m > 1 ? width * static_cast<std::size_t>(part_.columns.size()) : 0;
    const std::size_t owned = schedule_.owned.numbers;
    for (std::size_t buffer = 0; buffer < 2; ++buffer) {
      a_lands_[buffer] = owned + buffer * (of_a + of_b);
      b_lands_[buffer] = a_lands_[buffer] + of_a;
    }
    schedule_.numbers = owned + 2 * (of_a + of_b);
  }

  Schedule schedule(int steps) && {
    for (int step = 0; step < steps; ++step) {
      schedule_.before.push_back({schedule_.patterns.size()});
      schedule_.patterns.emplace_back();
      if (!part_.idle && step < static_cast<int>(part_.panels.size())) add(step);
    }
    return std::move(schedule_);
  }

 private:
  /// The panel that rank (i, j) of my layer multiplies in a step.
  std::size_t panel_of(int i, int j, int step) const {
    const auto first = [&](auto owner, int index) {
      return std::ranges::lower_bound(part_.panels, index, {}, owner) - part_.panels.begin();
    };
    const auto before = rotated_ ? first(&Panel::owner_of_a, j) + first(&Panel::owner_of_b, i) : 0;
    return (static_cast<std::size_t>(before) + static_cast<std::size_t>(step)) %
           part_.panels.size();
  }

  Block block_of_a(std::size_t at, const Panel& panel) const {
    return {.offset = static_cast<std::ptrdiff_t>(at),
            .count = {1, static_cast<std::size_t>(part_.rows.size()),
                      static_cast<std::size_t>(panel.k.size())},
            .stride = {0, panel.k.size()}};
  }
  Block block_of_b(std::size_t at, const Panel& panel) const {
    return {.offset = static_cast<std::ptrdiff_t>(at),
            .count = {1, static_cast<std::size_t>(panel.k.size()),
                      static_cast<std::size_t>(part_.columns.size())},
            .stride = {0, part_.columns.size()}};
  }

  /// What is sent and received for a step, and what is then multiplied.
  void add(int step) {
    Pattern& pattern = schedule_.patterns.back();
    const auto& [cut, idle, i, j, l, rows, columns, panels] = part_;
    const Owned& owned = schedule_.owned;
    for (int other = 0; other < cut.n; ++other)
      if (const std::size_t q = panel_of(i, other, step); other != j && panels[q].owner_of_a == j)
        pattern.send(part_.rank(i, other, l), block_of_a(owned.a_at[q], panels[q]));
    for (int other = 0; other < cut.m; ++other)
      if (const std::size_t q = panel_of(other, j, step); other != i && panels[q].owner_of_b == i)
        pattern.send(part_.rank(other, j, l), block_of_b(owned.b_at[q], panels[q]));
    const auto buffer = static_cast<std::size_t>(step % 2);
    const std::size_t q = panel_of(i, j, step);
    const Panel& mine = panels[q];
    Use use{q, owned.a_at[q], owned.b_at[q]};
    if (mine.owner_of_a != j) {
      use.a = a_lands_[buffer];
      pattern.receive(part_.rank(i, mine.owner_of_a, l), block_of_a(use.a, mine));
    }
    if (mine.owner_of_b != i) {
      use.b = b_lands_[buffer];
      pattern.receive(part_.rank(mine.owner_of_b, j, l), block_of_b(use.b, mine));
    }
    schedule_.uses.push_back(use);
  }

  const Part& part_;
  bool rotated_;
  Schedule schedule_;
  std::array<std::size_t, 2> a_lands_{}, b_lands_{};
};

}  // namespace

Schedule fetching(const Part& part, int steps, bool rotated) {
  return Fetching(part, rotated).schedule(steps);
}

}  // namespace matmul
