// What is recorded, what is kept of it, and what the file says.

#include "common/comma_locale.hpp"
#include "common/complaint.hpp"

#include <halocline/error.hpp>
#include <halocline/exchange.hpp>
#include <halocline/grid.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/trace.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <optional>
#include <thread>

namespace {

using namespace halocline;
using trace::detail::Record;

/// A file of a trace: text where it is text, and the events of each rank.
struct File {
  std::string head, all;
  explicit File(const std::string& name) {
    std::ifstream in(name, std::ios::binary);
    all.assign(std::istreambuf_iterator<char>(in), {});
    std::uint64_t numbers[2] = {};
    if (all.size() > 32) std::memcpy(numbers, all.data() + 16, sizeof numbers);
    version = numbers[0];
    head = all.substr(32, numbers[1]);
    begin = 32 + numbers[1];
  }
  std::uint64_t version = 0;
  std::size_t begin = 0;

  /// The numbers that `key` has in the text, in order.
  static std::vector<std::uint64_t> numbers(const std::string& text, const std::string& key) {
    std::vector<std::uint64_t> found;
    const std::string word = "\"" + key + "\": ";
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      found.push_back(std::stoull(text.substr(at + word.size(), 20)));
    return found;
  }
  std::vector<Record> events(std::size_t rank) const {
    const auto bytes = numbers(head, "bytes"), texts = numbers(head, "description_bytes"),
               counts = numbers(head, "events");
    std::size_t place = begin;
    for (std::size_t r = 0; r < rank; ++r) place += bytes[r];
    std::vector<Record> found(counts[rank]);
    std::memcpy(found.data(), all.data() + place + texts[rank], counts[rank] * sizeof(Record));
    return found;
  }
  std::string about(std::size_t rank) const {
    const auto bytes = numbers(head, "bytes"), texts = numbers(head, "description_bytes");
    std::size_t place = begin;
    for (std::size_t r = 0; r < rank; ++r) place += bytes[r];
    return all.substr(place, texts[rank]);
  }
};

int me() {
  return mpi::rank(world());
}
std::size_t ranks() {
  return static_cast<std::size_t>(mpi::size(world()));
}

class Trace : public testing::Test {
 protected:
  std::string name = testing::TempDir() + "trace_test." + std::to_string(ranks()) + ".trace";
  File written() {
    trace::write(world(), name);
    File file(name);
    HALOCLINE_MPI(MPI_Barrier, world());
    if (me() == 0) std::remove(name.c_str());
    return file;
  }
};

TEST_F(Trace, RecordsNothingUnlessBegun) {
  EXPECT_FALSE(trace::recording());
  const trace::Region region("nobody sees");
  EXPECT_THROW(trace::write(world(), name), Error);
}

TEST_F(Trace, ShowsEachStepOfAnExchangeOnEveryRank) {
  const Grid grid(world(), {12, 12}, {});
  Array<double> cells(grid, Scheme("p2p:nonblocking"));
  trace::begin(world());
  Exchange exchange(grid.halo(), cells, Scheme("p2p:nonblocking"));
  for (int step = 0; step < 3; ++step) {
    { const trace::Region sweep("sweep", Activity::compute); }
    exchange.run();
  }
  const File file = written();
  EXPECT_EQ(file.all.substr(0, 16), "halocline-trace\n");
  EXPECT_EQ(file.version, 1U);
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    const std::vector<Record> events = file.events(rank);
    int steps = 0, sweeps = 0;
    for (const Record& event : events) {
      EXPECT_LE(event.begin, event.end);
      EXPECT_GE(event.begin, -1'000'000);
      if (event.activity == Activity::end_step) {
        EXPECT_EQ(event.step, static_cast<std::uint32_t>(++steps));
        EXPECT_EQ(event.exchange, 1);
      }
      sweeps += event.activity == Activity::compute && event.name == 1;
    }
    EXPECT_EQ(steps, 3);
    EXPECT_EQ(sweeps, 3);
    const std::string about = file.about(rank);
    EXPECT_NE(about.find("\"what\": \"p2p:nonblocking\""), std::string::npos) << about;
    EXPECT_NE(about.find("\"regions\": [\"sweep\"]"), std::string::npos) << about;
    EXPECT_EQ(File::numbers(about, "steps").front(), 3U);
  }
}

TEST_F(Trace, PhasesOfAStepFollowEachOther) {
  const Grid grid(world(), {12, 12}, {});
  Array<double> cells(grid, Scheme("rma:put:pscw"));
  trace::begin(world());
  Exchange exchange(grid.halo(), cells, Scheme("rma:put:pscw"));
  exchange.run();
  const File file = written();
  trace::detail::Ticks last = -1'000'000;
  for (const Record& event : file.events(static_cast<std::size_t>(me()))) {
    if (event.exchange != 1) continue;
    if (event.depth == 1) {
      EXPECT_GE(event.begin, last);
      last = event.end;
    } else if (event.depth == 0) {
      EXPECT_EQ(event.end, last);
    }
  }
}

TEST_F(Trace, KeepsBeginningAndEndAndCountsTheRest) {
  constexpr std::size_t room = 100;
  constexpr int events = 1000;
  trace::begin(world(), {.bytes = room * sizeof(Record)});
  for (int i = 0; i < events; ++i) const trace::Event event(Activity::copy, i);
  const File file = written();
  const std::vector<Record> kept = file.events(static_cast<std::size_t>(me()));
  const std::string about = file.about(static_cast<std::size_t>(me()));
  const std::uint64_t dropped = File::numbers(about, "dropped").front();
  EXPECT_EQ(kept.size() + dropped, static_cast<std::size_t>(events));
  EXPECT_EQ(kept.size(), room);
  const std::uint64_t first = File::numbers(about, "dropped_after").front();
  EXPECT_EQ(first, room / 2);
  for (std::size_t i = 0; i < kept.size(); ++i)
    EXPECT_EQ(kept[i].peer, static_cast<int>(i < first ? i : events - kept.size() + i));
}

TEST_F(Trace, KeepsSumsOfEveryStepOfALongRun) {
  constexpr int steps = 100'000;
  trace::begin(world(), {.bytes = 100 * sizeof(Record)});
  for (int i = 0; i < steps; ++i) {
    const trace::detail::StepPart part(Activity::end_step, 0, 1);
    const trace::detail::Phase phase(Activity::wait);
  }
  const File file = written();
  const std::string about = file.about(static_cast<std::size_t>(me()));
  EXPECT_EQ(File::numbers(about, "steps").front(), static_cast<std::uint64_t>(steps));
  EXPECT_EQ(File::numbers(about, "steps_a_row").front(), 8U);
  EXPECT_EQ(File::numbers(file.head, "sums").front(), 12'500U * activities);
}

TEST_F(Trace, EachThreadHasItsOwnEvents) {
  trace::begin(world());
  { const trace::Region region("here"); }
  std::thread([] { const trace::Region region("there"); }).join();
  const File file = written();
  const std::vector<Record> events = file.events(static_cast<std::size_t>(me()));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].thread, 0);
  EXPECT_EQ(events[1].thread, 1);
  EXPECT_NE(file.about(0).find("\"regions\": [\"there\"]"), std::string::npos);
}

TEST_F(Trace, CanPause) {
  trace::begin(world(), {.paused = true});
  { const trace::Region region("paused"); }
  trace::record(true);
  { const trace::Region region("recorded"); }
  trace::record(false);
  EXPECT_EQ(written().events(0).size(), 1U);
}

/// Names of regions are the caller's, and so is the locale.
TEST_F(Trace, NamesAreTextAndNumbersAreNumbersInAnyLocale) {
  auto comma = std::make_optional<CommaLocale>();
  trace::begin(world());
  {
    const trace::Region region(
        "gr\xF6\xDF"
        "e");
  }
  { const trace::Region region("a\tb\n\"c\""); }
  trace::describe_job("{\"program\": \"\xFF\"}");
  const File file = written();
  EXPECT_TRUE(comma->is_left_alone());
  comma.reset();
  const std::string odd = "\xEF\xBF\xBD";
  const std::string about = file.about(static_cast<std::size_t>(me()));
  EXPECT_NE(about.find("[\"gr" + odd + odd + "e\", \"a\\tb\\n\\\"c\\\"\"]"), about.npos) << about;
  EXPECT_NE(file.head.find("{\"program\": \"" + odd + "\"}"), file.head.npos) << file.head;
  const auto error = file.head.find("\"error_s\": ");
  ASSERT_NE(error, file.head.npos);
  EXPECT_EQ(file.head.find_first_not_of("0123456789.e-+", error + 11), file.head.find('}', error));
}

TEST_F(Trace, SaysWhereItCannotBeWritten) {
  trace::begin(world());
  const std::string file = "/no/such/folder/run.trace";
  EXPECT_NE(complaint([&] { trace::write(world(), file); }).find(file), file.npos);
  // It is over all the same.
  EXPECT_FALSE(trace::recording());
  trace::begin(world());
  written();
}

}  // namespace
