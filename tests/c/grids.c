// Communicators, cuts, grids and distributions.

#include "check.h"

#include <stdlib.h>
#include <string.h>

static void test_communicators(void) {
  MPI_Comm world = MPI_COMM_WORLD;
  halocline_comm same = 0;
  int fortran = 0, rank = -1;
  MUST(halocline_world(&same));
  CHECK(same == comm);
  CHECK(halocline_comm_mpi(same) == MPI_COMM_WORLD);
  MUST(halocline_comm_at(&world, &same));
  CHECK(same == comm);
  MUST(halocline_comm_c2f(comm, &fortran));
#ifndef MPI_ABI_VERSION  // which has no such function
  CHECK(fortran == (int)MPI_Comm_c2f(MPI_COMM_WORLD));
#endif
  same = 0;
  MUST(halocline_comm_f2c(fortran, &same));
  MUST(halocline_rank(same, &rank));
  CHECK(rank == me);
}

static void test_cut(void) {
  const int64_t cells[2] = {12, 9};
  const int64_t rows[3] = {0, 5, 12};
  halocline_grid_options options = HALOCLINE_GRID_OPTIONS;
  halocline_cut *cut = NULL, *faces = NULL;
  halocline_range range;
  halocline_halo_width width;
  int dims[HALOCLINE_MOST_AXES], at[HALOCLINE_MOST_AXES], offset[2] = {-1, 0};
  int idle = 0, parts = 0, neighbour = 0, periodic = 0, axes = 0;
  int64_t count = 0, local = 0, elements = 0, sizes[HALOCLINE_MOST_AXES];
  options.halo[1].above = 2;
  options.periodic[0] = 1;
  options.cuts[0] = rows;
  options.cut_counts[0] = 3;
  MUST(halocline_cut_create(7, 2, cells, &options, &cut));
  MUST(halocline_cut_dims(cut, dims));
  MUST(halocline_cut_parts(cut, &parts));
  MUST(halocline_cut_axes(cut, &axes));
  MUST(halocline_cut_cells(cut, sizes));
  CHECK(dims[0] == 2 && dims[1] == 3 && parts == 6 && axes == 2);
  CHECK(sizes[0] == 12 && sizes[1] == 9);
  MUST(halocline_cut_idle(cut, 6, &idle));
  CHECK(idle);
  MUST(halocline_cut_coordinates(cut, 6, at));
  CHECK(at[0] == -1 && at[1] == -1);
  MUST(halocline_cut_coordinates(cut, 4, at));
  CHECK(at[0] == 1 && at[1] == 1);
  MUST(halocline_cut_owned(cut, 4, 0, &range));
  CHECK(range.begin == 5 && range.end == 12);
  MUST(halocline_cut_owned_by(cut, 1, 2, &range));
  CHECK(range.begin == 6 && range.end == 9);
  MUST(halocline_cut_owned_cells(cut, 4, &count));
  MUST(halocline_cut_local(cut, 4, 1, &local));
  MUST(halocline_cut_elements(cut, 4, &elements));
  CHECK(count == 7 * 3 && local == 1 + 3 + 2 && elements == 9 * 6);
  MUST(halocline_cut_neighbour(cut, 1, offset, &neighbour));
  CHECK(neighbour == 4);
  MUST(halocline_cut_width(cut, 1, &width));
  MUST(halocline_cut_periodic(cut, 0, &periodic));
  CHECK(width.below == 1 && width.above == 2 && periodic);
  MUST(halocline_cut_faces(cut, 1, &faces));
  MUST(halocline_cut_cells(faces, sizes));
  CHECK(sizes[1] == 10);
  MUST(halocline_choose_dims(6, 2, cells, NULL, dims));
  CHECK(dims[0] * dims[1] == 6);
  MUST(halocline_part_of(10, 3, 0, &range));
  CHECK(range.begin == 0 && range.end == 4);
  MUST(halocline_cut_free(&faces));
  MUST(halocline_cut_free(&cut));
  CHECK(cut == NULL);
  MUST(halocline_cut_free(&cut));
}

/// A grid says of this rank what its cut does.
static void test_grid_and_cut(void) {
  const int64_t cells[2] = {12, 9};
  const int up[2] = {1, 0};
  halocline_grid_options options = HALOCLINE_GRID_OPTIONS;
  halocline_grid *grid = NULL, *faces = NULL;
  halocline_cut* cut = NULL;
  halocline_pattern *halo = NULL, *same = NULL;
  halocline_distribution *of_grid = NULL, *of_cut = NULL, *numbered = NULL;
  halocline_range a, b;
  halocline_halo_width width;
  halocline_range everything[2];
  int64_t sizes[2], others[2], n = 0, m = -1;
  int dims[2], at[2], same_at[2], p = -1, q = -2, axis, count = 0;
  options.periodic[0] = 1;
  options.halo[1].below = 0;
  MUST(halocline_grid_create(comm, 2, cells, &options, &grid));
  MUST(halocline_grid_cut(grid, &cut));
  MUST(halocline_cut_ranks(cut, &count));
  CHECK(count == ranks);
  MUST(halocline_grid_axes(grid, &p));
  MUST(halocline_grid_cells(grid, sizes));
  MUST(halocline_grid_dims(grid, dims));
  CHECK(p == 2 && sizes[0] == 12 && sizes[1] == 9 && dims[0] * dims[1] == ranks);
  MUST(halocline_grid_coordinates(grid, at));
  MUST(halocline_cut_coordinates(cut, me, same_at));
  for (axis = 0; axis < 2; ++axis) {
    CHECK(at[axis] == same_at[axis]);
    MUST(halocline_grid_owned(grid, axis, &a));
    MUST(halocline_grid_owned_by(grid, axis, at[axis], &b));
    CHECK(a.begin == b.begin && a.end == b.end);
    MUST(halocline_grid_periodic(grid, axis, &p));
    MUST(halocline_grid_width(grid, axis, &width));
    CHECK(p == (axis == 0) && width.below == (axis == 0) && width.above == 1);
  }
  MUST(halocline_grid_idle(grid, &p));
  CHECK(!p);
  MUST(halocline_grid_neighbour(grid, up, &p));
  MUST(halocline_cut_neighbour(cut, me, up, &q));
  CHECK(p == q);
  MUST(halocline_grid_elements(grid, &n));
  MUST(halocline_cut_elements(cut, me, &m));
  CHECK(n == m);
  MUST(halocline_grid_halo(grid, &halo));
  MUST(halocline_cut_halo(cut, me, &same));
  MUST(halocline_pattern_elements_sent(halo, &n));
  MUST(halocline_pattern_elements_sent(same, &m));
  CHECK(n == m);

  MUST(halocline_grid_distribution(grid, &of_grid));
  MUST(halocline_grid_distribution_numbered(grid, comm, &numbered));
  MUST(halocline_cut_distribution(cut, NULL, &of_cut));
  MUST(halocline_distribution_cells(of_grid, sizes));
  MUST(halocline_distribution_cells(of_cut, others));
  CHECK(sizes[0] == 12 && others[1] == 9);
  MUST(halocline_distribution_halo(of_grid, 1, &width));
  CHECK(width.below == 0 && width.above == 1);
  everything[0].begin = everything[1].begin = 0;
  everything[0].end = 12;
  everything[1].end = 9;
  MUST(halocline_distribution_overlapping(numbered, everything, 0, NULL, &n));
  CHECK(n == ranks);

  MUST(halocline_grid_faces(grid, 1, &faces));
  MUST(halocline_grid_cells(faces, sizes));
  CHECK(sizes[0] == 12 && sizes[1] == 10);
  MUST(halocline_grid_free(&faces));
  MUST(halocline_distribution_free(&of_grid));
  MUST(halocline_distribution_free(&of_cut));
  MUST(halocline_distribution_free(&numbered));
  MUST(halocline_pattern_free(&halo));
  MUST(halocline_pattern_free(&same));
  MUST(halocline_cut_free(&cut));
  MUST(halocline_grid_free(&grid));
}

/// Each cell of the grid has its own number; after an exchange so have the halos.
static void test_halo(void) {
  const int64_t cells[2] = {11, 7};
  halocline_grid_options options = HALOCLINE_GRID_OPTIONS;
  halocline_grid* grid = NULL;
  halocline_pattern* halo = NULL;
  halocline_array* array = NULL;
  halocline_field field;
  halocline_exchange* exchange = NULL;
  halocline_range rows, columns;
  void* data = NULL;
  double* u;
  int64_t row_count = 0, column_count = 0, i, j, wrong = 0;
  options.periodic[0] = options.periodic[1] = 1;
  MUST(halocline_grid_create(comm, 2, cells, &options, &grid));
  MUST(halocline_grid_owned(grid, 0, &rows));
  MUST(halocline_grid_owned(grid, 1, &columns));
  MUST(halocline_grid_local(grid, 0, &row_count));
  MUST(halocline_grid_local(grid, 1, &column_count));
  MUST(halocline_array_create_on(grid, HALOCLINE_FLOAT64, 1, "shm:signal", &array));
  MUST(halocline_array_field(array, &field));
  MUST(halocline_array_data(array, &data));
  CHECK(data == field.data && field.elements == row_count * column_count);
  MUST(halocline_grid_halo(grid, &halo));
  MUST(halocline_exchange_create(comm, halo, &field, 1, "shm:signal", NULL, &exchange));
  // What was needed to make it may go; the exchange keeps the array's memory.
  MUST(halocline_grid_free(&grid));
  MUST(halocline_pattern_free(&halo));
  MUST(halocline_array_free(&array));
  u = (double*)data;
  for (i = rows.begin; i < rows.end; ++i)
    for (j = columns.begin; j < columns.end; ++j)
      u[(i - rows.begin + 1) * column_count + j - columns.begin + 1] = (double)(100 * i + j);
  MUST(halocline_exchange_run(exchange));
  for (i = 0; i < row_count; ++i)
    for (j = 0; j < column_count; ++j) {
      const int64_t row = (rows.begin + i - 1 + 11) % 11, column = (columns.begin + j - 1 + 7) % 7;
      if (u[i * column_count + j] != (double)(100 * row + column)) ++wrong;
    }
  CHECK(wrong == 0);
  MUST(halocline_exchange_free(&exchange));
}

/// Rows become columns, each of which is contiguous.
static void test_redistribution(void) {
  const int64_t cells[2] = {8, 6};
  const int64_t row_cuts[4] = {0, 8, 0, 6};
  const int cut_counts[2] = {2, 2};
  halocline_distribution* whole = NULL;
  int by_rows[2] = {1, 1}, by_columns[2] = {1, 1}, overlaps = 1;
  halocline_distribution_options turned = HALOCLINE_DISTRIBUTION_OPTIONS;
  halocline_distribution *rows = NULL, *columns = NULL;
  halocline_pattern* transpose = NULL;
  halocline_exchange* exchange = NULL;
  halocline_field from, to;
  halocline_part part;
  int64_t before_count = 0, after_count = 0, parts = 0, i, j, k, wrong = 0;
  int *before, *after;
  by_rows[0] = by_columns[1] = ranks;
  turned.order[0] = 1;
  MUST(halocline_distribution_create(2, cells, by_rows, NULL, &rows));
  MUST(halocline_distribution_create(2, cells, by_columns, &turned, &columns));
  MUST(halocline_distribution_elements(rows, me, &before_count));
  MUST(halocline_distribution_elements(columns, me, &after_count));
  MUST(halocline_distribution_overlaps(rows, &overlaps));
  CHECK(!overlaps);
  MUST(halocline_distribution_of_cuts(2, cut_counts, row_cuts, NULL, &whole));
  MUST(halocline_distribution_elements(whole, 0, &parts));
  CHECK(parts == 48);
  MUST(halocline_distribution_free(&whole));
  before = (int*)calloc((size_t)before_count + 1, sizeof(int));
  after = (int*)calloc((size_t)after_count + 1, sizeof(int));
  MUST(halocline_distribution_parts_of(rows, me, 1, &part, &parts));
  CHECK(parts == 1 && part.rank == me && part.elements == before_count);
  for (k = 0, i = part.cells[0].begin; i < part.cells[0].end; ++i)
    for (j = 0; j < 6; ++j) before[k++] = (int)(10 * i + j);
  MUST(halocline_field_of(before, HALOCLINE_INT32, 1, before_count, &from));
  MUST(halocline_field_of(after, HALOCLINE_INT32, 1, after_count, &to));
  MUST(halocline_pattern_between(rows, columns, me, &transpose));
  MUST(halocline_exchange_create_between(comm, transpose, &from, &to, 1, "p2p:nonblocking", NULL,
                                         &exchange));
  MUST(halocline_exchange_run(exchange));
  MUST(halocline_distribution_parts_of(columns, me, 1, &part, &parts));
  for (k = 0, j = part.cells[1].begin; j < part.cells[1].end; ++j)
    for (i = 0; i < 8; ++i)
      if (after[k++] != (int)(10 * i + j)) ++wrong;
  CHECK(k == after_count && wrong == 0);
  MUST(halocline_exchange_free(&exchange));
  MUST(halocline_pattern_free(&transpose));
  MUST(halocline_distribution_free(&rows));
  MUST(halocline_distribution_free(&columns));
  free(before);
  free(after);
}

/// Two blocks a rank, of a ring of cells, each with a halo of one.
static void test_blocks(void) {
  const int boxes_each[4] = {2, 2, 2, 2};
  halocline_range boxes[8];
  halocline_distribution_options with_halos = HALOCLINE_DISTRIBUTION_OPTIONS;
  halocline_halo_options options = HALOCLINE_HALO_OPTIONS;
  halocline_distribution* parts = NULL;
  halocline_pattern* halo = NULL;
  halocline_exchange* exchange = NULL;
  halocline_field field;
  int64_t elements = 0;
  const int all = 6 * ranks;
  float x[10];
  int i, axes = 0;
  // Blocks have three cells each; rank r has blocks r and ranks + r.
  for (i = 0; i < 2 * ranks; ++i) {
    const int number = i % 2 == 0 ? i / 2 : ranks + i / 2;
    boxes[i].begin = 3 * number;
    boxes[i].end = 3 * number + 3;
  }
  with_halos.halos[0].below = with_halos.halos[0].above = 1;
  options.periodic[0] = 1;
  options.cells[0] = all;
  MUST(halocline_distribution_of_boxes(1, ranks, boxes_each, boxes, &with_halos, &parts));
  MUST(halocline_distribution_axes(parts, &axes));
  MUST(halocline_distribution_elements(parts, me, &elements));
  CHECK(axes == 1 && elements == 10);
  MUST(halocline_pattern_halo_of(parts, me, &options, &halo));
  for (i = 0; i < 10; ++i) x[i] = -1;
  for (i = 0; i < 3; ++i) {
    x[1 + i] = (float)(3 * me + i);
    x[6 + i] = (float)(3 * (ranks + me) + i);
  }
  MUST(halocline_field_of(x, HALOCLINE_FLOAT32, 1, 10, &field));
  MUST(halocline_exchange_create(comm, halo, &field, 1, "p2p:persistent", NULL, &exchange));
  MUST(halocline_exchange_run(exchange));
  for (i = 0; i < 5; ++i) {
    CHECK(x[i] == (float)((3 * me + i - 1 + all) % all));
    CHECK(x[5 + i] == (float)((3 * (ranks + me) + i - 1 + all) % all));
  }
  MUST(halocline_exchange_free(&exchange));
  MUST(halocline_pattern_free(&halo));
  MUST(halocline_distribution_free(&parts));
}

static void test_moved(void) {
  const int64_t cells[1] = {40};
  halocline_grid_options options = HALOCLINE_GRID_OPTIONS;
  halocline_grid* grid = NULL;
  halocline_comm on = 0;
  void* mine = NULL;
  int64_t bytes = 0;
  int there = -1;
  options.renumber = 1;
  MUST(halocline_grid_create(comm, 1, cells, &options, &grid));
  MUST(halocline_grid_comm(grid, &on));
  MUST(halocline_rank(on, &there));
  MUST(halocline_grid_moved(grid, &me, (int64_t)sizeof me, &mine, &bytes));
  CHECK(bytes == (int64_t)sizeof me && *(const int*)mine == there);
  free(mine);
  MUST(halocline_grid_free(&grid));
}

void test_grids(void) {
  CHECK(halocline_version() == HALOCLINE_VERSION);
  CHECK(strcmp(halocline_version_text(), HALOCLINE_VERSION_TEXT) == 0);
  CHECK(different_default()[0] == '\0');
  test_communicators();
  test_cut();
  test_grid_and_cut();
  test_halo();
  test_redistribution();
  test_blocks();
  test_moved();
}
