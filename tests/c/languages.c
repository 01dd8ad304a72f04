// The C of docs/reference/languages.md.

#include "check.h"

#include <stddef.h>
#include <string.h>

static void must(int code) {
  CHECK(code == HALOCLINE_SUCCESS);
}

static void end(halocline_grid** grid, halocline_array** u, halocline_pattern** ring,
                halocline_exchange** any) {
  must(halocline_exchange_free(any));
  must(halocline_pattern_free(ring));
  must(halocline_array_free(u));
  must(halocline_grid_free(grid));
}

static int computed = 0;
static void compute(int tile) {
  computed += tile;
}

void test_languages(void) {
  const char* scheme = "p2p:nonblocking";
  const char* text = "";
  const int after = (me + 1) % ranks, before = (me + ranks - 1) % ranks;
  const int64_t cells[2] = {64, 48};
  const int last[1] = {4}, ghost[1] = {0}, up[2] = {-1, 0}, tiles[2] = {8, 16};
  double x[5], mass[3] = {1, 2, 3}, leaving[8];
  int64_t numbers[3], count = 0;
  halocline_field field;
  halocline_grid* grid;
  halocline_array* u;
  halocline_pattern *halo, *ring, *back;
  halocline_exchange *halos, *any, *sum, *chosen;
  halocline_gather_scatter* sums;
  halocline_ragged_exchange* migration;
  halocline_async_exchange* news;
  halocline_section* step;
  halocline_findings found;
  halocline_chosen now;
  halocline_tried other;
  halocline_exchange_options add = HALOCLINE_EXCHANGE_OPTIONS;
  halocline_grid_options options = HALOCLINE_GRID_OPTIONS;
  const void* came;
  void* data;
  int64_t elements, laps = 0;
  int i, n, neighbour = -1, tile = 0;
  if (ranks == 1) return;  // nobody to send to

  options.periodic[0] = 1;
  must(halocline_grid_create(comm, 2, cells, &options, &grid));

  must(halocline_array_create_on(grid, HALOCLINE_FLOAT64, 1, scheme, &u));
  must(halocline_array_field(u, &field));

  must(halocline_array_data(u, &data));
  must(halocline_array_size(u, &elements));
  for (i = 0; i < elements; ++i) ((double*)data)[i] = me;

  must(halocline_grid_halo(grid, &halo));
  must(halocline_exchange_create(comm, halo, &field, 1, scheme, NULL, &halos));
  must(halocline_exchange_run(halos));

  must(halocline_exchange_start(halos));
  /* compute what needs no halo */
  must(halocline_exchange_finish(halos));
  must(halocline_grid_neighbour(grid, up, &neighbour));
  CHECK(((double*)data)[1] == neighbour);
  must(halocline_pattern_free(&halo));
  must(halocline_exchange_free(&halos));

  for (i = 0; i < 5; ++i) x[i] = 10 * me + i;

  must(halocline_pattern_create(&ring));
  must(halocline_pattern_send_indices(ring, after, last, 1));
  must(halocline_pattern_receive_indices(ring, before, ghost, 1, NULL, 0));

  must(halocline_field_unbound(HALOCLINE_FLOAT64, 1, &field));
  must(halocline_exchange_create(comm, ring, &field, 1, scheme, NULL, &any));
  must(halocline_field_of(x, HALOCLINE_FLOAT64, 1, 5, &field));
  must(halocline_exchange_run_fields(any, &field, 1));
  CHECK(x[0] == 10 * before + 4);

  must(halocline_pattern_reversed(ring, &back));
  add.combine.how = HALOCLINE_SUM;
  must(halocline_exchange_create(comm, back, &field, 1, scheme, &add, &sum));
  must(halocline_exchange_run(sum));
  CHECK(x[4] == 20 * me + 8);
  must(halocline_exchange_free(&sum));
  must(halocline_pattern_free(&back));

  for (i = 0; i < 3; ++i) numbers[i] = (2 * me + i) % (2 * ranks);

  must(halocline_field_of(mass, HALOCLINE_FLOAT64, 1, 3, &field));
  must(halocline_gather_scatter_create(comm, 3, numbers, &field, 1, scheme, NULL, &sums));
  must(halocline_gather_scatter_run(sums));
  CHECK(mass[0] == 4 && mass[1] == 2 && mass[2] == 4);
  must(halocline_gather_scatter_free(&sums));

  for (i = 0; i < me; ++i) leaving[i] = me + 0.5;

  must(halocline_ragged_exchange_create(comm, 1, &after, 1, &before, sizeof(double), 8, scheme,
                                        &migration));
  must(halocline_ragged_exchange_send(migration, 0, leaving, me));
  must(halocline_ragged_exchange_run(migration));
  must(halocline_ragged_exchange_received(migration, 0, &came, &count));
  CHECK(count == before);
  for (i = 0; i < count; ++i) CHECK(((const double*)came)[i] == before + 0.5);
  must(halocline_ragged_exchange_free(&migration));

  must(halocline_async_exchange_create(comm, ring, sizeof(double), scheme, NULL, &news));
  must(halocline_async_exchange_send(news, x, 1));
  must(halocline_async_exchange_receive(news, x, NULL, NULL)); /* the newest that have come */
  must(halocline_async_exchange_drain(news, x, NULL));
  CHECK(x[0] == 20 * before + 8);
  must(halocline_async_exchange_free(&news));

  must(halocline_field_of(x, HALOCLINE_FLOAT64, 1, 5, &field));
  must(halocline_exchange_create(comm, ring, &field, 1, "auto+when=running", NULL, &chosen));
  must(halocline_section_create(comm, &chosen, 1, &step));
  for (i = 0; i < 10; ++i) {
    must(halocline_section_begin(step));
    must(halocline_section_choice(step, "tile", tiles, 2, &tile));
    compute(tile);
    must(halocline_exchange_run(chosen));
    must(halocline_section_end(step, 1));
  }
  must(halocline_section_findings(step, &found));
  for (i = 0; i < found.chosen; ++i) {
    must(halocline_section_chosen(step, i, &now)); /* now.what: such as shm:signal, or tile=16 */
    for (n = 0; n < now.tried; ++n)
      must(halocline_section_tried(step, i, n, &other)); /* other.what, in other.laps laps */
  }
  must(halocline_section_laps(step, &laps));
  CHECK(x[0] == 20 * before + 8 && laps == 10 && found.laps == 10 && computed >= 80);
  CHECK(found.chosen == 2 && strcmp(now.what, "tile=8") == 0 && strcmp(other.what, "tile=16") == 0);
  must(halocline_section_free(&step));
  must(halocline_exchange_free(&chosen));

  if (halocline_exchange_create(comm, ring, &field, 1, "p2p:nonblokking", NULL, &sum) !=
      HALOCLINE_SUCCESS)
    text = halocline_last_error();
  CHECK(strstr(text, "p2p:nonblokking") != NULL);
  end(&grid, &u, &ring, &any);
}
