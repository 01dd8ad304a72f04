// auto's file: what is measured is in it, and what it says is heeded.

#include "auto_fixture.hpp"
#include "common/complaint.hpp"
#include "tuner/choices.hpp"
#include "tuner/remembering.hpp"

#include <fstream>
#include <functional>

using namespace halocline;
using detail::Json;
using detail::layout;

namespace {

class AutoFile : public Auto {
 protected:
  const Grid grid_{world(), {40, 40}, {.periodic = {true, true}}};
  const Array<double> array_{grid_, "auto"};

  Json content() const { return Json::parse(detail::read_file(path()).value_or("{}")); }
  void write(const std::string& text) const {
    HALOCLINE_MPI(MPI_Barrier, world());
    std::filesystem::create_directories(path().parent_path());
    if (root()) std::ofstream(path()) << text;
    HALOCLINE_MPI(MPI_Barrier, world());
  }
  void write_alone(const std::string& text) const {
    std::filesystem::create_directories(path().parent_path());
    std::ofstream(path()) << text;
  }
  /// Lets rank 0 edit the only choice in the file.
  void edit(const std::function<void(Json& entry)>& change) const {
    Json known;
    if (root()) {
      known = content();
      change(known.at("choices").at(0));
    }
    write(layout(known));
  }

  std::string choose() { return Exchange(grid_.halo(), array_, "auto").scheme().str(); }
  /// The only choice in the file, on rank 0.
  Json entry() const { return content().at("choices").at(0); }
  /// Why a candidate was dropped.
  static std::string dropped(const Json& entry, const std::string& scheme) {
    for (const Json& row : entry.at("candidates"))
      if (row.at("scheme") == scheme) return row.value("dropped", "");
    return "not a candidate";
  }
  bool alone() const { return mpi::size(world()) == 1; }  // nothing to choose
};

TEST_F(AutoFile, HoldsWhatWasMeasured) {
  const std::string chosen = choose();
  if (!root() || alone()) return;
  EXPECT_EQ(entry().value("scheme", ""), chosen);
  EXPECT_EQ(entry().at("job").value("ranks", 0), mpi::size(world()));
  EXPECT_GT(entry().at("candidates").size(), 4u);
  EXPECT_EQ(dropped(entry(), chosen), "");
}

TEST_F(AutoFile, DecidesWithoutARaceWhatItHolds) {
  if (alone()) GTEST_SKIP() << "needs two ranks";
  choose();
  // As people write it: a scheme and no figures.
  edit([](Json& entry) {
    entry["scheme"] = "p2p:sendrecv";
    entry.erase("candidates");
  });
  EXPECT_EQ(choose(), "p2p:sendrecv");
}

TEST_F(AutoFile, WithATimeFarOffIsMeasuredAgain) {
  if (alone()) GTEST_SKIP() << "needs two ranks";
  choose();
  edit([](Json& entry) {
    entry["scheme"] = "p2p:sendrecv";
    entry["candidates"] = Json::parse(R"([{"scheme": "p2p:sendrecv", "median_us": 1e-6}])");
  });
  const std::string chosen = choose();
  if (!root()) return;
  EXPECT_NE(entry().value("why", "").find("p2p:sendrecv, takes "), std::string::npos)
      << entry().value("why", "");
  EXPECT_EQ(entry().value("scheme", ""), chosen);
  EXPECT_GT(entry().at("candidates").size(), 4u);
}

TEST_F(AutoFile, GoesOnWithWhatIsAllowedOnlyNow) {
  if (alone()) GTEST_SKIP() << "needs two ranks";
  choose();
  // As it stands there where the doctor had not seen them. It has not seen the second one yet.
  const auto unseen = [](const char* scheme) -> Json {
    return {{"scheme", scheme}, {"dropped", detail::Soundness::not_checked}};
  };
  edit([&](Json& entry) {
    entry["scheme"] = "p2p:nonblocking";
    entry["candidates"] = Json::array({{{"scheme", "p2p:nonblocking"}, {"median_us", 0.5}},
                                       {{"scheme", "neighbor:blocking"}, {"median_us", 700}},
                                       unseen("p2p:sendrecv"),
                                       unseen("rma:put:fence")});
  });
  if (!root()) return;
  // What the next job would try; this one has chosen already.
  const detail::Remembering adviser("auto", detail::situation_in(entry()));
  EXPECT_EQ(adviser.first(), (std::vector<Scheme>{"p2p:nonblocking", "p2p:sendrecv"}));
}

TEST_F(AutoFile, OfAnotherMpiIsSaidAndKept) {
  if (alone()) GTEST_SKIP() << "needs two ranks";
  choose();
  edit([](Json& entry) {
    entry["scheme"] = "p2p:sendrecv";
    entry["machine"]["mpi"] = "An older MPI";
  });
  const std::string chosen = choose();
  if (!root()) return;
  const Json all = content();
  ASSERT_EQ(all.at("choices").size(), 2u);
  const Json& fresh = all.at("choices")[1];
  EXPECT_EQ(fresh.value("scheme", ""), chosen);
  EXPECT_EQ(fresh.value("why", "").rfind("the choice known, p2p:sendrecv, is of ", 0), 0u);
  EXPECT_NE(fresh.value("why", "").find("An older MPI"), std::string::npos);
}

TEST_F(AutoFile, LooksAtWhatWasSlowForASimilarPattern) {
  if (alone()) GTEST_SKIP() << "needs two ranks";
  choose();
  edit([](Json& entry) {
    entry["scheme"] = "p2p:persistent";
    entry["candidates"] = Json::parse(R"([{"scheme": "p2p:persistent", "median_us": 1},
                                          {"scheme": "p2p:sendrecv", "median_us": 100}])");
  });
  const Grid larger(world(), {48, 48}, {.periodic = {true, true}});
  const Array<double> array(larger, "auto");
  Exchange(larger.halo(), array, "auto");
  if (!root()) return;
  const Json all = content();
  EXPECT_EQ(dropped(all.at("choices").at(1), "p2p:sendrecv"),
            "100 times as long for a similar pattern");
}

TEST_F(AutoFile, PinsAndForbids) {
  if (alone()) GTEST_SKIP() << "needs two ranks";
  const auto with = [&](const char* wish) {
    Json content = Json::parse(R"({"format": "halocline-tuning", "version": 1, "choices": []})");
    content.update(Json::parse(wish));
    write(layout(content));
    return choose();
  };
  EXPECT_EQ(with(R"({"pin": "neighbor:blocking+pack=off"})"), "neighbor:blocking+pack=off");
  EXPECT_EQ(with(R"({"pin": "shm:*"})").rfind("shm:", 0), 0u);
  EXPECT_EQ(with(R"({"forbid": ["shm:*", "p2p:*", "rma:*"]})").rfind("neighbor:", 0), 0u);
  EXPECT_THROW(with(R"({"forbid": ["*"]})"), Error);
  for (const auto& left : std::filesystem::directory_iterator(path().parent_path()))
    EXPECT_EQ(left.path().string().find(".measuring-"), std::string::npos) << "accuses nobody";
  EXPECT_THROW(with(R"({"pin": "p2p:telepathy"})"), Error);
  EXPECT_THROW(with(R"({"forbid": "rma:*"})"), Error) << "it would be lost in silence";
  EXPECT_THROW(with(R"({"pin": ["p2p:*"]})"), Error);
}

TEST_F(AutoFile, PinsForOnePattern) {
  if (alone()) GTEST_SKIP() << "needs two ranks";
  choose();
  edit([](Json& entry) { entry["pin"] = "p2p:sendrecv"; });
  EXPECT_EQ(choose(), "p2p:sendrecv");
  if (!root()) return;
  EXPECT_EQ(entry().value("pin", ""), "p2p:sendrecv");
}

TEST_F(AutoFile, LeavesOutWhatAJobDidNotSurvive) {
  if (alone()) GTEST_SKIP() << "needs two ranks";
  choose();
  Json known;
  if (root()) {
    known = content();
    known["unfinished"] = Json::array({{{"scheme", "shm:signal"},
                                        {"machine", entry().at("machine")},
                                        {"time", "2026-11-22T07:00:00Z"}}});
    known["choices"] = Json::array();
  }
  write(layout(known));
  EXPECT_NE(choose(), "shm:signal");
  if (!root()) return;
  EXPECT_EQ(dropped(entry(), "shm:signal"),
            "a job ended while it was measured (2026-11-22T07:00:00Z)");
}

TEST_F(AutoFile, TriesOnceMoreWhatOneJobDidNotSurvive) {
  if (alone()) GTEST_SKIP() << "needs two ranks";
  const auto ended = [&](const char* scheme) -> Json {
    return {{"scheme", scheme}, {"machine", detail::as_json(detail::this_site())}, {"jobs", 1}};
  };
  write(layout({{"format", "halocline-tuning"},
                {"version", 1},
                {"choices", Json::array()},
                {"unfinished", {ended("p2p:nonblocking"), ended("rma:put:telepathy")}}}));
  choose();
  if (!root()) return;
  EXPECT_EQ(dropped(entry(), "p2p:nonblocking").find("a job ended"), std::string::npos);
  const Json left = content().at("unfinished");
  ASSERT_EQ(left.size(), 1u) << "what was survived now was not to blame";
  EXPECT_EQ(left[0].at("scheme"), "rma:put:telepathy");
}

TEST_F(AutoFile, CountsTheJobsThatASchemeEnded) {
  if (alone()) GTEST_SKIP() << "needs two ranks";
  if (!root()) return;
  write_alone(R"({"format": "halocline-tuning", "version": 1, "choices": [], "unfinished": {}})");
  const detail::Situation here{.site = detail::this_site()};
  for (int job = 1; job <= 3; ++job) {
    const std::string note = path().string() + ".measuring-gone-1";
    std::ofstream(note) << Json(
        {{"scheme", "shm:signal"}, {"machine", detail::as_json(here.site)}});
    const detail::Remembering adviser("auto", here);
    EXPECT_EQ(adviser.objection("shm:signal").empty(), job < 2) << adviser.objection("shm:signal");
    EXPECT_EQ(content().at("unfinished").at(0).at("jobs"), job);
    EXPECT_FALSE(std::filesystem::exists(note));
  }
}

TEST_F(AutoFile, DamagedIsAnErrorOfAllRanksAndIsNotOverwritten) {
  if (alone()) GTEST_SKIP() << "needs two ranks";
  write("{ half");
  const std::string said = complaint([&] { choose(); });
  EXPECT_NE(said.find("line 1, column 3"), said.npos) << said;
  if (!root()) return;
  EXPECT_EQ(detail::read_file(path()), "{ half");
}

}  // namespace
