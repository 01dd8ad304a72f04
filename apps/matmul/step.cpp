// A product on any number of ranks: how panels come, what is multiplied meanwhile, the sum over
// layers.

#include "matmul.hpp"

namespace matmul {

using namespace halocline;
using nlohmann::ordered_json;

namespace {

/// More would not fit into the memory of whoever asks.
constexpr std::size_t most_messages = 20'000'000;

void add(std::vector<frame::Message>& messages, int rank, const Pattern& pattern) {
  for (const Link& link : pattern.sends())
    messages.push_back({rank, link.peer, sizeof(double) * link.size()});
}

}  // namespace

frame::Step Matmul::step(const frame::Options& options) const {
  const int ranks = options.ranks;
  std::vector<std::vector<frame::Message>> panels;  // of each exchange
  std::vector<frame::Message> sums;
  std::vector<std::vector<std::size_t>> before;  // each step: which of the exchanges
  std::vector<std::vector<double>> points;       // of each step and rank
  std::vector<double> all_points;                // of each rank
  std::size_t count = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const Part part = part_of(plan_, rank);
    const Schedule schedule = schedule_of(plan_, part);
    before = schedule.before;
    panels.resize(schedule.patterns.size());
    for (std::size_t i = 0; i < panels.size(); ++i) add(panels[i], rank, schedule.patterns[i]);
    for (const Pattern& pattern : schedule.patterns) count += 1 + pattern.sends().size();
    if (count > most_messages)
      throw Error("--describe-step: has more than " + std::to_string(most_messages) +
                  " messages; fewer ranks or wider panels are needed");
    add(sums, rank, pattern_of_sum(part));
    all_points.push_back(0);
    points.resize(before.size(), std::vector<double>(static_cast<std::size_t>(ranks), 0.0));
    for (std::size_t s = 0; s < schedule.uses.size(); ++s) {
      const std::int64_t depth = part.panels[schedule.uses[s].panel].k.size();
      const double some = Shape{part.rows.size(), part.columns.size(), depth}.multiplications();
      points[s][static_cast<std::size_t>(rank)] = some;
      all_points.back() += some;
    }
  }
  frame::Step step{.ranks = ranks,
                   .depends_on_scheme = plan_.algorithm == Algorithm::cannon,
                   .cut = {plan_.cut.m, plan_.cut.n, plan_.cut.k}};
  const auto name_of_exchange = [](std::size_t i) { return "panels " + std::to_string(i); };
  for (std::size_t i = 0; i < panels.size(); ++i)
    if (!panels[i].empty()) step.add(name_of_exchange(i), panels[i]);
  const auto all = [&](const char* verb, std::size_t s) {
    if (s == before.size()) return;
    for (const std::size_t i : before[s])
      if (!panels[i].empty()) step.parts.push_back({{verb, name_of_exchange(i)}});
  };
  all("start", 0);
  all("finish", 0);
  for (std::size_t s = 0; s < before.size(); ++s) {
    all("start", s + 1);
    step.parts.push_back(frame::computing(name, points[s], all_points));
    all("finish", s + 1);
  }
  if (!sums.empty()) {
    step.add("sum", sums);
    step.parts.push_back({{"exchange", "sum"}});
  }
  if (step.patterns.empty()) step.add("sum", sums);  // a step has an exchange, though of nothing
  return step;
}

}  // namespace matmul
