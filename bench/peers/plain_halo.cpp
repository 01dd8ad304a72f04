// A halo of messages as anybody would write it: faces, edges and corners of a grid of ranks by
// MPI_Irecv, MPI_Isend and MPI_Waitall. For SimGrid's SMPI, which simulates it (beside_smpi.py):
// what the machine file calls packing and unpacking passes as simulated time.
//
//     plain_halo X Y Z CELLS STEPS WARM_UP PACK_S...    (27 times of packing, by direction)

#include <mpi.h>
#include <smpi/smpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int dims[3] = {std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3])};
  const int cells = std::atoi(argv[4]), steps = std::atoi(argv[5]), warm_up = std::atoi(argv[6]);
  const int at[3] = {rank / (dims[1] * dims[2]), rank / dims[2] % dims[1], rank % dims[2]};

  struct Link {
    int peer, bytes, direction;
  };
  std::vector<Link> links;
  for (int direction = 0; direction < 27; ++direction) {
    const int step[3] = {direction / 9 - 1, direction / 3 % 3 - 1, direction % 3 - 1};
    int peer = 0, bytes = 8;
    bool inside = direction != 13;
    for (int axis = 0; axis < 3; ++axis) {
      const int there = at[axis] + step[axis];
      inside = inside && there >= 0 && there < dims[axis];
      peer = peer * dims[axis] + there;
      if (step[axis] == 0) bytes *= cells;
    }
    if (inside) links.push_back({peer, bytes, direction});
  }

  // Simulated messages need no memory of their own.
  static std::vector<char> memory(static_cast<std::size_t>(8) * cells * cells);
  std::vector<MPI_Request> receives(links.size()), sends(links.size());
  double begin = 0;
  for (int step = 0; step < steps; ++step) {
    if (step == warm_up) begin = MPI_Wtime();
    for (std::size_t i = 0; i < links.size(); ++i)
      MPI_Irecv(memory.data(), links[i].bytes, MPI_BYTE, links[i].peer, 26 - links[i].direction,
                MPI_COMM_WORLD, &receives[i]);
    for (const Link& link : links) smpi_execute_benched(std::atof(argv[7 + link.direction]));
    for (std::size_t i = 0; i < links.size(); ++i)
      MPI_Isend(memory.data(), links[i].bytes, MPI_BYTE, links[i].peer, links[i].direction,
                MPI_COMM_WORLD, &sends[i]);
    for (std::size_t i = 0; i < links.size(); ++i) {
      int which = 0;
      MPI_Waitany(static_cast<int>(links.size()), receives.data(), &which, MPI_STATUS_IGNORE);
      smpi_execute_benched(
          std::atof(argv[7 + 26 - links[static_cast<std::size_t>(which)].direction]));
    }
    MPI_Waitall(static_cast<int>(links.size()), sends.data(), MPI_STATUSES_IGNORE);
  }
  double mine[2] = {begin, MPI_Wtime()}, last[2];
  MPI_Reduce(mine, last, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%.9g\n", (last[1] - last[0]) / (steps - warm_up));
  MPI_Finalize();
}
