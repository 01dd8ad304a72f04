#include "replicate.hpp"

#include <halocline/more/islands.hpp>

#include "footprint.hpp"

#include <base/text.hpp>
#include <machine/memory.hpp>
#include <machine/stopwatch.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace replicate {

using namespace halocline;
using Number = std::int64_t;

namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 40, most_steps = 1'000'000'000;
/// Steps that are shown one by one.
constexpr std::int64_t few = 3;

int me() {
  return mpi::rank(world());
}
int ranks() {
  return mpi::size(world());
}

/// The usual way: every rank has all, and MPI brings it.
class OwnCopy {
 public:
  explicit OwnCopy(std::int64_t elements)
      : memory_(world(), static_cast<std::size_t>(elements) * sizeof(Number), MemoryKind::plain),
        all_(reinterpret_cast<Number*>(memory_.data()), static_cast<std::size_t>(elements)) {}

  template <class Fill>
  void pass_on(Fill&& fill) {
    if (me() == 0) fill(all_);
    const mpi::Bytes bytes(all_.size_bytes());
    const Blocking blocking("replicate: MPI_Bcast");
    HALOCLINE_MPI(MPI_Bcast, all_.data(), bytes.count(), bytes.type(), 0, world());
  }
  std::span<const Number> read() const { return all_; }
  int copies() const { return ranks(); }
  std::string note() const { return {}; }

 private:
  Memory memory_;
  std::span<Number> all_;
};

/// One of the island's.
class IslandCopy {
 public:
  IslandCopy(std::int64_t elements, const ReplicatedOptions& options)
      : all_(world(), static_cast<std::size_t>(elements), options) {}

  template <class Fill>
  void pass_on(Fill&& fill) {
    all_.write(0, fill);
  }
  std::span<const Number> read() const { return all_.read(); }
  int copies() const { return all_.islands(); }
  std::string note() const { return all_.note(); }

 private:
  Replicated<Number> all_;
};

/// Over all ranks.
double slowest(double seconds) {
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, world());
  return seconds;
}

}  // namespace

std::string Replicate::usage() const {
  return "Usage: replicate [options]\n\n"
         "Numbers that rank 0 stores and all ranks add up: as a copy a rank, brought by "
         "MPI_Bcast,\n"
         "and as one copy an island in shared memory. Memory used, time, and whether the sums are "
         "right.\n\n"
         "Example: mpiexec -n 4 replicate --elements 100000000 --steps 3\n";
}

void Replicate::declare(frame::CommandLine& line) {
  line.section("Problem");
  line.option("--elements N", "numbers of 8 bytes (10000000)",
              [this](const frame::Value& value) { elements_ = value.integer(1, most_elements); });
  line.option("--steps T", "how often new numbers are stored (3)",
              [this](const frame::Value& value) { steps_ = value.integer(1, most_steps); });
  line.section(frame::how);
  line.option("--island WHICH", "who shares a copy: node, numa, or N ranks (node)",
              [this](const frame::Value& value) { island_ = IslandSpec(value.text); });
  line.option("--copies WHICH", "rank, island or both (both)", [this](const frame::Value& value) {
    std::tie(each_, island_too_) = value.choose<std::pair<bool, bool>>(
        {{"rank", {true, false}}, {"island", {false, true}}, {"both", {true, true}}});
  });
}

void Replicate::settle(const frame::Options& options) {
  scheme_ = options.scheme;
  if (options.progress) progress_ = frame::progress_line(name, "step", "");
}

void Replicate::set_up() {
  const double bytes = static_cast<double>(elements_) * sizeof(Number);
  const Islands islands(world(), island_);
  machine::check_memory(world(), each_ ? bytes : bytes / mpi::size(islands.island()), name);
}

template <class Hold>
Replicate::Cost Replicate::run(Hold&& hold) {
  Cost cost;
  sums_.clear();
  const auto before = proportional_set();
  auto held = hold();
  cost.copies = held.copies();
  note_ = held.note();
  for (std::int64_t step = 0; step < steps_; ++step) {
    double storing = 0, adding = 0;
    HALOCLINE_MPI(MPI_Barrier, world());
    const auto begin = machine::Clock::now();
    held.pass_on([&](std::span<Number> all) {
      const machine::Stopwatch stopwatch(storing);
      std::iota(all.begin(), all.end(), step);
    });
    const double there = slowest(machine::seconds_since(begin));
    storing = slowest(storing);
    Number sum = 0;
    {
      const machine::Stopwatch stopwatch(adding);
      const std::span<const Number> all = held.read();
      sum = std::accumulate(all.begin(), all.end(), Number{0});
    }
    check(step, sum);
    sums_.push_back(sum);
    const double share = 1 / static_cast<double>(steps_);
    cost.storing += share * storing;
    cost.passing += share * (there - storing);
    cost.adding += share * slowest(adding);
    if (progress_) progress_(step + 1, std::nullopt);
  }
  // Pages count as shared once every rank has read them, and nobody lets go of them before.
  HALOCLINE_MPI(MPI_Barrier, world());
  const auto now = proportional_set();
  if (before && now) cost.memory = *now - *before;
  cost.memory = most_on_a_node(world(), cost.memory);
  return cost;
}

void Replicate::check(std::int64_t step, std::int64_t sum) const {
  // (n - 1) n / 2 + n step, modulo 2^64 as the sum itself.
  const auto n = static_cast<std::uint64_t>(elements_);
  const std::uint64_t half = n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
  const auto right = static_cast<std::int64_t>(half + n * static_cast<std::uint64_t>(step));
  mpi::agree(world(), sum == right ? ""
                                   : "rank " + std::to_string(me()) + " added up " +
                                         std::to_string(sum) + " in step " + std::to_string(step) +
                                         ", and " + std::to_string(right) + " is right");
}

frame::Repetition Replicate::solve() {
  frame::Repetition mine;
  const auto begin = machine::Clock::now();
  if (each_) of_ranks_ = run([&] { return OwnCopy(elements_); });
  if (island_too_)
    of_islands_ =
        run([&] { return IslandCopy(elements_, {.island = island_, .scheme = scheme_}); });
  mine.seconds = seconds_ = machine::seconds_since(begin);
  return mine;
}

std::string Replicate::lines() const {
  const Islands islands(world(), island_);
  const bool head = islands.is_head();
  const auto shown = static_cast<std::size_t>(std::min(steps_, few));
  std::vector<std::int64_t> facts{mpi::rank(islands.island()), mpi::size(islands.island()),
                                  head ? islands.index() : -1, head ? islands.count() : -1};
  facts.insert(facts.end(), sums_.end() - static_cast<std::ptrdiff_t>(shown), sums_.end());
  const int size = static_cast<int>(facts.size());
  std::vector<std::int64_t> all(me() == 0 ? facts.size() * static_cast<std::size_t>(ranks()) : 0);
  HALOCLINE_MPI(MPI_Gather, facts.data(), size, MPI_INT64_T, all.data(), size, MPI_INT64_T, 0,
                world());
  std::string text;
  if (me() != 0) return text;
  for (std::size_t k = 0; k < shown; ++k)
    for (int rank = 0; rank < ranks(); ++rank) {
      // As in the exercise: few of them.
      if (rank > 1 && rank < ranks() - 1) continue;
      const std::int64_t* const of = &all[static_cast<std::size_t>(rank) * facts.size()];
      const auto step = static_cast<long long>(steps_ - static_cast<std::int64_t>(shown - k));
      base::append(
          text,
          "it: %lld, rank ( world: %i/%i, shm: %i/%i, head: %i/%i ):\tsum(i=%lld...i=%lld) "
          "= %lld\n",
          step, rank, ranks(), static_cast<int>(of[0]), static_cast<int>(of[1]),
          static_cast<int>(of[2]), static_cast<int>(of[3]), step,
          static_cast<long long>(elements_) - 1 + step, static_cast<long long>(of[4 + k]));
    }
  return text;
}

std::string Replicate::text() {
  std::string text = lines();
  text += "\n                 copies  memory of a node   store    pass on  add up  ms a step\n";
  const auto row = [&](const char* title, const std::optional<Cost>& cost) {
    if (!cost) return;
    base::append(text, "%-16s %6d  ", title, cost->copies);
    if (cost->memory)
      base::append(text, "%12.1f MB  ", *cost->memory * 1e-6);
    else
      base::append(text, "%15s  ", "unknown");
    base::append(text, "%9.3f  %9.3f  %6.3f\n", 1e3 * cost->storing, 1e3 * cost->passing,
                 1e3 * cost->adding);
  };
  row("a copy a rank", of_ranks_);
  row("a copy an island", of_islands_);
  if (!note_.empty()) text += note_ + "\n";
  base::append(text, "Calculation time:       %f s\n", slowest(seconds_));
  return text;
}

void Replicate::describe(frame::Record& record) {
  const auto of = [](const Cost& cost) {
    nlohmann::ordered_json said{{"copies", cost.copies},
                                {"store_s", cost.storing},
                                {"pass_on_s", cost.passing},
                                {"add_up_s", cost.adding}};
    said["bytes_of_a_node"] = cost.memory ? nlohmann::ordered_json(*cost.memory) : nullptr;
    return said;
  };
  record.parameters = {{"elements", elements_}, {"steps", steps_}, {"island", island_.str()}};
  record.outcome = {{"iterations", steps_}, {"sum", sums_.back()}};
  if (of_ranks_) record.outcome["copy_a_rank"] = of(*of_ranks_);
  if (of_islands_) record.outcome["copy_an_island"] = of(*of_islands_);
  if (!note_.empty()) record.outcome["note"] = note_;
}

}  // namespace replicate
