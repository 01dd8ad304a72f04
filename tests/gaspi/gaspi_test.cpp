// gaspi where GASPI's queues are short, and fields that are segments. The rest of it is tested as
// every scheme is.

#include <halocline/halocline.hpp>
#include <halocline/more/method.hpp>
#include <halocline/more/waiting.hpp>

#include <GASPI.h>
#include <GASPI_Ext.h>
#include <gtest/gtest.h>

using namespace halocline;

namespace {

constexpr gaspi_uint entries = 5;  // of a queue; a write and its notification take two

/// Before GASPI starts, which it does once.
void make_queues_short() {
  gaspi_number_t runs = 0;
  ASSERT_EQ(gaspi_initialized(&runs), GASPI_SUCCESS);
  if (runs != 0) return;
  gaspi_config_t config{};
  ASSERT_EQ(gaspi_config_get(&config), GASPI_SUCCESS);
  config.queue_size_max = entries;
  ASSERT_EQ(gaspi_config_set(config), GASPI_SUCCESS);
}

gaspi_number_t segments() {
  gaspi_number_t number = 0;
  EXPECT_EQ(gaspi_segment_num(&number), GASPI_SUCCESS);
  return number;
}

/// Every second element of a row to each other rank, in more rows than a queue has room for; or to
/// those of higher rank alone, which then must be told what has been read.
struct ToOthers {
  static constexpr std::size_t rows = 17, cells = 3, pitch = 8;
  int me = mpi::rank(world()), ranks = mpi::size(world());
  Pattern pattern;
  std::vector<int> sources;

  explicit ToOthers(bool one_way) {
    for (int other = 0; other < ranks; ++other) {
      if (other == me) continue;
      if (!one_way || other > me) pattern.send(other, block(other));
      if (one_way && other > me) continue;
      pattern.receive(other, block(ranks + other));
      sources.push_back(other);
    }
  }
  static Block block(int place) {
    return {static_cast<std::ptrdiff_t>(elements(place)), {1, rows, cells}, {0, pitch}};
  }
  static std::size_t elements(int places) {
    return static_cast<std::size_t>(places) * rows * pitch;
  }
  static double value(int from, int to, std::size_t i, int step) {
    return 1e6 * step + 1e4 * from + 1e2 * to + static_cast<double>(i);
  }
  template <class Visit>
  static void each(double* field, int place, Visit&& visit) {
    for (std::size_t i = 0; i < rows * cells; ++i)
      visit(i, field[elements(place) + i / cells * pitch + i % cells]);
  }

  void run(const Scheme& scheme) const {
    const Array<double> field(world(), elements(2 * ranks));
    Exchange exchange(pattern, field, scheme);
    for (int step = 1; step <= 40; ++step) {
      for (int to = 0; to < ranks; ++to)
        each(field.data(), to, [&](std::size_t i, double& cell) { cell = value(me, to, i, step); });
      exchange.run();
      for (const int from : sources)
        each(field.data(), ranks + from, [&](std::size_t i, const double& cell) {
          ASSERT_EQ(cell, value(from, me, i, step)) << scheme.str() << ", step " << step;
        });
    }
  }
};

TEST(Gaspi, EmptiesQueuesBeforeTheyAreFull) {
  make_queues_short();
  const unsigned seed = 3 + static_cast<unsigned>(mpi::rank(world()));
  inject_delays(std::chrono::microseconds(100), seed);
  for (const bool one_way : {false, true})
    for (const char* scheme : {"gaspi", "gaspi+pack=off"}) ToOthers(one_way).run(scheme);
  inject_delays(std::chrono::microseconds(0), seed);
  gaspi_number_t room = 0;
  ASSERT_EQ(gaspi_queue_size_max(&room), GASPI_SUCCESS);
  EXPECT_EQ(room, entries);
}

TEST(Gaspi, HasFieldsThatAreSegments) {
  make_queues_short();
  prepare(Scheme("gaspi"));
  const ToOthers others(false);
  const Array<double> field(world(), ToOthers::elements(2 * others.ranks));
  { const Exchange slots(others.pattern, field, "gaspi"); }  // the one that all share
  const gaspi_number_t before = segments();
  {
    const Exchange first(others.pattern, field, "gaspi+pack=off");
    EXPECT_EQ(segments(), before + (others.ranks > 1 ? 1u : 0u));
    const Exchange second(others.pattern, field, "gaspi+pack=off");
    EXPECT_EQ(segments(), before + (others.ranks > 1 ? 1u : 0u));
  }
  EXPECT_EQ(segments(), before);
  others.run("gaspi+pack=off");  // its number is used again
}

}  // namespace
