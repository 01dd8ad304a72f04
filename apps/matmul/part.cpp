#include "part.hpp"

#include <algorithm>
#include <numeric>

namespace matmul {

using halocline::part_of;

std::int64_t Part::width() const noexcept {
  std::int64_t most = 0;
  for (const Panel& panel : panels) most = std::max(most, panel.k.size());
  return most;
}

Range Part::sum(int layer) const noexcept {
  const Range mine = part_of(rows.size(), cut.k, layer);
  return {rows.begin + mine.begin, rows.begin + mine.end};
}

std::vector<Panel> natural_panels(Range k, const Cut& cut, std::int64_t widest) {
  std::vector<Panel> panels;
  int a = 0, b = 0;
  for (std::int64_t begin = 0; begin < k.size();) {
    while (part_of(k.size(), cut.n, a).end <= begin) ++a;
    while (part_of(k.size(), cut.m, b).end <= begin) ++b;
    std::int64_t end = std::min(part_of(k.size(), cut.n, a).end, part_of(k.size(), cut.m, b).end);
    if (widest > 0) end = std::min(end, begin + widest);
    panels.push_back({{k.begin + begin, k.begin + end}, a, b});
    begin = end;
  }
  return panels;
}

std::vector<Panel> shifted_panels(Range k, const Cut& cut, std::int64_t widest,
                                  std::int64_t deepest) {
  const auto so_many = [](std::int64_t size, std::int64_t parts) {
    return (size + parts - 1) / parts;
  };
  int count = std::lcm(cut.m, cut.n);
  if (widest > 0)
    count *= static_cast<int>(so_many(so_many(std::max(k.size(), deepest), count), widest));
  const std::int64_t width = so_many(k.size(), count);
  std::vector<Panel> panels;
  for (int q = 0; q < count; ++q)
    panels.push_back(
        {{std::min(k.end, k.begin + q * width), std::min(k.end, k.begin + (q + 1) * width)},
         q / (count / cut.n),
         q / (count / cut.m)});
  return panels;
}

}  // namespace matmul
