// What the C++ library does, for the C tests to compare with.

#include "check.h"

#include <halocline/halocline.hpp>
#include <halocline/more/async_exchange.hpp>
#include <halocline/more/section.hpp>

#include <string>
#include <thread>

using namespace halocline;

namespace {

Block block(const halocline_block& of) {
  return {of.offset,
          {static_cast<std::size_t>(of.count[0]), static_cast<std::size_t>(of.count[1]),
           static_cast<std::size_t>(of.count[2])},
          {of.stride[0], of.stride[1]},
          of.part};
}

template <class Call>
const char* error_of(Call&& call) {
  static std::string text;
  text.clear();
  try {
    call();
  } catch (const Error& error) {
    text = error.what();
  }
  return text.c_str();
}

}  // namespace

void exchange_by_cpp(MPI_Comm on, const move* moves, int count, void* data,
                     std::int64_t element_bytes, std::int64_t elements) {
  const int rank = mpi::rank(on);
  Pattern pattern;
  for (const move* one = moves; one != moves + count; ++one) {
    if (one->from == rank && one->to == rank)
      pattern.copy(block(one->sent), block(one->received));
    else if (one->from == rank)
      pattern.send(one->to, block(one->sent));
    else if (one->to == rank)
      pattern.receive(one->from, block(one->received));
  }
  Field all = field(static_cast<std::byte*>(data), static_cast<std::size_t>(elements));
  all.element_bytes = static_cast<std::size_t>(element_bytes);
  Exchange(on, pattern, all, "p2p:nonblocking").run();
}

const char* different_default(void) {
  const halocline_grid_options grid = HALOCLINE_GRID_OPTIONS;
  const GridOptions grid_here;
  const halocline_distribution_options spread = HALOCLINE_DISTRIBUTION_OPTIONS;
  const halocline_halo_options halo = HALOCLINE_HALO_OPTIONS;
  const HaloOptions halo_here;
  const halocline_exchange_options exchange = HALOCLINE_EXCHANGE_OPTIONS;
  const ExchangeOptions exchange_here;
  const halocline_gather_scatter_options sums = HALOCLINE_GATHER_SCATTER_OPTIONS;
  const GatherScatterOptions sums_here;
  const halocline_async_options async = HALOCLINE_ASYNC_OPTIONS;
  const AsyncOptions async_here;
  for (const halocline_halo_width& width : grid.halo)
    if (HaloWidth(width.below, width.above) != grid_here.halo) return "halo of a grid";
  if ((grid.corners != 0) != grid_here.corners) return "corners of a grid";
  if ((grid.decomposition == HALOCLINE_BLOCKS) !=
      (grid_here.decomposition == Decomposition::blocks))
    return "decomposition of a grid";
  if ((grid.renumber != 0) != grid_here.renumber) return "renumber of a grid";
  if (grid.nodes != grid_here.nodes) return "nodes of a grid";
  if (spread.first != DistributionOptions{}.first) return "first of a distribution";
  if ((halo.corners != 0) != halo_here.corners) return "corners of halos";
  if ((halo.own_arrays != 0) != halo_here.own_arrays) return "own_arrays of halos";
  if (exchange.combine.how != static_cast<int>(exchange_here.combine.known()))
    return "combine of an exchange";
  if ((exchange.changes != 0) != exchange_here.changes) return "changes of an exchange";
  if (exchange.capacity != static_cast<std::int64_t>(exchange_here.capacity))
    return "capacity of an exchange";
  if ((exchange.halos == HALOCLINE_IN_PLACE) != (exchange_here.halos == Halos::in_place))
    return "halos of an exchange";
  if (sums.combine.how != static_cast<int>(sums_here.combine.known()))
    return "combine of a gather-scatter";
  if (sums.most_direct != static_cast<std::int64_t>(sums_here.most_direct))
    return "most_direct of a gather-scatter";
  if (async.buffers != async_here.buffers || (async.racy != 0) != async_here.racy)
    return "options of an asynchronous exchange";
  return "";
}

int other_threads_errors_are_theirs(void) {
  const std::string mine = halocline_last_error();
  std::string first, then;
  std::thread([&] {
    first = halocline_last_error();
    halocline_exchange_run(nullptr);
    then = halocline_last_error();
  }).join();
  return first.empty() && then == "halocline_exchange_run: exchange is NULL" &&
         mine == halocline_last_error();
}

const char* scheme_error(const char* scheme) {
  return error_of([&] { Scheme{scheme}; });
}

const char* grid_error(std::int64_t cells, int halo) {
  return error_of([&] { Grid(world(), {cells}, {.halo = halo}); });
}

const char* section_error(int misuse) {
  double x[1] = {0};
  Exchange fixed(world(), Pattern(), field(x, 1), "p2p:nonblocking");
  Exchange chooses(world(), Pattern(), field(x, 1), "auto+when=running");
  Section step(world(), {&chooses});
  return error_of([&] {
    switch (misuse) {
      case 0: Section(world(), {&fixed}); break;
      case 1: Section(world(), {&chooses}); break;
      case 2: step.end(); break;
      case 3: step.begin(), step.end(0); break;
      case 4: step.begin(), step.begin(); break;
      case 5: chooses.start(), step.begin(); break;
      case 6: step.choice("none", {}); break;
      default: step.choice("depth", {1, 2}), step.choice("depth", {1, 3});
    }
  });
}
