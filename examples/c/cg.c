// Conjugate gradients on an unstructured mesh, in C: index lists say which unknowns neighbours
// need. cg SCHEME UNKNOWNS
//
// The matrix is the Laplacian of a ring of unknowns, each of which is coupled to those 1 and 7
// beside it as well, plus one. Ranks have rows in turn, so what they need lies anywhere.

#include <mpi.h>

#include <halocline/halocline.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const int beside[4] = {-7, -1, 1, 7};

static void must(int code) {
  if (code != HALOCLINE_SUCCESS) halocline_end_job("cg", halocline_last_error());
}

static double dot(int n, const double* x, const double* y) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * y[i];
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

int main(int argc, char** argv) {
  const char* scheme = argc > 1 ? argv[1] : "auto";
  const int all = argc > 2 ? atoi(argv[2]) : 1000;
  int me, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int block = (all + ranks - 1) / ranks, first = me * block < all ? me * block : all;
  const int n = first + block < all ? block : all - first;  // my rows: [first, first + n)

  // Where each of a row's four others is: among my own, or behind them, one place for each.
  int* column = malloc(4 * sizeof(int) * (size_t)(n + 1));
  int* number = malloc(sizeof(int) * (size_t)all);  // of an unknown here; -1: it is not
  for (int i = 0; i < all; ++i) number[i] = i >= first && i < first + n ? i - first : -1;
  int ghosts = 0;
  for (int k = 0; k < 4 * n; ++k) {
    const int other = (first + k / 4 + beside[k % 4] + all) % all;
    if (number[other] < 0) number[other] = n + ghosts++;
    column[k] = number[other];
  }

  // For each rank what I receive, by the order of unknowns; and what it needs of me. (The matrix is
  // symmetric, so those that need mine are those whose I need.)
  int *peers = malloc(sizeof(int) * (size_t)ranks), links = 0;
  int *counts[2], *lists[2], filled[2] = {0, 0};
  for (int way = 0; way < 2; ++way) {
    counts[way] = calloc((size_t)ranks, sizeof(int));
    lists[way] = malloc(sizeof(int) * (size_t)(all + 1));
  }
  for (int peer = 0; peer < ranks; ++peer) {
    const int begin = peer * block, end = begin + block < all ? begin + block : all;
    if (peer == me) continue;
    peers[links] = peer;
    for (int i = begin; i < end; ++i)
      if (number[i] >= 0) lists[1][filled[1]++] = number[i], ++counts[1][links];
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < 4; ++k) {
        const int other = (first + i + beside[k] + all) % all;
        if (other < begin || other >= end) continue;
        lists[0][filled[0]++] = i, ++counts[0][links];
        break;
      }
    ++links;
  }
  halocline_pattern* halo;
  must(halocline_pattern_from_indices(links, peers, counts[0], lists[0], links, peers, counts[1],
                                      lists[1], &halo));
  halocline_field field;  // each step brings a vector of its own
  must(halocline_field_unbound(HALOCLINE_FLOAT64, 1, &field));
  halocline_exchange* exchange;
  must(halocline_exchange_create(halocline_comm_of(MPI_COMM_WORLD), halo, &field, 1, scheme, NULL,
                                 &exchange));

  // A x = b, from x = 0 on.
  double* v[4];  // x, r, p, A p
  for (int k = 0; k < 4; ++k) v[k] = calloc((size_t)(n + ghosts + 1), sizeof(double));
  double *x = v[0], *r = v[1], *p = v[2], *q = v[3];
  for (int i = 0; i < n; ++i) r[i] = p[i] = 1 + 0.5 * ((first + i) % 3 - 1);
  double rr = dot(n, r, r);
  int steps = 0;
  for (; sqrt(rr) > 1e-12 && steps < all; ++steps) {
    must(halocline_field_of(p, HALOCLINE_FLOAT64, 1, n + ghosts, &field));
    must(halocline_exchange_run_fields(exchange, &field, 1));
    for (int i = 0; i < n; ++i) {
      q[i] = 5 * p[i];
      for (int k = 0; k < 4; ++k) q[i] -= p[column[4 * i + k]];
    }
    const double alpha = rr / dot(n, p, q), before = rr;
    for (int i = 0; i < n; ++i) x[i] += alpha * p[i], r[i] -= alpha * q[i];
    rr = dot(n, r, r);
    for (int i = 0; i < n; ++i) p[i] = r[i] + rr / before * p[i];
  }

  double sum = dot(n, x, x);
  if (me == 0) printf("|x| = %.10f, residual %s 1e-12\n", sqrt(sum), sqrt(rr) <= 1e-12 ? "<" : ">");
  must(halocline_exchange_free(&exchange));
  must(halocline_pattern_free(&halo));
  for (int k = 0; k < 4; ++k) free(v[k]);
  for (int way = 0; way < 2; ++way) free(counts[way]), free(lists[way]);
  free(peers), free(number), free(column);
  return MPI_Finalize();
}
