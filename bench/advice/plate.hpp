// A square plate that warms up, cut into a grid of ranks: what both programs of this folder share,
// so that they differ in nothing but their exchange.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace plate {

/// What is asked for: CELLS STEPS [SLOW_RANK PERCENT].
struct Asked {
  int cells = 64;
  int steps = 500;
  int slow_rank = -1;
  int percent = 0;  ///< by which that rank computes longer

  Asked(int argc, char** argv) {
    std::array<int*, 4> all{&cells, &steps, &slow_rank, &percent};
    for (int i = 1; i < argc && i <= 4; ++i)
      *all[static_cast<std::size_t>(i - 1)] = std::atoi(argv[i]);
  }
};

/// A part of the plate: `rows` times `columns` cells with a halo of one cell around them.
struct Part {
  int rows;
  int columns;
  int stride = columns + 2;

  std::vector<double> cells(bool hot) const {
    std::vector<double> made(static_cast<std::size_t>((rows + 2) * stride), 0.0);
    if (hot) std::fill_n(made.data(), stride, 1.0);
    return made;
  }
};

/// So many cells of the first rows of a part, or of all.
inline void sweep(const Part& part, int rows, const double* from, double* to) {
  for (int i = 1; i <= rows; ++i)
    for (int k = i * part.stride + 1; k <= i * part.stride + part.columns; ++k)
      to[k] = 0.25 * (from[k - part.stride] + from[k + part.stride] + from[k - 1] + from[k + 1]);
}

/// Steps with `exchange(i)` for the halos of array i, and what they took, on rank 0.
template <class Exchange>
void run(MPI_Comm comm, const Asked& asked, const Part& part, std::array<double*, 2> u,
         Exchange&& exchange) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const int more = rank == asked.slow_rank ? part.rows * asked.percent / 100 : 0;
  MPI_Barrier(comm);
  const double begin = MPI_Wtime();
  for (int step = 0; step < asked.steps; ++step) {
    const int i = step % 2;
    exchange(i);
    sweep(part, part.rows, u[static_cast<std::size_t>(i)], u[static_cast<std::size_t>(1 - i)]);
    for (int left = more; left > 0; left -= part.rows)
      sweep(part, std::min(left, part.rows), u[static_cast<std::size_t>(i)],
            u[static_cast<std::size_t>(1 - i)]);
  }
  double seconds = MPI_Wtime() - begin;
  double sum = 0;
  for (int i = 1; i <= part.rows; ++i)
    for (int k = 1; k <= part.columns; ++k)
      sum += u[static_cast<std::size_t>(asked.steps % 2)][i * part.stride + k];
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  if (rank == 0) std::printf("%.12g heat, %.9g s\n", sum, seconds);
}

}  // namespace plate
