#include "turns.hpp"

#include <base/median.hpp>
#include <halocline/more/trace.hpp>

#include <cstdio>
#include <optional>
#include <random>

namespace frame {

using namespace halocline;
using nlohmann::ordered_json;

namespace {

/// The same on all ranks, and another one in each launch.
unsigned drawn_seed(MPI_Comm comm) {
  unsigned seed = mpi::rank(comm) == 0 ? std::random_device()() : 0;
  HALOCLINE_MPI(MPI_Bcast, &seed, 1, MPI_UNSIGNED, 0, comm);
  return seed;
}

/// How far the cores are apart, looked at between one thing and the next.
class Distances {
 public:
  Distances() { now(); }
  /// Adds what was found before and after the thing that has just been done.
  void add_to(ordered_json& entry) {
    const std::optional<double> before = last_;
    now();
    if (before && last_) entry["core_distance_s"] = {*before, *last_};
  }

 private:
  void now() { last_ = machine::core_distance(world()); }
  std::optional<double> last_;
};

/// What is done once in each turn.
struct Solving {
  std::size_t entrant;
  bool traced;
};

double slowest(double mine) {
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, world());
  return mine;
}

}  // namespace

void solve_in_turns(const std::vector<Entrant>& entrants, const Options& options, Record record) {
  ordered_json schemes = ordered_json::array(), solutions = ordered_json::array();
  Distances distances;
  for (const Entrant& entrant : entrants) {
    entrant.program->set_up();
    distances.add_to(schemes.emplace_back(ordered_json{{"asked", entrant.asked}}));
  }

  std::minstd_rand dice(drawn_seed(world()));
  const bool tracing = !options.trace.empty();
  std::vector<Solving> order;
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    order.push_back({i, false});
    if (tracing) order.push_back({i, true});
  }
  std::vector<std::vector<double>> seconds(entrants.size());
  for (int turn = 0; turn < options.repetitions; ++turn) {
    // Not std::shuffle, whose result is not the same everywhere.
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[dice() % i]);
    for (const auto& [one, traced] : order) {
      trace::record(traced);
      const double taken = slowest(entrants[one].program->solve().seconds);
      trace::record(false);
      if (!traced) seconds[one].push_back(taken);
      ordered_json entry{{"turn", turn}, {"scheme", one}, {"total_s", taken}};
      if (tracing) entry["traced"] = traced;
      distances.add_to(solutions.emplace_back(std::move(entry)));
    }
  }
  if (tracing) trace::write(world(), options.trace);

  const bool root = mpi::rank(world()) == 0;
  if (root) std::printf("%12s  %s\n", "seconds", "scheme");
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    record.scheme = entrants[i].asked;
    record.style.clear();
    record.running = nullptr;
    record.totals = seconds[i];
    entrants[i].program->text();  // which makes the outcome complete
    entrants[i].program->describe(record);
    schemes[i]["scheme"] = record.scheme;
    if (!record.style.empty()) schemes[i]["style"] = record.style;
    schemes[i]["parameters"] = record.parameters;
    schemes[i]["result"] = record.outcome;
    if (!record.running.is_null()) schemes[i]["running"] = record.running;
    if (root)
      std::printf("%12.6f  %s\n", base::median(seconds[i]).value, entrants[i].asked.c_str());
  }
  std::fflush(stdout);

  record.scheme.clear();
  record.style.clear();
  ordered_json all = head(world(), "halocline-turns", record);
  all.erase("parameters");  // each scheme has its own
  all["schemes"] = std::move(schemes);
  all["solutions"] = std::move(solutions);
  save(world(), all, options.json);
}

}  // namespace frame
