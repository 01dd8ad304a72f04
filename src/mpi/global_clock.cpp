#include <halocline/more/global_clock.hpp>

#include <halocline/more/mpi.hpp>
#include <halocline/more/waiting.hpp>

#include "collectives.hpp"
#include "under_way.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <thread>

namespace halocline {

namespace {

constexpr int tries = 10, first_probes = 10, more_probes = 2;
constexpr double pause_s = 2e-3;
constexpr std::size_t most_probes = 512, fewest_for_drift = 8;
constexpr const char* what = "synchronising clocks";

void send(MPI_Comm comm, int rank, double time) {
  detail::Pending<double> sent(time);
  HALOCLINE_MPI(MPI_Isend, &*sent, 1, MPI_DOUBLE, rank, detail::tag_of_clocks, comm,
                &sent.request());
  wait_one(what, sent.request());
}

double receive(MPI_Comm comm, int rank) {
  const auto time = std::make_shared<double>(0);
  detail::UnderWay request(detail::UnderWay::receives, 1, time);
  HALOCLINE_MPI(MPI_Irecv, time.get(), 1, MPI_DOUBLE, rank, detail::tag_of_clocks, comm,
                &request[0]);
  wait_one(what, request[0]);
  return *time;
}

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ClockLine fit_clock(std::span<const ClockProbe> probes) {
  if (probes.empty()) return {};
  const auto shortest = std::min_element(probes.begin(), probes.end(), [](auto& a, auto& b) {
                          return a.round_trip < b.round_trip;
                        })->round_trip;
  // In units of the shortest, so that the sums stay of order one.
  const auto weight = [shortest](const ClockProbe& one) {
    const double ratio = one.round_trip > 0 ? shortest / one.round_trip : 1;
    return ratio * ratio;
  };

  const auto n = static_cast<double>(probes.size());
  ClockLine line;
  // The first one is taken away before the means: clocks count from long ago.
  const ClockProbe first = probes.front();
  double weights = 0, time = 0, offset = 0;
  for (const ClockProbe& one : probes) {
    weights += weight(one);
    time += weight(one) * (one.local - first.local);
    offset += weight(one) * (one.offset - first.offset);
  }
  time /= weights, offset /= weights;
  double spread = 0, common = 0;
  for (const ClockProbe& one : probes) {
    const double t = one.local - first.local - time;
    spread += weight(one) * t * t;
    common += weight(one) * t * (one.offset - first.offset - offset);
  }
  line.origin = first.local + time;
  line.offset = first.offset + offset;
  const auto residuals = [&](double drift) {
    double sum = 0;
    for (const ClockProbe& one : probes) {
      const double off = one.offset - line.offset - drift * (one.local - line.origin);
      sum += weight(one) * off * off;
    }
    return sum;
  };
  if (probes.size() >= fewest_for_drift && spread > 0) {
    const double drift = common / spread;
    // Probes may lie on a line by luck: no less than what their round trips leave open.
    const double standard_error =
        std::max(std::sqrt(residuals(drift) / (n - 2)), shortest / 2) / std::sqrt(spread);
    if (std::abs(drift) > 4 * standard_error) line.drift = drift;
  }
  line.error = shortest / 2 + std::sqrt(residuals(line.drift) / weights);
  return line;
}

GlobalClock::GlobalClock(MPI_Comm comm, ReadClock read)
    : comm_(mpi::talks_on(comm)), read_(std::move(read)) {
  mpi::talk(comm_, [this](MPI_Comm) { take_probes(first_probes, pause_s); });
}

void GlobalClock::refresh() {
  mpi::talk(comm_, [this](MPI_Comm) { take_probes(more_probes, 0); });
}

void GlobalClock::take_probes(int count, double pause) {
  const auto ranks = static_cast<unsigned>(mpi::size(comm_));
  const int rank = mpi::rank(comm_);
  // Far ranks first: who has learned the time teaches the next.
  for (int step = static_cast<int>(std::bit_ceil(ranks) / 2); step >= 1; step /= 2) {
    if (rank % (2 * step) == 0 && rank + step < static_cast<int>(ranks)) {
      answer(rank + step, count);
    } else if (rank % (2 * step) == step) {
      const int reference = rank - step;
      for (int i = 0; i < count; ++i) {
        const auto ask = [&] {
          send(comm_, reference, 0);
          return receive(comm_, reference);
        };
        probes_.push_back(probe_clock(read_, ask, tries));
        if (pause > 0) std::this_thread::sleep_for(std::chrono::duration<double>(pause));
      }
      // When there are too many, every second one goes.
      if (probes_.size() > most_probes) {
        for (std::size_t i = 0; 2 * i < probes_.size(); ++i) probes_[i] = probes_[2 * i];
        probes_.resize((probes_.size() + 1) / 2);
      }
      line_ = fit_clock(probes_);
    }
  }
  error_ = mpi::reduced(comm_, line_.error, MPI_MAX);
}

void GlobalClock::answer(int rank, int count) const {
  for (int i = 0; i < count * tries; ++i) {
    receive(comm_, rank);
    send(comm_, rank, now());
  }
}

}  // namespace halocline
