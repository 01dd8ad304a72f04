/* Programs of another version: options that this library does not know yet, and options that the
   program does not know. The header's twin, made in the build, has an option more in each
   structure, `later`. */
#include <mpi.h>

#include <halocline/halocline.h>

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int code, const char* words, int line) {
  if (*words == '\0' ? code == HALOCLINE_SUCCESS
                     : code == HALOCLINE_ERROR_ARGUMENT && strstr(halocline_last_error(), words))
    return;
  printf("line %d: %d %s\n", line, code, halocline_last_error());
  ++failures;
}

/* `call` is given `options`; `last` is the last of them that this version knows. */
#define TEST_OPTIONS(type, initialiser, last, call)             \
  do {                                                          \
    type options = initialiser;                                 \
    expect(call, "", __LINE__);                                 \
    options.later = 1;                                          \
    expect(call, "is not 0: leave options of later", __LINE__); \
    options = (type)initialiser;                                \
    options.size = (int64_t)offsetof(type, last);               \
    memset(&options.last, 0x7f, sizeof options.last);           \
    expect(call, "", __LINE__);                                 \
    options.size = 0;                                           \
    expect(call, "size is 0, which is no size of", __LINE__);   \
    options.size = INT64_MAX;                                   \
    expect(call, "begin with = " #initialiser, __LINE__);       \
  } while (0)

int main(int argc, char** argv) {
  const int64_t cells[1] = {8}, numbers[2] = {0, 1};
  const int parts[1] = {2};
  double x[2] = {0, 0};
  halocline_comm comm;
  halocline_grid* grid = NULL;
  halocline_distribution *halves = NULL, *other = NULL;
  halocline_pattern *halo = NULL, *none = NULL;
  halocline_exchange* exchange = NULL;
  halocline_gather_scatter* sums = NULL;
  halocline_async_exchange* news = NULL;
  halocline_field field;
  MPI_Init(&argc, &argv);
  comm = halocline_comm_of(MPI_COMM_WORLD);
  expect(halocline_field_of(x, HALOCLINE_FLOAT64, 1, 2, &field), "", __LINE__);
  expect(halocline_pattern_create(&none), "", __LINE__);
  expect(halocline_distribution_create(1, cells, parts, NULL, &halves), "", __LINE__);
  TEST_OPTIONS(
      halocline_grid_options, HALOCLINE_GRID_OPTIONS, nodes,
      (halocline_grid_free(&grid), halocline_grid_create(comm, 1, cells, &options, &grid)));
  TEST_OPTIONS(halocline_distribution_options, HALOCLINE_DISTRIBUTION_OPTIONS, first,
               (halocline_distribution_free(&other),
                halocline_distribution_create(1, cells, parts, &options, &other)));
  TEST_OPTIONS(
      halocline_halo_options, HALOCLINE_HALO_OPTIONS, own_arrays,
      (halocline_pattern_free(&halo), halocline_pattern_halo_of(halves, 0, &options, &halo)));
  TEST_OPTIONS(halocline_exchange_options, HALOCLINE_EXCHANGE_OPTIONS, capacity,
               (options.changes = 1, halocline_exchange_free(&exchange),
                halocline_exchange_create(comm, none, &field, 1, NULL, &options, &exchange)));
  TEST_OPTIONS(
      halocline_gather_scatter_options, HALOCLINE_GATHER_SCATTER_OPTIONS, most_direct,
      (halocline_gather_scatter_free(&sums),
       halocline_gather_scatter_create(comm, 2, numbers, &field, 1, NULL, &options, &sums)));
  TEST_OPTIONS(halocline_async_options, HALOCLINE_ASYNC_OPTIONS, racy,
               (halocline_async_exchange_free(&news),
                halocline_async_exchange_create(comm, none, 8, NULL, &options, &news)));

  { /* A program that asks is given what it knows. */
    halocline_async_options options = HALOCLINE_ASYNC_OPTIONS;
    options.buffers = 3;
    expect(halocline_async_exchange_create(comm, none, 8, NULL, &options, &news), "", __LINE__);
    options.size = (int64_t)offsetof(halocline_async_options, racy);
    options.buffers = 0;
    options.racy = 77;
    expect(halocline_async_exchange_options(news, &options), "", __LINE__);
    if (options.buffers != 3 || options.racy != 77) ++failures, puts("options that are asked for");
    options.size = 0;
    expect(halocline_async_exchange_options(news, &options), "begin with = ", __LINE__);
  }
  { /* The same of how it waits; what an earlier program does not know stays as it is. */
    halocline_patience all = HALOCLINE_PATIENCE, some = HALOCLINE_PATIENCE;
    expect(halocline_patience_get(&all), "", __LINE__);
    some.size = (int64_t)offsetof(halocline_patience, remedy);
    some.remedy = "untouched";
    expect(halocline_patience_get(&some), "", __LINE__);
    if (some.spin != all.spin || strcmp(some.remedy, "untouched") != 0)
      ++failures, puts("patience that is asked for");
    some.spin = 0.5;
    some.remedy = NULL;
    expect(halocline_patience_set(&some), "", __LINE__);
    some = (halocline_patience)HALOCLINE_PATIENCE;
    expect(halocline_patience_get(&some), "", __LINE__);
    if (some.spin != 0.5 || strcmp(some.remedy, all.remedy) != 0)
      ++failures, puts("patience that is set");
    some.size = 0;
    expect(halocline_patience_get(&some), "begin with = ", __LINE__);
    expect(halocline_patience_set(&some), "size is 0, which is no size of", __LINE__);
  }
  field.reserved[1] = 1;
  expect(halocline_exchange_create(comm, none, &field, 1, NULL, NULL, &exchange),
         "reserved of a field is not 0", __LINE__);

  halocline_async_exchange_free(&news);
  halocline_grid_free(&grid);
  halocline_distribution_free(&other);
  halocline_distribution_free(&halves);
  halocline_pattern_free(&halo);
  halocline_pattern_free(&none);
  MPI_Finalize();
  return failures > 0;
}
