// SimGrid's actors beside the own simulator: the same programs take as long where messages share
// no links, and longer where they do.

#include "common/complaint.hpp"
#include "job.hpp"
#include "platform.hpp"
#include "simgrid.hpp"

#include <halocline/more/model.hpp>
#include <halocline/more/mpi.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace halosim {
namespace {

using halocline::Error;
using nlohmann::json;

/// A byte, which messages have at least on a link, takes a microsecond.
constexpr double tiny = 1e-4;

/// Round numbers: seconds, and a megabyte a second.
json machine() {
  return json::parse(R"({
    "format": "halocline-machine", "version": 1,
    "costs": {"send": 1, "receive": 2, "message": [[0, 10], [100e6, 110]], "barrier": 7,
              "put": 3, "landing": [[0, 5], [100e6, 105]], "fetching": [[0, 15], [100e6, 115]],
              "flush": 4, "pack": 0.5, "unpack": 0.25, "notify": 1, "notified": 2,
              "signal": 1, "line": 6, "seen": 2, "acknowledge": 5}})");
}

/// A file with the network's own figures, and messages that wait for their receiver from there on.
json network(double injection = 0, double rendezvous = 0, const char* progress = "hardware") {
  json file = machine();
  file["levels"]["network"]["progress"] = progress;
  if (injection > 0) file["levels"]["network"]["injection_bytes_per_s"] = injection;
  if (rendezvous > 0) file["levels"]["network"]["rendezvous_bytes"] = rendezvous;
  return file;
}

json case_of(const std::string& scheme, int ranks, int ranks_per_node, json pattern) {
  return {{"scheme", scheme},
          {"ranks", ranks},
          {"ranks_per_node", ranks_per_node},
          {"pattern", std::move(pattern)},
          {"steps", 8},
          {"warm_up", 3},
          {"compute", 40.0}};
}

double step(const json& file, json request, const std::string& engine,
            const std::string& topology = "flat") {
  request["engine"] = engine;
  request["topology"] = topology;
  return simulated(file, request)["step_s"];
}

std::string error_of(const json& file, const json& request) {
  return complaint([&] { simulated(file, request); });
}

const json pair = {{"kind", "pair"}, {"bytes", 64000000}, {"pieces", 4}};

class Engines : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_simgrid()) GTEST_SKIP() << "built without SimGrid (libsimgrid-dev)";
  }
};

TEST_F(Engines, AgreeWhereNoMessageMeetsAnother) {
  for (const int ranks_per_node : {1, 2})  // two nodes, and one
    for (const json& file : {network(), network(0, 32e6), network(0, 32e6, "target")})
      for (const std::string& scheme : halocline::model::described_methods()) {
        const json asked = case_of(scheme, 2, ranks_per_node, pair);
        EXPECT_NEAR(step(file, asked, "simgrid") / step(file, asked, "own"), 1, tiny)
            << scheme << " with " << ranks_per_node << " ranks a node, " << file["levels"];
      }
}

TEST_F(Engines, AgreeOnALinkOfARanksOwnUpToTheOrderOfItsMessages) {
  // Six messages leave a rank one after the other, or all at once at a sixth of the rate.
  const json grid = {{"kind", "grid"},   {"cells", {8, 8, 8}}, {"periodic", {0, 1, 2}},
                     {"corners", false}, {"dims", {2, 2, 2}},  {"element_bytes", 1000000}};
  for (const std::string& scheme : halocline::model::described_methods()) {
    const json asked = case_of(scheme, 8, 1, grid);
    const double ratio = step(network(), asked, "simgrid") / step(network(), asked, "own");
    EXPECT_GT(ratio, 0.85) << scheme;
    // Rounds of sendrecv come to some ranks from two at once: only SimGrid shares the link inwards.
    EXPECT_LT(ratio, scheme == "p2p:sendrecv" ? 1.5 : 1.25) << scheme;
  }
}

TEST_F(Engines, ADelayTravelsOneNeighbourAStepInBoth) {
  json asked = case_of("p2p:nonblocking", 8, 1, {{"kind", "shift"}, {"bytes", 16000000}});
  asked.update({{"delayed_rank", 0}, {"delayed_step", 3}, {"delay_s", 1000.0}, {"ends", true}});
  const json own = simulated(machine(), asked);
  asked["engine"] = "simgrid";
  const json other = simulated(machine(), asked);
  for (std::size_t i = 0; i < own["ends_s"].size(); ++i)
    EXPECT_NEAR(own["ends_s"][i], other["ends_s"][i], tiny) << "step " << i;
  for (std::size_t i = 0; i < own["rank_end_s"].size(); ++i)
    EXPECT_NEAR(own["rank_end_s"][i], other["rank_end_s"][i], tiny) << "rank " << i;
  for (const char* const kind : {"busy_s", "wait_s"})
    for (const auto& [verb, seconds] : own[kind].items())
      EXPECT_NEAR(seconds, other[kind][verb], tiny) << kind << ' ' << verb;
}

TEST_F(Engines, SlowRanksAndNoiseAreTheSameInBoth) {
  json asked = case_of("p2p:nonblocking", 4, 1, {{"kind", "ring"}, {"bytes", 0}});
  asked.update({{"imbalance", 0.1},
                {"slow_rank", 2},
                {"slow_factor", 1.5},
                {"noise_every_s", 30.0},
                {"noise_s", 3.0}});
  EXPECT_NEAR(step(machine(), asked, "simgrid"), step(machine(), asked, "own"), tiny);
}

TEST_F(Engines, RanksOfANodeShareItsLink) {
  // Both ranks of a node exchange 100 bytes with their partners on the other.
  const json pattern = {{0, 2, 100000000}, {1, 3, 100000000}, {2, 0, 100000000}, {3, 1, 100000000}};
  const json asked = case_of("p2p:nonblocking", 4, 2, pattern);
  // As fast as each alone where the node has room for both, and half as fast where it has not.
  const double roomy = step(network(), asked, "simgrid");
  EXPECT_NEAR(roomy, step(network(), asked, "own"), tiny);
  const double narrow = step(network(1e6), asked, "simgrid");
  EXPECT_NEAR(narrow, step(network(1e6), asked, "own"), tiny);
  EXPECT_NEAR(narrow, roomy + 100, tiny);
}

TEST_F(Engines, FarNodesAndThinTreesTakeLonger) {
  // Of 16 nodes the first four exchange with the last: past the switches of their own four.
  const json pattern = {{0, 12, 100000000}, {1, 13, 100000000}, {2, 14, 100000000},
                        {3, 15, 100000000}, {12, 0, 100000000}, {13, 1, 100000000},
                        {14, 2, 100000000}, {15, 3, 100000000}};
  json asked = case_of("p2p:nonblocking", 16, 1, pattern);
  asked["compute"] = 0.0;
  const double full = step(machine(), asked, "simgrid", "fat-tree:2;4,4;1,4;1,1");
  const double thin = step(machine(), asked, "simgrid", "fat-tree:2;4,4;1,1;1,1");
  EXPECT_NEAR(full, step(machine(), asked, "own"), 1);
  EXPECT_NEAR(thin, full + 300, 1);
  for (const char* const kind : {"fat-tree", "dragonfly", "torus", "torus:16"})
    EXPECT_GE(step(machine(), asked, "simgrid", kind), full - tiny) << kind;
}

TEST_F(Engines, WaitingInARingIsSaid) {
  // Each computes first what it needs of its predecessor.
  json asked = case_of("p2p:nonblocking", 3, 1, {{0, 1, 8}, {1, 2, 8}, {2, 0, 8}});
  asked["order"] = "pipeline";
  EXPECT_NE(error_of(machine(), asked).find("in a ring"), std::string::npos);
  asked["engine"] = "simgrid";
  EXPECT_NE(error_of(machine(), asked).find("in a ring"), std::string::npos);
}

TEST(Engine, BadInputIsSaid) {
  json asked = case_of("p2p:nonblocking", 2, 1, pair);
  asked["engine"] = "other";
  EXPECT_EQ(error_of(machine(), asked), "engine other: must be own or simgrid");
  asked["engine"] = "own";
  asked["topology"] = "torus";
  EXPECT_NE(error_of(machine(), asked).find("knows no links within the network"),
            std::string::npos);
  asked["engine"] = "simgrid";
  asked["parts"] = true;
  EXPECT_NE(error_of(machine(), asked).find("neither parts nor events"), std::string::npos);
  asked["parts"] = false;
  if (!has_simgrid()) {
    EXPECT_NE(error_of(machine(), asked).find("apt install libsimgrid-dev"), std::string::npos);
  }
  for (const char* const topology : {"mesh", "flat:3", ""}) {
    asked["topology"] = topology;
    EXPECT_NE(error_of(machine(), asked).find("must be flat, fat-tree, dragonfly or torus"),
              std::string::npos)
        << topology;
  }
  for (const char* const topology :
       {"torus:1", "torus:", "torus:a", "fat-tree:2;4", "fat-tree:0;1;1;1",
        "fat-tree:3;4,4;1,1;1,1", "dragonfly:1,1;1,1;1,1", "torus:99999999999"}) {
    asked["topology"] = topology;
    EXPECT_NE(error_of(machine(), asked).find("topo_parameters"), std::string::npos) << topology;
  }
}

TEST(Platform, HasAHostForEachNode) {
  json asked = case_of("p2p:nonblocking", 50, 2, {{"kind", "ring"}, {"bytes", 8}});
  const auto with = [&](const char* topology) {
    asked["topology"] = topology;
    return platform_of(machine(), asked);
  };
  EXPECT_NE(with("flat").find("radical=\"0-24\""), std::string::npos) << with("flat");
  EXPECT_NE(with("flat").find("bw=\"2000000Bps\" lat=\"2.5s\""), std::string::npos) << with("flat");
  EXPECT_NE(with("torus").find("topo_parameters=\"3,3,3\""), std::string::npos) << with("torus");
  EXPECT_NE(with("torus").find("radical=\"0-26\""), std::string::npos);
  EXPECT_NE(with("fat-tree").find("topo_parameters=\"2;5,5;1,5;1,1\""), std::string::npos);
  EXPECT_NE(with("dragonfly").find("topo_parameters=\"3,1;1,1;3,1;4\""), std::string::npos)
      << with("dragonfly");
}

}  // namespace
}  // namespace halosim
