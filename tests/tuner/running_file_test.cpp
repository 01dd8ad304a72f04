// What laps have found is in the file of choices, and later runs begin with it.

#include "auto_fixture.hpp"
#include "tuner/choices.hpp"

#include <halocline/more/section.hpp>

#include <cstdlib>
#include <fstream>
#include <thread>

using namespace halocline;
using detail::Json;

namespace {

class LapsFile : public Auto {
 protected:
  LapsFile() { setenv("HALOCLINE_TUNING_REGRET", "0.9", 1); }
  ~LapsFile() override { unsetenv("HALOCLINE_TUNING_REGRET"); }

  const Grid grid_{world(), {20, 20}, {.periodic = {true, true}}};
  const Array<double> array_{grid_, "auto"};

  /// Laps pay for what is set up.
  static void compute() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }
  /// What an exchange begins with, and what its laps find.
  struct Run {
    std::string first;
    Section::Findings found;
    std::string report;
  };
  Run run(int laps) const {
    Exchange exchange(grid_.halo(), array_, "auto+when=running");
    Run run{exchange.scheme().str(), {}, {}};
    Section section(world(), {&exchange});
    for (int lap = 0; lap < laps; ++lap) {
      const Section::Lap one = section.lap();
      exchange.run();
      compute();
    }
    run.found = section.findings();
    run.report = section.report();
    return run;
  }
  static const Section::Tried* tried(const Run& run, const std::string& scheme) {
    for (const Section::Tried& one : run.found.chosen.at(0).tried)
      if (one.what == scheme) return &one;
    return nullptr;
  }
  Json content() const { return Json::parse(detail::read_file(path()).value_or("{}")); }
  Json entry() const { return content().at("choices").at(0); }
  void write(const Json& content) const {
    if (root()) std::ofstream(path()) << detail::layout(content);
    HALOCLINE_MPI(MPI_Barrier, world());
  }
  static bool alone() { return mpi::size(world()) == 1; }  // nothing to choose
};

TEST_F(LapsFile, HoldsWhatLapsHaveFound) {
  const Run first = run(3000);
  EXPECT_EQ(first.first, "p2p:nonblocking");
  EXPECT_EQ(first.found.laps, 3000);
  if (alone()) return;
  const Section::Chosen& chosen = first.found.chosen.at(0);
  EXPECT_EQ(chosen.yardstick, "p2p:nonblocking");
  EXPECT_GT(chosen.times.value, 0) << "what is in use has been compared with it, or is it";
  EXPECT_LE(chosen.times.low, chosen.times.high);
  EXPECT_LT(first.found.cost, first.found.seconds);
  if (!root()) return;
  EXPECT_EQ(entry().at("job").value("asked", ""), "auto+when=running");
  EXPECT_EQ(entry().value("scheme", ""), chosen.what);
  EXPECT_EQ(entry().value("laps", 0), 3000);
  int compared = 0;
  const Json rows = entry().at("candidates");
  for (const Json& row : rows) compared += row.contains("times_low");
  EXPECT_GT(compared, 0);
}

TEST_F(LapsFile, SaysWhatGoesFirstAndWhatIsNotTriedAgain) {
  run(1000);
  Json known;
  if (root() && !alone()) {
    known = content();
    Json& mine = known.at("choices").at(0);
    mine["scheme"] = "p2p:sendrecv";
    mine["candidates"] = Json::parse(R"([
      {"scheme": "p2p:sendrecv", "times": 1},
      {"scheme": "p2p:nonblocking", "times": 1.2, "times_low": 1.1, "times_high": 1.3, "dropped": "1.2 times as long"},
      {"scheme": "shm:message", "times": 1.1, "times_low": 1.05, "times_high": 1.15, "dropped": "1.1 times as long"},
      {"scheme": "shm:signal", "times": 9, "times_low": 8, "times_high": 10, "dropped": "9 times as long"}])");
  }
  if (!alone()) write(known);
  const Run second = run(200);  // too few to find another leader
  if (alone()) GTEST_SKIP() << "needs two ranks";
  EXPECT_EQ(second.first, "p2p:sendrecv");
  const Section::Tried* const out = tried(second, "shm:signal");
  ASSERT_NE(out, nullptr) << second.report;
  EXPECT_EQ(out->laps, 0);
  EXPECT_EQ(out->why, "9 times as long, in an earlier run");
  for (const char* const again : {"p2p:nonblocking", "shm:message"}) {
    const Section::Tried* const one = tried(second, again);
    ASSERT_NE(one, nullptr) << second.report;
    EXPECT_EQ(one->why.find("earlier"), std::string::npos) << again << ": " << one->why;
  }
  HALOCLINE_MPI(MPI_Barrier, world());
  if (!root()) return;
  bool kept = false;
  const Json rows = entry().at("candidates");
  for (const Json& row : rows)
    kept = kept || (row.value("scheme", "") == "shm:signal" && row.value("times", 0.0) == 9);
  EXPECT_TRUE(kept) << entry();
}

TEST_F(LapsFile, MeasuringHasChoicesOfItsOwn) {
  run(1000);
  const std::string measured = Exchange(grid_.halo(), array_, "auto").scheme().str();
  if (alone()) GTEST_SKIP() << "needs two ranks";
  if (!root()) return;
  ASSERT_EQ(content().at("choices").size(), 2u);
  EXPECT_EQ(content().at("choices").at(1).at("job").value("asked", ""), "auto");
  EXPECT_EQ(content().at("choices").at(1).value("scheme", ""), measured);
}

TEST_F(LapsFile, WhatOneJobDidNotSurviveIsNotTriedInLaps) {
  run(1000);
  Json known;
  if (root() && !alone()) {
    known = content();
    known["unfinished"] = Json::array({{{"scheme", "shm:signal"},
                                        {"machine", known.at("choices").at(0).at("machine")},
                                        {"time", "2026-11-28T07:00:00Z"},
                                        {"jobs", 1}}});
    known["choices"] = Json::array();
  }
  if (!alone()) write(known);
  const Run second = run(1000);
  if (alone()) GTEST_SKIP() << "needs two ranks";
  const Section::Tried* const out = tried(second, "shm:signal");
  ASSERT_NE(out, nullptr) << second.report;
  EXPECT_EQ(out->laps, 0);
  EXPECT_EQ(out->why, "a job ended while it was measured (2026-11-28T07:00:00Z)");
  EXPECT_NE(second.report.find("shm:signal"), std::string::npos);
}

TEST_F(LapsFile, AnExchangeAloneKeepsWhatItFound) {
  {
    Exchange exchange(grid_.halo(), array_, "auto+when=running");
    for (int lap = 0; lap < 2000; ++lap) exchange.run(), compute();
    EXPECT_EQ(Section::findings(exchange).laps, 1999) << "the last one goes on";
    const Exchange fixed(grid_.halo(), array_, "p2p:nonblocking");
    EXPECT_THROW(Section::findings(fixed), Error);
  }
  if (root() && !alone()) {
    EXPECT_EQ(entry().value("laps", 0), 1999);
  }
}

}  // namespace
