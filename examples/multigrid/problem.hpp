#pragma once
// The system of equations: a 27-point operator on a cube of points for each rank, and coarser ones.

#include <mpi.h>

#include <array>
#include <cstdint>
#include <vector>

namespace multigrid {

using Vector = std::vector<double>;

/// What a rank exchanges for the halo of any vector of a level, neighbour after neighbour. What it
/// receives lies behind its own points, in the order of the neighbours.
struct HaloLists {
  std::vector<int> neighbours;  ///< ranks
  std::vector<int> sent;        ///< points of mine, those for one neighbour after the other
  std::vector<int> sent_count, received_count;  ///< for each neighbour
};

/// One level: a matrix in compressed rows, and where its halo comes from.
struct Level {
  int points = 0;                                ///< mine
  int extent = 0;                                ///< of a vector: mine and the halo
  std::vector<int> row_begin, column, diagonal;  ///< `diagonal`: where it is among the values
  std::vector<double> value;
  HaloLists halo;
  std::vector<int> in_finer;         ///< the point of the next finer level at which mine stands
  std::vector<std::int64_t> number;  ///< of each of my points, among those of all ranks
};

/// `count` levels; the finest has `side` points along each side of a rank's cube, each further one
/// half as many. Throws std::invalid_argument if that does not come out even.
std::vector<Level> make_levels(MPI_Comm comm, int side, int count);

/// y = A x. The halo of x is there.
void multiply(const Level& level, const Vector& x, Vector& y);
/// A sweep of Gauss-Seidel forwards and one backwards, for A x = b. The halo of x is there.
void smooth(const Level& level, const Vector& b, Vector& x);

}  // namespace multigrid
