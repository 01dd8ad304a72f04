#include "loop.hpp"

#include <algorithm>

namespace halometer {

using namespace halocline;

namespace {

// Doubles of a row: a cache line. Kernels read rows where they lie, as partdiff's does, but want
// single elements beside the points, as laplace's does, which brings them there first.
constexpr std::size_t worth_reading_in_place = 8;

/// The rows of a halo's block, where its cells can be read.
void append_rows(std::vector<HaloRow>& rows, const Block& block, const HaloView& view) {
  for (std::size_t plane = 0; plane < block.count[0]; ++plane)
    for (std::size_t row = 0; row < block.count[1]; ++row) {
      const auto p = static_cast<std::ptrdiff_t>(plane), r = static_cast<std::ptrdiff_t>(row);
      rows.push_back(
          {block.offset + p * block.stride[0] + r * block.stride[1],
           reinterpret_cast<const double*>(view.data + p * view.stride[0] + r * view.stride[1]),
           block.count[2]});
    }
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
        append_rows(arrived_[turn], block, where(turn, link, i));
        append_rows(own_[turn], block, field.in_field(block));
      }
    for (const Block& block : field.pattern().copies_to().blocks)
      for (auto* rows : {&arrived_[turn], &own_[turn]})
        append_rows(*rows, block, field.in_field(block));
    for (auto* rows : {&arrived_[turn], &own_[turn]})
      std::ranges::stable_sort(*rows, {}, &HaloRow::place);
    for (std::size_t i = 0; i < own_[turn].size(); ++i) {
      HaloRow& row = arrived_[turn][i];
      const HaloRow& own = own_[turn][i];
      if (row.cells == own.cells || row.count >= worth_reading_in_place) continue;
      gathered_[turn].push_back(row);
      row = own;
    }
  }
}

void Loop::run(std::size_t steps, const std::function<void(std::size_t)>& exchange,
               const std::function<void()>& instead) {
  for (; steps > 0; --steps) {
    const std::size_t before = turn_;
    turn_ = 1 - turn_;
    fields_[turn_]->sweep(*fields_[before], what_, exchange ? arrived_[before] : own_[before]);
    if (!exchange) {
      if (instead) instead();
      continue;
    }
    exchange(turn_);
    auto* const cells = static_cast<double*>(fields_[turn_]->field().data);
    for (const HaloRow& row : gathered_[turn_])
      std::copy_n(row.cells, row.count, cells + row.place);
  }
}

}  // namespace halometer
