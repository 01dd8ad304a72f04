// Styles in which one thread is in MPI while the others sweep the inner part.

#include "state.hpp"

#include <algorithm>

namespace halocline {

void StyledExchange::State::thread(const Sweep& all, FieldExchange& field, Problems& problems) {
  const double before = times.exchange;
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num(), others = omp_get_num_threads() - 1;
    const std::int64_t mine = balance.mine(all.inner, others);
    Share units(all.inner - mine, others == 0 ? 0 : me - 1, std::max(1, others));
    units.begin += mine, units.end += mine;
    if (me == 0) {
      exchange(field, problems);
      units = Share(mine, 0, 1);
    }
    double seconds = 0;
    {
      const detail::Stopwatch timed(seconds);
      sweep(all.sweep_inner, units, problems);
    }
    balance.swept(me, units.end - units.begin, seconds);
#pragma omp barrier
    sweep(all.sweep_border, Share(all.border, me, others + 1), problems);
  }
  balance.adapt(all.inner, times.exchange - before);
}

void StyledExchange::State::tasks(const Sweep& all, FieldExchange& field, Problems& problems) {
  // More tasks than threads, for those that begin late.
  const auto pieces_of = [&](std::int64_t units) {
    return static_cast<int>(std::clamp<std::int64_t>(units, 1, 8 * threads));
  };
  const int inner = pieces_of(all.inner), border = pieces_of(all.border);
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp task priority(1) default(shared)
    {
      exchange(field, problems);
#pragma omp taskloop grainsize(1) default(shared)
      for (int i = 0; i < border; ++i)
        sweep(all.sweep_border, Share(all.border, i, border), problems);
    }
#pragma omp taskloop grainsize(1) default(shared)
    for (int i = 0; i < inner; ++i) sweep(all.sweep_inner, Share(all.inner, i, inner), problems);
  }
}

}  // namespace halocline
