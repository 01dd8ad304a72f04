// auto_quality NAME | --list: how good is what auto chooses? Driven by quality.py, a job for each
// pattern: a choice without any knowledge, then, independently of the tuner, a measurement of every
// combination of options of every sound method: first each by itself, then, in turns and random
// order, those that came within half of the best, and the choice. (A method that takes ten times as
// long as the best with default options is not looked at with others.) Rank 0 prints a line of
// JSON.

#include "tuner/candidates.hpp"
#include "tuner/choices.hpp"

#include <halocline/halocline.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <random>

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

double slowest(double mine) {
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, world());
  return mine;
}

void slowest(std::vector<double>& all) {
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE,
                MPI_MAX, world());
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// What auto could choose: the doctor's word is the same for both.
std::vector<std::string> sound_combinations() {
  std::vector<std::string> list;
  detail::Soundness soundness;
  soundness.learn(detail::doctors_memory(), cpu_model(), mpi::library_version());
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
  std::vector<double> seconds{};
};

void measure(const Case& what, const std::vector<std::string>& combinations) {
  const Grid grid = make_grid(what);
  const Array<double> array(grid, "auto");

  // auto, without knowledge of other patterns.
  const auto begin = Clock::now();
  const std::string choice = Exchange(grid.halo(), array, "auto").scheme().str();
  const double cost = slowest(std::chrono::duration<double>(Clock::now() - begin).count());

  std::vector<Entrant> entrants;
  double best = 1e9;
  std::string hopeless;  // a method that is far off by default; its options are not looked at
  for (const std::string& name : combinations) {
    if (!hopeless.empty() && name.starts_with(hopeless + "+") && name != choice) continue;
    Entrant entrant{.name = name};
    try {
      entrant.bench.emplace(grid, array, name);
    } catch (const Error&) {
      continue;  // refuses this pattern
    }
    double once = 1e9;
    for (int i = 0; i < 3; ++i) once = std::min(once, slowest(entrant.bench->seconds(1)));
    if (once > 10 * best && name == Scheme(name).method()) hopeless = name;
    if (once > 10 * best && name != choice) continue;
    entrant.batch = static_cast<int>(std::clamp(100e-6 / once, 1.0, 1000.0));
    std::vector<double> seconds;
    for (int i = 0; i < 7; ++i) seconds.push_back(entrant.bench->seconds(entrant.batch));
    slowest(seconds);
    // At its best: other work on the machine only makes it longer.
    const double typical = *std::min_element(seconds.begin(), seconds.end());
    best = std::min(best, typical);
    entrant.seconds = {typical};
    if (typical > 1.5 * best && name != choice) continue;
    entrant.batch = static_cast<int>(std::clamp(100e-6 / typical, 1.0, 1000.0));
    entrants.push_back(std::move(entrant));
  }
  std::erase_if(entrants, [&](const Entrant& one) {
    return one.seconds[0] > 1.5 * best && one.name != choice;
  });

  std::minstd_rand dice(1);
  for (Entrant& entrant : entrants) entrant.seconds.clear();
  const double limit = 6;
  const auto start = Clock::now();
  for (int round = 0; round < 40; ++round) {
    std::vector<std::size_t> order;
    for (int repeat = 0; repeat < 5; ++repeat) {
      std::vector<std::size_t> once(entrants.size());
      for (std::size_t i = 0; i < once.size(); ++i) once[i] = i;
      for (std::size_t i = once.size(); i > 1; --i) std::swap(once[i - 1], once[dice() % i]);
      order.insert(order.end(), once.begin(), once.end());
    }
    std::vector<double> seconds;
    for (const std::size_t i : order)
      seconds.push_back(entrants[i].bench->seconds(entrants[i].batch));
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    slowest(seconds);
    for (std::size_t i = 0; i < order.size(); ++i) entrants[order[i]].seconds.push_back(seconds[i]);
    if (seconds.back() > limit) break;
  }

  double chosen = 0;
  std::pair<double, std::string> winner{1e9, ""};
  for (const Entrant& entrant : entrants) {
    const double typical = median(entrant.seconds);
    if (entrant.name == choice) chosen = typical;
    winner = std::min(winner, {typical, entrant.name});
  }
  if (mpi::rank(world()) == 0) {
    Json line;
    line["pattern"] = what.name;
    line["ranks"] = mpi::size(world());
    line["mpi"] = mpi::library_version();
    line["choice"] = choice;
    line["choice_us"] = 1e6 * chosen;
    line["best"] = winner.second;
    line["best_us"] = 1e6 * winner.first;
    line["ratio"] = chosen / winner.first;
    line["tuning_s"] = cost;
    line["compared"] = static_cast<int>(entrants.size());
    std::printf("%s\n", line.line().c_str());
    std::fflush(stdout);
  }
  while (!entrants.empty()) entrants.pop_back();
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
