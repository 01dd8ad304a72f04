#pragma once
// Reductions: how ranks decide together while they go on working.

#include <halocline/more/mpi.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

enum class ReductionKind {
  allreduce,   ///< MPI_Allreduce in every step: all ranks wait for all
  iallreduce,  ///< MPI_Iallreduce: the result is collected in a later step
  chain,       ///< every rank passes the maximum of its predecessor's value and its own on
  last,        ///< every rank sends its value to the last rank
  accumulate,  ///< every rank accumulates into a window of the last rank
};
inline constexpr ReductionKind reduction_kinds[] = {ReductionKind::allreduce,
                                                    ReductionKind::iallreduce, ReductionKind::chain,
                                                    ReductionKind::last, ReductionKind::accumulate};
ReductionKind reduction_kind(std::string_view text);  ///< throws Error naming the choices
const char* name(ReductionKind kind) noexcept;

/// The maximum over all ranks of one value per step, for steps that ranks reach at different times.
///
/// Every rank contributes once per step. On rank 0 `next` delivers the maxima one by one, without
/// waiting; on the other ranks it drives the reduction and may deliver nothing. A rank may not
/// contribute to step k + capacity before rank 0 has got step k.
class MaxReduction {
 public:
  virtual ~MaxReduction() = default;

  /// My value of my next step; not below 0.
  virtual void contribute(double value) = 0;
  /// The maximum of the oldest step not yet delivered, if it is known here.
  virtual std::optional<double> next() = 0;
  /// The same, on all ranks; waits. Collective.
  virtual double everywhere();
  /// Completes all contributions, so that rank 0 can get their maxima by `next`. Collective; all
  /// ranks must have contributed to the same steps.
  virtual void complete() = 0;
  /// Steps for which `everywhere` had better not ask at once: 1 if the reduction overlaps work.
  virtual int lag() const noexcept { return 0; }

 protected:
  explicit MaxReduction(MPI_Comm comm) : comm_(mpi::Comm::duplicate(comm)) {}
  MPI_Comm comm() const noexcept { return comm_; }

 private:
  mpi::Comm comm_;
};

/// Collective.
std::shared_ptr<MaxReduction> make_max_reduction(MPI_Comm comm, ReductionKind kind, int capacity);

enum class AsyncSumKind {
  tree,        ///< messages up and down a binary tree (Bethune et al. 2012, section 3.1.2)
  iallreduce,  ///< MPI_Iallreduce
};
inline constexpr AsyncSumKind async_sum_kinds[] = {AsyncSumKind::tree, AsyncSumKind::iallreduce};
AsyncSumKind async_sum_kind(std::string_view text);  ///< throws Error naming the choices
const char* name(AsyncSumKind kind) noexcept;

/// Sums over all ranks, round after round, without waiting: asynchronous iterations use them to
/// detect convergence. A rank that has got the total of a round starts the next.
class AsyncSum {
 public:
  virtual ~AsyncSum() = default;

  /// Advances the round and never waits; call it in every iteration. When this rank's part is
  /// needed, calls `mine` for it, once in a round. Returns the round's total when it has come to
  /// this rank: every rank gets the same totals in the same order, but not at the same time.
  virtual std::optional<double> advance(const std::function<double()>& mine) = 0;
  /// Collective: ends the round that is under way, if any; no rank gets its total. `advance` may
  /// follow.
  virtual void drain() = 0;
  /// The number of totals that have come to this rank.
  virtual std::uint64_t rounds() const noexcept = 0;
};

/// Collective.
std::shared_ptr<AsyncSum> make_async_sum(MPI_Comm comm, AsyncSumKind kind = AsyncSumKind::tree);

}  // namespace halocline

#pragma GCC visibility pop
