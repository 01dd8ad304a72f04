#pragma once
// The particles of a rank: first those that it owns, behind them ghosts, which are others' or
// images of its own. How they lie in memory is the layout's business.

#include "box.hpp"
#include "lennard_jones.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace md {

/// How three components of each particle lie in memory.
enum class Layout {
  aos,     ///< particle by particle: x y z and a word of padding
  soa,     ///< component by component: all x, all y, all z
  cluster  ///< eight particles at a time: 8 x, 8 y, 8 z
};

/// Where component `axis` of particle `i` is, in words of eight bytes.
struct Addressing {
  Layout layout = Layout::aos;
  std::size_t capacity = 0;  ///< particles, a multiple of 8

  std::size_t operator()(std::size_t i, std::size_t axis) const noexcept {
    switch (layout) {
      case Layout::aos: return 4 * i + axis;
      case Layout::soa: return axis * capacity + i;
      default: return i / 8 * 24 + axis * 8 + i % 8;
    }
  }
  /// Words of all particles.
  std::size_t all() const noexcept { return (layout == Layout::aos ? 4 : 3) * capacity; }
};

/// Calls `act(first, base, count, next, step)` for particles [from, to) in pieces: `count` of them
/// from particle `first` on are `step` words apart, the first one at word `base`, with components
/// `next` apart. `step`, and the count of a whole cluster, are known when compiling: loops over
/// them become vectors. `from` is a multiple of 8.
template <class Act>
void for_pieces(const Addressing& words, std::size_t from, std::size_t to, Act&& act) {
  using One = std::integral_constant<int, 1>;
  if (words.layout != Layout::cluster) {
    const auto count = static_cast<int>(to - from);
    if (words.layout == Layout::aos)
      act(from, words(from, 0), count, std::size_t{1}, std::integral_constant<int, 4>{});
    else
      act(from, words(from, 0), count, words.capacity, One{});
    return;
  }
  for (; from + 8 <= to; from += 8)
    act(from, 3 * from, std::integral_constant<int, 8>{}, std::size_t{8}, One{});
  if (from < to) act(from, 3 * from, static_cast<int>(to - from), std::size_t{8}, One{});
}

/// In a sum of forces that is a word of one or the other kind.
union ForceWord {
  std::int64_t count;  ///< exact sums: quanta of LennardJones::force_grid()
  double force;        ///< fast sums
};

/// Which shells a ghost comes from: bit `axis` is set if its owner lies above this rank along that
/// axis (eighth shell), or all three are (full and half shell). A pair of particles is computed
/// here if they have no bit in common; owned ones have none.
using Zone = std::uint8_t;
constexpr Zone anywhere = 7;

class Particles {
 public:
  explicit Particles(Layout layout);

  Layout layout() const noexcept { return words_.layout; }
  std::size_t owned() const noexcept { return ids_.size(); }
  std::size_t ghosts() const noexcept { return zones_.size(); }
  std::size_t size() const noexcept { return owned() + ghosts(); }
  std::size_t capacity() const noexcept { return words_.capacity; }

  /// Forgets all, and owns these.
  void assign(std::span<const Particle> particles);
  Particle particle(std::size_t i) const;  ///< an owned one
  /// Those numbered `gone`, ascending, are owned no longer, and these are. Others may get new
  /// numbers. Ghosts are forgotten.
  void replace(std::span<const int> gone, std::span<const Particle> come);
  /// The same in a new order: number `order[i]` becomes number `i`; what is not in it is dropped.
  /// Ghosts are forgotten.
  void reorder(std::span<const int> order);

  /// So many ghosts from now on; who they are is for the caller to write: positions (images have
  /// edges of the box added or subtracted, exactly) and zones.
  void set_ghosts(std::size_t count);
  Zone& zone(std::size_t ghost) noexcept {
    return zones_[ghost];
  }  ///< counted from the first ghost
  std::span<const Zone> zones() const noexcept { return zones_; }

  /// Room for so many and a few more words behind them, which are the kernels' own. What there is
  /// stays. Exceeding it by `assign` or `set_ghosts` grows into memory of its own.
  void reserve(std::size_t capacity);
  /// The same, in memory of the caller's, zeroed: `words` of `Addressing{layout, capacity}` each.
  /// `capacity` is a multiple of 8 and at least size() + 8.
  void move_to(std::span<double> positions, std::span<ForceWord> forces, std::size_t capacity);

  const Addressing& words() const noexcept { return words_; }
  std::span<double> positions() noexcept { return positions_; }
  std::span<const double> positions() const noexcept { return positions_; }
  std::span<ForceWord> forces() noexcept { return forces_; }
  std::span<const ForceWord> forces() const noexcept { return forces_; }
  std::span<double> velocities() noexcept { return velocities_; }  ///< of owned ones
  std::span<const std::int64_t> ids() const noexcept { return ids_; }

  double& position(std::size_t i, std::size_t axis) noexcept { return positions_[words_(i, axis)]; }
  double position(std::size_t i, std::size_t axis) const noexcept {
    return positions_[words_(i, axis)];
  }
  Vector position(std::size_t i) const noexcept {
    return {position(i, 0), position(i, 1), position(i, 2)};
  }

 private:
  void put(std::size_t i, const Particle& particle);

  Addressing words_;
  std::vector<std::int64_t> ids_;
  std::vector<Zone> zones_;
  std::vector<double> velocities_;
  std::vector<double> own_positions_;
  std::vector<ForceWord> own_forces_;
  std::span<double> positions_;
  std::span<ForceWord> forces_;
};

}  // namespace md
