#include "loop.hpp"

namespace halobench {

using namespace halocline;

namespace {

double sum(const std::vector<Arrived>& all) {
  double total = 0;
  for (const Arrived& one : all)
    for (std::size_t plane = 0; plane < one.count[0]; ++plane)
      for (std::size_t row = 0; row < one.count[1]; ++row) {
        const auto* const cells = reinterpret_cast<const double*>(
            one.view.data + static_cast<std::ptrdiff_t>(plane) * one.view.stride[0] +
            static_cast<std::ptrdiff_t>(row) * one.view.stride[1]);
        // Independent sums, as a sweep's points are.
        std::array<double, 8> lanes{};
        std::size_t i = 0;
        for (; i + lanes.size() <= one.count[2]; i += lanes.size())
          for (std::size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane] += cells[i + lane];
        for (; i < one.count[2]; ++i) lanes[0] += cells[i];
        for (const double lane : lanes) total += lane;
      }
  return total;
}

}  // namespace

Loop::Loop(std::array<PatternField*, 2> fields, Rewrite what, const Where& where)
    : fields_(fields), what_(what) {
  for (std::size_t turn = 0; turn < 2; ++turn) {
    const PatternField& field = *fields_[turn];
    const auto& receives = field.pattern().receives();
    for (std::size_t link = 0; link < receives.size(); ++link)
      for (std::size_t i = 0; i < receives[link].blocks.size(); ++i) {
        const Block& block = receives[link].blocks[i];
        arrived_[turn].push_back({where(turn, link, i), block.count});
        own_[turn].push_back({field.in_field(block), block.count});
      }
    for (const Block& block : field.pattern().copies_to().blocks)
      for (auto* all : {&arrived_[turn], &own_[turn]})
        all->push_back({field.in_field(block), block.count});
  }
}

void Loop::run(std::size_t steps, const std::function<void(std::size_t)>& exchange) {
  for (; steps > 0; --steps) {
    const PatternField& before = *fields_[turn_];
    turn_ = 1 - turn_;
    fields_[turn_]->sweep(before, what_);
    if (exchange) exchange(turn_);
    seen_ = sum(exchange ? arrived_[turn_] : own_[turn_]);
  }
}

}  // namespace halobench
