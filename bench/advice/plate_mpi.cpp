// A plate whose halos go by MPI_Irecv, MPI_Isend and MPI_Waitall: what is asked about.
// plate_mpi CELLS STEPS [SLOW_RANK PERCENT]: cells along each side of a rank's part.

#include "plate.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const plate::Asked asked(argc, argv);
    int ranks = 0, rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::array<int, 2> dims{}, periods{}, at{};
    MPI_Dims_create(ranks, 2, dims.data());
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), periods.data(), 0, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Cart_coords(comm, rank, 2, at.data());
    int upper = 0, lower = 0, left = 0, right = 0;
    MPI_Cart_shift(comm, 0, 1, &upper, &lower);
    MPI_Cart_shift(comm, 1, 1, &left, &right);

    const plate::Part part{asked.cells, asked.cells};
    std::array u{part.cells(at[0] == 0), part.cells(at[0] == 0)};
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Type_vector(part.rows, 1, part.stride, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    const auto exchange = [&](int i) {
      double* cells = u[static_cast<std::size_t>(i)].data();
      const auto cell = [&](int row, int k) { return cells + row * part.stride + k; };
      std::array<MPI_Request, 8> requests{};
      MPI_Irecv(cell(0, 1), part.columns, MPI_DOUBLE, upper, 1, comm, &requests[0]);
      MPI_Irecv(cell(part.rows + 1, 1), part.columns, MPI_DOUBLE, lower, 0, comm, &requests[1]);
      MPI_Irecv(cell(1, 0), 1, column, left, 3, comm, &requests[2]);
      MPI_Irecv(cell(1, part.columns + 1), 1, column, right, 2, comm, &requests[3]);
      MPI_Isend(cell(1, 1), part.columns, MPI_DOUBLE, upper, 0, comm, &requests[4]);
      MPI_Isend(cell(part.rows, 1), part.columns, MPI_DOUBLE, lower, 1, comm, &requests[5]);
      MPI_Isend(cell(1, 1), 1, column, left, 2, comm, &requests[6]);
      MPI_Isend(cell(1, part.columns), 1, column, right, 3, comm, &requests[7]);
      MPI_Waitall(8, requests.data(), MPI_STATUSES_IGNORE);
    };
    plate::run(comm, asked, part, {u[0].data(), u[1].data()}, exchange);
    MPI_Type_free(&column);
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
}
