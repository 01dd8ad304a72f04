// The time of ScaLAPACK's pdgemm, beside which matmul is measured:
// pdgemm M N K REPETITIONS ROWS COLUMNS BLOCK on ROWS x COLUMNS ranks prints the seconds of each,
// as the slowest rank has them. Matrices are dealt out in square blocks.

#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* block, const int* process, const int* first, const int* all);
void descinit_(int* descriptor, const int* rows, const int* columns, const int* row_block,
               const int* column_block, const int* first_row, const int* first_column,
               const int* context, const int* leading, int* info);
void pdgemm_(const char* of_a, const char* of_b, const int* m, const int* n, const int* k,
             const double* alpha, const double* a, const int* a_row, const int* a_column,
             const int* a_descriptor, const double* b, const int* b_row, const int* b_column,
             const int* b_descriptor, const double* beta, double* c, const int* c_row,
             const int* c_column, const int* c_descriptor);
}

namespace {

/// This rank's numbers of a matrix, column after column.
struct Matrix {
  std::vector<double> numbers;
  int descriptor[9];

  Matrix(int context, int rows, int columns, int block) {
    int process_rows = 0, process_columns = 0, row = 0, column = 0;
    Cblacs_gridinfo(context, &process_rows, &process_columns, &row, &column);
    const int first = 0;
    const int mine = numroc_(&rows, &block, &row, &first, &process_rows);
    const int width = numroc_(&columns, &block, &column, &first, &process_columns);
    numbers.resize(static_cast<std::size_t>(mine) * static_cast<std::size_t>(width));
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<double>(i * 7 % 17) - 8;
    const int leading = mine > 0 ? mine : 1;
    int info = 0;
    descinit_(descriptor, &rows, &columns, &block, &block, &first, &first, &context, &leading,
              &info);
    if (info != 0) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto number = [&](int which) { return which < argc ? std::atoi(argv[which]) : 0; };
  const int m = number(1), n = number(2), k = number(3), block = number(7);
  if (argc != 8 || number(5) * number(6) != ranks || block < 1) {
    if (rank == 0) std::fprintf(stderr, "Usage: pdgemm M N K REPETITIONS ROWS COLUMNS BLOCK\n");
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  int context = 0;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "Row-major", number(5), number(6));
  const Matrix a(context, m, k, block), b(context, k, n, block);
  Matrix c(context, m, n, block);
  const double one = 1, nothing = 0;
  const int first = 1;
  for (int i = 0; i < number(4); ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const auto begin = std::chrono::steady_clock::now();
    pdgemm_("N", "N", &m, &n, &k, &one, a.numbers.data(), &first, &first, a.descriptor,
            b.numbers.data(), &first, &first, b.descriptor, &nothing, c.numbers.data(), &first,
            &first, c.descriptor);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    double seconds = time.count();
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) std::printf("%.9f\n", seconds);
  }
  Cblacs_gridexit(context);
  MPI_Finalize();
}
