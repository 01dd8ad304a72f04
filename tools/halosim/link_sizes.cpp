#include "link_sizes.hpp"

#include <algorithm>

using halocline::Block;
using halocline::Link;
using halocline::Pattern;
using halocline::model::Links;
using halocline::model::LinkSize;

namespace halosim {

namespace {

constexpr double line = 64;  // bytes of a cache line

std::size_t rounded(double number) {
  return static_cast<std::size_t>(number + 0.5);
}

LinkSize size_of(const Link& link, double element_bytes, double extent) {
  LinkSize size{.peer = link.peer, .pieces = 0, .span = rounded(extent * element_bytes)};
  double bytes = 0, lines = 0;
  for (const Block& block : link.blocks) {
    const std::size_t rows = block.count[0] * block.count[1];
    bytes += static_cast<double>(block.size()) * element_bytes;
    size.pieces += rows;
    // That the rows lie in, wherever they begin.
    const double row = static_cast<double>(block.count[2]) * element_bytes;
    lines += static_cast<double>(rows) * (1 + std::max(0.0, row - element_bytes) / line);
  }
  size.bytes = rounded(bytes), size.lines = rounded(lines);
  return size;
}

}  // namespace

Links sizes(const Pattern& pattern, double element_bytes, const Extents& extents) {
  Links links;
  for (const Link& link : pattern.sends())
    links.sends.push_back(size_of(link, element_bytes, extents.from));
  for (const Link& link : pattern.receives())
    links.receives.push_back(size_of(link, element_bytes, extents.to));
  const LinkSize kept = size_of(pattern.copies_from(), element_bytes, extents.from);
  links.kept_bytes = kept.bytes, links.kept_pieces = kept.pieces, links.kept_lines = kept.lines;
  links.span = rounded(std::max(extents.from, extents.to) * element_bytes);
  return links;
}

Pattern renumbered(const Pattern& pattern, const std::vector<int>& owner) {
  const auto rank = [&](const Link& link) { return owner[static_cast<std::size_t>(link.peer)]; };
  Pattern made;
  for (const Link& link : pattern.sends())
    for (const Block& block : link.blocks) made.send(rank(link), block);
  for (const Link& link : pattern.receives())
    for (const Block& block : link.blocks) made.receive(rank(link), block);
  for (std::size_t i = 0; i < pattern.copies_from().blocks.size(); ++i)
    made.copy(pattern.copies_from().blocks[i], pattern.copies_to().blocks[i]);
  std::vector<Pattern> stages;
  for (const Pattern& stage : pattern.stages()) stages.push_back(renumbered(stage, owner));
  made.set_stages(std::move(stages));
  return made;
}

}  // namespace halosim
