#include "wavefront.hpp"

#include <algorithm>
#include <utility>

namespace spmv {

std::vector<std::vector<Visit>> wavefront(const Neighbours& neighbours,
                                          std::span<const std::int32_t> order, int sweeps,
                                          int threads) {
  threads = std::min(threads, sweeps);
  std::vector<std::size_t> thread_of;
  for (int thread = 0; thread < threads; ++thread)
    thread_of.resize(static_cast<std::size_t>(sweeps * (thread + 1) / threads),
                     static_cast<std::size_t>(thread));
  const auto at = [&](std::int32_t piece, int sweep) {
    return static_cast<std::size_t>(piece) * static_cast<std::size_t>(sweeps) +
           static_cast<std::size_t>(sweep);
  };
  std::vector<std::vector<Visit>> visits(static_cast<std::size_t>(threads));
  const std::size_t all = at(static_cast<std::int32_t>(neighbours.size()), 0);
  std::vector<std::size_t> done_before(all, 0);  // neighbours that the sweep before has taken
  std::vector<std::ptrdiff_t> place(all, 0);     // in its thread's visits
  std::vector<std::pair<std::int32_t, int>> ready;
  const auto take = [&](std::int32_t piece, int sweep) {
    const auto& around = neighbours[static_cast<std::size_t>(piece)];
    const std::size_t thread = thread_of[static_cast<std::size_t>(sweep)];
    Visit visit{piece, sweep, 0};
    if (sweep > 0 && thread_of[static_cast<std::size_t>(sweep) - 1] != thread)
      for (const std::int32_t other : around)
        visit.after = std::max(visit.after, place[at(other, sweep - 1)] + 1);
    place[at(piece, sweep)] = std::ssize(visits[thread]);
    visits[thread].push_back(visit);
    if (++sweep == sweeps) return;
    for (const std::int32_t other : around)
      if (++done_before[at(other, sweep)] == neighbours[static_cast<std::size_t>(other)].size())
        ready.emplace_back(other, sweep);
  };
  for (const std::int32_t piece : order) {
    take(piece, 0);
    while (!ready.empty()) {
      const auto [next, sweep] = ready.back();
      ready.pop_back();
      take(next, sweep);
    }
  }
  return visits;
}

}  // namespace spmv
