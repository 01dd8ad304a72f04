// auto: one choice for all ranks, the bytes of p2p:nonblocking, nothing touched.

#include "auto_fixture.hpp"
#include "exchange/core/method.hpp"
#include "exchange/core/registry.hpp"
#include "tuner/tournament.hpp"

#include <chrono>
#include <cstring>
#include <thread>

using namespace halocline;

namespace {

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
      const HaloView view = exchange.view(0, 0);
      EXPECT_EQ(reinterpret_cast<const double*>(view.data)[7], 1e6 * (me - 1) + 7);
    }
    // Nobody's memory goes while a neighbour may still read it in place.
    HALOCLINE_MPI(MPI_Barrier, world());
  }
}

// ---- candidates that misbehave -------------------------------------------------------------

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

/// Delivers what p2p:nonblocking does, and takes its time.
class Slow final : public detail::Method {
 public:
  explicit Slow(detail::Setup setup, std::unique_ptr<Method> quick)
      : Method(std::move(setup)), quick_(std::move(quick)) {}
  void start() override { quick_->start(); }
  void finish() override {
    quick_->finish();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }

 private:
  std::unique_ptr<Method> quick_;
};

/// Makes shm:message such a method; all others are what they are.
template <class Odd>
detail::Tournament::Make instead_of_message() {
  return [](detail::Setup wanted) -> std::unique_ptr<detail::Method> {
    if (wanted.scheme.str() != "shm:message") return detail::make_method(std::move(wanted));
    const auto again = [&](const Scheme& scheme) {
      return detail::Setup{mpi::Comm::duplicate(wanted.comm), wanted.pattern, wanted.fields, scheme,
                           wanted.two_way};
    };
    return std::make_unique<Odd>(again(wanted.scheme),
                                 detail::make_method(again("p2p:nonblocking")));
  };
}

TEST_F(Auto, ACandidateWithWrongBytesIsDroppedAndNamed) {
  const Grid grid(world(), {40, 40}, {.periodic = {true, true}});
  if (mpi::size(world()) == 1) GTEST_SKIP() << "needs two ranks";
  const Array<double> array(grid, "auto");
  fill(array, 0);
  const std::vector<double> before = copy(array);
  const detail::Setup setup{mpi::Comm::duplicate(world()), grid.halo(), {array}, "auto", true};
  detail::Tournament tournament(setup, 0.1, {}, instead_of_message<Lying>());
  for (const char* scheme : {"p2p:nonblocking", "shm:message", "p2p:persistent"})
    tournament.enter(scheme);
  tournament.race(10);
  const auto& runners = tournament.runners().runners();
  EXPECT_EQ(runners[1].name, "shm:message");
  EXPECT_EQ(runners[1].dropped, "wrong: not the bytes that p2p:nonblocking delivers");
  EXPECT_NE(tournament.winner()->setup().scheme.str(), "shm:message");
  EXPECT_TRUE(same(array, before));
}

TEST_F(Auto, ACandidateThatIsFarOffGetsNoMoreThanALook) {
  const Grid grid(world(), {40, 40}, {.periodic = {true, true}});
  if (mpi::size(world()) == 1) GTEST_SKIP() << "needs two ranks";
  const Array<double> array(grid, "auto");
  const detail::Setup setup{mpi::Comm::duplicate(world()), grid.halo(), {array}, "auto", true};
  detail::Tournament tournament(setup, 1, {}, instead_of_message<Slow>());
  tournament.enter("p2p:nonblocking");
  tournament.enter("shm:message");
  const auto& slow = tournament.runners().runners().back();
  EXPECT_EQ(slow.dropped.rfind("at first sight: ", 0), 0u) << slow.dropped;
  EXPECT_EQ(slow.seconds.size(), 1u) << "of the three exchanges that compare its bytes";
  EXPECT_EQ(tournament.winner()->setup().scheme.str(), "p2p:nonblocking");
}

}  // namespace
