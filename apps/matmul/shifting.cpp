// Cannon's algorithm: L. E. Cannon, A cellular computer to implement the Kalman filter algorithm,
// 1969; here on grids of any shape.
//
// K is cut into s panels, s the least common multiple of the grid's rows m and columns n. In step
// t, rank (i, j) multiplies panel f = i s/m + j s/n + t, modulo s. Of A it holds the panels from f
// to f + s/n - 1, so that what it has just used is what its neighbour at (i, j - 1) needs next; of
// B those from f to f + s/m - 1, likewise for (i - 1, j). Natural owners hold other panels: the
// skew brings them, in one message to each rank that needs some.

#include "schedule.hpp"

#include <algorithm>
#include <utility>

namespace matmul {

using namespace halocline;

namespace {

/// The panels of one matrix on their way around a row or a column of ranks.
struct Ring {
  int panels = 1;            ///< in all
  int window = 1;            ///< that a rank holds at a time
  std::int64_t numbers = 0;  ///< of the largest
  std::size_t begin = 0;     ///< of the slots in the array

  bool moves() const noexcept { return window < panels; }
  bool moves_in(int step) const noexcept { return step < panels - window; }
  /// One more than are held, so that one can arrive while another is used.
  int slots() const noexcept { return moves() ? window + 1 : 0; }
  /// Steps after which slots are used in the same way again; none later than any that moves.
  int period() const noexcept { return std::min(slots(), panels - window); }
  std::size_t size() const noexcept { return static_cast<std::size_t>(slots() * numbers); }
  /// Where the panel lies that is used in a step.
  std::size_t at(int step) const noexcept {
    return begin + static_cast<std::size_t>(step % slots() * numbers);
  }
};

Block block(std::size_t at, std::int64_t numbers) {
  return {.offset = static_cast<std::ptrdiff_t>(at),
          .count = {1, 1, static_cast<std::size_t>(numbers)}};
}

class Shifting {
 public:
  Shifting(const Part& part, int steps)
      : part_(part), steps_(steps), schedule_{.owned = Owned(part)} {
    const Cut& cut = part_.cut;
    const std::size_t owned = schedule_.owned.numbers;
    of_a_ = {steps, steps / cut.n, part_.rows.size() * part_.width(), owned};
    of_b_ = {steps, steps / cut.m, part_.columns.size() * part_.width(), owned + of_a_.size()};
    schedule_.numbers = owned + of_a_.size() + of_b_.size();
  }

  /// Before step 0 the skew, before any other the shift of the one before.
  Schedule schedule() && {
    const auto& [cut, idle, i, j, l, rows, columns, panels] = part_;
    schedule_.before.resize(static_cast<std::size_t>(steps_));
    schedule_.patterns.push_back(skew_pattern());
    schedule_.before.front().push_back(0);
    add_shifts(of_a_, part_.rank(i, (j + cut.n - 1) % cut.n, l), part_.rank(i, (j + 1) % cut.n, l));
    add_shifts(of_b_, part_.rank((i + cut.m - 1) % cut.m, j, l), part_.rank((i + 1) % cut.m, j, l));
    for (int step = 0; !idle && step < steps_; ++step) {
      const std::size_t q = panel_of(i, j, step);
      schedule_.uses.push_back({q, of_a_.moves() ? of_a_.at(step) : schedule_.owned.a_at[q],
                                of_b_.moves() ? of_b_.at(step) : schedule_.owned.b_at[q]});
    }
    return std::move(schedule_);
  }

 private:
  std::size_t panel_of(int i, int j, int step) const {
    return static_cast<std::size_t>((i * of_b_.window + j * of_a_.window + step) % steps_);
  }

  /// What `mine` owns for the windows of the others of a ring, and what its own window lacks.
  template <class Window, class Owner, class Rank>
  void skew(Pattern& pattern, const Ring& ring, int mine, int ranks, std::int64_t side,
            const std::vector<std::size_t>& tiles, Window&& window, Owner&& owner,
            Rank&& rank) const {
    if (!ring.moves()) return;
    for (int other = 0; other < ranks; ++other)
      for (int step = 0; step < ring.window; ++step) {
        const std::size_t q = window(other, step);
        const std::int64_t numbers = side * part_.panels[q].k.size();
        if (owner(q) != mine || numbers == 0) continue;
        const Block tile = block(tiles[q], numbers);
        if (other == mine)
          pattern.copy(tile, block(ring.at(step), numbers));
        else
          pattern.send(rank(other), tile);
      }
    for (int step = 0; step < ring.window; ++step)
      if (const std::size_t q = window(mine, step); owner(q) != mine)
        pattern.receive(rank(owner(q)), block(ring.at(step), side * part_.panels[q].k.size()));
  }

  Pattern skew_pattern() const {
    Pattern pattern;
    if (part_.idle) return pattern;
    const int i = part_.i, j = part_.j, l = part_.l;
    const auto& panels = part_.panels;
    skew(
        pattern, of_a_, j, part_.cut.n, part_.rows.size(), schedule_.owned.a_at,
        [&](int other, int step) { return panel_of(i, other, step); },
        [&](std::size_t q) { return panels[q].owner_of_a; },
        [&](int other) { return part_.rank(i, other, l); });
    skew(
        pattern, of_b_, i, part_.cut.m, part_.columns.size(), schedule_.owned.b_at,
        [&](int other, int step) { return panel_of(other, j, step); },
        [&](std::size_t q) { return panels[q].owner_of_b; },
        [&](int other) { return part_.rank(other, j, l); });
    return pattern;
  }

  void add_shifts(const Ring& ring, int to, int from) {
    const std::size_t first = schedule_.patterns.size();
    for (int step = 0; step < ring.period(); ++step)
      schedule_.patterns.push_back(
          part_.idle ? Pattern{}
                     : Pattern::shift(to, block(ring.at(step), ring.numbers), from,
                                      block(ring.at(step + ring.window), ring.numbers)));
    for (int step = 0; ring.moves_in(step); ++step)
      schedule_.before[static_cast<std::size_t>(step) + 1].push_back(
          first + static_cast<std::size_t>(step % ring.period()));
  }

  const Part& part_;
  int steps_;
  Schedule schedule_;
  Ring of_a_, of_b_;
};

}  // namespace

Schedule shifting(const Part& part, int steps) {
  return Shifting(part, steps).schedule();
}

}  // namespace matmul
