// Objects of every class, with random schemes, that each rank destroys in an order of its own: at
// once, while an exception passes, after their communicator has been freed, just before MPI ends,
// and after it. Nobody waits for anybody then, and what is made meanwhile works.

#include "common/known_faults.hpp"

#include <halocline/gather_scatter.hpp>
#include <halocline/halocline.hpp>
#include <halocline/more/async_exchange.hpp>
#include <halocline/more/islands.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/reduction.hpp>
#include <halocline/more/replicated.hpp>
#ifdef _OPENMP
#include <halocline/more/style.hpp>
#endif
#include <halocline/ragged_exchange.hpp>
#include <halocline/wait.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace halocline;

namespace {

using Owner = std::shared_ptr<void>;
using Random = std::minstd_rand;

std::size_t below(std::size_t most, Random& random) {
  return std::uniform_int_distribution<std::size_t>(0, most - 1)(random);
}

constexpr std::size_t cells = 700;  // of a link

int next(MPI_Comm comm) {
  return (mpi::rank(comm) + 1) % mpi::size(comm);
}
int last(MPI_Comm comm) {
  return (mpi::rank(comm) + mpi::size(comm) - 1) % mpi::size(comm);
}

/// To the next one in a ring.
Pattern ring(MPI_Comm comm) {
  Pattern pattern;
  const Block out{.offset = 0, .count = {1, 2, cells / 2}, .stride = {0, cells}};
  const Block in{.offset = cells / 2, .count = {1, 2, cells / 2}, .stride = {0, cells}};
  if (mpi::size(comm) == 1) {
    pattern.copy(out, in);
  } else {
    pattern.send(next(comm), out);
    pattern.receive(last(comm), in);
  }
  return pattern;
}

void must(bool right, const std::string& what) {
  if (right) return;
  std::printf("rank %d: %s: wrong\n", mpi::rank(world()), what.c_str());
  std::abort();
}

/// Memory of the caller's own, which goes with the exchange: nothing arrives there any more.
struct InOwnMemory {
  std::vector<double> x = std::vector<double>(2 * cells);
  Exchange exchange;  // which goes first
  InOwnMemory(MPI_Comm comm, const std::string& scheme, const ExchangeOptions& options = {})
      : exchange(comm, ring(comm), field(x.data(), x.size()), Scheme(scheme), options) {}
};

void use(MPI_Comm comm, Exchange& exchange, double* x, bool combines, const std::string& scheme) {
  for (int step = 0; step < 3; ++step) {
    std::fill_n(x, 2 * cells, 0.0);
    x[0] = 10 * step + mpi::rank(comm) + 1;
    exchange.run();
    must(x[cells / 2] == 10 * step + last(comm) + 1, scheme + (combines ? ", sum" : ""));
  }
}

std::vector<std::string> schemes() {
  std::vector<std::string> all;
  for (const SchemeFacts& known : known_schemes()) {
    if (!is_usable(known.scheme)) continue;
    all.push_back(known.scheme);
    for (const char* option : {"+notify=flag", "+notify=counter", "+pack=off", "+alloc=create",
                               "+alloc=shared", "+group=neighbors", "+access=copy"}) {
      try {
        all.push_back(Scheme(known.scheme + option).str());
      } catch (const Error&) {  // it has no such option
      }
    }
  }
  return all;
}

/// Makes one object, the same on all ranks of `comm`, and uses it.
Owner make(MPI_Comm comm, Random& shared) {
  static const std::vector<std::string> all = schemes();
  const std::string scheme = all[below(all.size(), shared)];
  const bool adds = scheme.find("accumulate") != scheme.npos;
  const std::vector<int> to{next(comm)}, from{last(comm)};
  switch (below(13, shared)) {
    case 0:
    case 1: {
      auto one = std::make_shared<InOwnMemory>(comm, scheme);
      use(comm, one->exchange, one->x.data(), false, scheme);
      return one;
    }
    case 2: {
      auto one = std::make_shared<InOwnMemory>(
          comm, scheme, ExchangeOptions{.combine = Combine::sum, .any_order = true});
      use(comm, one->exchange, one->x.data(), true, scheme);
      return one;
    }
    case 3:
    case 4: {
      Array<double> x(comm, 2 * cells, Scheme(scheme));
      auto one = std::make_shared<Exchange>(comm, ring(comm), x, Scheme(scheme));
      use(comm, *one, x.data(), false, scheme);
      return one;
    }
    case 5: return std::make_shared<Array<double>>(comm, 3000, Scheme(scheme));
    case 6: {
      auto one = std::make_shared<RaggedExchange>(comm, to, from, sizeof(double), 4,
                                                  Scheme(adds ? "p2p:nonblocking" : scheme));
      for (std::size_t step = 1; step < 30; ++step) {
        one->outgoing<double>(0, step)[step - 1] = mpi::rank(comm);
        one->run();
        must(one->received<double>(0)[step - 1] == from[0], "ragged by " + scheme);
      }
      return one;
    }
    case 7: {
      struct Nodes {
        std::vector<double> x{1, 2};
        GatherScatter sum;
        Nodes(MPI_Comm comm, const Scheme& scheme)
            : sum(comm, std::vector<std::int64_t>{0, 1 + mpi::rank(comm)},
                  field(x.data(), x.size()), scheme) {}
      };
      auto one = std::make_shared<Nodes>(comm, Scheme(adds ? "shm:signal" : scheme));
      one->sum.run();
      must(one->x[0] == mpi::size(comm), "gather-scatter by " + scheme);
      return one;
    }
    case 8: {
      std::vector<std::string> some = async_schemes();
      std::erase_if(some, is_broken);
      Pattern pattern;
      if (mpi::size(comm) > 1) {
        pattern.send(to[0], {.offset = 0});
        pattern.receive(from[0], {.offset = 1});
      }
      auto one = std::make_shared<AsyncExchange>(comm, pattern, sizeof(double),
                                                 some[below(some.size(), shared)]);
      std::vector<double> pair{1, 2};
      for (std::uint64_t i = 1; i < 4; ++i) one->send(pair.data(), i), one->receive(pair.data());
      return one;
    }
    case 9: {
      auto one = std::make_shared<Replicated<double>>(comm, 100);
      one->write(0, [](auto copy) { copy[0] = 1; });
      must((*one)[0] == 1, "replicated");
      return one;
    }
    case 10: {
      const auto kinds = std::size(reduction_kinds);
      auto one = make_max_reduction(comm, reduction_kinds[below(kinds, shared)], 2);
      one->contribute(mpi::rank(comm));
      return one;
    }
    case 11: {
      auto one = make_async_sum(comm, async_sum_kinds[below(std::size(async_sum_kinds), shared)]);
      one->advance([] { return 1.0; });
      return one;
    }
    default: {
      const Islands islands(comm);
      must(islands.count() == 1, "islands");
      const Grid grid(comm, {8 * mpi::size(comm), 6}, {.periodic = {true, true}, .renumber = true});
      Array<double> x(grid, Scheme(scheme));
      auto one = std::make_shared<Exchange>(grid.comm(), grid.halo(), x, Scheme(scheme));
      one->run();
      return one;
    }
  }
}

/// What is alive on this rank, which goes as this rank likes.
class Alive {
 public:
  explicit Alive(unsigned seed) : random_(seed) {}
  void add(Owner one) { all_.push_back(std::move(one)); }
  void end_some(std::size_t most) {
    std::vector<Owner> going;
    for (std::size_t count = below(most + 1, random_); count > 0 && !all_.empty(); --count) {
      std::swap(all_[below(all_.size(), random_)], all_.back());
      going.push_back(std::move(all_.back()));
      all_.pop_back();
    }
    try {
      const std::vector<Owner> gone = std::move(going);
      if (below(2, random_) == 0) throw Error("of the caller's own");
    } catch (const Error&) {
    }
  }
  void end_all() {
    while (!all_.empty()) end_some(all_.size());
  }

 private:
  Random random_;
  std::vector<Owner> all_;
};

Alive& outlives_mpi() {
  static Alive alive(1);
  return alive;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned first = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1,
                 rounds = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  Environment environment(argc, argv);
  Patience::current().timeout = std::chrono::seconds(60);  // rather than to hang
  Patience::current().stuck = &end_process;
  for (unsigned seed = first; seed < first + rounds; ++seed) {
    Random shared(seed);
    Alive alive(100 * seed + static_cast<unsigned>(mpi::rank(world())));
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(world(), &comm);
    for (int made = 0; made < 20; ++made) {
      alive.add(make(made % 2 == 0 ? world() : comm, shared));
      alive.end_some(2);
    }
    if (seed % 2 == 0) alive.end_all();
    MPI_Comm_free(&comm);
    alive.add(make(world(), shared));
    if (seed + 1 < first + rounds) continue;
    // Some of the last ones end before MPI does, and some after.
    alive.end_some(10);
    outlives_mpi() = std::move(alive);
  }
}
