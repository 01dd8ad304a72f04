#pragma once
// How the halos of asynchronous iterations travel: one interface for messages, windows, shared
// memory and threads.

#include <halocline/async_exchange.hpp>

namespace laplace {

/// Between one worker and its neighbours. All workers make one, and call `drain` and `exchange`
/// together; the other calls never wait.
class HaloTraffic {
 public:
  virtual ~HaloTraffic() = default;

  /// Takes over the newest halos that have arrived, and tells how many links had any.
  virtual std::size_t receive() = 0;
  /// Offers what the neighbours want of my unknowns, where a buffer is free.
  virtual void send(std::uint64_t iteration) = 0;
  /// Ends a phase: afterwards nothing is under way, and `send` begins anew. Collective.
  virtual void drain() = 0;
  /// Makes all halos those of the neighbours' unknowns as they are now. Nothing may be under way.
  /// Collective.
  virtual void exchange() = 0;

  virtual std::size_t links() const = 0;
  /// The neighbour's iteration from which the halo of a link comes; 0 before any has.
  virtual std::uint64_t iteration_of(std::size_t link) const = 0;
  virtual halocline::AsyncCounts counts() const = 0;
};

}  // namespace laplace
