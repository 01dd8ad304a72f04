#include "supply.hpp"

namespace matmul {

using namespace halocline;

std::size_t Supply::place_owned() {
  std::size_t next = 0;
  const auto place = [&](std::vector<Tile>& tiles, std::vector<std::size_t>& at, bool mine,
                         const Box& box) {
    at.push_back(next);
    if (!mine) return;
    tiles.push_back({box, next});
    next += box.size();
  };
  for (const Panel& panel : part_.panels)
    place(a_, a_at_, panel.owner_of_a == part_.j, {part_.rows, panel.k});
  for (const Panel& panel : part_.panels)
    place(b_, b_at_, panel.owner_of_b == part_.i, {panel.k, part_.columns});
  return next;
}

std::unique_ptr<Exchange> Supply::exchange(const Pattern& pattern, const Scheme& scheme,
                                           Halos halos) {
  if (mpi::all_of(comm_, pattern.empty())) return {};
  auto made =
      std::make_unique<Exchange>(comm_, pattern, memory_, scheme, ExchangeOptions{.halos = halos});
  if (!scheme_) scheme_ = made->scheme();
  return made;
}

}  // namespace matmul
