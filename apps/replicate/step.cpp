// What a step does with one copy an island, on any number of ranks.

#include "replicate.hpp"

#include <formats/number.hpp>
#include <frame/values.hpp>

namespace replicate {

using namespace halocline;

frame::Step Replicate::step(const frame::Options& options) const {
  const char* const asked = "--describe-step";
  frame::only_with(!each_, asked, "--copies island");
  const std::string island = island_.str();
  const auto of_island = formats::number<int>(island);
  frame::only_with(bool(of_island), asked, "--island N, as many ranks in a row");
  const int ranks = options.ranks, heads = (ranks + *of_island - 1) / *of_island;
  frame::Step step{.ranks = ranks, .cut = {heads}};
  // Rank 0 stores; then each round is one exchange of the heads, the first ranks of islands.
  std::vector<double> stored(static_cast<std::size_t>(ranks), 0.0);
  stored.front() = static_cast<double>(elements_);
  step.parts.push_back(frame::computing(name, stored));
  std::vector<std::vector<frame::Message>> rounds;
  for (int head = 0; head < heads; ++head) {
    const auto patterns = rounds_of_write(heads, head, 0, elements_, sizeof(std::int64_t));
    rounds.resize(patterns.size());
    for (std::size_t round = 0; round < patterns.size(); ++round)
      for (const Link& link : patterns[round].sends())
        rounds[round].push_back(
            {head * *of_island, link.peer * *of_island, sizeof(std::int64_t) * link.size()});
  }
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    const std::string exchange = "round " + std::to_string(round);
    step.add(exchange, rounds[round]);
    step.parts.push_back({{"exchange", exchange}});
  }
  if (step.patterns.empty()) step.add("rounds", std::vector<frame::Message>{});
  step.parts.push_back(frame::computing(
      name, std::vector(static_cast<std::size_t>(ranks), static_cast<double>(elements_))));
  return step;
}

}  // namespace replicate
