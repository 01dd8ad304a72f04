// auto_quality NAME | --list: how good is what auto chooses? Driven by quality.py, a job for each
// pattern: a choice without any knowledge, then, independently of the tuner, a measurement of every
// combination of options of every sound method. First each in turns with the choice; then those
// that came within half of the best, in turns and random order, to find the best; then that and the
// choice alone, on fresh samples, so that the best is not the luckiest, and each with five
// exchanges made anew, since one whose memory lies badly can take half as long again. (A method
// that takes ten times as long as the choice with default options is not looked at with others.)
//
// Only times of the same turn are compared, and only turns with the processors as far from each
// other as they were for the choice: a virtual machine's processors are moved, to and from a common
// cache, and the schemes do not differ by the same factors here and there. Rank 0 prints a line of
// JSON.

#include "base/median.hpp"
#include "tuner/choices.hpp"

#include <halocline/halocline.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/tuner.hpp>
#include <halocline/more/waiting.hpp>
#include <halocline/wait.hpp>

#include <sched.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <thread>

using namespace halocline;
using detail::Json;
using Clock = std::chrono::steady_clock;

namespace {

struct Case {
  std::string name;
  std::vector<std::int64_t> cells;  // of a rank
  int width;
  bool periodic;
  bool rows = false;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](std::vector<std::int64_t> cells, int width, bool periodic) {
    std::string name = std::to_string(cells.size()) + "d-" + std::to_string(cells[0]) + "-w" +
                       std::to_string(width) + (periodic ? "-periodic" : "-open");
    all.push_back({name, std::move(cells), width, periodic});
  };
  for (const std::int64_t n : {32, 128, 512, 2048})
    for (const bool periodic : {false, true}) add({n, n}, 1, periodic);
  add({512, 512}, 3, false);
  add({512, 512}, 3, true);
  for (const std::int64_t n : {16, 32, 64})
    for (const bool periodic : {false, true}) add({n, n, n}, 1, periodic);
  add({64, 64, 64}, 3, false);
  add({32, 32, 32}, 2, true);
  for (const std::int64_t n : {263, 1031, 2007, 4103})  // partdiff: eight rows to either side
    all.push_back({"partdiff-" + std::to_string(n), {n / 2, n}, 8, false, true});
  return all;
}

Grid make_grid(const Case& what) {
  std::vector<std::int64_t> cells = what.cells;
  const int axes = static_cast<int>(cells.size()), ranks = mpi::size(world());
  GridOptions options;
  options.halos.assign(axes, HaloWidth(what.width));
  if (what.rows) {
    options.decomposition = Decomposition::rows;
    options.halos[1] = HaloWidth(1);
    cells[0] = what.cells[0] * ranks;
  } else {
    options.dims.assign(axes, 1);
    options.dims[0] = ranks % 2 == 0 ? 2 : ranks;
    options.dims[1] = ranks / options.dims[0];
    for (int axis = 0; axis < axes; ++axis) cells[axis] *= options.dims[axis];
  }
  options.periodic.assign(axes, what.periodic);
  return Grid(world(), cells, options);
}

template <class Visit>
void each_element(const std::vector<Link>& links, Visit&& visit) {
  for (const Link& link : links)
    for (const Block& block : link.blocks)
      for (std::size_t p = 0; p < block.count[0]; ++p)
        for (std::size_t r = 0; r < block.count[1]; ++r)
          for (std::size_t i = 0; i < block.count[2]; ++i)
            visit(block.offset + static_cast<std::ptrdiff_t>(p) * block.stride[0] +
                  static_cast<std::ptrdiff_t>(r) * block.stride[1] +
                  static_cast<std::ptrdiff_t>(i));
}

/// One scheme on memory of its own kind's making: all that is sent written, exchanged, all that has
/// arrived read.
class Bench {
 public:
  Bench(const Grid& grid, const Array<double>& array, const Scheme& scheme)
      : pattern_(grid.halo()), array_(array), exchange_(grid.comm(), pattern_, array, scheme) {}

  double seconds(int count) {
    step();
    const auto begin = Clock::now();
    for (int i = 0; i < count; ++i) step();
    return std::chrono::duration<double>(Clock::now() - begin).count() / count;
  }
  std::string scheme() const { return exchange_.scheme().str(); }

 private:
  void step() {
    double* const cells = array_.data();
    each_element(pattern_.sends(), [&](std::ptrdiff_t at) { cells[at] += 1; });
    exchange_.run();
    double sum = 0;
    each_element(pattern_.receives(), [&](std::ptrdiff_t at) { sum += cells[at]; });
    sum_ = sum;
  }

  Pattern pattern_;
  Array<double> array_;
  Exchange exchange_;
  volatile double sum_ = 0;
};

/// Takes the slowest time of all ranks; waiting for it leaves the core to others.
void slowest(std::vector<double>& mine) {
  MPI_Request request = MPI_REQUEST_NULL;
  HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()),
                MPI_DOUBLE, MPI_MAX, world(), &request);
  wait_one("the other ranks", request);
}
double slowest(double mine) {
  std::vector<double> one{mine};
  slowest(one);
  return one[0];
}

double median(const std::vector<double>& values) {
  return base::median(values).value;
}

/// Seconds of a cache line from the first processor to the last and back: how far apart they are.
double round_trip() {
  constexpr int trips = 50;
  alignas(128) std::atomic<int> word{0};
  double best = 1;
  const auto keep_to = [](long cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(cpu), &one);
    sched_setaffinity(0, sizeof one, &one);
  };
  std::thread there([&] {
    keep_to(sysconf(_SC_NPROCESSORS_ONLN) - 1);
    for (int i = 1; i <= 3 * trips; ++i) {
      while (word.load(std::memory_order_acquire) != 2 * i - 1) continue;
      word.store(2 * i, std::memory_order_release);
    }
  });
  std::thread here([&] {
    keep_to(0);
    for (int i = 1; i <= 3 * trips;) {
      const auto begin = Clock::now();
      for (const int last = i + trips; i < last; ++i) {
        word.store(2 * i - 1, std::memory_order_release);
        while (word.load(std::memory_order_acquire) != 2 * i) continue;
      }
      best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count() / trips);
    }
  });
  there.join(), here.join();
  return best;
}

/// How far apart the processors are now, on all ranks; meanwhile none of them needs one.
double distance() {
  double seconds = mpi::rank(world()) == 0 ? round_trip() : 0;
  MPI_Request request = MPI_REQUEST_NULL;
  HALOCLINE_MPI(MPI_Ibcast, &seconds, 1, MPI_DOUBLE, 0, world(), &request);
  for (int done = 0; !done;) {
    HALOCLINE_MPI(MPI_Test, &request, &done, MPI_STATUS_IGNORE);
    if (!done) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return seconds;
}

bool is_same(double one, double other) {
  return one < 1.6 * other && other < 1.6 * one;
}

/// What auto could choose: the doctor's word is the same for both.
std::vector<std::string> sound_combinations() {
  std::vector<std::string> list;
  const detail::Soundness soundness = detail::doctors_word(surroundings());
  for (const std::string& name : scheme_combinations()) {
    const Scheme scheme(name);
    if (!soundness.objection(scheme).empty()) continue;
    if (scheme.matches("*access=direct*") || scheme.matches("*island=[!n]*") ||
        scheme.matches("*island=numa*") || scheme.matches("*outer=*persistent*"))
      continue;
    if (scheme.part(0) == "rma" && scheme.is("pack", "off") &&
        (scheme.is("alloc", "allocate") || scheme.is("alloc", "shared")))
      continue;
    list.push_back(name);
  }
  return list;
}

struct Entrant {
  std::string name;
  std::optional<Bench> bench{};
  int batch = 1;
  std::vector<double> seconds{};  ///< of each turn

  double total() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }
};

/// How many times as long one takes as the other: the median of all turns.
double times(const Entrant& one, const Entrant& other) {
  std::vector<double> quotients;
  for (std::size_t i = 0; i < one.seconds.size(); ++i)
    quotients.push_back(one.seconds[i] / other.seconds[i]);
  return median(quotients);
}

class Entrants {
 public:
  Entrants(const Grid& grid, const Array<double>& array, double as_far)
      : grid_(grid), array_(array), as_far_(as_far) {}

  /// False if the scheme refuses this pattern, or a single exchange takes ten times as long as the
  /// longest of the first scheme's.
  bool enter(const std::string& name) {
    Entrant entrant{.name = name};
    try {
      entrant.bench.emplace(grid_, array_, name);
    } catch (const Error&) {
      return false;
    }
    std::vector<double> once(3);
    for (double& one : once) one = slowest(entrant.bench->seconds(1));
    if (all_.empty()) longest_ = *std::max_element(once.begin(), once.end());
    if (*std::min_element(once.begin(), once.end()) > 10 * longest_) return false;
    // An exchange of many may take a small part of a single one.
    const double enough = Patience::current().yield ? 1e-3 : 100e-6;
    for (double took = 0; took < enough && entrant.batch < 10000; entrant.batch *= 2) {
      std::vector<double> seconds(3);
      for (double& one : seconds) one = slowest(entrant.bench->seconds(entrant.batch));
      took = entrant.batch * median(seconds);
    }
    all_.push_back(std::move(entrant));
    return true;
  }

  /// Measures these in turns, in another order each time, for so many turns or seconds. Waits while
  /// the processors are elsewhere; throws Error if they do not come back.
  void run(const std::vector<std::size_t>& who, int turns, double limit) {
    for (const std::size_t one : who) all_[one].seconds.clear();
    for (double spent = 0; turns > 0 && spent < limit;) {
      const auto start = Clock::now();
      const bool before = is_same(distance(), as_far_);
      std::vector<std::size_t> order = who;
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[dice_() % i]);
      std::vector<double> seconds;
      if (before)
        for (const std::size_t one : order)
          seconds.push_back(all_[one].bench->seconds(all_[one].batch));
      else
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const bool after = is_same(distance(), as_far_);
      seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
      slowest(seconds);
      (before && after ? spent : waited_) += seconds.back();
      if (waited_ > most_waiting) throw Error("the processors have moved and did not come back");
      if (!before || !after) continue;
      --turns;
      for (std::size_t i = 0; i < order.size(); ++i) all_[order[i]].seconds.push_back(seconds[i]);
    }
  }
  const Entrant& operator[](std::size_t one) const { return all_[one]; }
  std::size_t size() const { return all_.size(); }

 private:
  static constexpr double most_waiting = 20;  // seconds, in all; a new job then begins as they are
  const Grid& grid_;
  const Array<double>& array_;
  double as_far_;
  std::vector<Entrant> all_;
  double longest_ = 0, waited_ = 0;
  std::minstd_rand dice_{1};
};

void measure(const Case& what, const std::vector<std::string>& combinations) {
  const Grid grid = make_grid(what);
  const Array<double> array(grid, "auto");

  // auto, without knowledge of other patterns; again if the processors have moved meanwhile.
  const std::string file = Tuning::current().path();
  std::string choice;
  double cost = 0, as_far = distance();
  for (int tries = 0;; ++tries) {
    Tuning::current().file = file + "-" + std::to_string(tries);
    const auto begin = Clock::now();
    choice = Exchange(grid.halo(), array, "auto").scheme().str();
    cost = slowest(std::chrono::duration<double>(Clock::now() - begin).count());
    const double before = std::exchange(as_far, distance());
    if (is_same(before, as_far) || tries == 5) break;
  }

  Entrants field(grid, array, as_far);
  field.enter(choice);
  std::vector<double> first_sight{1};
  std::string hopeless;  // a method that is far off by default; its options are not looked at
  for (const std::string& name : combinations) {
    if (name == choice || (!hopeless.empty() && name.starts_with(hopeless + "+"))) continue;
    if (!field.enter(name)) {
      if (name == Scheme(name).method()) hopeless = name;
      continue;
    }
    const std::size_t last = field.size() - 1;
    field.run({0, last}, 9, 1);
    first_sight.push_back(times(field[last], field[0]));
  }

  const double near = 1.5 * *std::min_element(first_sight.begin(), first_sight.end());
  std::vector<std::size_t> entrants{0};
  for (std::size_t i = 1; i < field.size(); ++i)
    if (first_sight[i] <= near) entrants.push_back(i);
  field.run(entrants, 400, 4);
  std::size_t best = 0, least = 0;  // by the median, by the mean
  for (const std::size_t one : entrants) {
    if (times(field[one], field[0]) < times(field[best], field[0])) best = one;
    if (field[one].total() < field[least].total()) least = one;
  }
  // Each finalist's exchanges, made anew; those of one in the order of those of the other. Who wins
  // twice, or is auto's choice as well, is measured once: against itself it is as fast.
  const std::vector<std::string> finalists{choice, field[best].name, field[least].name};
  Entrants last(grid, array, as_far);
  std::map<std::string, std::vector<std::size_t>> exchanges;
  std::vector<std::size_t> all;
  for (int made = 0; made < 5; ++made)
    for (const std::string& name : finalists) {
      std::vector<std::size_t>& mine = exchanges[name];
      if (std::ssize(mine) > made || !last.enter(name)) continue;
      mine.push_back(last.size() - 1);
      all.push_back(last.size() - 1);
    }
  last.run(all, 1500, 2);

  // The middle one of a finalist's exchanges, by what is asked of each.
  const auto middle = [&](std::size_t finalist, const auto& of) {
    std::vector<double> values;
    for (const std::size_t one : exchanges[finalists[finalist]]) values.push_back(of(last[one]));
    return median(values);
  };
  const auto us = [&](std::size_t finalist) {
    return 1e6 * middle(finalist, [](const Entrant& one) { return median(one.seconds); });
  };
  const auto quotient = [&](std::size_t finalist) {
    return middle(finalist, [&](const Entrant& one) { return times(one, last[0]); });
  };
  const auto total = [&](std::size_t finalist) {
    return middle(finalist, [](const Entrant& one) { return one.total(); });
  };
  if (mpi::rank(world()) == 0) {
    const Json line = {{"pattern", what.name},
                       {"ranks", mpi::size(world())},
                       {"mpi", mpi::library_version()},
                       {"cache_line_us", 1e6 * as_far},
                       {"choice", choice},
                       {"choice_us", us(0)},
                       {"best", finalists[1]},
                       {"best_us", us(1)},
                       {"ratio", quotient(0) / quotient(1)},
                       {"best_mean", finalists[2]},
                       {"ratio_mean", total(0) / total(2)},
                       {"turns", last[0].seconds.size()},
                       {"tuning_s", cost},
                       {"compared", entrants.size()}};
    std::printf("%s\n", line.dump().c_str());
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return guarded_main(argc, argv, "auto_quality", [](int count, char** words) {
    if (count != 2) throw Error("usage: auto_quality NAME | --list");
    const std::string name = words[1];
    Tuning::current().fresh = true;
    for (const Case& what : cases()) {
      if (name == "--list" && mpi::rank(world()) == 0) std::puts(what.name.c_str());
      if (name == what.name) measure(what, sound_combinations());
    }
    return EXIT_SUCCESS;
  });
}
