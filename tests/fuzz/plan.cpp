// Plans of haloreplay.

#include "fuzz.hpp"

#include <plan.hpp>

namespace {

void read(std::string_view text) {
  const haloreplay::Plan plan = haloreplay::read_plan(std::string(text), "f.json");
  for (const haloreplay::PlannedPattern& pattern : plan.patterns) {
    fuzz::must(std::ssize(pattern.ranks) == plan.ranks);
    for (const haloreplay::PlannedRank& rank : pattern.ranks)
      for (const haloreplay::PlannedLink& link : rank.links)
        fuzz::must(link.peer >= 0 && link.peer < plan.ranks && link.least <= link.most);
  }
}

const fuzz::Target target("plan", read);

}  // namespace
