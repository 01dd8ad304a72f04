#pragma once
// Forces of the Lennard-Jones potential between the particles of a rank and its ghosts.
//
// A step without a rebuild:                    and with one:
//   (positions of ghosts on their way)           sort       owned ones, by cells
//   inner      rows without ghosts               (choose and receive ghosts)
//   (they have arrived)                          build      lists, or with lists off the cells
//   outer      all others                        inner, outer

#include "particles.hpp"

#include <memory>

namespace md {

enum class CellIndices { computed, table };
/// exact: in fixed point, the same bits in whatever order; fast: in floating point.
enum class Sum { exact, fast };

struct ForceSettings {
  LennardJones lj{};
  double skin = 0.3;  ///< pairs are listed up to cutoff + skin; nothing if lists are off
  bool lists = true;  ///< neighbour lists (L. Verlet, Phys. Rev. 159 (1967) 98), or cells each time
  CellIndices cells = CellIndices::computed;
  Sum sum = Sum::exact;
  /// Ghosts get the forces of owned particles, and in the eighth shell of other ghosts, on them: to
  /// be sent to their owners and added there.
  bool back = false;
  /// Lists hold no pair that is a little beyond reach, either. That changes no force while lists
  /// are good, but where they are kept for too long they miss what others miss.
  bool strict = false;
  int threads = 1;

  /// Ghosts have to be known within so much of the rank's region, at a rebuild.
  double reach() const noexcept { return lj.cutoff + (lists ? skin : 0); }
};

/// Sums over pairs. Over all ranks: the sum of the integers, one by one.
class PairSums {
 public:
  PairSums() = default;
  double potential(const LennardJones& lj) const;  ///< u of all pairs
  double virial(const LennardJones& lj) const;     ///< r F of all pairs; P = (2 K + virial) / 3 V

  /// Low and high halves of counts: each rank's are below 2^31, so are the sums of 2^31 ranks.
  std::array<std::int64_t, 6>& integers() noexcept { return integers_; }
  const std::array<std::int64_t, 6>& integers() const noexcept { return integers_; }

 private:
  std::array<std::int64_t, 6> integers_{};
};

class Forces {
 public:
  /// The rank owns what lies in [lower, upper).
  Forces(const ForceSettings& settings, const Vector& lower, const Vector& upper);
  ~Forces();
  Forces(Forces&&) noexcept;
  Forces& operator=(Forces&&) noexcept;

  double reach() const noexcept { return settings().reach(); }
  const ForceSettings& settings() const noexcept;

  /// Owned particles in the order of cells. Throws std::runtime_error naming one that is outside
  /// the region. Ghosts are forgotten.
  void sort(Particles& particles);
  /// Lists of all pairs that are within reach of each other, at the positions of now.
  void build(Particles& particles);

  /// The forces on particles that have no ghost within reach; `sums`: the pairs' sums, too. Throws
  /// std::runtime_error naming two particles that overlap.
  void inner(Particles& particles, bool sums);
  /// The same of all others and, with `back`, of ghosts; then all forces are there.
  void outer(Particles& particles, bool sums);

  /// The share of pairs computed by `inner` at the last build.
  double inner_share() const noexcept;
  /// Sums of the last `inner` and `outer`, if they were asked for.
  const PairSums& sums() const noexcept;

  /// The force on particle `i`.
  Vector force(const Particles& particles, std::size_t i) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace md
