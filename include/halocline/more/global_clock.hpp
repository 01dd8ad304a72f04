#pragma once
// One time for all ranks: every rank learns offset and drift of its clock against rank 0's.
//
// Offsets come from round trips, of which the quickest counts (F. Cristian, 1989); drift from a
// line through offsets taken at different times, level by level of a binomial tree, so that p ranks
// need log2(p) turns (S. Hunold and A. Carpen-Amarie, "Reproducible MPI Benchmarking Is Still Not
// as Easy as You Think", IEEE TPDS 27(12), 2016, doi:10.1109/TPDS.2016.2539167).

#include <mpi.h>

#include <functional>
#include <span>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

/// Reads a clock, in seconds since whenever.
using ReadClock = std::function<double()>;

/// This host's steady clock.
double steady_seconds();

/// How far the reference's clock was ahead of mine.
struct ClockProbe {
  double local;       ///< my clock, in the middle between question and answer
  double offset;      ///< the reference's clock less mine
  double round_trip;  ///< seconds between them; the offset is off by at most half of it
};

/// The quickest of `tries` questions. `ask` returns the reference's time.
template <class Ask>
ClockProbe probe_clock(const ReadClock& read, Ask&& ask, int tries) {
  ClockProbe best{0, 0, -1};
  for (int i = 0; i < tries; ++i) {
    const double asked = read();
    const double reference = ask();
    const double heard = read();
    if (best.round_trip >= 0 && heard - asked >= best.round_trip) continue;
    const double middle = asked + (heard - asked) / 2;
    best = {middle, reference - middle, heard - asked};
  }
  return best;
}

/// From a clock to the reference's: a line through probes.
struct ClockLine {
  double origin = 0;  ///< on my clock
  double offset = 0;  ///< of the reference, at the origin
  double drift = 0;   ///< seconds that the offset grows in a second
  double error = 0;   ///< half the shortest round trip, and how far probes lie off the line

  double to_reference(double local) const noexcept {
    return local + offset + drift * (local - origin);
  }
};

/// Least squares through the probes, each weighted by how well its round trip knows the offset: it
/// leaves no probe out, because all later ones take longer if ranks have moved apart. A drift below
/// four standard errors, or from a handful of probes, counts as none: extrapolated over seconds it
/// would do more harm than good.
ClockLine fit_clock(std::span<const ClockProbe> probes);

/// The time of rank 0 of a communicator, on every rank. Collective to make and to refresh.
class GlobalClock {
 public:
  explicit GlobalClock(MPI_Comm comm, ReadClock read = steady_seconds);
  GlobalClock(const GlobalClock&) = default;
  GlobalClock(GlobalClock&&) = default;
  GlobalClock& operator=(const GlobalClock&) = default;
  GlobalClock& operator=(GlobalClock&&) = default;
  ~GlobalClock() = default;

  double now() const { return line_.to_reference(read_()); }
  /// Takes more probes; the older ones stay, so the drift becomes more and more accurate.
  void refresh();
  const ClockLine& line() const noexcept { return line_; }
  /// The worst of all ranks.
  double error() const noexcept { return error_; }

 private:
  void take_probes(int count, double pause);
  void answer(int rank, int count) const;

  MPI_Comm comm_;
  ReadClock read_;
  std::vector<ClockProbe> probes_;
  ClockLine line_;
  double error_ = 0;
};

}  // namespace halocline

#pragma GCC visibility pop
