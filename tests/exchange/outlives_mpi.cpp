// Objects of every class, with every scheme, that live longer than MPI: as globals filled by main
// do. Arrays keep what is in them, and all end in silence.

#include "common/known_faults.hpp"

#include <halocline/arena.hpp>
#include <halocline/gather_scatter.hpp>
#include <halocline/halocline.hpp>
#include <halocline/more/async_exchange.hpp>
#include <halocline/more/global_clock.hpp>
#include <halocline/more/islands.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/reduction.hpp>
#include <halocline/more/replicated.hpp>
#ifdef _OPENMP
#include <halocline/more/style.hpp>
#endif
#include <halocline/more/trace.hpp>
#include <halocline/ragged_exchange.hpp>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace halocline;

namespace {

std::deque<Array<double>> arrays;
std::deque<std::vector<double, ArenaAllocator<double>>> vectors;
std::deque<Exchange> exchanges;
std::deque<AsyncExchange> asyncs;
std::deque<RaggedExchange> raggeds;
std::deque<GatherScatter> gathers;
std::deque<Replicated<double>> copies;
#ifdef _OPENMP
std::deque<StyledExchange> styled;
#endif
std::vector<std::shared_ptr<MaxReduction>> maxima;
std::vector<std::shared_ptr<AsyncSum>> sums;
std::deque<GlobalClock> clocks;
std::deque<Grid> grids;
std::deque<Islands> islands;

/// All methods, those of passive target with each way to notify, and some routes; but for what this
/// MPI is known to break (see tests/CMakeLists.txt).
std::vector<std::string> all_schemes(int ranks) {
  std::vector<std::string> all;
  for (const SchemeFacts& known : known_schemes()) {
    if (!is_usable(known.scheme)) continue;
    all.push_back(known.scheme);
    for (const char* option :
         {"+notify=flag", "+notify=counter", "+pack=off", "+alloc=create", "+alloc=shared",
          "+group=neighbors", "+access=copy", "+access=direct", "+heads=1", "+corners=forwarded"}) {
      try {
        const Scheme more(known.scheme + option);
        // MPICH has few communicators; these take many.
        if (ranks > 1 || std::string_view(option) != "+heads=1") all.push_back(more.str());
      } catch (const Error&) {  // it has no such option
      }
    }
  }
  return all;
}

void fill(const std::string& scheme, bool left_in_the_middle) {
  const Grid& grid = grids.front();
  const bool direct = scheme.find("access=direct") != scheme.npos;
  const auto array = [&]() -> Array<double>& { return arrays.emplace_back(grid, Scheme(scheme)); };
  Exchange& one = exchanges.emplace_back(grid.comm(), grid.halo(), array(), Scheme(scheme));
  for (int step = 0; step < 3; ++step) one.run();
  if (left_in_the_middle) one.start();
  if (direct || scheme.find("heads") != scheme.npos) return;
  exchanges
      .emplace_back(grid.comm(), grid.halo().reversed(), array(), Scheme(scheme),
                    ExchangeOptions{.combine = Combine::sum, .any_order = true})
      .run();
  if (scheme.find("notify") == scheme.npos && scheme.find('+') != scheme.npos) return;
  if (scheme.find("accumulate") != scheme.npos) return;
  exchanges
      .emplace_back(grid.comm(), grid.halo(), array(), Scheme(scheme),
                    ExchangeOptions{.changes = true})
      .run();
  const int size = mpi::size(world()), rank = mpi::rank(world());
  const std::vector<int> peers = size == 1 ? std::vector<int>{} : std::vector<int>{1 - rank};
  RaggedExchange& ragged =
      raggeds.emplace_back(world(), peers, peers, sizeof(double), 4, Scheme(scheme));
  for (int step = 0; step < 20; ++step) {
    if (!peers.empty()) ragged.outgoing<double>(0, 9)[0] = 1;
    ragged.run();
  }
}

void fill_others(bool left_in_the_middle) {
  Array<double>& cells = arrays.emplace_back(grids.front(), Scheme("p2p:nonblocking"));
  for (const std::string& scheme : async_schemes())
    for (const bool racy : {false, true}) {
      AsyncExchange& exchange = asyncs.emplace_back(world(), grids.front().halo(), sizeof(double),
                                                    Scheme(scheme), AsyncOptions{.racy = racy});
      for (std::uint64_t i = 1; i < 4; ++i)
        exchange.send(cells.data(), i), exchange.receive(cells.data());
      if (racy && !left_in_the_middle) exchange.drain(cells.data());
    }
  const std::vector<std::int64_t> numbers(cells.size(), 3);
  GatherScatter& sum = gathers.emplace_back(world(), numbers, cells, Scheme("p2p:nonblocking"));
  sum.run();
  if (left_in_the_middle) sum.start();
#ifdef _OPENMP
  styled
      .emplace_back(world(), grids.front().halo(), std::vector<Field>{cells},
                    Scheme("p2p:nonblocking"), Style("masteronly"), 2)
      .run();
#endif
  copies.emplace_back(world(), 100).write(0, [](auto all) { all[0] = 1; });
  for (const char* kind : {"allreduce", "iallreduce", "chain", "last", "accumulate"})
    for (const bool pending : {false, true}) {
      maxima.push_back(make_max_reduction(world(), reduction_kind(kind), 2));
      maxima.back()->contribute(1);
      if (!pending) maxima.back()->complete();
    }
  for (const char* kind : {"tree", "iallreduce"}) {
    sums.push_back(make_async_sum(world(), async_sum_kind(kind)));
    for (int i = 0; i < 20; ++i) sums.back()->advance([] { return 1.0; });
  }
  clocks.emplace_back(world());
  islands.emplace_back(world());
}

/// Smaller than a page, and larger than what C libraries keep in their heap; of this rank alone.
void fill_memory() {
  for (const MemoryKind kind : {MemoryKind::window, MemoryKind::shared}) {
    for (const std::size_t elements : {30, 4'000, 5'000'000})
      arrays.emplace_back(world(), elements + static_cast<std::size_t>(mpi::rank(world())), kind);
    arrays.emplace_back(MPI_COMM_SELF, 4'000, kind);
  }
  for (const char* scheme : {"rma:put:flush+alloc=allocate", "shm:signal"})
    vectors.emplace_back(1'000, 7, Arena(world(), 1 << 16, Scheme(scheme)));
}

/// A cell that no exchange receives in.
std::size_t own_cell() {
  return static_cast<std::size_t>(3 * grids.front().local(1) + 3);
}
void write_arrays() {
  double value = mpi::rank(world());
  for (Array<double>& array : arrays) array[own_cell()] = ++value;
}
bool arrays_are_as_written(double value) {
  bool right = copies.front()[0] == 1;
  for (const auto& vector : vectors) right = right && vector.front() == 7 && vector.back() == 7;
  for (Array<double>& array : arrays) {
    right = right && array[own_cell()] == ++value;
    array[0] = array[array.size() - 1] = 0;
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  // Nothing of this needs MPI to be there.
  { const Array<double> empty; }
  if (mpi::running()) return 2;
  int rank = 0;
  {
    Environment environment(argc, argv);
    if (!mpi::running()) return 3;
    const bool left = argc > 1 && std::string_view(argv[1]) == "left";
    grids.emplace_back(world(), std::vector<std::int64_t>{8 * mpi::size(world()), 6},
                       GridOptions{.periodic = {true, true}, .renumber = true});
    trace::begin(world());
    for (const std::string& scheme : all_schemes(mpi::size(world()))) fill(scheme, left);
    fill_others(left);
    fill_memory();
    write_arrays();
    rank = mpi::rank(world());
    MPI_Barrier(world());
  }
  if (!arrays_are_as_written(rank)) return 5;
  return mpi::running() ? 4 : 0;
}
