// Reading plans, and what becomes of them: messages with both ends.

#include "plans.hpp"

#include "traffic.hpp"

#include "common/complaint.hpp"

#include <gtest/gtest.h>

namespace {

using namespace haloreplay;
using nlohmann::json;

json link(const char* kind, int peer, std::size_t bytes) {
  return {{"kind", kind}, {"peer", peer}, {"bytes", bytes}};
}

/// Two ranks: the first sends 80 bytes to the second.
json one_message() {
  return {{"name", "one"},
          {"way", "nonblocking"},
          {"ranks", {{{"links", {link("send", 1, 80)}}}, {{"links", {link("receive", 0, 80)}}}}}};
}
json& first_link(json& pattern) {
  return pattern["ranks"][0]["links"][0];
}

/// What is said of a plan with this pattern.
std::string said(const json& pattern) {
  return complaint([&] { traffic_of(pattern_of(pattern), 1, "plan.json: patterns[0]"); });
}

TEST(Plan, IsRead) {
  json pattern = one_message();
  pattern["finish"] = "waitany";
  pattern["ranks"][0]["before"] = {1e-3, 2e-3};
  pattern["ranks"][0]["touch"] = 100;
  pattern["schemes"] = {"shm:signal"};
  pattern["alternatives"] = {"mpi:neighbor"};
  pattern["balanced"] = true;
  const PlannedPattern read = pattern_of(pattern);
  EXPECT_EQ(read.name, "one");
  EXPECT_EQ(read.finish, How::waitany);
  EXPECT_EQ(read.schemes, std::vector<std::string>{"shm:signal"});
  EXPECT_EQ(read.alternatives, std::vector<std::string>{"mpi:neighbor"});
  EXPECT_TRUE(read.balanced);
  EXPECT_FALSE(read.recorded);
  EXPECT_EQ(read.ranks[0].before, (std::vector<double>{1e-3, 2e-3}));
  EXPECT_EQ(read.ranks[0].touch, 100u);
  ASSERT_EQ(read.ranks[0].order.size(), 3u);
  EXPECT_EQ(read.ranks[0].order[0].what, Action::start);
  EXPECT_EQ(read.ranks[0].order[1].what, Action::compute);
  EXPECT_EQ(read.ranks[0].order[2].how, How::waitany);
}

TEST(Plan, OrdersWhatBlocksAmongWhatDoesNot) {
  json pattern = one_message();
  pattern["way"] = "mixed";
  json back = link("receive", 1, 8);
  pattern["ranks"][0]["links"] = {back, link("send", 1, 80)};
  pattern["ranks"][0]["links"][1]["blocking"] = true;
  pattern["ranks"][1]["links"] = {link("receive", 0, 80), link("send", 0, 8)};
  const auto order = pattern_of(pattern).ranks[0].order;
  ASSERT_EQ(order.size(), 4u);
  EXPECT_EQ(order[0].what, Action::start);
  EXPECT_EQ(order[0].links, std::vector<int>{0});
  EXPECT_EQ(order[1].what, Action::block);
  EXPECT_EQ(order[1].links, std::vector<int>{1});
  EXPECT_EQ(order[3].what, Action::wait);
  EXPECT_EQ(order[3].links, std::vector<int>{0});
}

TEST(Plan, SendsThatWaitForNobodyAreStarted) {
  json pattern = one_message();
  pattern["way"] = "blocking";
  json buffered = link("send", 1, 80), itself = link("send", 0, 80);
  buffered["mode"] = "buffered";
  pattern["ranks"][0]["links"] = {buffered, itself, link("receive", 0, 80)};
  const auto order = pattern_of(pattern).ranks[0].order;
  ASSERT_EQ(order.size(), 4u);
  EXPECT_EQ(order[0].what, Action::start);
  EXPECT_EQ(order[0].links, (std::vector<int>{0, 1}));
  EXPECT_EQ(order[1].what, Action::block);
  EXPECT_EQ(order[1].links, std::vector<int>{2});
  EXPECT_EQ(order[3].links, (std::vector<int>{0, 1}));
}

TEST(Plan, LayoutsAreBlocksOfBytes) {
  json pattern = one_message();
  first_link(pattern)["layout"] = {
      {"count", 5}, {"block", 8}, {"stride", 24}, {"repeat", 2}, {"extent", 200}};
  auto read = pattern_of(pattern).ranks[0].links[0].blocks;
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0], (halocline::Block{0, {2, 5, 8}, {200, 24}}));

  first_link(pattern)["layout"] = {{"offsets", {100, -20}}, {"bytes", {30, 50}}};
  read = pattern_of(pattern).ranks[0].links[0].blocks;
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[1].offset, -20);
  EXPECT_EQ(read[1].size(), 50u);
  const Traffic traffic = traffic_of(pattern_of(pattern), 1, "");
  for (const auto& block : traffic.messages[0].at_sender) EXPECT_GE(block.offset, 0);
  EXPECT_EQ(traffic.unit, 2u);
  EXPECT_FALSE(traffic.contiguous());
}

TEST(Plan, MessagesMeetByTagAndOrder) {
  json pattern = one_message();
  pattern["ranks"][0]["links"] = {link("send", 1, 8), link("send", 1, 16), link("send", 1, 24)};
  pattern["ranks"][0]["links"][1]["tag"] = 5;
  pattern["ranks"][1]["links"] = {link("receive", 0, 16), link("receive", 0, 8),
                                  link("receive", 0, 24)};
  pattern["ranks"][1]["links"][0]["tag"] = 5;
  const Traffic traffic = traffic_of(pattern_of(pattern), 1, "");
  ASSERT_EQ(traffic.messages.size(), 3u);
  EXPECT_EQ(traffic.of_link[1], (std::vector<std::size_t>{1, 0, 2}));
  EXPECT_EQ(traffic.groups(), (std::vector<int>{0, 0}));
  EXPECT_EQ(traffic.busiest_bytes(), 48u);
}

TEST(Plan, WhatIsGotIsSentByThePeer) {
  json pattern = one_message();
  pattern["way"] = "fence";
  pattern["ranks"][0]["links"] = {link("get", 1, 80)};
  pattern["ranks"][1]["links"] = json::array();
  const Traffic traffic = traffic_of(pattern_of(pattern), 1, "");
  ASSERT_EQ(traffic.messages.size(), 1u);
  EXPECT_EQ(traffic.messages[0].from, 1);
  EXPECT_EQ(traffic.messages[0].to, 0);
  EXPECT_EQ(traffic.memory.size(), 2u);
}

TEST(Plan, BytesThatVaryStayWithinTheirLimits) {
  json pattern = one_message();
  first_link(pattern)["bytes"] = {16, 80};
  pattern["ranks"][1]["links"][0]["bytes"] = {16, 80};
  const Traffic traffic = traffic_of(pattern_of(pattern), 7, "");
  ASSERT_TRUE(traffic.varies());
  std::set<std::size_t> drawn;
  for (std::size_t step = 0; step < 1000; ++step) drawn.insert(traffic.bytes(0, step));
  EXPECT_EQ(*drawn.begin(), 16u);
  EXPECT_EQ(*drawn.rbegin(), 80u);
  for (const std::size_t bytes : drawn) EXPECT_EQ(bytes % 8, 0u);
}

TEST(Plan, WhatIsWrongIsSaid) {
  const auto wrong = [](auto change) {
    json pattern = one_message();
    change(pattern);
    return said(pattern);
  };
  EXPECT_EQ(said(one_message()), "");
  EXPECT_EQ(wrong([](json& p) { p["way"] = "carrier pigeon"; }),
            "plan.json: patterns[0].way: \"carrier pigeon\": must be one of blocking, nonblocking, "
            "mixed, persistent, partitioned, neighbor, neighbor nonblocking, neighbor persistent, "
            "alltoall, alltoall nonblocking, alltoall persistent, fence, pscw, lock");
  EXPECT_EQ(wrong([](json& p) { first_link(p)["peer"] = 2; }),
            "plan.json: patterns[0].ranks[0].links[0].peer: 2: must be a whole number from 0 to 1");
  EXPECT_EQ(wrong([](json& p) { first_link(p)["bytes"] = -1; }),
            "plan.json: patterns[0].ranks[0].links[0].bytes: -1: must be a whole number from 0 to "
            "1099511627776");
  EXPECT_EQ(wrong([](json& p) { first_link(p).erase("kind"); }),
            "plan.json: patterns[0].ranks[0].links[0]: must have kind");
  EXPECT_EQ(wrong([](json& p) { first_link(p)["kind"] = "put"; }),
            "plan.json: patterns[0].ranks[0].links[0].kind: \"put\": must be send or receive, for "
            "the pattern's way");
  EXPECT_EQ(
      wrong([](json& p) {
        first_link(p)["layout"] = {{"count", 3}, {"block", 8}, {"stride", 8}};
      }),
      "plan.json: patterns[0].ranks[0].links[0].layout: has 24 bytes: must have 80 as the link");
  EXPECT_EQ(wrong([](json& p) {
              p["ranks"].erase(1);
              p["ranks"].push_back(3);
            }),
            "plan.json: patterns[0].ranks[1]: 3: must be an object");
  EXPECT_EQ(wrong([](json& p) {
              p["ranks"][1]["links"][0]["layout"] = {{"offsets", {0, 39}}, {"bytes", 40}};
            }),
            "plan.json: patterns[0].ranks[1].links[0].layout: the blocks at 0 and 39 overlap: what "
            "is received must not");
  EXPECT_EQ(
      wrong([](json& p) { first_link(p)["tag"] = 4; }),
      "plan.json: patterns[0]: message 1 of tag 4 from rank 0 to rank 1 is not received: both "
      "ends must be there");
  EXPECT_EQ(wrong([](json& p) { p["ranks"][0]["links"] = json::array(); }),
            "plan.json: patterns[0]: rank 1 receives 1 messages of tag 0 from rank 0, which sends "
            "0: must be as many");
  EXPECT_EQ(
      wrong([](json& p) { first_link(p)["bytes"] = 88; }),
      "plan.json: patterns[0]: message 1 of tag 0 from rank 0 to rank 1 has 88 bytes where it "
      "is sent and 80 where it is received: must be the same");
  EXPECT_EQ(wrong([](json& p) {
              p["ranks"][0]["order"] = {{{"start", {0}}}};
            }),
            "plan.json: patterns[0].ranks[0].order: link 0 is never waited for");
  EXPECT_EQ(wrong([](json& p) {
              p["ranks"][0]["order"] = {{{"start", {1}}}};
            }),
            "plan.json: patterns[0].ranks[0].order: link 1 is not in the list of links");
  EXPECT_EQ(wrong([](json& p) { p["ranks"][0]["before"] = json::array(); }),
            "plan.json: patterns[0].ranks[0].before: []: must be a number of seconds, or a list of "
            "them");
  EXPECT_EQ(wrong([](json& p) { p["alternatives"] = {"mpi:magic"}; }),
            "plan.json: patterns[0].alternatives: mpi:magic: must be of mpi:nonblocking, "
            "mpi:waitany, mpi:persistent, mpi:neighbor, mpi:neighbor:persistent");
  EXPECT_EQ(wrong([](json& p) { p["balanced"] = "half"; }),
            "plan.json: patterns[0].balanced: \"half\": must be true, false or \"both\"");
  EXPECT_EQ(wrong([](json& p) {
              p["way"] = "persistent";
              first_link(p)["blocking"] = true;
            }),
            "plan.json: patterns[0].ranks[0].links: persistent messages do not block");
  EXPECT_EQ(complaint([] { read_plan("{\"plan\": 1,", "plan.json"); }).substr(0, 20),
            "plan.json: no JSON: ");
  EXPECT_EQ(complaint([] { read_plan("[]", "plan.json"); }),
            "plan.json: no plan of a replay: must be an object with \"plan\": 1");
  EXPECT_EQ(complaint([] { read_plan("{\"plan\": 2}", "plan.json"); }),
            "plan.json: plan: 2: must be a whole number from 1 to 1");
}

}  // namespace
