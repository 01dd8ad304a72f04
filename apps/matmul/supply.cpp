#include "supply.hpp"

#include <halocline/more/mpi.hpp>

#include <algorithm>
#include <utility>

namespace matmul {

using namespace halocline;

template <class Act>
void Supply::for_each(int step, Act&& act) const {
  if (step >= steps()) return;
  for (const std::size_t number : schedule_.before[static_cast<std::size_t>(step)])
    if (exchanges_[number]) act(*exchanges_[number]);
}

Supply::Supply(MPI_Comm comm, const Part& part, Schedule schedule, const Scheme& scheme,
               Halos halos)
    : schedule_(std::move(schedule)), memory_(comm, schedule_.numbers, scheme) {
  for (const Pattern& pattern : schedule_.patterns) {
    exchanges_.emplace_back();
    if (mpi::all_of(comm, pattern.empty())) continue;
    exchanges_.back() =
        std::make_unique<Exchange>(comm, pattern, memory_, scheme, ExchangeOptions{.halos = halos});
    if (!scheme_) scheme_ = exchanges_.back()->scheme();
  }
  for (const auto& numbers : schedule_.before)
    for (const std::size_t number : numbers)
      words_ += static_cast<std::int64_t>(schedule_.patterns[number].elements_sent());
  for (const Use& use : schedule_.uses) {
    const Panel& panel = part.panels[use.panel];
    factors_.push_back({panel.k, memory_.data() + use.a, memory_.data() + use.b, panel.k.size(),
                        part.columns.size()});
  }
  if (halos == Halos::in_place) read_in_place(part);
  schedule_.patterns.clear();
}

/// Blocks of others are where they have arrived, or where they lie with their owners.
void Supply::read_in_place(const Part& part) {
  for (std::size_t step = 0; step < factors_.size(); ++step) {
    Factor& factor = factors_[step];
    const Panel& panel = part.panels[schedule_.uses[step].panel];
    if (panel.k.size() == 0) continue;
    const auto look = [&](int peer, const double*& data, std::int64_t& stride) {
      const std::size_t number = schedule_.before[step].front();
      const std::vector<Link>& links = schedule_.patterns[number].receives();
      const auto link = std::ranges::find(links, peer, &Link::peer) - links.begin();
      const HaloView view = exchanges_[number]->view(static_cast<std::size_t>(link), 0);
      data = reinterpret_cast<const double*>(view.data);
      stride = view.stride[1] / static_cast<std::ptrdiff_t>(sizeof(double));
    };
    if (panel.owner_of_a != part.j)
      look(part.rank(part.i, panel.owner_of_a, part.l), factor.a, factor.stride_of_a);
    if (panel.owner_of_b != part.i)
      look(part.rank(panel.owner_of_b, part.j, part.l), factor.b, factor.stride_of_b);
  }
}

void Supply::start(int step) {
  for_each(step, [](Exchange& one) { one.start(); });
}

void Supply::finish(int step) {
  for_each(step, [](Exchange& one) { one.finish(); });
}

bool Supply::brings(int step) const {
  bool any = false;
  for_each(step, [&](const Exchange&) { any = true; });
  return any;
}

Factor Supply::factor(int step) const {
  const auto number = static_cast<std::size_t>(step);
  return number < factors_.size() ? factors_[number] : Factor{};
}

}  // namespace matmul
