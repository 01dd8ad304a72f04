// The simulator against closed forms, and all schemes on random patterns.

#include "simulator.hpp"
#include "common/complaint.hpp"
#include "job.hpp"
#include "world.hpp"

#include <halocline/more/mpi.hpp>
#include <halocline/scheme.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <random>
#include <set>

namespace halosim {
namespace {

using halocline::Error;
using namespace halocline::model;
using nlohmann::json;

constexpr double tiny = 1e-12;

/// Round numbers, in seconds, so that sums can be seen.
json machine() {
  return json::parse(R"({
    "format": "halocline-machine", "version": 1,
    "costs": {"send": 1, "receive": 2, "message": [[0, 10], [100, 110]], "barrier": 7,
              "put": 3, "landing": [[0, 5], [100, 15]], "flush": 4, "pack": 0.5, "unpack": 0.25,
              "notify": 1, "notified": 2, "signal": 1, "line": 6, "seen": 2}})");
}

json solved(json request, const json& file = machine()) {
  return simulated(file, request);
}

TEST(Simulator, PingPong) {
  // Both send at the same time: overhead, latency and bytes, overhead.
  const json said = solved({{"scheme", "p2p:nonblocking"},
                            {"ranks", 2},
                            {"pattern", {{"kind", "pair"}, {"bytes", 50}}}});
  EXPECT_NEAR(said["step_s"], 1 + 60 + 2, tiny);
}

TEST(Simulator, MessagesOfARankLeaveOneAfterTheOther) {
  // LogGP: the bytes of two messages, 50 s each, are all that a rank gets away in a step.
  const json said =
      solved({{"scheme", "p2p:nonblocking"}, {"ranks", 3}, {"pattern", {{0, 1, 50}, {0, 2, 50}}}});
  EXPECT_NEAR(said["step_s"], 50 + 50, tiny);
}

TEST(Simulator, FenceIsATree) {
  for (const auto& [ranks, rounds] : std::vector<std::pair<int, int>>{{2, 1}, {5, 3}, {16, 4}}) {
    const json said = solved({{"scheme", "rma:put:fence"},
                              {"ranks", ranks},
                              {"pattern", {{"kind", "shift"}, {"bytes", 100}}}});
    // On two ranks the one that puts has nothing to unpack.
    EXPECT_NEAR(said["step_s"], 3 + 15 + 4 + 7 * rounds + (ranks > 2 ? 0.25 : 0), tiny) << ranks;
  }
}

TEST(Simulator, PipelineFillsOnce) {
  // Rank r begins when r hops are over; then a step takes what the busiest rank needs.
  const int ranks = 6, steps = 9;
  const json said = solved({{"scheme", "p2p:nonblocking"},
                            {"ranks", ranks},
                            {"steps", steps},
                            {"order", "pipeline"},
                            {"compute", 100.0},
                            {"pattern", {{"kind", "shift"}, {"bytes", 0}}}});
  const double hop = 100 + 1 + 10 + 2, step = 2 + 100 + 1;
  // The first rank waits for nobody, the last sends to nobody.
  EXPECT_NEAR(said["total_s"], (ranks - 1) * hop + (steps - 1) * step + 100, tiny);
}

TEST(Simulator, ADelayTravelsOneNeighbourAStep) {
  // A rank whose neighbours are late all the time need not wait for their messages: the 10 of one.
  json file = machine();
  file["costs"].update({{"send", 0}, {"receive", 0}});
  for (int steps = 2; steps <= 6; ++steps) {
    json request = {{"scheme", "p2p:nonblocking"},
                    {"ranks", 13},
                    {"steps", steps},
                    {"ends", true},
                    {"compute", 1000.0},
                    {"pattern", {{"kind", "ring"}, {"bytes", 0}}}};
    const auto calm = solved(request, file)["rank_end_s"].get<std::vector<double>>();
    request.update({{"delayed_rank", 6}, {"delayed_step", 0}, {"delay_s", 500.0}});
    const auto late = solved(request, file)["rank_end_s"].get<std::vector<double>>();
    for (int rank = 0; rank < 13; ++rank)
      EXPECT_NEAR(late[static_cast<std::size_t>(rank)] - calm[static_cast<std::size_t>(rank)],
                  std::abs(rank - 6) <= steps ? 500 : 0, 10 + tiny)
          << "rank " << rank << " after " << steps;
  }
}

TEST(Simulator, ASlowRankSlowsAll) {
  json request = {
      {"scheme", "shm:signal"}, {"ranks", 8},       {"steps", 40},
      {"warm_up", 20},          {"compute", 100.0}, {"pattern", {{"kind", "ring"}, {"bytes", 8}}}};
  const double calm = solved(request)["step_s"];
  request.update({{"slow_rank", 3}, {"slow_factor", 1.5}});
  const double slow = solved(request)["step_s"];
  EXPECT_GT(slow, calm + 40);
  EXPECT_LE(slow, calm + 50 + tiny);
}

TEST(Simulator, RendezvousWaitsForTheReceiver) {
  json file = machine();
  file["levels"] = {{"socket", {{"rendezvous_bytes", 50}}}};
  // The one who receives computes 1000 before it comes; then the bytes move.
  json request = {{"scheme", "p2p:nonblocking"},
                  {"ranks", 2},
                  {"compute", 1000.0},
                  {"overlapped", 1.0},
                  {"pattern", json::array({json::array({0, 1, 49})})}};
  EXPECT_NEAR(solved(request, file)["step_s"], 1000 + 2, tiny);  // hidden
  request["pattern"] = json::array({json::array({0, 1, 50})});
  EXPECT_NEAR(solved(request, file)["step_s"], 1000 + 60 + 2, tiny);
}

TEST(Simulator, PutsWaitForATargetOutsideMpi) {
  json file = machine();
  json request = {
      {"scheme", "rma:put:flush"}, {"ranks", 2}, {"compute", 1000.0},
      {"overlapped", 1.0},         {"steps", 4}, {"pattern", {{"kind", "pair"}, {"bytes", 100}}}};
  const double hardware = solved(request, file)["step_s"];
  file["levels"] = {{"socket", {{"progress", "target"}}}};
  EXPECT_GT(solved(request, file)["step_s"].get<double>(), hardware + 10);
}

TEST(Simulator, NodesShareTheirWayOut) {
  json file = machine();
  file["levels"] = {{"network", {{"injection_bytes_per_s", 0.5}}}};
  json request = {{"scheme", "p2p:nonblocking"},
                  {"ranks", 4},
                  {"ranks_per_node", 2},
                  {"pattern", json::array({json::array({0, 2, 100}), json::array({1, 3, 100})})}};
  // Two ranks of a node share 0.5 bytes a second.
  EXPECT_NEAR(solved(request, file)["step_s"], 2 * 100 / 0.5, 1e-9);
  // Then 0.001 messages a second, which takes longer.
  file["levels"]["network"]["injection_messages_per_s"] = 0.001;
  EXPECT_NEAR(solved(request, file)["step_s"], 2 / 0.001, 1e-9);
}

TEST(Simulator, ChainsReduceLaterThanTreesAndTheLastRankIsABottleneck) {
  json request = {{"scheme", "p2p:nonblocking"},
                  {"ranks", 64},
                  {"compute", 100.0},
                  {"steps", 200},
                  {"warm_up", 100},
                  {"pattern", {{"kind", "shift"}, {"bytes", 8}}}};
  const auto with = [&](const char* kind) {
    request["reduction"] = kind;
    return solved(request)["step_s"].get<double>();
  };
  EXPECT_LT(with("chain"), with("allreduce"));  // nobody waits for its end
  EXPECT_GT(with("last"), with("chain") + 50);
}

/// What the parts of a step take together, each as often as it is in it.
double summed(const json& parts) {
  const json file = machine();
  const MachineCosts known(file);
  double sum = 0;
  for (const std::string& number : known.numbers()) {
    const auto slash = number.find('/');
    const json& points = file["costs"][number.substr(0, slash)];
    double value = points.is_number() ? points.get<double>() : 0;
    if (points.is_array())
      for (const json& point : points)
        if (point[0] == std::stoi(number.substr(slash + 1))) value = point[1];
    sum += value * parts.value(number, 0.0);
  }
  return sum;
}

TEST(Simulator, PartsAddUpToTheTime) {
  for (const char* scheme : {"p2p:nonblocking", "rma:put:fence", "rma:get:pscw", "shm:signal"}) {
    json request = {{"scheme", scheme},
                    {"ranks", 4},
                    {"parts", true},
                    {"pattern", {{"kind", "grid"}, {"cells", {8, 8}}, {"periodic", {0, 1}}}}};
    const json said = solved(request);
    request["parts"] = false;
    EXPECT_NEAR(said["step_s"], solved(request)["step_s"], tiny) << scheme;
    EXPECT_NEAR(said["step_s"], summed(said["parts"]), 1e-9) << scheme;
  }
}

TEST(Simulator, AStepOfSeveralIterationsIsDividedAmongThem) {
  json request = {{"scheme", "p2p:nonblocking"},
                  {"ranks", 4},
                  {"parts", true},
                  {"pattern", {{"kind", "grid"}, {"cells", {8, 8}}, {"periodic", {0, 1}}}}};
  const json whole = solved(request);
  request["iterations"] = 4;
  const json one = solved(request);
  EXPECT_NEAR(one["step_s"], whole["step_s"].get<double>() / 4, tiny);
  EXPECT_NEAR(one["step_s"], summed(one["parts"]), 1e-9);
  // When the run ended, and how far ranks are from each other then.
  EXPECT_EQ(one["total_s"], whole["total_s"]);
  EXPECT_EQ(one["spread_s"], whole["spread_s"]);
}

TEST(Simulator, NoiseIsTheSameForTheSameSeed) {
  json request = {{"scheme", "p2p:nonblocking"},
                  {"ranks", 16},
                  {"compute", 100.0},
                  {"noise_every_s", 500.0},
                  {"noise_s", 30.0},
                  {"pattern", {{"kind", "ring"}, {"bytes", 0}}}};
  EXPECT_EQ(solved(request)["step_s"], solved(request)["step_s"]);
  const double noisy = solved(request)["step_s"];
  request["seed"] = 2;
  EXPECT_NE(solved(request)["step_s"], noisy);
}

/// Links among some ranks, one way or both ways.
json random_links(std::mt19937& random, int ranks, bool two_way) {
  std::set<std::pair<int, int>> known;
  for (int i = 0; i < 3 * ranks; ++i) {
    const int from = static_cast<int>(random() % static_cast<unsigned>(ranks));
    const int to = static_cast<int>(random() % static_cast<unsigned>(ranks));
    if (from == to) continue;
    known.emplace(from, to);
    if (two_way) known.emplace(to, from);
  }
  json links = json::array();
  for (const auto& [from, to] : known) links.push_back({from, to, random() % 3 * 60});
  return links;
}

TEST(Simulator, RunsEverySchemeOnRandomPatterns) {
  std::mt19937 random(5);
  std::vector<std::string> schemes = described_methods();
  for (const std::string& one : halocline::scheme_combinations())
    if (one.find("+heads=") == one.npos) schemes.push_back(one);  // they have no descriptions
  json target = machine();
  target["levels"] = {{"socket", {{"rendezvous_bytes", 60}, {"progress", "target"}}},
                      {"network", {{"rendezvous_bytes", 100}}}};
  for (const std::string& scheme : schemes)
    for (const json& file : {machine(), target})
      for (const bool two_way : {true, false}) {
        SCOPED_TRACE(scheme);
        const json links = random_links(random, 7, two_way);
        json request = {{"scheme", scheme}, {"ranks", 7},       {"ranks_per_node", 3}, {"steps", 6},
                        {"ends", true},     {"compute", 100.0}, {"pattern", links}};
        const json calm = solved(request, file);
        EXPECT_GT(calm["step_s"], 100);
        // Whoever receives from a rank that comes late ends its step later.
        const int late = links.front()[0];
        request.update(
            {{"steps", 2}, {"delayed_rank", late}, {"delayed_step", 0}, {"delay_s", 1e6}});
        const json delayed = solved(request, file);
        for (const json& link : links)
          if (link[0] == late) {
            EXPECT_GT(delayed["rank_end_s"][link[1].get<std::size_t>()], 1e6)
                << "nothing waits for the link to " << link[1];
          }
      }
}

TEST(Simulator, GridsCutAsProgramsDo) {
  const json said = solved({{"scheme", "p2p:nonblocking"},
                            {"ranks", 12},
                            {"pattern", {{"kind", "grid"}, {"cells", {40, 40, 40}}}}});
  EXPECT_EQ(said["dims"], (json{3, 2, 2}));
  const World here = world({{"ranks", 27}, {"pattern", {{"kind", "grid"}, {"cells", {9, 9, 9}}}}});
  EXPECT_EQ(here.links[13].sends.size(), 26U);
  EXPECT_EQ(here.links[0].sends.size(), 7U);
  EXPECT_EQ(here.links[13].stages.size(), 3U);
  EXPECT_EQ(here.links[13].stages[2].sends.front().bytes, 8 * 5 * 5U);
}

TEST(Simulator, SaysWhatIsWrong) {
  const json pair = {{"kind", "pair"}, {"bytes", 8}};
  const auto refused = [&](json file, const char* words) {
    const std::string said = complaint([&] {
      solved({{"scheme", "p2p:nonblocking"}, {"ranks", 2}, {"pattern", pair}}, file);
    });
    EXPECT_NE(said.find(words), said.npos) << said;
  };
  json file = machine();
  file["version"] = 9;
  refused(file, "reads version 1");
  file = machine();
  file["costs"]["message"] = {{100, 1}, {10, 2}};
  refused(file, "message must be seconds, or pairs");
  file = machine();
  file["levels"] = {{"rack", {}}};
  refused(file, "must be socket, node or network");
}

}  // namespace
}  // namespace halosim
