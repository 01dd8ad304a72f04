// The file of choices: read, edited, written by several at once, damaged; who may compete.

#include "tuner/choices.hpp"
#include "base/cpuinfo.hpp"
#include "base/folders.hpp"
#include "base/lock_file.hpp"
#include "common/complaint.hpp"
#include "tuner/candidates.hpp"
#include "tuner/file_shape.hpp"
#include "tuner/situation.hpp"

#include <halocline/more/mpi.hpp>
#include <halocline/more/processor.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace halocline;
using namespace halocline::detail;
namespace fs = std::filesystem;

namespace {

/// Cases that the command is tested with, too.
Json table(const char* name) {
  const fs::path file = fs::path(__FILE__).parent_path().parent_path() / "common" / name;
  return Json::parse(read_file(file).value()).at("cases");
}

class File : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "choices-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ / "deep" / "tuning.json";
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& text) {
    fs::create_directories(path_.parent_path());
    std::ofstream(path_) << text;
  }
  std::string read() { return read_file(path_).value_or(""); }

  static Situation situation(double bytes, const char* mpi = "MPI 1") {
    Situation all{.site = {.cpu = "A processor", .cores = 2, .mpi = mpi},
                  .job = {.ranks = 2, .ranks_per_island = 2, .asked = "auto"},
                  .pattern = {.memory = "shared", .fields = 1, .two_way = true}};
    all.pattern.sizes.fill(bytes);
    return all;
  }
  void choose(Choices& choices, const Situation& where, const std::string& scheme) {
    EXPECT_EQ(choices.edit([&](Json& content) {
      Json& entry = Choices::entry_in(content, where);
      entry["scheme"] = scheme;
      entry["candidates"] = Json::array({scheme});
    }),
              "");
  }

  fs::path folder_, path_;
};

// ---- how it is written ---------------------------------------------------------------------

TEST(Layout, KeepsTogetherWhatIsShort) {
  EXPECT_EQ(layout({{"a", {1, -2.5, true, nullptr}}, {"b", Json::array()}, {"c", Json::object()}}),
            "{\"a\": [1, -2.5, true, null], \"b\": [], \"c\": {}}\n");
  const std::string longer(150, 'x');
  EXPECT_EQ(layout({{"a", {{"x", longer}}}, {"b", {{"y", longer}}}}),
            "{\n \"a\": {\"x\": \"" + longer + "\"},\n \"b\": {\"y\": \"" + longer + "\"}\n}\n");
}

TEST(Layout, IsReadBack) {
  const Json value = {{"µ\"\\", "x\ny"}, {"rows", Json::array()}, {"small", 1e-7}};
  Json more = value;
  for (int i = 0; i < 20; ++i) more["rows"].push_back(value);
  EXPECT_EQ(Json::parse(layout(more)), more);
  EXPECT_NO_THROW(layout({{"no text", "\xff"}}));
}

TEST(Layout, OfASituationTellsAllOfIt) {
  Situation there{.site = {.cpu = "A", .cores = 2, .mpi = "B"},
                  .job = {.ranks = 4, .ranks_per_island = 2, .yielding = true, .asked = "auto"},
                  .pattern = {.memory = "shared", .fields = 2, .two_way = true}};
  for (double size = 1; double& one : there.pattern.sizes) one = 1e10 * size++;
  EXPECT_EQ(situation_in(as_json(there)), there);
}

// ---- the file ------------------------------------------------------------------------------

TEST_F(File, IsEmptyWhereThereIsNone) {
  const Choices choices(path_);
  EXPECT_EQ(choices.entry(situation(8)), nullptr);
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(File, KeepsChoices) {
  Choices choices(path_);
  choose(choices, situation(8), "shm:signal");
  choose(choices, situation(16), "p2p:persistent");
  choose(choices, situation(8), "p2p:sendrecv");
  const Choices again(path_);
  EXPECT_EQ(again.entry(situation(8)).at("scheme"), "p2p:sendrecv");
  EXPECT_EQ(again.entry(situation(16)).at("scheme"), "p2p:persistent");
  EXPECT_EQ(again.content().at("choices").size(), 2u);
}

TEST_F(File, KeepsPlacementsApart) {
  Choices choices(path_);
  const auto on = [](int nodes, double away) {
    Situation all = situation(8);
    all.job.ranks = 4, all.job.nodes = nodes, all.pattern.sizes.back() = away;
    return all;
  };
  choose(choices, on(2, 8), "shm:signal");
  EXPECT_EQ(choices.entry(on(3, 8)), nullptr);
  EXPECT_EQ(choices.entry(on(2, 16)), nullptr);  // ranks in turn
  EXPECT_EQ(choices.entry(on(2, 8)).at("scheme"), "shm:signal");
}

TEST_F(File, OfOneIslandNeedNotSayThatItIsOneNode) {
  write(R"({"format": "halocline-tuning", "version": 1, "choices": [
            {"job": {"ranks": 2, "ranks_per_island": 2}}, {"job": {"ranks": 2}}]})");
  const Choices choices(path_);
  const Json& entries = choices.content().at("choices");
  EXPECT_EQ(situation_in(entries.at(0)).job.nodes, 1);
  EXPECT_EQ(situation_in(entries.at(1)).job.nodes, 0);
}

TEST_F(File, KeepsWhatPeopleAdd) {
  Choices choices(path_);
  choose(choices, situation(8), "shm:signal");
  std::string text = read();
  text.insert(1, "\n \"note\": \"measured on a quiet evening\",");
  write(text);
  choose(choices, situation(16), "shm:signal");
  EXPECT_EQ(Json::parse(read()).at("note"), "measured on a quiet evening");
}

TEST_F(File, OfAnotherMpiOrMachineSaysNothing) {
  Choices choices(path_);
  choose(choices, situation(8), "shm:signal");
  EXPECT_EQ(choices.entry(situation(8, "MPI 2")), nullptr);
  EXPECT_EQ(choices.nearest(situation(8, "MPI 2")), nullptr);
}

TEST_F(File, TheNearestPatternIsFound) {
  Choices choices(path_);
  choose(choices, situation(100), "shm:signal");
  choose(choices, situation(1000), "p2p:persistent");
  EXPECT_EQ(choices.nearest(situation(120)).at("scheme"), "shm:signal");
  EXPECT_EQ(choices.nearest(situation(900)).at("scheme"), "p2p:persistent");
  EXPECT_EQ(choices.nearest(situation(1e6)), nullptr) << "too far away to tell anything";
  EXPECT_EQ(distance(situation(100), situation(100)), 0);
}

TEST_F(File, DamagedIsSaidAndLeftAlone) {
  for (const std::string damaged :
       {"", "{", "{\"format\": \"halocline-tuning\", \"version\": 1}", "[]",
        "{\"format\": \"halocline-doctor\", \"version\": 1, \"choices\": []}"}) {
    write(damaged);
    const std::string said = complaint([&] { Choices{path_}; });
    EXPECT_EQ(said.rfind(path_.string() + ": ", 0), 0u) << said;
    EXPECT_NE(said.find("correct this file of choices or delete it"), std::string::npos);
    EXPECT_EQ(read(), damaged);
  }
}

TEST_F(File, DamagedIsSaidWithLineAndWhatIsMissing) {
  for (const char* damaged : {"{\n\n\"a\" 1}", "[1,\n2\n,]", "{\n\n1: 2}", "\n\n\"a", "\n\n{} {}",
                              "\n\n\"\\x\"", "\n\n\"\\u12\""}) {
    write(damaged);
    const std::string said = complaint([&] { Choices{path_}; });
    EXPECT_EQ(said.rfind(path_.string() + ": parse error at line 3, column ", 0), 0u) << said;
  }
  write("{\"a\" 1}");
  const std::string said = complaint([&] { Choices{path_}; });
  EXPECT_NE(said.find("expected ':'"), std::string::npos) << said;
  write(std::string(100000, '['));
  EXPECT_NE(complaint([&] { Choices{path_}; }), "");
}

TEST_F(File, WithOtherTypesThanExpectedIsReadAsFarAsItGoes) {
  write(R"({"format": "halocline-tuning", "version": 1, "unfinished": 3, "choices": [
            {"machine": 1, "job": [], "pattern": "p", "scheme": {}, "candidates": 7}]})");
  const Choices choices(path_);
  EXPECT_EQ(choices.entry(situation(8)), nullptr);
  EXPECT_EQ(choices.nearest(situation(8)), nullptr);
}

TEST_F(File, IsJudgedAsByTheCommand) {
  for (const Json& one : table("tuning_files.json")) {
    Json file = {{"format", "halocline-tuning"}, {"version", 1}};
    if (one.contains("file")) file.update(one.at("file"));
    const std::string content =
        one.contains("text") ? one.at("text").get<std::string>() : file.dump();
    write((one.contains("byte_order_mark") ? "\xef\xbb\xbf" : "") + content);
    std::vector<std::string> remarks;
    const std::string said = complaint([&] { remarks = remarks_on(Choices(path_).content()); });
    EXPECT_EQ(said.empty(), !one.contains("error")) << content << said;
    EXPECT_NE(said.find(text(member(one, "error"))), said.npos) << content << said;
    const Json expected = one.value("remarks", Json::array());
    ASSERT_EQ(remarks.size(), expected.size()) << content << layout(Json(remarks));
    for (std::size_t i = 0; i < remarks.size(); ++i)
      EXPECT_TRUE(remarks[i].starts_with(expected[i].get<std::string>())) << remarks[i];
  }
}

TEST_F(File, OfANewerVersionIsLeftAlone) {
  const std::string newer = R"({"format": "halocline-tuning", "version": 2, "choices": {}})";
  write(newer);
  Choices choices(path_);
  const std::string why = choices.edit(
      [&](Json& content) { Choices::entry_in(content, situation(8))["scheme"] = "shm:signal"; });
  EXPECT_NE(why.find("its version is newer than 1"), why.npos) << why;
  EXPECT_EQ(read(), newer);
  EXPECT_EQ(Choices(path_).entry(situation(8)).at("scheme"), "shm:signal") << "for this process";
}

TEST_F(File, IsLockedByWhicheverLinkItIsReached) {
  write("{}");
  fs::create_symlink(path_, folder_ / "link.json");
  const base::LockFile mine((folder_ / "link.json").string());
  EXPECT_EQ(mine.problem(), "");
  const int other = open((path_.string() + ".lock").c_str(), O_RDWR);
  ASSERT_GE(other, 0);
  EXPECT_NE(flock(other, LOCK_EX | LOCK_NB), 0);
  close(other);
  EXPECT_NE(base::LockFile((folder_ / "none" / "file").string()).problem(), "");
}

TEST_F(File, DamagedWhileAJobRunsIsLeftAlone) {
  Choices choices(path_);
  choose(choices, situation(8), "shm:signal");
  write("{ my editor crash");
  EXPECT_NE(complaint([&] { choices.edit([](Json&) {}); }), "");
  EXPECT_EQ(read(), "{ my editor crash");
}

TEST_F(File, IsNoDeviceAndNoFolder) {
  EXPECT_NE(complaint([&] { Choices{"/dev/null"}; }), "");
  EXPECT_NE(complaint([&] { Choices{folder_.string()}; }), "");
}

TEST_F(File, ThatCannotBeWrittenLastsForTheProcess) {
  // A folder of this name stands in the way, for root too.
  write("");
  const std::string below = path_ / "tuning.json";
  Choices choices(below);
  EXPECT_NE(choices.edit([&](Json& content) {
    Choices::entry_in(content, situation(8))["scheme"] = "shm:signal";
  }),
            "");
  EXPECT_EQ(Choices(below).entry(situation(8)).at("scheme"), "shm:signal");
}

TEST_F(File, ConcurrentJobsKeepEachOthersEntries) {
  constexpr int jobs = 6, each = 10;
  std::vector<pid_t> children;
  for (int job = 0; job < jobs; ++job) {
    const pid_t child = fork();
    if (child == 0) {
      Choices choices(path_);
      for (int i = 0; i < each; ++i) choose(choices, situation(100 * job + i), "shm:signal");
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Choices(path_).content().at("choices").size(), std::size_t{jobs * each});
  for (const auto& left : fs::directory_iterator(path_.parent_path()))
    EXPECT_TRUE(left.path() == path_ || left.path() == path_.string() + ".lock") << left.path();
}

// ---- where it is, and what it is about ------------------------------------------------------

TEST(CacheFolder, IsThatOfTheCommand) {
  const Json all = table("cache_folders.json");
  EXPECT_GT(all.size(), 20u);
  const Json homes = {{"", "/home/me"}, {"anna", "/home/anna"}};
  const auto in = [](const Json& of) {
    return [of](const std::string& name) { return text(member(of, name.c_str())); };
  };
  for (const Json& one : all) {
    const fs::path found =
        base::cache_folder(in(one.at("environment")), in(one.value("homes", homes)));
    EXPECT_EQ(found.string(), text(one.at("folder"))) << one;
  }
}

TEST(Processor, IsNamedByLinuxWithoutBlanksAround) {
  for (const Json& one : table("processors.json"))
    EXPECT_EQ(base::processor_in(text(one.at("cpuinfo"))), text(one.at("name"))) << one;
  EXPECT_NE(cpu_model(), "");
}

TEST(Globs, ThatMeanNothingAreKnown) {
  for (const char* glob :
       {"*", "rma:*", "rma:get:*", "*+alloc=dynamic*", "shm:signal", "p2p:partitioned",
        "shm:*+island=4*", "rma:put:[fp]*", "p2p:nonblocking+pack=off"})
    EXPECT_TRUE(matches_any_scheme(glob)) << glob;
  for (const char* glob :
       {"rma", "rma:", "mra:*", "p2p:telepathy", "*+alloc=dynamics", "shm:signal ", "RMA:*"})
    EXPECT_FALSE(matches_any_scheme(glob)) << glob;
}

// ---- what was being measured ---------------------------------------------------------------

TEST_F(File, ANoteStaysWhenAJobDies) {
  const pid_t child = fork();
  if (child == 0) {
    Note note(path_);
    note.measuring(situation(8).site, "rma:put:fence+alloc=dynamic");
    note.measuring(situation(8).site, "rma:get:lock");
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  const auto notes = Note::left_behind(path_);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].at("scheme"), "rma:get:lock");
  EXPECT_EQ(site_in(notes[0]), situation(8).site);
  EXPECT_TRUE(Note::left_behind(path_).empty()) << "taken away";
}

TEST_F(File, ANoteOfAJobThatLivesSaysNothing) {
  Note note(path_);
  note.measuring(situation(8).site, "rma:get:lock");
  EXPECT_TRUE(Note::left_behind(path_).empty());
}

TEST_F(File, ANoteGoesWhenAllWentWell) {
  { Note(path_).measuring(situation(8).site, "rma:get:lock"); }
  EXPECT_TRUE(fs::is_empty(path_.parent_path()));
}

// ---- candidates ----------------------------------------------------------------------------

TEST(Candidates, BeginWithTheYardstickAndHoldEachMethodAndOneMoreWay) {
  const auto list = methods_for("auto");
  EXPECT_EQ(list.front().str(), "p2p:nonblocking");
  std::size_t available = 0;
  for (const SchemeFacts& facts : known_schemes())
    available += facts.unavailable.empty() && !facts.scheme.starts_with("rma:accumulate");
  EXPECT_EQ(std::count(list.begin(), list.end(), Scheme("shm:signal+access=copy")), 1);
  EXPECT_EQ(list.size(), available + 1);
}

TEST(Candidates, ReadInPlaceOnlyIfAskedTo) {
  const auto direct = [](const Scheme& scheme) {
    return scheme.part(0) == "shm" && scheme.is("access", "direct");
  };
  for (const Scheme& scheme : methods_for("auto")) {
    EXPECT_FALSE(direct(scheme));
    for (const Scheme& other : variants(scheme, "auto", true, true)) EXPECT_FALSE(direct(other));
  }
  const auto any = methods_for("auto+access=any");
  EXPECT_EQ(std::count_if(any.begin(), any.end(), direct), 4);
}

TEST(Candidates, KeepToTheIslandsAskedFor) {
  for (const Scheme& scheme : methods_for("auto+island=2")) {
    if (scheme.part(0) != "shm") continue;
    EXPECT_TRUE(scheme.is("island", "2"));
    for (const Scheme& other : variants(scheme, "auto+island=2", false, true))
      EXPECT_TRUE(other.is("island", "2") && other.is("outer", "p2p:nonblocking"));
    EXPECT_FALSE(variants(scheme, "auto+island=2", true, true).empty());
  }
}

TEST(Candidates, GoByHeadsOnlyWhereThereAreSeveralIslands) {
  const auto by_heads = [](const Scheme& scheme, bool several) {
    std::vector<std::string> all;
    for (const Scheme& other : variants(scheme, "auto+island=2", several, true))
      if (!other.is("heads", "off")) all.push_back(other.str());
    return all;
  };
  EXPECT_EQ(by_heads("p2p:nonblocking", true), std::vector<std::string>{"p2p:nonblocking+heads=2"});
  EXPECT_TRUE(by_heads("p2p:nonblocking", false).empty());
}

TEST(Candidates, NeverUseAWindowOfTheFields) {
  int in_place = 0;
  for (const Scheme& method : methods_for("auto"))
    for (const Scheme& one : variants(method, "auto", false, true))
      for (const Scheme& two : variants(one, "auto", false, true)) {
        if (two.part(0) != "rma" || two.is("pack", "on")) continue;
        ++in_place;
        EXPECT_TRUE(two.is("alloc", "create") || two.is("alloc", "dynamic")) << two.str();
      }
  EXPECT_GT(in_place, 0);
}

TEST(Candidates, NeedTheDoctorUnlessEveryMpiGetsThemRight) {
  Soundness soundness;
  for (const char* trusted : {"p2p:nonblocking", "p2p:persistent+pack=off", "shm:signal",
                              "neighbor:blocking", "shm:pscw+access=direct"})
    EXPECT_EQ(soundness.objection(trusted), "") << trusted;
  EXPECT_NE(soundness.objection("rma:put:fence"), "");
  for (const auto& [scheme, outcome] : {std::pair{"rma:put:fence", "sound"},
                                        {"rma:get:lock", "hang"},
                                        {"rma:get:lock+notify=flag", "sound"},
                                        {"p2p:sendrecv", "wrong"},
                                        {"rma:put:pscw", "refused"},
                                        {"rma:put:fence+alloc=dynamic", "crash"},
                                        {"rma:put:pscw+alloc=create+windows=per-link", "wrong"}})
    soundness.learn(scheme, outcome);
  for (const char* sound : {"rma:put:fence", "rma:put:fence+asserts=on", "rma:put:pscw",
                            "rma:get:lock+notify=flag", "shm:signal"})
    EXPECT_EQ(soundness.objection(sound), "") << sound;
  EXPECT_EQ(soundness.objection("p2p:sendrecv"), "the doctor found: wrong");
  EXPECT_EQ(soundness.objection("rma:put:fence+alloc=dynamic"), "the doctor found: crash");
  EXPECT_EQ(soundness.objection("rma:get:lock+asserts=on"),
            "the doctor found, with default options: hang");
  EXPECT_EQ(soundness.objection("rma:put:fence+alloc=dynamic+asserts=on"),
            "the doctor found, with rma:put:fence+alloc=dynamic: crash");
  EXPECT_EQ(soundness.objection("rma:put:pscw+alloc=create"), "") << "it has fewer options";
  EXPECT_EQ(soundness.objection("rma:put:pscw+alloc=create+windows=per-link+asserts=on"),
            "the doctor found, with rma:put:pscw+alloc=create+windows=per-link: wrong");
  EXPECT_NE(soundness.objection("rma:put:flush"), "") << "not known";
}

TEST_F(File, OfTheDoctorCountsInTheseSurroundingsOnly) {
  const Surroundings here{.host = "A processor, 2 CPUs",
                          .mpi = "MPI 1",
                          .environment = {{"UCX_TLS", "tcp"}},
                          .build = "b"};
  const auto with = [&](const char* change, const char* top = R"("version": 1)") {
    Json entry = {{"host", here.host},
                  {"mpi", here.mpi},
                  {"environment", here.environment},
                  {"build", here.build}};
    entry["schemes"] = Json::parse(R"({"rma:put:fence": {"outcome": "sound"},
      "rma:get:lock": {"outcome": "hang"}, "rma:put:flush": {"outcome": "fine"},
      "rma:get:fence": "sound", "rma:put:lock": {}})");
    entry.update(Json::parse(change));
    std::ofstream(folder_ / "doctor.json")
        << R"({"format": "halocline-doctor", )" << top << R"(, "entries": [3, )" << entry << "]}";
    setenv("HALOCLINE_CACHE", folder_.c_str(), 1);
    const Soundness found = doctors_word(here);
    unsetenv("HALOCLINE_CACHE");
    return found;
  };
  const Soundness soundness = with("{}");
  EXPECT_EQ(soundness.objection("rma:put:fence"), "");
  EXPECT_EQ(soundness.objection("rma:get:lock"), "the doctor found: hang");
  for (const char* unknown : {"rma:put:flush", "rma:get:fence", "rma:put:lock"})
    EXPECT_EQ(soundness.objection(unknown), Soundness::not_checked) << unknown;
  for (const char* other :
       {R"({"host": "A processor, 2 CPUs more"})", R"({"host": "A processor, 4 CPUs"})",
        R"({"mpi": "MPI 2"})", R"({"environment": {}})", R"({"environment": {"UCX_TLS": "rc"}})",
        R"({"environment": {"UCX_TLS": "tcp", "FI_PROVIDER": "tcp"}})", R"({"environment": 3})",
        R"({"build": "c"})", R"({"schemes": []})", R"({"schemes": "all"})"})
    EXPECT_EQ(with(other).objection("rma:put:fence"), Soundness::not_checked) << other;
  EXPECT_EQ(with("{}", R"("version": 2)").objection("rma:put:fence"), Soundness::not_checked);
  std::ofstream(folder_ / "doctor.json") << "{ half";
  EXPECT_NE(doctors_word(here).objection("rma:put:fence"), "");
}

TEST(Candidates, AreLeftOutWithTheirVariantsWhereAJobEnded) {
  Soundness soundness;
  soundness.ended("shm:signal", "it ended");
  soundness.ended("p2p:nonblocking+pack=off", "it ended, too");
  for (const char* scheme : {"shm:signal", "shm:signal+access=copy"})
    EXPECT_EQ(soundness.objection(scheme), "it ended") << scheme;
  EXPECT_EQ(soundness.objection("p2p:nonblocking+mode=synchronous+pack=off"), "it ended, too");
  for (const char* scheme : {"shm:message", "p2p:nonblocking", "p2p:nonblocking+mode=synchronous"})
    EXPECT_EQ(soundness.objection(scheme), "") << scheme;
  soundness.pin("shm:signal");
  EXPECT_EQ(soundness.objection("shm:signal"), "it ended") << "nor where the user pins it";
}

TEST(Candidates, CanBeForbiddenAndPinnedByGlobs) {
  Soundness soundness;
  soundness.forbid("shm:*", "forbidden for all patterns");
  EXPECT_EQ(soundness.objection("shm:signal"), "forbidden for all patterns");
  EXPECT_EQ(soundness.objection("p2p:persistent"), "");
  soundness.pin("rma:put:*");
  EXPECT_EQ(soundness.objection("rma:put:fence"), "") << "the user's word is enough";
  EXPECT_EQ(soundness.objection("p2p:persistent"), "the choice is pinned to rma:put:*");
}

}  // namespace
