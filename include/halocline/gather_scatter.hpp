#pragma once
// Gather-scatter: nodes of which several ranks, or several elements of a mesh, have copies.

#include <halocline/exchange.hpp>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

struct GatherScatterOptions {
  Combine combine = Combine::sum;
  /// Nodes that no more ranks than these share go straight from each of them to all others; the
  /// nodes of a grid of hexahedra have at most eight. The least that any rank says counts.
  std::size_t most_direct = 8;
};

/// Combines all copies of each node, and leaves the result in all of them: what spectral and finite
/// elements call direct stiffness summation (M. Deville, P. Fischer, E. Mund: High-Order Methods
/// for Incompressible Fluid Flow, 2002, chapter 4.5).
///
/// Each rank combines its own copies in the order of places, and the ranks' results are combined in
/// the order of ranks. So all copies have the same bits with every scheme and in any order of
/// arrival. Ranks that share a node with few send each other their results: one message each way,
/// at the same time. Of a node that many share the lowest rank is sent all results, and sends the
/// combined one back, which takes a second round of messages.
///
/// It is bound to the fields that it is made with, or it is made with `unbound<T>()` in place of
/// each, on all ranks alike, and is given arrays at each step: `run(field(x))`.
///
/// All ranks of `comm` construct and use it in the same order. Between `start` and `finish` the
/// caller must not touch nodes with several copies.
class GatherScatter {
 public:
  /// `numbers[i]` is the global number of the node that element i of each field is a copy of: any
  /// number from 0 on, with gaps or without. The fields, of which there may be several, travel in
  /// the same messages. The constructor finds out which ranks share which nodes, by messages to
  /// these ranks. Collective; throws the same Error on all ranks if a number is negative, a field
  /// has another size, its elements cannot be combined so, or `combine` is `replace`.
  GatherScatter(MPI_Comm comm, std::span<const std::int64_t> numbers, const FieldList& fields,
                const Scheme& scheme = {}, const GatherScatterOptions& options = {});
  ~GatherScatter();
  GatherScatter(GatherScatter&&) noexcept;
  GatherScatter& operator=(GatherScatter&&) noexcept;

  /// If made with `unbound<T>()`: begins a step on these arrays. They must stay where
  /// they are until `finish`; other ranks may give others, or the same again, as they like. Throws
  /// Error, on this rank alone, if they are not as many, of elements of the same types, and as
  /// large as there are numbers, or not in the host's memory.
  void start(const FieldList& fields = {});
  void finish();  ///< waits; throws Timeout when nothing moves for too long
  void run(const FieldList& fields = {}) {
    start(fields);
    finish();
  }

  /// The ranks that it is of, in their order: a duplicate of the communicator that it was made on,
  /// which the library sends on.
  MPI_Comm comm() const;
  std::span<const Field> fields() const;
  const Scheme& scheme() const;    ///< of `auto`: what it has become
  std::size_t bytes_sent() const;  ///< by this rank in one step, in all messages

 private:
  struct State;
  State& state() const;

  std::unique_ptr<State> state_;
};

}  // namespace halocline

#pragma GCC visibility pop
