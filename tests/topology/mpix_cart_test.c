/* The C functions from a C program. Prints what is wrong; exit status 1 if anything is. */

#include <halocline/more/mpix_cart.h>

#include <stdio.h>

static int failures = 0;

static void expect(int true_, const char* what) {
  if (!true_) {
    fprintf(stderr, "mpix_cart_test: not so: %s\n", what);
    ++failures;
  }
}

static void dims_of_the_course(void) {
  const double plate[] = {580, 1800}, box[] = {240000, 120000, 80000};
  int two[] = {0, 0}, three[] = {0, 0, 0}, fixed[] = {0, 4}, equal[] = {0, 0};
  expect(MPIX_Dims_weighted_create(12, 2, plate, two) == MPI_SUCCESS, "12 ranks succeed");
  expect(two[0] == 6 && two[1] == 2, "12 ranks on 1800 x 580: 6 x 2");
  expect(MPIX_Dims_weighted_create(48000, 3, box, three) == MPI_SUCCESS, "48000 ranks succeed");
  expect(three[0] == 20 && three[1] == 40 && three[2] == 60, "48000 ranks: 20 x 40 x 60");
  expect(MPIX_Dims_weighted_create(12, 2, plate, fixed) == MPI_SUCCESS, "a fixed axis succeeds");
  expect(fixed[0] == 3 && fixed[1] == 4, "4 stays, 3 is chosen");
  expect(MPIX_Dims_weighted_create(12, 2, MPIX_WEIGHTS_EQUAL, equal) == MPI_SUCCESS,
         "equal weights succeed");
  expect(equal[0] == 4 && equal[1] == 3, "equal weights: 4 x 3");
}

static void cart_of_the_world(void) {
  const double weights[] = {100, 1};
  const int periods[] = {0, 1};
  int dims[] = {0, 0}, size, rank, has[2], closed[2], at[2], sum = 0, one;
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  expect(MPIX_Cart_weighted_create(MPI_COMM_WORLD, 2, weights, periods, MPI_INFO_NULL, dims,
                                   &cart) == MPI_SUCCESS,
         "the world becomes Cartesian");
  expect(dims[0] == 1 && dims[1] == size, "the light axis is cut");
  MPI_Comm_rank(cart, &rank);
  MPI_Cart_get(cart, 2, has, closed, at);
  expect(has[1] == size && closed[0] == 0 && closed[1] == 1, "dims and periods are kept");
  expect(at[1] == rank, "ranks are row-major");
  one = rank + 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, cart);
  expect(sum == size * (size + 1) / 2, "all ranks are in it");
  MPI_Comm_free(&cart);
}

static void errors(void) {
  const double negative[] = {1, -1};
  const int periods[] = {0, 0};
  int dims[] = {0, 0}, none[] = {5, 0};
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  expect(MPIX_Dims_weighted_create(12, 2, negative, dims) == MPI_ERR_ARG, "weights are positive");
  expect(MPIX_Dims_weighted_create(0, 2, MPIX_WEIGHTS_EQUAL, dims) == MPI_ERR_ARG, "ranks exist");
  expect(MPIX_Dims_weighted_create(12, 2, MPIX_WEIGHTS_EQUAL, none) == MPI_ERR_DIMS,
         "5 does not divide 12");
  none[0] = 7;
  expect(MPIX_Cart_weighted_create(MPI_COMM_WORLD, 2, MPIX_WEIGHTS_EQUAL, periods, MPI_INFO_NULL,
                                   none, &cart) == MPI_ERR_DIMS,
         "7 does not divide the world");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  dims_of_the_course();
  cart_of_the_world();
  errors();
  MPI_Finalize();
  return failures != 0;
}
