#include "schedule.hpp"

namespace matmul {

using namespace halocline;

Owned::Owned(const Part& part) {
  if (part.idle) return;
  const auto place = [&](std::vector<Tile>& tiles, std::vector<std::size_t>& at, bool mine,
                         const Box& box) {
    at.push_back(numbers);
    if (!mine) return;
    tiles.push_back({box, numbers});
    numbers += box.size();
  };
  for (const Panel& panel : part.panels)
    place(a, a_at, panel.owner_of_a == part.j, {part.rows, panel.k});
  for (const Panel& panel : part.panels)
    place(b, b_at, panel.owner_of_b == part.i, {panel.k, part.columns});
}

}  // namespace matmul
