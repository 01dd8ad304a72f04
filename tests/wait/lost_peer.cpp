// lost_peer absent|killed SCHEME: after some steps the last rank does not come any more.
// With max:KIND or sum:KIND, to a reduction.

#include <halocline/exchange.hpp>
#include <halocline/reduction.hpp>

#include <csignal>
#include <cstdio>
#include <string>
#include <thread>

using namespace halocline;

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

int main(int argc, char** argv) {
  return guarded_main(argc, argv, "lost_peer", [](int count, char** words) {
    if (count != 3) throw Error("usage: lost_peer absent|killed SCHEME");
    const std::string how = words[1];
    const bool killed = how == "killed";
    const std::string what = words[2];
    Patience::current().timeout = std::chrono::seconds(how == "absent" ? 2 : 20);

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
