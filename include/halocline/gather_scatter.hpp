#pragma once
// Gather-scatter: nodes of which several ranks, or several elements of a mesh, have copies.

#include <halocline/exchange.hpp>

#include <cstdint>
#include <span>

namespace halocline {

/// Combines all copies of each node, and leaves the result in all of them: what spectral and finite
/// elements call direct stiffness summation (M. Deville, P. Fischer, E. Mund: High-Order Methods
/// for Incompressible Fluid Flow, 2002, chapter 4.5).
///
/// Ranks send their copies to the lowest rank that has one, which adds them in the order of ranks
/// and of places there, and sends the result back. So all copies have the same bits with every
/// scheme and in any order of arrival (but see Combine for `rma:accumulate`, whose sums may differ
/// from run to run). All ranks of `comm` construct and use it in the same order. Between `start`
/// and `finish` the caller must not touch nodes with several copies.
class GatherScatter {
 public:
  /// `numbers[i]` is the global number of the node that element i of the field is a copy of: any
  /// number from 0 on, with gaps or without. The constructor finds out which ranks share which
  /// nodes, by messages to these ranks. Collective; throws the same Error on all ranks if a number
  /// is negative, the field has another size, its elements are no numbers (Field::number), or
  /// `combine` is `replace`.
  GatherScatter(MPI_Comm comm, std::span<const std::int64_t> numbers, const Field& field,
                const Scheme& scheme, Combine combine = Combine::sum);

  void start() { gather_.start(); }
  void finish();  ///< waits; throws Timeout when nothing moves for too long
  void run() {
    start();
    finish();
  }

  const Scheme& scheme() const { return gather_.scheme(); }  ///< of `auto`: of the gather
  std::size_t bytes_sent() const {  ///< by this rank in one step, both ways
    return gather_.bytes_sent() + scatter_.bytes_sent();
  }

 private:
  GatherScatter(MPI_Comm comm, const Pattern& copies, const Field& field, const Scheme& scheme,
                Combine combine);

  Exchange gather_, scatter_;
};

}  // namespace halocline
