// protocols [long] [NAME]: searches all of them, or those with this in their names, with and
// without each fault, and prints a table. `long`: more steps, and on two ranks also the orders that
// make no difference.

#include "protocols.hpp"

#include <chrono>
#include <cstdio>
#include <cstring>

using namespace protocols;

namespace {

/// What is printed of all patterns of a protocol.
struct Row {
  std::set<int> ranks;
  std::set<std::string> steps;
  std::size_t states = 0, planted = 0, found = 0;
};

std::string listed(const std::set<int>& ranks) {
  std::string text;
  for (const int number : ranks) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}
std::string listed(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "; ") + word;
  return text;
}

void complain(const Protocol& protocol, const std::string& what, const Found& found) {
  std::fprintf(stderr, "%s on %d ranks: %s\n", protocol.name.c_str(), protocol.ranks, what.c_str());
  for (const std::string& act : found.how) std::fprintf(stderr, "  %s\n", act.c_str());
}

/// Whether everything is as it should be.
bool check(const Searchable& one, Row& row, bool shows, bool all_orders) {
  if (shows) std::fprintf(stderr, "%s\n", one.protocol.name.c_str());
  const Protocol& protocol = one.protocol;
  row.ranks.insert(protocol.ranks);
  row.steps.insert(protocol.steps);
  const auto begin = std::chrono::steady_clock::now();
  const Found sound = search(protocol, {}, all_orders);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (shows)
    std::fprintf(stderr, "  %zu states, %.2f s, %zu faults\n", sound.states, took.count(),
                 sound.faults.size());
  row.states += sound.states;
  bool right = sound.wrong.empty();
  if (!right) complain(protocol, sound.wrong, sound);
  if (!one.plants) return right;
  for (const std::string& fault : sound.faults) {
    const Found with = search(protocol, fault, all_orders);
    const bool harmless = one.not_needed.contains(fault);
    row.planted += harmless ? 0 : 1;
    row.found += !harmless && !with.wrong.empty() ? 1 : 0;
    if (with.wrong.empty() == harmless) continue;
    complain(protocol, fault + (harmless ? ": does harm: " + with.wrong : ": is not found"), with);
    right = false;
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  const bool more = argc > 1 && std::strcmp(argv[1], "long") == 0;
  const std::string only = argc > 1 + more ? argv[1 + more] : "";
  bool right = true;
  std::vector<std::pair<std::string, Row>> rows;
  for (const Searchable& one : all_protocols(more)) {
    if (one.protocol.name.find(only) == std::string::npos) continue;
    auto row = rows.begin();
    while (row != rows.end() && row->first != one.family) ++row;
    if (row == rows.end()) row = rows.insert(row, {one.family, {}});
    right = check(one, row->second, !only.empty(), more && one.protocol.ranks == 2) && right;
  }
  std::printf(
      "| protocol | ranks | of each pattern | states | faults | found |\n"
      "|---|---|---|---|---|---|\n");
  Row all;
  for (const auto& [name, row] : rows) {
    std::printf("| %s | %s | %s | %zu | %zu | %zu |\n", name.c_str(), listed(row.ranks).c_str(),
                listed(row.steps).c_str(), row.states, row.planted, row.found);
    all.states += row.states;
    all.planted += row.planted;
    all.found += row.found;
  }
  std::printf("| all | | | %zu | %zu | %zu |\n", all.states, all.planted, all.found);
  return right ? 0 : 1;
}
