// Every way to exchange, on random messages: all bytes are compared.

#include "contender.hpp"
#include "plans.hpp"
#include "traffic.hpp"

#include "common/tested_schemes.hpp"

#include <gtest/gtest.h>
#include <halocline/more/waiting.hpp>

#include <random>

namespace {

using namespace haloreplay;
using namespace halocline;
using nlohmann::json;

/// Random messages between the ranks, the same on all of them.
class Messages {
 public:
  explicit Messages(unsigned seed) : dice_(seed) {}

  int below(int end) { return static_cast<int>(dice_() % static_cast<unsigned>(end)); }

  /// Bytes that lie together, in a row of blocks, in several rows, or anywhere.
  json layout(int bytes) {
    const int block = bytes % 8 == 0 ? 8 : 1, count = bytes / block;
    switch (below(4)) {
      case 0: return {{"count", count}, {"block", block}, {"stride", block * (1 + below(5))}};
      case 1:
        if (count % 2 == 0)
          return {{"count", count / 2},
                  {"block", block},
                  {"stride", 3 * block},
                  {"repeat", 2},
                  {"extent", 3 * block * count + 64}};
        [[fallthrough]];
      case 2: {
        // Backwards, from places below 0 on.
        json offsets = json::array(), lengths = json::array();
        int place = 40;
        for (int left = count; left > 0;) {
          const int some = 1 + below(left);
          place -= block * (some + below(3));
          offsets.push_back(place);
          lengths.push_back(some * block);
          left -= some;
        }
        return {{"offsets", offsets}, {"bytes", lengths}};
      }
      default: return {{"offsets", {0}}, {"bytes", bytes}};
    }
  }

  /// A pattern of this way; messages are in one order on all ranks, so that none waits for ever.
  json pattern(const std::string& way, int ranks, bool varies) {
    json all{{"name", way}, {"way", way}, {"ranks", json::array()}};
    for (int rank = 0; rank < ranks; ++rank) all["ranks"].push_back({{"links", json::array()}});
    const bool puts = way == "fence" || way == "pscw" || way == "lock";
    const bool once = way.starts_with("alltoall");
    std::set<std::pair<int, int>> pairs;
    for (int i = 0; i < 3 * ranks; ++i) {
      const int from = below(ranks), to = below(ranks);
      if (once && !pairs.emplace(from, to).second) continue;
      const int bytes = below(3) == 0 ? 1 + below(50) : 8 * (1 + below(2000));
      json sizes = bytes;
      if (varies) sizes = {bytes / 2, bytes};
      const auto link = [&](const char* kind, int peer) {
        return json{{"kind", kind},
                    {"peer", peer},
                    {"tag", i % 3},
                    {"bytes", sizes},
                    {"layout", layout(bytes)}};
      };
      auto& at_sender = all["ranks"][static_cast<std::size_t>(from)]["links"];
      if (puts) {
        at_sender.push_back(link(below(2) == 0 ? "put" : "get", to));
        at_sender.back()["remote"] = layout(bytes);
        continue;
      }
      auto& at_receiver = all["ranks"][static_cast<std::size_t>(to)]["links"];
      json send = link("send", to);
      if (below(4) == 0 && from != to) send["mode"] = "synchronous";
      // To itself by MPI_Sendrecv, or by a send before its receive.
      if (from == to && way == "blocking" && below(2) == 0) send["with"] = at_sender.size() + 1;
      at_sender.push_back(send);
      at_receiver.push_back(link("receive", from));
    }
    return all;
  }

 private:
  std::minstd_rand dice_;
};

void meet() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(world(), &request);
  wait_one("test", request);
}

/// One contender after the other on the same messages.
class Exchanging {
 public:
  explicit Exchanging(const json& pattern)
      : pattern_(pattern_of(pattern)),
        traffic_(traffic_of(pattern_, 3, "test")),
        me_(mpi::rank(world())) {
    const std::vector<int> groups = traffic_.groups();
    const int mine = groups[static_cast<std::size_t>(me_)];
    group_.comm = mpi::Comm::split(world(), mine < 0 ? MPI_UNDEFINED : mine);
    int next = 0;
    for (const int group : groups) group_.here.push_back(mine >= 0 && group == mine ? next++ : -1);
    if (mine < 0) return;
    ground_.emplace(Ground{pattern_, traffic_, group_, me_, nullptr});
    ground_->plain = make_area(*ground_, MemoryKind::plain);
  }

  void expect_right(const std::string& name) {
    SCOPED_TRACE(pattern_.name + " " + name);
    std::unique_ptr<Contender> contender;
    if (ground_) contender = make_contender(*ground_, name);
    const Computing nothing;
    for (std::size_t step = 0; step < 3; ++step) {
      if (contender) contender->fill(step + 1, step);
      meet();
      Step one(step, nothing);
      if (contender) contender->exchange(one);
      meet();
      if (contender) {
        EXPECT_EQ(contender->fault(step + 1, step), "");
      }
      meet();
      if (!contender) continue;
      // As in the loop that is measured.
      contender->write(step);
      contender->read(step);
    }
    meet();
  }

 private:
  PlannedPattern pattern_;
  Traffic traffic_;
  int me_;
  Group group_{};
  std::optional<Ground> ground_{};
};

/// The scheme that calls the same functions.
std::vector<std::string> schemes_like(const std::string& way) {
  if (way == "partitioned") return {"p2p:partitioned"};
  if (way.ends_with(" persistent")) return {"neighbor:persistent"};
  if (way == "pscw" || way == "lock") return {"rma:put:" + way, "rma:get:" + way};
  return {};
}

class Ways : public testing::TestWithParam<const char*> {};

TEST_P(Ways, BringEveryByte) {
  const std::string way = GetParam();
  for (const std::string& scheme : schemes_like(way))
    if (!is_usable(scheme)) GTEST_SKIP() << "not with this MPI";
  for (unsigned seed = 1; seed <= (mpi::size(world()) > 2 ? 2u : 4u); ++seed) {
    json pattern = Messages(seed).pattern(way, mpi::size(world()), false);
    constexpr const char* finishes[] = {"waitall", "wait", "waitany", "waitsome", "test"};
    if (way == "nonblocking" || way == "persistent") pattern["finish"] = finishes[seed % 5];
    if (way == "lock") pattern["finish"] = seed % 2 == 0 ? "unlock" : "flush";
    if (way == "lock") pattern["exclusive"] = seed % 4 < 2;
    pattern["window"] = seed % 3 == 0 ? "create" : "allocate";
    Exchanging(pattern).expect_right(present);
  }
}

std::string word(const testing::TestParamInfo<const char*>& tested) {
  std::string name = tested.param;
  std::ranges::replace(name, ' ', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Ways,
                         testing::Values("blocking", "nonblocking", "persistent", "partitioned",
                                         "neighbor", "neighbor nonblocking", "neighbor persistent",
                                         "alltoall", "alltoall nonblocking", "alltoall persistent",
                                         "fence", "pscw", "lock"),
                         word);

TEST(Alternatives, BringEveryByte) {
  for (unsigned seed = 1; seed <= 2; ++seed) {
    Exchanging exchanging(Messages(seed).pattern("nonblocking", mpi::size(world()), false));
    for (const std::string_view name : plain_ways)
      if (name != "mpi:neighbor:persistent" || is_usable("neighbor:persistent"))
        exchanging.expect_right(std::string(name));
  }
}

TEST(Schemes, BringEveryByte) {
  Exchanging exchanging(Messages(4).pattern("nonblocking", mpi::size(world()), false));
  for (const SchemeFacts& known : known_schemes())
    if (is_usable(known.scheme) && known.scheme.find("shmem") != 0)
      exchanging.expect_right(known.scheme);
}

TEST(BytesThatVary, Arrive) {
  for (const char* way : {"blocking", "nonblocking", "mixed"})
    Exchanging(Messages(5).pattern(way, mpi::size(world()), true)).expect_right(present);
  Exchanging exchanging(Messages(6).pattern("nonblocking", mpi::size(world()), true));
  for (const char* name : {"mpi:nonblocking", "mpi:waitany", "p2p:nonblocking", "rma:put:flush"})
    exchanging.expect_right(name);
}

TEST(Area, NamesTheByteThatIsWrong) {
  json pattern{{"name", "one"}, {"way", "nonblocking"}, {"ranks", json::array()}};
  for (int rank = 0; rank < mpi::size(world()); ++rank)
    pattern["ranks"].push_back({{"links", json::array()}});
  pattern["ranks"][0]["links"] = {{{"kind", "send"}, {"peer", 0}, {"bytes", 16}},
                                  {{"kind", "receive"},
                                   {"peer", 0},
                                   {"bytes", 16},
                                   {"layout", {{"count", 2}, {"block", 8}, {"stride", 16}}}}};
  const PlannedPattern planned = pattern_of(pattern);
  const Traffic traffic = traffic_of(planned, 1, "test");
  std::vector<std::byte> memory(traffic.memory[0]);
  Area area(traffic, 0, memory.data());
  const Message& message = traffic.messages[0];
  const auto from = static_cast<std::size_t>(message.at_sender[0].offset);
  const auto to = static_cast<std::size_t>(message.at_receiver[0].offset);
  const auto exchange = [&] {
    area.fill(1);
    for (std::size_t i = 0; i < 16; ++i) memory[to + i / 8 * 16 + i % 8] = memory[from + i];
  };
  exchange();
  EXPECT_EQ(area.fault(1, 0), "");
  memory[to + 18] ^= std::byte{1};
  EXPECT_EQ(area.fault(1, 0), "rank 0 got wrong bytes from rank 0: byte 10 of 16 (exchange 1)");
  exchange();
  memory[to + 9] ^= std::byte{1};
  EXPECT_EQ(area.fault(1, 4), "rank 0 changed byte " + std::to_string(to + 9) +
                                  " of its memory, which nothing is received in (exchange 5)");
}

}  // namespace
