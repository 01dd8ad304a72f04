// lost_peer absent|killed SCHEME: after some steps the last rank does not come any more.
// With max:KIND or sum:KIND, to a reduction.
// lost_peer set-up WHAT: it never comes to what is made of several ranks.
// lost_peer stranger: a program of the same job that knows nothing of Halocline.

#include <halocline/exchange.hpp>
#include <halocline/gather_scatter.hpp>
#include <halocline/more/async_exchange.hpp>
#include <halocline/more/islands.hpp>
#include <halocline/more/reduction.hpp>
#include <halocline/more/replicated.hpp>
#include <halocline/more/trace.hpp>
#include <halocline/more/waiting.hpp>
#include <halocline/ragged_exchange.hpp>

#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <thread>

using namespace halocline;

namespace {

void make(const std::string& what) {
  const auto exchange = [](const Scheme& scheme) {
    static double cells[4] = {};
    Pattern ring;
    const int me = mpi::rank(world()), ranks = mpi::size(world());
    ring.send((me + 1) % ranks, {.offset = 0, .count = {1, 1, 1}});
    ring.receive((me + ranks - 1) % ranks, {.offset = 1, .count = {1, 1, 1}});
    Exchange(ring, field(cells, 4), scheme);
  };
  const std::map<std::string, std::function<void()>> all = {
      {"array", [] { Array<double>(world(), 10); }},
      {"window", [] { Array<double>(world(), 10, MemoryKind::window); }},
      {"shared", [] { Array<double>(world(), 10, MemoryKind::shared); }},
      {"islands", [] { const Islands islands(world()); }},
      {"p2p", [&] { exchange("p2p:nonblocking"); }},
      {"auto", [&] { exchange("auto"); }},
      {"async", [] { AsyncExchange(world(), Pattern(), 8, "p2p:nonblocking"); }},
      {"ragged-links", [] { RaggedExchange(world(), {}, {}, 8, 4, "p2p:nonblocking"); }},
      {"maximum", [] { make_max_reduction(world(), ReductionKind::accumulate, 1); }},
      {"sum", [] { make_async_sum(world()); }},
      {"replicated", [] { Replicated<double>(world(), 10); }},
      {"recording", [] { trace::begin(world()); }}};
  all.at(what)();
}

/// Begins and ends MPI, late.
int stranger(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::this_thread::sleep_for(std::chrono::seconds(60));
  return MPI_Finalize();
}

/// Ranks that come, and the last one that does not after some steps.
template <class Run>
void lose_last(const Run& run, bool killed) {
  for (int step = 0; step < 5; ++step) run();
  if (mpi::rank(world()) == mpi::size(world()) - 1) {
    if (killed) std::raise(SIGKILL);
    std::this_thread::sleep_for(std::chrono::seconds(60));
  }
  for (int step = 0; step < 5; ++step) run();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "stranger") return stranger(argc, argv);
  return guarded_main(argc, argv, "lost_peer", [](int count, char** words) {
    if (count != 3) throw Error("usage: lost_peer absent|killed|set-up SCHEME|WHAT");
    const std::string how = words[1];
    if (how == "set-up") {
      Patience::current().timeout = std::chrono::seconds(1);
      if (mpi::rank(world()) == mpi::size(world()) - 1)
        std::this_thread::sleep_for(std::chrono::seconds(60));
      make(words[2]);
      std::puts("went on without the lost rank");
      return EXIT_SUCCESS;
    }
    const bool killed = how == "killed";
    const std::string what = words[2];
    Patience::current().timeout = std::chrono::seconds(how == "absent" ? 1 : 20);

    if (what.starts_with("max:")) {
      // Values that are on their way when the error passes end with the reduction.
      const auto reduction = make_max_reduction(world(), reduction_kind(what.substr(4)), 8);
      lose_last([&] { reduction->contribute(1), reduction->everywhere(); }, killed);
    } else if (what.starts_with("sum:")) {
      const auto sum = make_async_sum(world(), async_sum_kind(what.substr(4)));
      const auto one = [] { return 1.0; };
      const auto round = [&] {
        wait_until("a round of the sum", [&] { return sum->advance(one).has_value(); });
        sum->drain();
      };
      lose_last(round, killed);
    } else {
      const Scheme scheme = what;
      const Grid grid(world(), {30, 30}, {.periodic = {true, true}});
      const Array<double> array(grid, scheme);
      Exchange exchange(grid.halo(), array, scheme);
      lose_last([&] { exchange.run(); }, killed);
    }
    std::puts("went on without the lost rank");
    return EXIT_SUCCESS;
  });
}
