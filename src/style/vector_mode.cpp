// Styles in which no thread sweeps while another one is in MPI: one thread exchanges, all sweep.

#include "state.hpp"

namespace halocline {

void StyledExchange::State::masteronly(const Sweep& all, FieldExchange& field, Problems& problems) {
  exchange(field, problems);
#pragma omp parallel num_threads(threads)
  sweep_all(all, problems);
}

/// The inner part is swept between start and finish: what overlaps is up to MPI.
void StyledExchange::State::naive(const Sweep& all, FieldExchange& field, Problems& problems) {
  communicate(problems, [&] { field.exchanges.front().start(); });
#pragma omp parallel num_threads(threads)
  sweep(all.sweep_inner, Share(all.inner, omp_get_thread_num(), omp_get_num_threads()), problems);
  communicate(problems, [&] { field.exchanges.front().finish(); });
#pragma omp parallel num_threads(threads)
  sweep(all.sweep_border, Share(all.border, omp_get_thread_num(), omp_get_num_threads()), problems);
}

void StyledExchange::State::funneled(const Sweep& all, FieldExchange& field, Problems& problems) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp master
    exchange(field, problems);
#pragma omp barrier
    sweep_all(all, problems);
  }
}

void StyledExchange::State::single(const Sweep& all, FieldExchange& field, Problems& problems) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp single
    exchange(field, problems);
    sweep_all(all, problems);
  }
}

}  // namespace halocline
