// Panels from their owners: SUMMA's broadcasts, or in such an order that at a time each rank is
// asked by few.

#include "supply.hpp"

#include <algorithm>
#include <array>

namespace matmul {

using namespace halocline;

namespace {

class Fetching final : public Supply {
 public:
  Fetching(MPI_Comm comm, const Part& part, int steps, bool rotated, const Scheme& scheme)
      : Supply(comm, part, steps), rotated_(rotated) {
    const std::size_t owned = part.idle ? 0 : place_owned();
    const auto width = static_cast<std::size_t>(part_.width());
    const std::size_t of_a =
        part_.cut.n > 1 ? static_cast<std::size_t>(part_.rows.size()) * width : 0;
    const std::size_t of_b =
        part_.cut.m > 1 ? width * static_cast<std::size_t>(part_.columns.size()) : 0;
    for (std::size_t buffer = 0; buffer < 2; ++buffer) {
      a_lands_[buffer] = owned + buffer * (of_a + of_b);
      b_lands_[buffer] = a_lands_[buffer] + of_a;
    }
    allocate(owned + 2 * (of_a + of_b), scheme);
    for (int step = 0; step < steps; ++step) {
      const Pattern pattern = pattern_of(step);
      words_ += static_cast<std::int64_t>(pattern.elements_sent());
      exchanges_.push_back(exchange(pattern, scheme, Halos::in_place));
      if (has(step)) factors_.push_back(factor_of(step, pattern));
    }
  }

  void start(int step) override {
    if (brings(step)) exchanges_[static_cast<std::size_t>(step)]->start();
  }
  void finish(int step) override {
    if (brings(step)) exchanges_[static_cast<std::size_t>(step)]->finish();
  }
  bool brings(int step) const override {
    return step < steps_ && exchanges_[static_cast<std::size_t>(step)] != nullptr;
  }
  Factor factor(int step) const override {
    return has(step) ? factors_[static_cast<std::size_t>(step)] : Factor{};
  }

 private:
  bool has(int step) const { return step < static_cast<int>(part_.panels.size()); }

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

  Pattern pattern_of(int step) const {
    Pattern pattern;
    if (part_.idle || !has(step)) return pattern;
    const auto& [cut, idle, i, j, l, rows, columns, panels] = part_;
    for (int other = 0; other < cut.n; ++other)
      if (const std::size_t q = panel_of(i, other, step); other != j && panels[q].owner_of_a == j)
        pattern.send(part_.rank(i, other, l), block_of_a(a_at_[q], panels[q]));
    for (int other = 0; other < cut.m; ++other)
      if (const std::size_t q = panel_of(other, j, step); other != i && panels[q].owner_of_b == i)
        pattern.send(part_.rank(other, j, l), block_of_b(b_at_[q], panels[q]));
    const auto buffer = static_cast<std::size_t>(step % 2);
    const Panel& mine = panels[panel_of(i, j, step)];
    if (mine.owner_of_a != j)
      pattern.receive(part_.rank(i, mine.owner_of_a, l), block_of_a(a_lands_[buffer], mine));
    if (mine.owner_of_b != i)
      pattern.receive(part_.rank(mine.owner_of_b, j, l), block_of_b(b_lands_[buffer], mine));
    return pattern;
  }

  Factor factor_of(int step, const Pattern& pattern) const {
    const std::size_t q = panel_of(part_.i, part_.j, step);
    const Panel& panel = part_.panels[q];
    Factor factor{panel.k, memory_.data() + a_at_[q], memory_.data() + b_at_[q], panel.k.size(),
                  part_.columns.size()};
    if (panel.k.size() == 0) return factor;
    // Where it arrives, or where it lies with its owner.
    const auto look = [&](int peer, const double*& data, std::int64_t& stride) {
      const auto link = std::ranges::find(pattern.receives(), peer, &Link::peer);
      const View view =
          exchanges_.back()->view(static_cast<std::size_t>(link - pattern.receives().begin()), 0);
      data = reinterpret_cast<const double*>(view.data);
      stride = view.stride[1] / static_cast<std::ptrdiff_t>(sizeof(double));
    };
    if (panel.owner_of_a != part_.j)
      look(part_.rank(part_.i, panel.owner_of_a, part_.l), factor.a, factor.stride_of_a);
    if (panel.owner_of_b != part_.i)
      look(part_.rank(panel.owner_of_b, part_.j, part_.l), factor.b, factor.stride_of_b);
    return factor;
  }

  bool rotated_;
  std::array<std::size_t, 2> a_lands_{}, b_lands_{};
  std::vector<std::unique_ptr<Exchange>> exchanges_;  ///< for each step
  std::vector<Factor> factors_;                       ///< for each step of mine
};

}  // namespace

std::unique_ptr<Supply> make_fetching(MPI_Comm comm, const Part& part, int steps, bool rotated,
                                      const Scheme& scheme) {
  return std::make_unique<Fetching>(comm, part, steps, rotated, scheme);
}

}  // namespace matmul
