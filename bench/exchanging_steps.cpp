// Steps of a program that computes for some 100 us and then exchanges with both neighbours of a
// ring: what the recorder costs is measured on it (recorder_overhead.py).
//
//     exchanging_steps STEPS WORK
//
// Computing is a fixed amount of work, not a fixed time, so that whatever the recorder takes is
// seen. Prints seconds of a step, and of the work alone.

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

double compute(long work, double start) {
  for (long i = 0; i < work; ++i) start = start * 0.999999 + 1e-6;
  return start;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? std::atoi(argv[1]) : 20000;
  const long work = argc > 2 ? std::atol(argv[2]) : 40000;
  int me = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  constexpr int kLength = 128;
  std::vector<double> out(2 * kLength), in(2 * kLength);
  double value = me;
  auto step = [&] {
    value = compute(work, value);
    MPI_Request request[4];
    MPI_Irecv(in.data(), kLength, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(in.data() + kLength, kLength, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(out.data(), kLength, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &request[2]);
    MPI_Isend(out.data() + kLength, kLength, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &request[3]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    out[0] = value + in[0] * 1e-300;
  };
  for (int i = 0; i < steps / 10; ++i) step();
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < steps; ++i) step();
  MPI_Barrier(MPI_COMM_WORLD);
  const double all = MPI_Wtime() - begin;
  const double alone = MPI_Wtime();
  for (int i = 0; i < 100; ++i) value = compute(work, value);
  const double computed = (MPI_Wtime() - alone) / 100;
  if (me == 0) std::printf("%.9f %.9f %g\n", all / steps, computed, value + out[0]);
  MPI_Finalize();
}
