#pragma once
// One product on all ranks: panels come, are multiplied while the next ones are on their way, and
// the layers are added up.

#include "layer_sum.hpp"
#include "supply.hpp"

#include <functional>

namespace matmul {

enum class Algorithm {
  automatic,  ///< from their owners, to each rank in another order
  cannon,     ///< from neighbour to neighbour, after a skew
  summa,      ///< from their owners, to all of a row and of a column in the same order
};

/// What all ranks are told alike.
struct Plan {
  Shape shape;
  Algorithm algorithm = Algorithm::automatic;
  Cut cut;
  std::int64_t widest = 0;  ///< of panels; 0: as they come
  int threads = 1;
  halocline::Scheme scheme{"p2p:nonblocking"};
};

/// The part of a rank as the algorithm cuts K into panels.
Part part_of(const Plan& plan, int rank);
/// How panels come to that rank.
Schedule schedule_of(const Plan& plan, const Part& part);
/// Bytes that this rank will allocate, but for what the scheme needs itself: what it owns, its
/// block of C, what other layers add to that, and room for panels on their way. No rank needs more
/// than rank 0.
double bytes_needed(const Plan& plan, const Part& part);

/// Seconds of one product on this rank.
struct Account {
  double total = 0;
  double compute = 0;  ///< in products
  double panels = 0;   ///< felt of the exchanges of panels
  double layers = 0;   ///< of the sum over layers
};

class Multiplication {
 public:
  /// Collective over `comm`, as all that follow.
  Multiplication(MPI_Comm comm, const Plan& plan);

  /// `after(step)` is called when a panel has been multiplied.
  Account run(const std::function<void(int step)>& after = {});
  /// Seconds that the exchanges of panels take when nothing is computed meanwhile. C stays.
  double exchanges_alone();

  const Part& part() const noexcept { return part_; }
  const Supply& supply() const noexcept { return supply_; }
  const LayerSum& sum() const noexcept { return sum_; }
  std::int64_t words() const noexcept { return supply_.words() + sum_.words(); }
  std::size_t numbers_held() const noexcept { return supply_.numbers() + sum_.numbers(); }

 private:
  MPI_Comm comm_;
  Plan plan_;
  Part part_;
  Supply supply_;
  LayerSum sum_;
};

}  // namespace matmul
