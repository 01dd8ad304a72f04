#include "pieces.hpp"

#include <algorithm>

namespace halocline::detail {

namespace {

/// Adds elements [first, last) of a block, in its order, as boxes.
void add(std::vector<Block>& blocks, const Block& block, std::size_t first, std::size_t last) {
  const auto [planes, rows, row] = block.count;
  const std::size_t plane = rows * row;
  while (first < last) {
    const std::size_t p = first / plane, r = first % plane / row, e = first % row;
    Block part = block;
    part.offset += static_cast<std::ptrdiff_t>(p) * block.stride[0] +
                   static_cast<std::ptrdiff_t>(r) * block.stride[1] +
                   static_cast<std::ptrdiff_t>(e);
    const std::size_t left = last - first;
    if (e > 0 || left < row)
      part.count = {1, 1, std::min(left, row - e)};
    else if (r > 0 || left < plane)
      part.count = {1, std::min(left / row, rows - r), row};
    else
      part.count = {left / plane, rows, row};
    first += part.size();
    blocks.push_back(part);
  }
}

/// Elements [first, last) of a link.
std::vector<Block> elements(const Link& link, std::size_t first, std::size_t last) {
  std::vector<Block> blocks;
  std::size_t before = 0;
  for (const Block& block : link.blocks) {
    const std::size_t end = before + block.size();
    if (first < end && last > before)
      add(blocks, block, std::max(first, before) - before, std::min(last, end) - before);
    before = end;
  }
  return blocks;
}

std::vector<Block> piece_of(const Link& link, int piece, int pieces) {
  const Share share(static_cast<std::int64_t>(link.size()), piece, pieces);
  return elements(link, static_cast<std::size_t>(share.begin), static_cast<std::size_t>(share.end));
}

}  // namespace

Pattern piece_of(const Pattern& pattern, int piece, int pieces) {
  if (pieces == 1) return pattern;
  Pattern mine;
  for (const Link& link : pattern.sends())
    for (const Block& block : piece_of(link, piece, pieces)) mine.send(link.peer, block);
  for (const Link& link : pattern.receives())
    for (const Block& block : piece_of(link, piece, pieces)) mine.receive(link.peer, block);
  // What stays here is copied by the first: the boxes of both sides need not be cut alike.
  if (piece == 0)
    for (std::size_t i = 0; i < pattern.copies_from().blocks.size(); ++i)
      mine.copy(pattern.copies_from().blocks[i], pattern.copies_to().blocks[i]);
  return mine;
}

}  // namespace halocline::detail
