// Each thread exchanges a piece of every message, on a communicator of its own (pieces.hpp).

#include "state.hpp"

namespace halocline {

void StyledExchange::State::multiple(const Sweep& all, FieldExchange& field, Problems& problems) {
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num(), of = omp_get_num_threads();
    exchange(field, problems, me);
    sweep(all.sweep_inner, Share(all.inner, me, of), problems);
#pragma omp barrier
    sweep(all.sweep_border, Share(all.border, me, of), problems);
  }
}

void StyledExchange::State::other_multiple(const Sweep& all, FieldExchange& field,
                                           Problems& problems) {
  State& other = *choosing->multiple;
  other.multiple(all, other.fields[static_cast<std::size_t>(&field - fields.data())], problems);
  times.sweep += other.times.sweep;
  times.exchange += other.times.exchange;
  other.times = {};
}

}  // namespace halocline
