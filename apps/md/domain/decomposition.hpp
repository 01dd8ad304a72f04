#pragma once
// How the box is cut into subdomains, and who lies beside whom. Pure arithmetic, no MPI.
//
// Cuts are multiples of the box's quantum, as positions are: a subdomain and its periodic images
// have exact borders.

#include "../physics/particles.hpp"

#include <array>
#include <vector>

namespace md {

/// [low, high) along each axis.
struct Region {
  Vector low, high;
};

/// The numbers of owned particles that are outside of a region, ascending.
std::vector<int> outside(const Region& region, const Particles& particles);

/// Another subdomain as one sees it: moved by so many whole boxes along each axis, each -1, 0 or 1.
struct Image {
  int part;
  std::array<int, 3> shift;
};

/// Which copies of a neighbour's particles a subdomain keeps, and so where a pair's force is
/// computed. (Bowers, Dror, Shaw: Zonal methods for the parallel execution of range-limited N-body
/// simulations. Journal of Computational Physics 221, 2007.)
enum class Shell {
  full,    ///< of all neighbours: each pair across a border is computed on both sides
  half,    ///< of half the neighbours: once, and the force goes back
  eighth,  ///< of those above along some axes and below along none: once, perhaps where neither
           ///< particle lives
};

/// Between which of the cuts `x` lies, counted from 0; what is outside counts to the nearest.
std::size_t piece(const std::vector<double>& cuts, double x);

/// The box in slabs along x, each in columns along y, each in pieces along z, so that the parts'
/// numbers are those of a grid of `dims` parts, z fastest.
class Decomposition {
 public:
  /// Even cuts.
  Decomposition(const Box& box, std::array<int, 3> dims);

  const Box& box() const noexcept { return box_; }
  const std::array<int, 3>& dims() const noexcept { return dims_; }
  int parts() const noexcept { return dims_[0] * dims_[1] * dims_[2]; }
  /// Whether every plane of cuts goes through the whole box, as at first.
  bool straight() const;
  Region region(int part) const;
  /// The part that has a position, which is within the box.
  int owner(const Vector& position) const;

  /// All images of subdomains from which some point is no farther than `reach` from this one along
  /// every axis, in the order of parts, then of shifts. Shifts occur along periodic axes only.
  std::vector<Image> around(int part, double reach) const;
  /// Whether `part` keeps copies of what is in `image`. Of two subdomains, each as the other sees
  /// it, half a shell takes exactly one.
  bool wants(int part, const Image& image, Shell shell) const;
  /// What the copies of particles in `image` are to `part`. The eighth shell's zones need straight
  /// cuts.
  Zone zone(int part, const Image& image, Shell shell) const;

  /// By how much the particles of an image are away from where their owner has them.
  Vector away(const Image& image) const;

  // The cuts of one axis, from end to end: of all slabs; of slab i's columns; of column (i, j)'s
  // pieces.
  std::vector<double>& cuts() noexcept { return x_; }
  std::vector<double>& cuts(int i) noexcept { return y_[static_cast<std::size_t>(i)]; }
  std::vector<double>& cuts(int i, int j) noexcept {
    return z_[static_cast<std::size_t>(i * dims_[1] + j)];
  }

 private:
  Box box_;
  std::array<int, 3> dims_;
  std::vector<double> x_;
  std::vector<std::vector<double>> y_, z_;
};

/// The numbers of parts along each axis that leave `ranks` subdomains the fewest ghosts within
/// `reach`; of equals, those that cut the last axes: particles in the order of cells are near such
/// borders in a row.
std::array<int, 3> choose_dims(int ranks, const Vector& edges, double reach);

}  // namespace md
