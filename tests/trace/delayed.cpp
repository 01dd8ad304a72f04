// delayed CASE MILLISECONDS FILE: two ranks, of which rank 1 is late by a known time in every step,
// in a way that makes rank 0 wait for one known reason; and the trace of it.

#include "common/known_faults.hpp"

#include <halocline/array.hpp>
#include <halocline/exchange.hpp>
#include <halocline/more/reduction.hpp>
#include <halocline/more/trace.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace halocline;

constexpr int steps = 10;

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

/// Keeps rank 1 out of MPI. Both ranks look at the clock of the host when they go on: where others
/// compute on the same cores, a rank is late by more than was asked for.
class Delay {
 public:
  explicit Delay(Milliseconds length) : length_(length) {}
  void operator()() const {
    began_.push_back(Milliseconds(Clock::now().time_since_epoch()).count());
    if (mpi::rank(world()) == 1) {
      const trace::Region late("late", Activity::compute);
      const auto until = Clock::now() + length_;
      while (Clock::now() < until) continue;
    }
    went_on_.push_back(Milliseconds(Clock::now().time_since_epoch()).count());
  }
  /// Says on rank 0, step by step, by how many milliseconds the other was later, and for how many
  /// of them it was out of MPI.
  void tell() const {
    const std::vector<double> began = of_other(began_), went_on = of_other(went_on_);
    if (mpi::rank(world()) == 0)
      for (std::size_t i = 0; i < steps; ++i)
        std::printf("%.6f %.6f\n", went_on[i] - went_on_[i],
                    went_on[i] - std::max(began[i], went_on_[i]));
  }

 private:
  static std::vector<double> of_other(const std::vector<double>& times) {
    std::vector<double> other(times.size());
    HALOCLINE_MPI(MPI_Sendrecv, times.data(), steps, MPI_DOUBLE, 1 - mpi::rank(world()), 0,
                  other.data(), steps, MPI_DOUBLE, 1 - mpi::rank(world()), 0, world(),
                  MPI_STATUS_IGNORE);
    return other;
  }

  Milliseconds length_;
  mutable std::vector<double> began_, went_on_;
};

enum class Way { both, to_late, from_late };

Pattern pattern(Way way) {
  const int me = mpi::rank(world());
  Pattern links;
  if (way == Way::both || (way == Way::to_late) == (me == 0))
    links.send(1 - me, {0, {1, 1, 8}, {}});
  if (way == Way::both || (way == Way::to_late) == (me == 1))
    links.receive(1 - me, {8, {1, 1, 8}, {}});
  return links;
}

/// Each step begins together, so that a delay is all that one rank is behind the other.
void repeat(const std::function<void()>& step) {
  for (int i = 0; i < steps; ++i) {
    HALOCLINE_MPI(MPI_Barrier, world());
    step();
  }
}

enum class When { before, between };

void exchange(const char* scheme, Way way, When when, const Delay& delay) {
  Array<double> cells(world(), 16, Scheme(scheme));
  Exchange exchange(pattern(way), cells, Scheme(scheme));
  repeat([&] {
    if (when == When::before) delay();
    exchange.start();
    if (when == When::between) delay();
    exchange.finish();
  });
}

void reduce(const Delay& delay) {
  const auto reduction = make_max_reduction(world(), ReductionKind::allreduce, 4);
  repeat([&] {
    delay();
    reduction->contribute(1);
    reduction->everywhere();
  });
}

/// Rank 1 holds a lock that rank 0 asks for.
void lock(const Delay& delay) {
  double word = 0;
  mpi::Window window;
  HALOCLINE_MPI(MPI_Win_create, &word, sizeof word, 1, MPI_INFO_NULL, world(), window.address());
  const trace::Towards towards(0);
  const auto hold = [&] {
    HALOCLINE_MPI(MPI_Win_lock, MPI_LOCK_EXCLUSIVE, 0, 0, window);
    // Only now has any MPI asked for it.
    HALOCLINE_MPI(MPI_Get, &word, 0, MPI_BYTE, 0, 0, 0, MPI_BYTE, window);
    HALOCLINE_MPI(MPI_Win_flush, 0, window);
  };
  for (int i = 0; i < steps; ++i) {
    if (mpi::rank(world()) == 1) {
      hold();
      HALOCLINE_MPI(MPI_Barrier, world());
      delay();
    } else {
      HALOCLINE_MPI(MPI_Barrier, world());
      delay();
      hold();
    }
    HALOCLINE_MPI(MPI_Win_unlock, 0, window);
    HALOCLINE_MPI(MPI_Barrier, world());
  }
}

int run(int argc, char** argv) {
  if (argc != 4) throw Error("delayed CASE MILLISECONDS FILE");
  const Delay delay(Milliseconds(std::stod(argv[2])));
  const auto by = [&](const char* scheme, Way way, When when) {
    return [=, &delay] { exchange(scheme, way, when, delay); };
  };
  const char* const neighbor =
      is_usable("neighbor:persistent") ? "neighbor:persistent" : "neighbor:nonblocking";
  const std::map<std::string, std::function<void()>> cases = {
      {"p2p", by("p2p:nonblocking", Way::both, When::before)},
      {"sendrecv", by("p2p:sendrecv", Way::both, When::before)},
      {"neighbor", by(neighbor, Way::both, When::before)},
      {"signal", by("shm:signal", Way::both, When::before)},
      {"synchronous", by("p2p:nonblocking+mode=synchronous", Way::to_late, When::before)},
      {"copy", by("shm:signal+access=copy", Way::to_late, When::between)},
      {"post", by("rma:put:pscw", Way::to_late, When::before)},
      {"origin", by("rma:put:pscw", Way::from_late, When::before)},
      {"complete", by("rma:put:pscw", Way::from_late, When::between)},
      {"fence", by("rma:put:fence", Way::both, When::before)},
      {"shm_fence", by("shm:fence", Way::both, When::before)},
      {"put", by("rma:put:flush", Way::from_late, When::before)},
      {"flush", by("rma:put:flush", Way::from_late, When::between)},
      {"get", by("rma:get:flush", Way::from_late, When::before)},
      {"progress", by("rma:put:lock+alloc=create", Way::to_late, When::before)},
      {"lock", [&] { lock(delay); }},
      {"reduction", [&] { reduce(delay); }},
  };
  const auto found = cases.find(argv[1]);
  if (found == cases.end()) throw Error(std::string(argv[1]) + ": there is no such case");
  trace::begin(world());
  found->second();
  trace::write(world(), argv[3]);
  delay.tell();
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  return guarded_main(argc, argv, "delayed", run);
}
