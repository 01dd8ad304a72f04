#include "settings.hpp"

#include <base/text.hpp>
#include <frame/lists.hpp>

#include <halocline/more/islands.hpp>
#include <halocline/more/processor.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

namespace matmul {

using namespace halocline;
using frame::Value;

namespace {

constexpr std::initializer_list<std::pair<const char*, Algorithm>> algorithms{
    {"auto", Algorithm::automatic}, {"cannon", Algorithm::cannon}, {"summa", Algorithm::summa}};

constexpr std::int64_t longest = std::numeric_limits<int>::max();  ///< BLAS counts in 32 bits

std::string text_of(const Cut& cut) {
  return std::to_string(cut.m) + "," + std::to_string(cut.n) + "," + std::to_string(cut.k);
}

void check_cut(const Cut& cut, const Shape& shape, int ranks) {
  const auto fits = [&](std::int64_t parts, std::int64_t cells, const char* what) {
    if (parts > cells)
      throw Error("--cut " + text_of(cut) + ": " + what + " is " + std::to_string(cells) +
                  " and cannot have " + std::to_string(parts) + " parts");
  };
  fits(cut.m, shape.m, "M");
  fits(cut.n, shape.n, "N");
  fits(cut.k, shape.k, "K");
  if (std::int64_t{cut.m} * cut.n > ranks || std::int64_t{cut.m} * cut.n * cut.k > ranks)
    throw Error("--cut " + text_of(cut) + ": needs more than the " + std::to_string(ranks) +
                " ranks that there are");
}

/// Those of some cuts by which no rank holds more than so many GiB.
void keep_what_fits(std::vector<Cut>& cuts, Plan plan, double memory) {
  double least = std::numeric_limits<double>::infinity();
  std::erase_if(cuts, [&](const Cut& cut) {
    plan.cut = cut;
    const double needed = bytes_needed(plan, part_of(plan, 0)) / (1 << 30);
    least = std::min(least, needed);
    return needed > memory;
  });
  if (!cuts.empty()) return;
  std::string text;
  base::append(text, "--memory %g: a rank would have to hold at least %.3g GiB; ", memory, least);
  throw Error(text + "narrower panels, more ranks or more memory are needed");
}

}  // namespace

void Settings::declare(frame::CommandLine& line) {
  line.words(files);
  line.section("Problem");
  line.option("--shape M,N,K", "C of M x N from generated A of M x K and B of K x N",
              [this](const Value& value) {
                const auto [m, n, k] =
                    frame::three(value, longest, "three numbers from 1, such as 2048,2048,2048");
                shape = Shape{m, n, k};
              });
  line.option("--columns N",
              "columns of B and C, instead of the shape's; of 1, a vector, each rank has some rows "
              "of A and the vector goes around, unless --algorithm or --cut says otherwise",
              [this](const Value& value) { columns = value.integer(1, longest); });
  line.option("--seed S", "of the generated numbers, which are integers from -8 to 8 (1)",
              [this](const Value& value) {
                seed = static_cast<std::uint64_t>(value.integer(0, 1'000'000'000'000));
              });

  line.section("Method");
  line.option(
      "--algorithm A",
      "auto: M, N and K are cut so that the least is sent; cannon: panels wander from "
      "neighbour to neighbour; summa: each is sent to all of a row or column at a time (auto)",
      [this](const Value& value) { algorithm = value.choose(algorithms); });
  line.option("--cut M,N,K", "parts of M, N and K, one rank for each; ranks left over are idle",
              [this](const Value& value) {
                const auto [m, n, k] = frame::three(
                    value, 1'000'000, "three numbers of parts from 1 to 1000000, such as 2,2,1");
                cut = Cut{static_cast<int>(m), static_cast<int>(n), static_cast<int>(k)};
              });
  line.option("--panel W", "panels of auto and summa are at most so wide (as wide as they come)",
              [this](const Value& value) { panel = value.integer(1, longest); });
  line.option("--memory G", "a rank may hold G GiB, which limits how the product is cut (any)",
              [this](const Value& value) {
                memory = value.real("a number of GiB above 0", [](double g) { return g > 0; });
              });
  line.option("--threads N", "threads of a rank (as many as there are cores for)",
              [this](const Value& value) { threads = static_cast<int>(value.integer(1, 4096)); });
  line.section(frame::results);
  line.flag("--check", "compare C with A B: small ones number by number, others by Freivalds' test",
            check);
}

Plan plan_of(const Settings& settings, const Shape& shape, int ranks, const Scheme& scheme) {
  Plan plan;
  plan.shape = shape;
  plan.scheme = scheme;
  plan.threads = settings.threads;
  const bool vector = shape.n == 1 && !settings.algorithm && !settings.cut;
  plan.algorithm = settings.algorithm.value_or(vector ? Algorithm::cannon : Algorithm::automatic);
  plan.widest = settings.panel;
  constexpr std::int64_t most_panels = 10'000'000;
  if (settings.panel > 0 && shape.k / settings.panel > most_panels)
    throw Error("--panel " + std::to_string(settings.panel) +
                ": cuts K = " + std::to_string(shape.k) + " into more than " +
                std::to_string(most_panels) + " panels; wider ones are needed");
  const bool layers = plan.algorithm == Algorithm::automatic;
  if (settings.cut) check_cut(*settings.cut, shape, ranks);
  std::vector<Cut> possible =
      settings.cut ? std::vector{*settings.cut} : cuts(shape, ranks, layers);
  if (settings.memory > 0) keep_what_fits(possible, plan, settings.memory);
  plan.cut = best_cut(shape, possible);
  return plan;
}

int threads_for_all_cores(MPI_Comm comm) {
  const Islands node(comm);
  std::vector<int> mine = bound_cores();
  int most = mine.empty() ? 0 : *std::ranges::max_element(mine);
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, node.island());
  std::vector<int> usable(static_cast<std::size_t>(most) + 1, 0);
  for (const int core : mine) usable[static_cast<std::size_t>(core)] = 1;
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, usable.data(), most + 1, MPI_INT, MPI_MAX,
                node.island());
  const auto cores = static_cast<int>(std::ranges::count(usable, 1));
  int threads = std::max(1, cores / mpi::size(node.island()));
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &threads, 1, MPI_INT, MPI_MIN, comm);
  return threads;
}

const char* name_of(Algorithm algorithm) {
  return std::ranges::find(algorithms, algorithm, &std::pair<const char*, Algorithm>::second)
      ->first;
}

}  // namespace matmul
