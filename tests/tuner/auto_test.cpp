// auto: one choice for all ranks, the bytes of p2p:nonblocking, nothing touched, and what the file
// of choices says is heeded.

#include "exchange/method.hpp"
#include "exchange/registry.hpp"
#include "tuner/choices.hpp"
#include "tuner/tournament.hpp"

#include <halocline/halocline.hpp>

#include <gtest/gtest.h>

#include <unistd.h>
#include <cstring>
#include <filesystem>
#include <fstream>

using namespace halocline;
using detail::Choices;
using detail::Json;

namespace {

/// A file of choices for one test, on rank 0.
class Auto : public testing::Test {
 protected:
  Auto() {
    Tuning::current().file =
        (std::filesystem::temp_directory_path() / ("auto-test-" + std::to_string(getpid()))) /
        "tuning.json";
  }
  ~Auto() override {
    std::filesystem::remove_all(path().parent_path());
    Tuning::current().file.clear();
  }

  std::filesystem::path path() const { return Tuning::current().file; }
  Json content() const { return Json::parse(detail::read_file(path()).value_or("{}")); }
  void write(const Json& content) const { write(content.text()); }
  void write(const std::string& text) const {
    HALOCLINE_MPI(MPI_Barrier, world());
    std::filesystem::create_directories(path().parent_path());
    std::ofstream(path()) << text;
    HALOCLINE_MPI(MPI_Barrier, world());
  }
  static bool root() { return mpi::rank(world()) == 0; }
};

/// Numbers that tell rank, field and place.
void fill(const Array<double>& array, int field) {
  for (std::size_t i = 0; i < array.size(); ++i)
    array[i] = 1e6 * mpi::rank(world()) + 1e5 * field + static_cast<double>(i);
}

bool same(const Array<double>& array, const std::vector<double>& other) {
  // A rank without work has no memory to compare.
  return other.empty() ||
         std::memcmp(array.data(), other.data(), other.size() * sizeof(double)) == 0;
}

std::vector<double> copy(const Array<double>& array) {
  return {array.begin(), array.end()};
}

void expect_agreement(const Exchange& exchange) {
  const std::string mine = exchange.scheme().str();
  char all[80] = "";
  std::strncpy(all, mine.c_str(), sizeof all - 1);
  HALOCLINE_MPI(MPI_Bcast, all, sizeof all, MPI_CHAR, 0, world());
  EXPECT_EQ(mine, all);
  EXPECT_NE(exchange.scheme().method(), "auto");
}

/// Makes an exchange of `fields` fields and compares it with p2p:nonblocking.
void check(const Grid& grid, const Scheme& scheme, int fields = 1) {
  const Pattern pattern = grid.halo();
  std::vector<Array<double>> mine, reference;
  std::vector<Field> my_fields, reference_fields;
  for (int f = 0; f < fields; ++f) {
    mine.emplace_back(grid, scheme), reference.emplace_back(grid, "p2p:nonblocking");
    fill(mine.back(), f), fill(reference.back(), f);
    my_fields.push_back(mine.back()), reference_fields.push_back(reference.back());
  }
  const std::vector<double> before = copy(mine.back());
  Exchange exchange(grid.comm(), pattern, my_fields, scheme);
  EXPECT_TRUE(same(mine.back(), before)) << "making the exchange changes nothing";
  expect_agreement(exchange);

  Exchange expected(grid.comm(), pattern, reference_fields, "p2p:nonblocking");
  for (int step = 0; step < 3; ++step) {
    exchange.run();
    expected.run();
    for (int f = 0; f < fields; ++f) EXPECT_TRUE(same(mine[f], copy(reference[f])));
  }
}

TEST_F(Auto, DeliversTheBytesOfP2pAndTouchesNothingBefore) {
  check(Grid(world(), {17, 23}), "auto");
  check(Grid(world(), {6, 12, 9}, {.halo = 1, .periodic = {true, true, true}}), "auto", 2);
}

TEST_F(Auto, TakesRanksWithoutWork) {
  check(Grid(world(), {2, 30}, {.decomposition = Decomposition::rows}), "auto");
  check(Grid(world(), {1, 1}), "auto");
}

TEST_F(Auto, TakesSeveralIslands) {
  check(Grid(world(), {20, 20}, {.periodic = {true, true}}), "auto+island=2");
}

TEST_F(Auto, TakesMemoryThatIsNotOurs) {
  const Grid grid(world(), {20, 20});
  std::vector<double> mine(grid.elements(), mpi::rank(world())), before = mine;
  Exchange exchange(grid.halo(), field(mine.data(), mine.size()), "auto");
  EXPECT_EQ(mine, before);
  expect_agreement(exchange);
  exchange.run();
}

TEST_F(Auto, TakesLinksInOneDirection) {
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  Pattern pattern;
  if (me + 1 < ranks) pattern.send(me + 1, {.offset = 0, .count = {1, 1, 50}});
  if (me > 0) pattern.receive(me - 1, {.offset = 50, .count = {1, 1, 50}});
  for (const char* scheme : {"auto", "auto+access=any"}) {
    const Array<double> array(world(), 100, scheme);
    fill(array, 0);
    const std::vector<double> before = copy(array);
    Exchange exchange(pattern, array, scheme);
    EXPECT_TRUE(same(array, before));
    expect_agreement(exchange);
    exchange.run();
    if (me > 0) {
      const View view = exchange.view(0, 0);
      EXPECT_EQ(reinterpret_cast<const double*>(view.data)[7], 1e6 * (me - 1) + 7);
    }
    // Nobody's memory goes while a neighbour may still read it in place.
    HALOCLINE_MPI(MPI_Barrier, world());
  }
}

// ---- the file ------------------------------------------------------------------------------

class AutoFile : public Auto {
 protected:
  const Grid grid_{world(), {40, 40}, {.periodic = {true, true}}};
  const Array<double> array_{grid_, "auto"};

  std::string choose() { return Exchange(grid_.halo(), array_, "auto").scheme().str(); }
  /// Of the only choice in the file, on rank 0.
  Json entry() const { return content()["choices"].list().at(0); }
  /// Why a candidate was dropped.
  static std::string dropped(const Json& entry, const std::string& scheme) {
    for (const Json& row : entry["candidates"].list())
      if (row["scheme"].string() == scheme) return row["dropped"].string();
    return "not a candidate";
  }
  bool alone() const { return mpi::size(world()) == 1; }  // nothing to choose
};

TEST_F(AutoFile, HoldsWhatWasMeasured) {
  const std::string chosen = choose();
  if (!root() || alone()) return;
  EXPECT_EQ(entry()["scheme"].string(), chosen);
  EXPECT_EQ(entry()["job"]["ranks"].number(), mpi::size(world()));
  EXPECT_GT(entry()["candidates"].list().size(), 4u);
  EXPECT_EQ(dropped(entry(), chosen), "");
}

TEST_F(AutoFile, DecidesWithoutARaceWhatItHolds) {
  if (alone()) return;
  choose();
  // As people write it: a scheme and no figures.
  Json known = root() ? content() : Json();
  if (root()) {
    known["choices"].list()[0]["scheme"] = "p2p:sendrecv";
    known["choices"].list()[0].erase("candidates");
  }
  if (root()) std::ofstream(path()) << known.text();
  EXPECT_EQ(choose(), "p2p:sendrecv");
}

TEST_F(AutoFile, WithATimeFarOffIsMeasuredAgain) {
  if (alone()) return;
  choose();
  if (root()) {
    Json known = content();
    Json& entry = known["choices"].list()[0];
    entry["scheme"] = "p2p:sendrecv";
    entry["candidates"] = Json::parse(R"([{"scheme": "p2p:sendrecv", "median_us": 1e-6}])");
    std::ofstream(path()) << known.text();
  }
  const std::string chosen = choose();
  if (!root()) return;
  EXPECT_NE(entry()["why"].string().find("p2p:sendrecv, takes "), std::string::npos)
      << entry()["why"].string();
  EXPECT_EQ(entry()["scheme"].string(), chosen);
  EXPECT_GT(entry()["candidates"].list().size(), 4u);
}

TEST_F(AutoFile, OfAnotherMpiIsSaidAndKept) {
  if (alone()) return;
  choose();
  if (root()) {
    Json known = content();
    known["choices"].list()[0]["scheme"] = "p2p:sendrecv";
    known["choices"].list()[0]["machine"]["mpi"] = "An older MPI";
    std::ofstream(path()) << known.text();
  }
  const std::string chosen = choose();
  if (!root()) return;
  const Json all = content();
  ASSERT_EQ(all["choices"].list().size(), 2u);
  const Json& fresh = all["choices"].list()[1];
  EXPECT_EQ(fresh["scheme"].string(), chosen);
  EXPECT_EQ(fresh["why"].string().rfind("the choice known, p2p:sendrecv, is of ", 0), 0u);
  EXPECT_NE(fresh["why"].string().find("An older MPI"), std::string::npos);
}

TEST_F(AutoFile, LooksAtWhatWasSlowForASimilarPattern) {
  if (alone()) return;
  choose();
  if (root()) {
    Json known = content();
    Json& entry = known["choices"].list()[0];
    entry["scheme"] = "p2p:persistent";
    entry["candidates"] = Json::parse(R"([{"scheme": "p2p:persistent", "median_us": 1},
                                          {"scheme": "p2p:sendrecv", "median_us": 100}])");
    std::ofstream(path()) << known.text();
  }
  const Grid larger(world(), {48, 48}, {.periodic = {true, true}});
  const Array<double> array(larger, "auto");
  Exchange(larger.halo(), array, "auto");
  if (!root()) return;
  const Json all = content();
  EXPECT_EQ(dropped(all["choices"].list().at(1), "p2p:sendrecv"),
            "100 times as long for a similar pattern");
}

TEST_F(AutoFile, PinsAndForbids) {
  if (alone()) return;
  const auto with = [&](const char* wish) {
    Json content = Json::parse(R"({"format": "halocline-tuning", "version": 1, "choices": []})");
    const Json wishes = Json::parse(wish);
    for (const auto& [name, value] : wishes.members()) content[name] = value;
    if (root())
      write(content);
    else
      write(std::string());
    return choose();
  };
  EXPECT_EQ(with(R"({"pin": "neighbor:blocking+pack=off"})"), "neighbor:blocking+pack=off");
  EXPECT_EQ(with(R"({"pin": "shm:*"})").rfind("shm:", 0), 0u);
  EXPECT_EQ(with(R"({"forbid": ["shm:*", "p2p:*", "rma:*"]})").rfind("neighbor:", 0), 0u);
  EXPECT_THROW(with(R"({"forbid": ["*"]})"), Error);
  for (const auto& left : std::filesystem::directory_iterator(path().parent_path()))
    EXPECT_EQ(left.path().string().find(".measuring-"), std::string::npos) << "accuses nobody";
  EXPECT_THROW(with(R"({"pin": "p2p:telepathy"})"), Error);
}

TEST_F(AutoFile, PinsForOnePattern) {
  if (alone()) return;
  choose();
  if (root()) {
    Json known = content();
    known["choices"].list()[0]["pin"] = "p2p:sendrecv";
    std::ofstream(path()) << known.text();
  }
  EXPECT_EQ(choose(), "p2p:sendrecv");
  if (!root()) return;
  EXPECT_EQ(entry()["pin"].string(), "p2p:sendrecv");
}

TEST_F(AutoFile, LeavesOutWhatAJobDidNotSurvive) {
  if (alone()) return;
  choose();
  if (root()) {
    Json known = content();
    Json culprit;
    culprit["scheme"] = "shm:signal";
    culprit["machine"] = entry()["machine"];
    culprit["time"] = "2026-11-22T07:00:00Z";
    known["unfinished"].list().push_back(culprit);
    known["choices"] = Json::List{};
    std::ofstream(path()) << known.text();
  }
  EXPECT_NE(choose(), "shm:signal");
  if (!root()) return;
  EXPECT_EQ(dropped(entry(), "shm:signal"),
            "a job ended while it was measured (2026-11-22T07:00:00Z)");
}

TEST_F(AutoFile, DamagedIsAnErrorOfAllRanksAndIsNotOverwritten) {
  if (alone()) return;
  if (root())
    write(std::string("{ half"));
  else
    write(std::string());
  try {
    choose();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("line 1: expected a name in quotes; correct"),
              std::string::npos)
        << error.what();
  }
  if (!root()) return;
  EXPECT_EQ(detail::read_file(path()), "{ half");
}

// ---- a candidate that lies -----------------------------------------------------------------

/// Delivers what p2p:nonblocking does, but for one byte on the last rank.
class Lying final : public detail::Method {
 public:
  explicit Lying(detail::Setup setup, std::unique_ptr<Method> honest)
      : Method(std::move(setup)), honest_(std::move(honest)) {}
  void start() override { honest_->start(); }
  void finish() override {
    honest_->finish();
    if (mpi::rank(comm()) != mpi::size(comm()) - 1 || pattern().receives().empty()) return;
    auto* byte = const_cast<std::byte*>(view(0, 0, 0).data);
    *byte ^= std::byte{1};
  }

 private:
  std::unique_ptr<Method> honest_;
};

TEST_F(Auto, ACandidateWithWrongBytesIsDroppedAndNamed) {
  const Grid grid(world(), {40, 40}, {.periodic = {true, true}});
  if (mpi::size(world()) == 1) return;
  const Array<double> array(grid, "auto");
  fill(array, 0);
  const std::vector<double> before = copy(array);
  const detail::Setup setup{mpi::Comm::duplicate(world()), grid.halo(), {array}, "auto", true};
  const auto make = [](detail::Setup wanted) -> std::unique_ptr<detail::Method> {
    if (wanted.scheme.str() != "shm:message") return detail::make_method(std::move(wanted));
    return std::make_unique<Lying>(
        detail::Setup{mpi::Comm::duplicate(wanted.comm), wanted.pattern, wanted.fields,
                      wanted.scheme, wanted.two_way},
        detail::make_method({mpi::Comm::duplicate(wanted.comm), wanted.pattern, wanted.fields,
                             "p2p:nonblocking", wanted.two_way}));
  };
  detail::Tournament tournament(setup, Json(), "", 0.1, make);
  for (const char* scheme : {"p2p:nonblocking", "shm:message", "p2p:persistent"})
    tournament.enter(scheme);
  tournament.race(10);
  const auto& runners = tournament.runners().runners();
  EXPECT_EQ(runners[1].name, "shm:message");
  EXPECT_EQ(runners[1].dropped, "wrong: not the bytes that p2p:nonblocking delivers");
  EXPECT_NE(tournament.winner()->setup().scheme.str(), "shm:message");
  EXPECT_TRUE(same(array, before));
}

}  // namespace
