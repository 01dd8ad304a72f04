#pragma once
// The loop that an exchange is part of, as in Jacobi's method: two fields in turn. Each step writes
// one from what the other holds and from what has arrived for it, and exchanges it.

#include "exchange_work.hpp"

#include <functional>

namespace halometer {

class Loop {
 public:
  /// Where block `block` of receive link `link` of field `turn` can be read.
  using Where =
      std::function<halocline::HaloView(std::size_t turn, std::size_t link, std::size_t block)>;

  /// The fields must outlive it. `what` is written in each step.
  Loop(std::array<PatternField*, 2> fields, Rewrite what, const Where& where);

  /// `exchange(turn)` makes the halos of field `turn` right; none: the loop without it, where each
  /// step does what is done `instead`, if anything.
  void run(std::size_t steps, const std::function<void(std::size_t turn)>& exchange,
           const std::function<void()>& instead = {});

 private:
  std::array<PatternField*, 2> fields_;
  Rewrite what_;
  // Without an exchange my own halos are read: whoever reads a neighbour's cells exchanges them.
  std::array<std::vector<HaloRow>, 2> arrived_, own_;
  // Rows too short to be read in a neighbour's memory: copied to their place after each exchange.
  std::array<std::vector<HaloRow>, 2> gathered_;
  std::size_t turn_ = 0;
};

}  // namespace halometer
