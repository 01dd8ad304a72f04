#include <halocline/error.hpp>
#include <halocline/pattern.hpp>

#include "base/text.hpp"

#include <algorithm>
#include <limits>
#include <ostream>

namespace halocline {

namespace {

std::size_t total(const std::vector<Block>& blocks) {
  std::size_t sum = 0;
  for (const Block& block : blocks) sum += block.size();
  return sum;
}

Link& link_with(std::vector<Link>& links, int peer) {
  // Usually it is the one that came last.
  if (!links.empty() && links.back().peer == peer) return links.back();
  auto known =
      std::find_if(links.begin(), links.end(), [&](const Link& link) { return link.peer == peer; });
  if (known == links.end()) known = links.insert(links.end(), Link{peer, {}});
  return *known;
}

bool is_empty(const Block& block) {
  return block.count[0] == 0 || block.count[1] == 0 || block.count[2] == 0;
}

constexpr int most_parts = 1 << 20;

/// Throws Error unless the block lies in an array that can be.
void check(const Block& block) {
  constexpr auto most = std::numeric_limits<std::ptrdiff_t>::max();
  std::ptrdiff_t begin = block.offset, end = block.offset, size = 1, reach = 0;
  bool fits = true;
  for (std::size_t axis = 0; axis < 3 && fits; ++axis) {
    const std::size_t count = block.count[axis];
    const std::ptrdiff_t stride = axis < 2 ? block.stride[axis] : 1;
    fits = count <= static_cast<std::size_t>(most) &&
           !__builtin_mul_overflow(size, static_cast<std::ptrdiff_t>(count), &size) &&
           !__builtin_mul_overflow(static_cast<std::ptrdiff_t>(count - 1), stride, &reach) &&
           !__builtin_add_overflow(reach < 0 ? begin : end, reach, reach < 0 ? &begin : &end);
  }
  if (!fits || end == most)
    throw Error("pattern: a block of " + std::to_string(block.count[0]) + " x " +
                std::to_string(block.count[1]) + " x " + std::to_string(block.count[2]) +
                " elements is larger than an array can be");
  if (block.part < 0 || block.part > most_parts)
    throw Error("pattern: a block is of part " + std::to_string(block.part) +
                ", must be from 0 to " + std::to_string(most_parts));
  if (begin < 0)
    throw Error("pattern: a block begins at element " + std::to_string(begin) + ", must be >= 0");
}

void add(std::vector<Link>& links, int peer, Block block) {
  if (peer < 0 || is_empty(block)) return;
  check(block);
  link_with(links, peer).blocks.push_back(block);
}

/// Adds the shift of the blocks from number `first` on, which are of one part.
void add_shift(Link& link, std::size_t first, std::vector<double> by) {
  const std::size_t count = link.blocks.size() - first;
  if (!link.shifts.empty())
    if (Shift& last = link.shifts.back(); last.first + last.count == first && last.by == by &&
                                          link.blocks[last.first].part == link.blocks[first].part) {
      last.count += count;
      return;
    }
  link.shifts.push_back({first, count, std::move(by)});
}

std::size_t end_of(const Link& link) {
  std::size_t end = 0;
  for (const Block& block : link.blocks) end = std::max(end, block.end());
  return end;
}

}  // namespace

std::size_t Block::end() const noexcept {
  std::ptrdiff_t last = offset + static_cast<std::ptrdiff_t>(count[2]);
  for (std::size_t axis : {0u, 1u})
    last +=
        static_cast<std::ptrdiff_t>(count[axis] - 1) * std::max<std::ptrdiff_t>(stride[axis], 0);
  return static_cast<std::size_t>(last);
}

std::size_t Link::size() const noexcept {
  return total(blocks);
}

void Pattern::send(int peer, Block block) {
  stages_.clear();
  add(sends_, peer, block);
}
void Pattern::receive(int peer, Block block) {
  stages_.clear();
  add(receives_, peer, block);
}

void Pattern::receive(int peer, Block block, std::vector<double> shift) {
  receive(peer, block);
  if (peer < 0 || is_empty(block)) return;
  Link& link = link_with(receives_, peer);
  add_shift(link, link.blocks.size() - 1, std::move(shift));
  shifts_ = true;
}

void Pattern::send_nothing(int peer) {
  if (peer >= 0) link_with(sends_, peer);
}
void Pattern::receive_nothing(int peer) {
  if (peer >= 0) link_with(receives_, peer);
}

void Pattern::copy(Block from, Block to) {
  if (is_empty(from) && is_empty(to)) return;
  check(from);
  check(to);
  if (from.size() != to.size()) throw Error("pattern: a local copy's ends differ in size");
  stages_.clear();
  from_.blocks.push_back(from);
  to_.blocks.push_back(to);
}

void Pattern::copy(Block from, Block to, std::vector<double> shift) {
  copy(from, to);
  if (is_empty(to)) return;
  add_shift(to_, to_.blocks.size() - 1, std::move(shift));
  shifts_ = true;
}

std::size_t Pattern::blocks_from(int peer) const noexcept {
  const auto known = std::ranges::find(receives_, peer, &Link::peer);
  return known == receives_.end() ? 0 : known->blocks.size();
}

void Pattern::shift_from(int peer, std::size_t first, const std::vector<double>& by) {
  if (by.empty() || blocks_from(peer) == first) return;
  add_shift(link_with(receives_, peer), first, by);
  shifts_ = true;
}

void Pattern::shift_copies(std::size_t first, const std::vector<double>& by) {
  if (by.empty() || to_.blocks.size() == first) return;
  add_shift(to_, first, by);
  shifts_ = true;
}

namespace {
void settle(std::vector<std::int64_t>& known, const std::vector<std::int64_t>& said) {
  if (!known.empty() && !said.empty() && known != said)
    throw Error("pattern: elements are counted in an array of " + base::sizes(said) +
                ", but others of the pattern in one of " + base::sizes(known) +
                " (slowest axis first)");
  if (known.empty()) known = said;
}
}  // namespace

void Pattern::count_in(const std::vector<std::int64_t>& sent,
                       const std::vector<std::int64_t>& received, int part) {
  if (sent.empty() && received.empty()) return;
  if (part < 0 || part > most_parts)
    throw Error("pattern: part " + std::to_string(part) + ", must be from 0 to " +
                std::to_string(most_parts));
  const auto at = static_cast<std::size_t>(part);
  if (counted_.size() <= at) counted_.resize(at + 1);
  settle(counted_[at].sent, sent);
  settle(counted_[at].received, received);
}

const Pattern::Counted& Pattern::counted(int part) const noexcept {
  static const Counted unknown;
  const auto at = static_cast<std::size_t>(part);
  return part >= 0 && at < counted_.size() ? counted_[at] : unknown;
}
const std::vector<std::int64_t>& Pattern::sent_in(int part) const noexcept {
  return counted(part).sent;
}
const std::vector<std::int64_t>& Pattern::received_in(int part) const noexcept {
  return counted(part).received;
}

Pattern Pattern::padded(Padding padding, std::ptrdiff_t rows, std::ptrdiff_t elements) const {
  Pattern padded = *this;
  padded.counted_.clear();
  for (Pattern& stage : padded.stages_) stage = stage.padded(padding, rows, elements);
  const auto move = [&](Link& link) {
    for (Block& block : link.blocks) {
      const std::ptrdiff_t i = block.offset % elements, j = block.offset / elements % rows,
                           k = block.offset / elements / rows;
      block.offset = padding.lead + k * padding.plane + j * padding.row + i;
      block.stride = {padding.plane, padding.row};
    }
  };
  std::ranges::for_each(padded.sends_, move);
  std::ranges::for_each(padded.receives_, move);
  move(padded.from_);
  move(padded.to_);
  return padded;
}

Pattern Pattern::reversed() const {
  Pattern back = *this;
  back.stages_.clear();
  std::swap(back.sends_, back.receives_);
  std::swap(back.from_, back.to_);
  for (Counted& arrays : back.counted_) std::swap(arrays.sent, arrays.received);
  for (Link& link : back.sends_) link.shifts.clear();
  back.from_.shifts.clear();
  back.shifts_ = false;
  return back;
}

namespace {

/// Null: a block has none.
const Shift* shift_of(const Link& link, std::size_t block) {
  const auto shift = std::ranges::upper_bound(link.shifts, block, {}, &Shift::first);
  if (shift == link.shifts.begin()) return nullptr;
  const Shift& before = *std::prev(shift);
  return block < before.first + before.count ? &before : nullptr;
}

/// Adds the blocks of a pattern as those of a part.
void add_part(Pattern& all, const Pattern& one, int part) {
  all.count_in(one.sent_in(), one.received_in(), part);
  const auto of_part = [part](Block block) {
    block.part = part;
    return block;
  };
  for (const Link& link : one.sends()) {
    all.send_nothing(link.peer);
    for (const Block& block : link.blocks) all.send(link.peer, of_part(block));
  }
  for (const Link& link : one.receives()) {
    all.receive_nothing(link.peer);
    for (std::size_t i = 0; i < link.blocks.size(); ++i)
      if (const Shift* const shift = shift_of(link, i))
        all.receive(link.peer, of_part(link.blocks[i]), shift->by);
      else
        all.receive(link.peer, of_part(link.blocks[i]));
  }
  for (std::size_t i = 0; i < one.copies_from().blocks.size(); ++i) {
    const Block from = of_part(one.copies_from().blocks[i]),
                to = of_part(one.copies_to().blocks[i]);
    if (const Shift* const shift = shift_of(one.copies_to(), i))
      all.copy(from, to, shift->by);
    else
      all.copy(from, to);
  }
}

}  // namespace

Pattern Pattern::united(std::span<const Pattern> parts) {
  Pattern all;
  std::size_t most = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    add_part(all, parts[part], static_cast<int>(part));
    most = std::max(most, parts[part].stages().size());
  }
  // A part that has no stages goes with the first one of the others.
  std::vector<Pattern> stages(most);
  for (std::size_t stage = 0; stage < most; ++stage)
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const std::vector<Pattern>& own = parts[part].stages();
      if (own.empty() && stage == 0)
        add_part(stages[stage], parts[part], static_cast<int>(part));
      else if (stage < own.size())
        add_part(stages[stage], own[stage], static_cast<int>(part));
    }
  all.set_stages(std::move(stages));
  return all;
}

std::size_t Pattern::elements_sent() const noexcept {
  std::size_t sum = 0;
  for (const Link& link : sends_) sum += link.size();
  return sum;
}

std::size_t Pattern::extent() const noexcept {
  return std::max(send_extent(), receive_extent());
}

std::size_t Pattern::send_extent() const noexcept {
  std::size_t end = end_of(from_);
  for (const Link& link : sends_) end = std::max(end, end_of(link));
  return end;
}

std::size_t Pattern::receive_extent() const noexcept {
  std::size_t end = end_of(to_);
  for (const Link& link : receives_) end = std::max(end, end_of(link));
  return end;
}

Pattern Pattern::shift(int to, Block sent, int from, Block received) {
  if (sent.size() != received.size())
    throw Error("pattern: a shift sends " + std::to_string(sent.size()) +
                " elements and receives " + std::to_string(received.size()) +
                "; all its blocks must be of one size");
  Pattern pattern;
  pattern.send(to, sent);
  pattern.receive(from, received);
  return pattern;
}

void Pattern::add_run(std::vector<Link>& links, int peer, std::ptrdiff_t first, std::size_t count) {
  if (first < 0)
    throw Error("pattern: the index list of rank " + std::to_string(peer) + " has the index " +
                std::to_string(first) + ", must be >= 0");
  add(links, peer, {.offset = first, .count = {1, 1, count}});
}

void Pattern::check_lists(const char* side, std::size_t peers, std::size_t lists) {
  if (peers != lists)
    throw Error("pattern: there are " + std::to_string(peers) + " peers, but " +
                std::to_string(lists) + " index lists of what is " + side + "; each needs one");
}

void Pattern::check_copies(std::size_t from, std::size_t to) {
  if (from != to)
    throw Error("pattern: a local copy has " + std::to_string(from) +
                " indices to copy from, but " + std::to_string(to) + " to copy to");
}

void Pattern::check_counts(const char* side, std::size_t peers, std::size_t counts,
                           std::uintmax_t counted, std::size_t indices) {
  if (peers != counts)
    throw Error("pattern: there are " + std::to_string(peers) + " peers, but " +
                std::to_string(counts) + " counts of what is " + side + "; each needs one");
  if (counted != indices)
    throw Error("pattern: the counts of what is " + std::string(side) + " add up to " +
                std::to_string(counted) + ", but there are " + std::to_string(indices) +
                " indices");
}

void Pattern::refuse_count(const char* side, int peer, std::intmax_t count) {
  throw Error("pattern: the count of what is " + std::string(side) + ", rank " +
              std::to_string(peer) + ", is " + std::to_string(count) + ", must be >= 0");
}

std::ostream& operator<<(std::ostream& out, const Pattern& pattern) {
  // As text, since a stream may part digits as its locale has them.
  const auto text = [](auto number) { return std::to_string(number); };
  const auto print = [&](const char* arrow, const std::vector<Link>& links) {
    for (const Link& link : links) {
      out << arrow << " rank " << text(link.peer) << ": " << text(link.size()) << " elements in";
      for (const Block& block : link.blocks)
        out << " [" << text(block.offset) << ": " << text(block.count[0]) << "x"
            << text(block.count[1]) << "x" << text(block.count[2]) << "]";
      out << '\n';
    }
  };
  print("->", pattern.sends());
  print("<-", pattern.receives());
  if (pattern.copies_from().size() > 0)
    out << "local copies: " << text(pattern.copies_from().size()) << " elements\n";
  return out;
}

}  // namespace halocline
