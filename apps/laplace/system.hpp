#pragma once
// What Jacobi's method needs of a linear system A u = b: one worker's part of it.

#include "part.hpp"

#include <halocline/pattern.hpp>

#include <vector>

namespace laplace {

/// Some of the unknowns in an array, with the neighbours' unknowns that they depend on beside them
/// in its halo. There may be a second array, the twin, and then sweeps let them change places; both
/// must have the same halo. Squares are summed over the part's own rows.
class System {
 public:
  virtual ~System() = default;

  /// Sets unknowns and halo to the initial state.
  virtual void initialise() = 0;
  /// Steps of Jacobi's method with the halo as it is. If `wanted`, returns the squared residual
  /// |b - A u|^2 before the last.
  virtual double sweep(int steps, bool wanted) = 0;
  /// The squared residual of the unknowns as they are.
  virtual double residual() const = 0;
  /// |b|^2.
  virtual double source() const = 0;

  virtual double* cells() = 0;
  virtual double* twin() = 0;  ///< null if there is none
  /// Makes `cells` the array again that it was after `initialise`.
  virtual void settle() = 0;
  /// What of the array travels to and from other workers.
  virtual const halocline::Pattern& pattern() const = 0;
  /// The solution in the array: one part, or none if there are no unknowns.
  virtual std::vector<Part> parts() const = 0;
};

}  // namespace laplace
