#pragma once
// How the halos of asynchronous iterations travel: one interface for messages, windows, shared
// memory and threads.

#include "system.hpp"

#include <halocline/more/async_exchange.hpp>

#include <algorithm>

namespace laplace {

/// Calls act(first number, how many) for every row of a link's blocks, in message order.
template <class Act>
void each_row(const halocline::Link& link, Act&& act) {
  for (const halocline::Block& block : link.blocks)
    for (std::size_t plane = 0; plane < block.count[0]; ++plane)
      for (std::size_t row = 0; row < block.count[1]; ++row)
        act(block.offset + static_cast<std::ptrdiff_t>(plane) * block.stride[0] +
                static_cast<std::ptrdiff_t>(row) * block.stride[1],
            block.count[2]);
}

/// Gives the twin the halo of the cells.
inline void copy_halo(System& system) {
  double* const to = system.twin();
  if (to == nullptr) return;
  const double* const from = system.cells();
  for (const halocline::Link& link : system.pattern().receives())
    each_row(link,
             [&](std::ptrdiff_t at, std::size_t count) { std::copy_n(from + at, count, to + at); });
}

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
