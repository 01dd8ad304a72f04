#pragma once
// The Gauss-Seidel pipeline's links: to each of the four neighbours two exchanges of one message,
// one with the sweep's direction and one against it.

#include "domain.hpp"

#include <halocline/exchange.hpp>
#include <halocline/more/mpi.hpp>

#include <optional>

namespace partdiff {

/// Each neighbour has a communicator of two ranks, so that no scheme can synchronise more than the
/// two, and no sweep waits for all ranks.
class Pipeline {
 public:
  /// Collective over the ranks that own points. With `deep` = 0 a rank computes its own points and
  /// gets its neighbours' nearest lines. Else it takes over its predecessor's last `deep` rows,
  /// with sweeps in flight, and gives them back complete; all ranks are in one column of the grid
  /// then.
  Pipeline(MPI_Comm comm, const Domain& domain, const halocline::Array<double>& array,
           const halocline::Scheme& scheme, int deep = 0);

  // Each is called equally often, and in this order, in every sweep on every rank.
  void receive_from_before();  ///< last row of `up`, last column of `left`: of this sweep
  void send_to_before();       ///< my first row and column of this sweep; or the rows taken over
  void
  exchange_with_after();  ///< my last row and column to `down` and `right`; their first ones back

  /// My points, surrounded by what the exchanges deliver.
  Patch patch(double* array) const;

  void measure(bool on);
  void reset_times();
  halocline::ExchangeTimes times() const;
  /// Those of my exchanges, each once.
  std::vector<std::string> schemes() const;

 private:
  struct Neighbour {
    halocline::mpi::Comm comm;
    std::optional<halocline::Exchange> forward, backward;
  };
  template <class Do>
  void for_each(Do&& act);

  void connect(MPI_Comm comm, int axis, int parity, const halocline::Array<double>& array,
               const halocline::Scheme& scheme, int deep);

  const Domain& domain_;
  Neighbour up_, left_, down_, right_;
};

}  // namespace partdiff
