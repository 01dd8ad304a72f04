#pragma once
// The loop of molecular dynamics on one rank: velocity Verlet, halos, migration, rebuilds.

#include "domain/freshness.hpp"
#include "domain/halo.hpp"
#include "domain/migration.hpp"
#include "physics/integrator.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace md {

struct Plan {
  Box box;
  ForceSettings forces;  ///< but for `back` and `strict`, which follow from what is below
  double time_step = 0.005;
  Layout layout = Layout::cluster;
  Shell shell = Shell::full;
  std::array<int, 3> dims{1, 1, 1};  ///< ranks along each axis
  HaloSchemes schemes;
  halocline::Scheme migration{"p2p:nonblocking"};
  bool overlap = true;  ///< inner forces while positions of ghosts are on their way
  /// If positive, lists are built after so many steps and not when something has moved half the
  /// skin: pairs may be missed. For comparison with programs that do so.
  std::int64_t rebuild_every = 0;
  bool balance = false;  ///< cuts move when ranks have not the same to do
};

/// Every so many steps one without overlap.
constexpr int open_every = 16;

/// What all particles have in common; energies are those of all together.
struct Totals {
  std::int64_t particles = 0;
  double potential = 0, kinetic = 0, virial = 0;
  Vector momentum{};

  double total() const noexcept { return potential + kinetic; }
  /// 2 K / (3 N - 3): the centre of mass does not count. k_B is 1.
  double temperature() const noexcept;
  double pressure(const Box& box) const noexcept;
};

/// Seconds that this rank has spent, and how often. Sums since the first step.
struct Account {
  double forces = 0;   ///< inner and outer
  double motion = 0;   ///< kicks and drifts
  double halo = 0;     ///< felt: starting and finishing, also of what goes back
  double lists = 0;    ///< of a rebuild what is computed: wrapping, sorting, building lists
  double regroup = 0;  ///< and what is told: migration, choice of ghosts, balance
  double reduce = 0;   ///< waiting to hear whether lists are fresh
  std::int64_t rebuilds = 0, repeated = 0, ghosts = 0, migrated = 0;
  // Now and then a step is made without overlap, to know what an exchange costs that nothing hides.
  double open = 0, hidden = 0;  ///< of exchanges in such steps, and of those in others
  std::int64_t opened = 0, overlapped = 0;
  /// The slowest rank's work over the mean, each time that somebody has looked.
  std::vector<double> imbalance{};
};

class Dynamics {
 public:
  /// `share`: particles of any part of the box, of which each rank brings some. Rank r of `comm`
  /// owns part r. Collective, as are `step` and `totals`; what is wrong on a rank it alone throws.
  Dynamics(MPI_Comm comm, const Plan& plan, std::span<const Particle> share);

  /// With `sums` for `totals` afterwards.
  void step(bool sums);
  /// The totals of now, if the last step was asked for sums. Throws Error if particles have got
  /// lost.
  Totals totals();

  /// Those of this rank, within the box.
  std::vector<Particle> particles() const;
  const Account& account() const noexcept { return account_; }
  /// This rank's work since the last look at the balance: seconds of its threads, waits left out.
  double work() const noexcept { return work_; }
  const Decomposition& decomposition() const noexcept { return decomposition_; }
  const Halo& halo() const noexcept { return *halo_; }
  /// The share of the last build's pairs that can be computed while halos travel.
  double inner_share() const noexcept { return forces_->inner_share(); }

 private:
  void settle_down();
  void balance();
  void rebuild();
  void compute(bool rebuilt, bool sums);

  MPI_Comm comm_;
  Plan plan_;
  Decomposition decomposition_;
  Particles particles_;
  Integrator integrator_;
  std::optional<Forces> forces_;
  std::optional<Halo> halo_;
  std::optional<Migration> migration_;
  Freshness freshness_;
  Account account_;
  std::int64_t all_ = 0, steps_ = 0;
  double moved_ = 0, work_ = 0;
  std::int64_t looked_ = 0;  ///< the step of the last look at the balance
  bool old_ = false;         ///< lists have to be built before forces are taken again
};

}  // namespace md
