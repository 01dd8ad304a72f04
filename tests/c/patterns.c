// Patterns: from index lists, shifted, reversed, padded, united, and what they say of themselves.

#include "check.h"

static int64_t blocks_of(const halocline_pattern* pattern, int side, int link) {
  halocline_link facts = {0, 0, 0};
  MUST(halocline_pattern_link(pattern, side, link, &facts));
  return facts.blocks;
}

static void test_index_lists(void) {
  const int peers[2] = {5, 2}, counts[2] = {4, 1}, indices[5] = {7, 8, 9, 3, 20};
  const int64_t counts64[2] = {4, 1}, indices64[5] = {7, 8, 9, 3, 20};
  halocline_pattern *pattern = NULL, *wide = NULL, *back = NULL;
  halocline_block block;
  halocline_link facts = {0, 0, 0};
  int links = 0, empty = 1;
  int64_t sent = 0, extent = 0, from = 0, to = 0;
  MUST(halocline_pattern_from_indices(2, peers, counts, indices, 0, NULL, NULL, NULL, &pattern));
  MUST(halocline_pattern_from_indices64(2, peers, counts64, indices64, 0, NULL, NULL, NULL, &wide));
  MUST(halocline_pattern_links(pattern, HALOCLINE_SENDS, &links));
  CHECK(links == 2);
  MUST(halocline_pattern_link(pattern, HALOCLINE_SENDS, 0, &facts));
  CHECK(facts.peer == 5 && facts.blocks == 2 && facts.elements == 4);
  CHECK(blocks_of(wide, HALOCLINE_SENDS, 0) == 2);
  MUST(halocline_pattern_block(pattern, HALOCLINE_SENDS, 0, 0, &block));
  CHECK(block.offset == 7 && block.count[0] == 1 && block.count[1] == 1 && block.count[2] == 3);
  MUST(halocline_pattern_elements_sent(pattern, &sent));
  MUST(halocline_pattern_extent(pattern, &extent));
  MUST(halocline_pattern_send_extent(pattern, &from));
  MUST(halocline_pattern_receive_extent(pattern, &to));
  CHECK(sent == 5 && extent == 21 && from == 21 && to == 0);
  MUST(halocline_pattern_reversed(pattern, &back));
  MUST(halocline_pattern_links(back, HALOCLINE_SENDS, &links));
  CHECK(links == 0);
  MUST(halocline_pattern_links(back, HALOCLINE_RECEIVES, &links));
  CHECK(links == 2);
  MUST(halocline_pattern_empty(back, &empty));
  CHECK(!empty);
  MUST(halocline_pattern_free(&back));
  MUST(halocline_pattern_free(&wide));
  MUST(halocline_pattern_free(&pattern));
}

/// Exchanges refuse an array of other extents than those in which a pattern counts.
static void test_extents(void) {
  const int64_t cells[2] = {10 * (int64_t)ranks, 10}, right[2] = {12, 12}, wrong[2] = {14, 14};
  const int dims[2] = {ranks, 1};
  halocline_distribution_options options = HALOCLINE_DISTRIBUTION_OPTIONS;
  halocline_distribution* parts = NULL;
  halocline_pattern *halo = NULL, *blocks = NULL;
  halocline_exchange* halos = NULL;
  halocline_async_exchange* news = NULL;
  void* cells_there = NULL;
  halocline_field field;
  const halocline_block row = {1, {1, 1, 10}, {0, 0}, 0}, other = {133, {1, 1, 10}, {0, 0}, 0};
  double u[14 * 14] = {0};
  options.halos[0].below = options.halos[0].above = 1;
  options.halos[1].below = options.halos[1].above = 1;
  MUST(halocline_distribution_create(2, cells, dims, &options, &parts));
  MUST(halocline_pattern_halo_of(parts, me, NULL, &halo));
  MUST(halocline_field_strided(u, HALOCLINE_FLOAT64, 1, 2, wrong, NULL, &field));
  FAILS(halocline_exchange_create(comm, halo, &field, 1, "p2p:nonblocking", NULL, &halos),
        HALOCLINE_ERROR, "14 x 14 elements, but the pattern counts in an array of 12 x 12");
  MUST(halocline_pattern_create(&blocks));
  MUST(halocline_pattern_copy(blocks, &row, &other));
  MUST(halocline_pattern_count_in(blocks, HALOCLINE_RECEIVES, 0, 2, right));
  FAILS(halocline_pattern_count_in(blocks, HALOCLINE_RECEIVES, 0, 2, wrong), HALOCLINE_ERROR,
        "an array of 14 x 14, but others");
  FAILS(halocline_exchange_create(comm, blocks, &field, 1, "p2p:nonblocking", NULL, &halos),
        HALOCLINE_ERROR, "14 x 14 elements");
  MUST(halocline_async_exchange_create(comm, halo, sizeof(double), "p2p:nonblocking", NULL, &news));
  FAILS(halocline_async_exchange_cells(news, &field, &cells_there), HALOCLINE_ERROR,
        "the array has 14 x 14 elements");
  MUST(halocline_field_strided(u, HALOCLINE_FLOAT64, 1, 2, right, NULL, &field));
  MUST(halocline_async_exchange_cells(news, &field, &cells_there));
  CHECK(cells_there == u);
  MUST(halocline_async_exchange_free(&news));
  MUST(halocline_exchange_create(comm, halo, &field, 1, "p2p:nonblocking", NULL, &halos));
  MUST(halocline_exchange_free(&halos));
  MUST(halocline_exchange_create(comm, blocks, &field, 1, "p2p:nonblocking", NULL, &halos));
  MUST(halocline_exchange_free(&halos));
  MUST(halocline_pattern_free(&blocks));
  MUST(halocline_pattern_free(&halo));
  MUST(halocline_distribution_free(&parts));
}

/// Lists added one by one, with a shift.
static void test_added_lists(void) {
  const int few[3] = {4, 5, 9}, others[3] = {20, 21, 22}, negative[1] = {-1};
  const double shift[1] = {0.5};
  halocline_pattern* pattern = NULL;
  halocline_link facts = {0, 0, 0};
  int shifts = 0;
  MUST(halocline_pattern_create(&pattern));
  MUST(halocline_pattern_send_indices(pattern, 3, few, 3));
  MUST(halocline_pattern_receive_indices(pattern, 4, others, 3, NULL, 0));
  MUST(halocline_pattern_copy_indices(pattern, few, others, 3, NULL, 0));
  MUST(halocline_pattern_shifts(pattern, &shifts));
  CHECK(!shifts && blocks_of(pattern, HALOCLINE_COPIES_TO, 0) == 2);
  MUST(halocline_pattern_link(pattern, HALOCLINE_SENDS, 0, &facts));
  CHECK(facts.peer == 3 && facts.blocks == 2 && facts.elements == 3);
  CHECK(blocks_of(pattern, HALOCLINE_RECEIVES, 0) == 1);
  MUST(halocline_pattern_receive_indices(pattern, 5, few, 3, shift, 1));
  MUST(halocline_pattern_shifts(pattern, &shifts));
  CHECK(shifts);
  FAILS(halocline_pattern_send_indices(pattern, 3, negative, 1), HALOCLINE_ERROR, "-1");
  FAILS(halocline_pattern_send_indices(pattern, 3, NULL, 1), HALOCLINE_ERROR_ARGUMENT,
        "indices is NULL");
  MUST(halocline_pattern_free(&pattern));
}

static void test_others_of_patterns(void) {
  const halocline_block from = {0, {1, 1, 3}, {0, 0}, 0}, to = {3, {1, 1, 3}, {0, 0}, 0};
  const double shift[1] = {0.5};
  halocline_pattern *pattern = NULL, *same = NULL, *wide = NULL, *both = NULL;
  const halocline_pattern* parts[2];
  halocline_block block;
  int shifts = 1, links = 0;
  MUST(halocline_pattern_create(&pattern));
  MUST(halocline_pattern_copy(pattern, &from, &to));
  MUST(halocline_pattern_send(pattern, 1, &from));
  MUST(halocline_pattern_send(pattern, -1, &from));
  MUST(halocline_pattern_receive_nothing(pattern, 2));
  MUST(halocline_pattern_shifts(pattern, &shifts));
  CHECK(!shifts);
  MUST(halocline_pattern_duplicate(pattern, &same));
  MUST(halocline_pattern_receive_shifted(same, 1, &to, shift, 1));
  MUST(halocline_pattern_shifts(same, &shifts));
  CHECK(shifts);
  MUST(halocline_pattern_copy_shifted(same, &from, &to, shift, 1));
  CHECK(blocks_of(same, HALOCLINE_COPIES_TO, 0) == 2);
  MUST(halocline_pattern_links(pattern, HALOCLINE_SENDS, &links));
  CHECK(links == 1);
  MUST(halocline_pattern_links(pattern, HALOCLINE_RECEIVES, &links));
  CHECK(links == 1);
  MUST(halocline_pattern_links(same, HALOCLINE_RECEIVES, &links));
  CHECK(links == 2);
  CHECK(blocks_of(pattern, HALOCLINE_COPIES_FROM, 0) == 1);
  MUST(halocline_pattern_padded(pattern, 10, 0, 8, 2, 3, &wide));
  MUST(halocline_pattern_block(wide, HALOCLINE_COPIES_TO, 0, 0, &block));
  CHECK(block.offset == 18);
  parts[0] = parts[1] = pattern;
  MUST(halocline_pattern_united(parts, 2, &both));
  MUST(halocline_pattern_block(both, HALOCLINE_SENDS, 0, 1, &block));
  CHECK(block.part == 1);
  MUST(halocline_pattern_free(&both));
  MUST(halocline_pattern_free(&wide));
  MUST(halocline_pattern_free(&same));
  MUST(halocline_pattern_free(&pattern));
}

void test_patterns(void) {
  test_index_lists();
  test_extents();
  test_added_lists();
  test_others_of_patterns();
}
