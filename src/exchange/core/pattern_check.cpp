#include "pattern_check.hpp"

#include "consensus.hpp"
#include "exchange/core/trade.hpp"
#include "exchange/routes/combine.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace halocline::detail {

namespace {

/// Why this rank's links cannot be; empty if they can.
std::string impossible(MPI_Comm comm, const Pattern& pattern) {
  const int ranks = mpi::size(comm);
  const std::string me = "exchange: rank " + std::to_string(mpi::rank(comm)) + ": ";
  for (const auto* links : {&pattern.sends(), &pattern.receives()})
    for (const Link& link : *links) {
      if (link.peer >= ranks)
        return me + "a link's peer is rank " + std::to_string(link.peer) + ", but there are only " +
               std::to_string(ranks) + " ranks";
      if (link.peer == mpi::rank(comm)) return me + "a link to itself; use Pattern::copy";
    }
  return {};
}

/// Consecutive elements, and whose they are.
struct Run {
  std::ptrdiff_t begin, end;
  bool received;
  int peer;
};

Clash clash(const Run& one, const Run& other) {
  const Run& arriving = one.received ? one : other;
  const Run& rest = one.received ? other : one;
  return {std::max(one.begin, other.begin), arriving.peer, !rest.received, rest.peer, -1};
}

/// A block of the pattern.
struct Placed {
  const Block* block;
  bool received;
  int peer;
};

std::optional<Clash> find_clash_of_rows(const std::vector<Placed>& parts, bool combines) {
  std::vector<Run> runs;
  for (const auto& [block, received, peer] : parts)
    for (std::size_t k = 0; k < block->count[0]; ++k)
      for (std::size_t j = 0; j < block->count[1]; ++j) {
        const std::ptrdiff_t begin = block->offset +
                                     static_cast<std::ptrdiff_t>(k) * block->stride[0] +
                                     static_cast<std::ptrdiff_t>(j) * block->stride[1];
        runs.push_back(
            {begin, begin + static_cast<std::ptrdiff_t>(block->count[2]), received, peer});
      }
  const auto before = [](const Run& a, const Run& b) { return a.begin < b.begin; };
  if (!std::is_sorted(runs.begin(), runs.end(), before))
    std::sort(runs.begin(), runs.end(), before);
  const Run *receiving = nullptr, *sending = nullptr;  // those that end last so far
  for (const Run& run : runs) {
    const bool may_meet = run.received && combines;
    if (receiving != nullptr && run.begin < receiving->end && !may_meet)
      return clash(*receiving, run);
    if (run.received && sending != nullptr && run.begin < sending->end) return clash(*sending, run);
    const Run*& farthest = run.received ? receiving : sending;
    if (farthest == nullptr || run.end > farthest->end) farthest = &run;
  }
  return std::nullopt;
}

/// The ranges of a box along planes, rows and elements, where they can be derived.
struct Box {
  std::array<std::ptrdiff_t, 3> begin, end;
};
std::optional<Box> box_of(const Block& block, std::ptrdiff_t plane, std::ptrdiff_t row) {
  const bool one_row = block.count[0] == 1 && block.count[1] == 1;
  if (row <= 0 || plane < row) return std::nullopt;
  if (!one_row && (block.stride[0] != plane || block.stride[1] != row)) return std::nullopt;
  Box box{{block.offset / plane, block.offset % plane / row, block.offset % plane % row}, {}};
  for (std::size_t axis = 0; axis < 3; ++axis)
    box.end[axis] = box.begin[axis] + static_cast<std::ptrdiff_t>(block.count[axis]);
  if (box.end[2] > row || box.end[1] * row > plane) return std::nullopt;
  return box;
}

/// Whether all parts are boxes of one array, of which none meets another that it must not meet.
bool are_boxes_apart(const std::vector<Placed>& parts, bool combines) {
  std::ptrdiff_t plane = 0, row = 0;
  for (const Placed& part : parts)
    if (part.block->count[0] > 1 || part.block->count[1] > 1)
      plane = part.block->stride[0], row = part.block->stride[1];
  std::vector<Box> boxes;
  for (const Placed& part : parts) {
    const auto box = box_of(*part.block, plane, row);
    if (!box) return false;
    boxes.push_back(*box);
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      bool meet = combines ? parts[i].received != parts[k].received
                           : parts[i].received || parts[k].received;
      for (std::size_t axis = 0; axis < 3; ++axis)
        meet = meet && boxes[i].begin[axis] < boxes[k].end[axis] &&
               boxes[k].begin[axis] < boxes[i].end[axis];
      if (meet) return false;
    }
  return true;
}

}  // namespace

std::string Clash::text() const {
  const auto rank = [](int peer) {
    return peer < 0 ? std::string("a local copy") : "rank " + std::to_string(peer);
  };
  return "element " + std::to_string(element) +
         (part < 0 ? "" : " of part " + std::to_string(part)) +
         (sent ? " is sent to " + rank(other) + " and received from "
               : " is received from " + rank(other) + " and from ") +
         rank(from) +
         "; in one step a cell is received once and not sent (or combine what arrives: "
         "ExchangeOptions::combine)";
}

std::optional<Clash> find_clash(const Pattern& pattern, bool apart, bool combines) {
  std::vector<std::vector<Placed>> parts(1);
  const auto add = [&](const Link& link, bool received) {
    for (const Block& block : link.blocks) {
      const auto part = static_cast<std::size_t>(block.part);
      if (parts.size() <= part) parts.resize(part + 1);
      parts[part].push_back({&block, received, link.peer});
    }
  };
  if (!apart) {
    for (const Link& link : pattern.sends()) add(link, false);
    add(pattern.copies_from(), false);
  }
  for (const Link& link : pattern.receives()) add(link, true);
  add(pattern.copies_to(), true);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    // Boxes are few, and rows may be many; of index lists it is the other way round.
    constexpr std::size_t few = 256;
    if (parts[part].size() <= few && are_boxes_apart(parts[part], combines)) continue;
    if (auto clash = find_clash_of_rows(parts[part], combines)) {
      if (parts.size() > 1) clash->part = static_cast<int>(part);
      return clash;
    }
  }
  return std::nullopt;
}

namespace {

/// Bytes that are exchanged of a field.
struct Touched {
  const Field* field;
  std::size_t number;
  std::uintptr_t begin, end;  ///< from the first to one past the last
  bool receives;
};

/// Whether elements of two fields never meet because both repeat with the same period.
bool interleave(const Field& one, const Field& other) {
  std::uintptr_t period = 0;
  for (const Field* field : {&one, &other}) {
    if (field->shape.axes == 0) return false;
    for (std::size_t axis = 0; axis < field->shape.axes; ++axis)
      period = std::gcd(period, static_cast<std::uintptr_t>(std::abs(field->shape.stride[axis])));
  }
  if (period == 0) return false;
  const auto at = [](const Field& field) { return reinterpret_cast<std::uintptr_t>(field.data); };
  const std::uintptr_t apart = (at(other) % period + period - at(one) % period) % period;
  return apart >= one.element_bytes && apart + other.element_bytes <= period;
}

/// Whether a field that can be received in has elements that lie on one another.
bool lies_on_itself(const Field& field) {
  std::vector<std::pair<std::size_t, std::size_t>> axes;  // stride and extent
  for (std::size_t axis = 0; axis < field.shape.axes; ++axis)
    if (field.shape.extent[axis] > 1)
      axes.emplace_back(static_cast<std::size_t>(std::abs(field.shape.stride[axis])),
                        field.shape.extent[axis]);
  std::sort(axes.begin(), axes.end());
  std::size_t reach = field.element_bytes;
  for (const auto& [stride, extent] : axes) {
    if (stride < reach) return true;
    reach += (extent - 1) * stride;
  }
  return false;
}

/// Rows of the elements of a field that are sent, or received, by their addresses.
void add_rows(std::vector<Run>& rows, const Setup& setup, const Touched& touched) {
  Field field = *touched.field;
  const int part = std::exchange(field.part, 0);
  const auto add = [&](const Link& link, bool received) {
    std::vector<Block> blocks;
    std::ranges::copy_if(link.blocks, std::back_inserter(blocks),
                         [&](const Block& block) { return block.part == part; });
    for (const Piece& piece : boxes_of(blocks, std::span(&field, 1)))
      for (std::int64_t row = 0; row < piece.planes * piece.rows; ++row) {
        const std::ptrdiff_t begin = reinterpret_cast<std::intptr_t>(field.data) + piece.offset +
                                     row / piece.rows * piece.plane_stride +
                                     row % piece.rows * piece.row_stride;
        rows.push_back(
            {begin, begin + piece.row_bytes, received, static_cast<int>(touched.number)});
      }
  };
  if (touched.number < setup.fields_in_message()) {
    for (const Link& link : setup.pattern.sends()) add(link, false);
    add(setup.pattern.copies_from(), false);
  }
  if (touched.number >= setup.first_receive_field()) {
    for (const Link& link : setup.pattern.receives()) add(link, true);
    add(setup.pattern.copies_to(), true);
  }
}

/// Whether two fields have bytes in common of which one receives some.
bool meet(const Setup& setup, const Touched& one, const Touched& other) {
  if (interleave(*one.field, *other.field)) return false;
  std::vector<Run> rows;
  add_rows(rows, setup, one);
  add_rows(rows, setup, other);
  std::ranges::sort(rows, {}, &Run::begin);
  std::ptrdiff_t ends[2][2] = {};  // of what lies before: by field, sent and received
  for (const Run& row : rows) {
    const int mine = row.peer == static_cast<int>(one.number) ? 0 : 1;
    const std::ptrdiff_t* const others = ends[1 - mine];
    if (row.begin < others[1] || (row.received && row.begin < others[0])) return true;
    std::ptrdiff_t& end = ends[mine][row.received ? 1 : 0];
    end = std::max(end, row.end);
  }
  return false;
}

}  // namespace

std::string find_overlap(const Setup& setup) {
  std::vector<Touched> all;
  for (std::size_t f = 0; f < setup.fields.size(); ++f) {
    const Field& field = setup.fields[f];
    const bool can_receive =
        f >= setup.first_receive_field() &&
        (!setup.pattern.receives().empty() || !setup.pattern.copies_to().blocks.empty());
    if (can_receive && lies_on_itself(field))
      return "field " + std::to_string(f) +
             " has elements that lie on one another: its strides are too small to receive in it";
    if (setup.fields.size() == 1) return {};
    if (setup.unbound) continue;
    const Reach reach = setup.reach(f);
    if (reach.bytes() == 0) continue;
    const auto at = reinterpret_cast<std::uintptr_t>(field.data);
    all.push_back({&field, f, at + static_cast<std::uintptr_t>(reach.begin),
                   at + static_cast<std::uintptr_t>(reach.end), can_receive});
  }
  std::ranges::sort(all, {}, &Touched::begin);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = i + 1; k < all.size() && all[k].begin < all[i].end; ++k)
      if ((all[i].receives || all[k].receives) && meet(setup, all[i], all[k]))
        return "fields " + std::to_string(std::min(all[i].number, all[k].number)) + " and " +
               std::to_string(std::max(all[i].number, all[k].number)) +
               " lie on one another: what is received in one of them is exchanged in the other, "
               "too";
  return {};
}

namespace {

/// What the elements of a message are, if all are the same.
Number number_of(std::span<const Field> fields) {
  if (fields.empty()) return Number::unknown;
  const auto same = [&](const Field& field) { return field.number == fields[0].number; };
  return std::ranges::all_of(fields, same) ? fields[0].number : Number::unknown;
}

/// What a rank tells another of a message, in one number: its bytes, and what it consists of.
constexpr int bits_of_bytes = 56;
constexpr std::int64_t all_bytes = (std::int64_t{1} << bits_of_bytes) - 1;
Number number_in(std::int64_t told) {
  return static_cast<Number>(told >> bits_of_bytes);
}

/// `bytes`: of a link. `sent_as`, `received_as`: what messages consist of. See check_pattern.
template <class Bytes>
bool check_links(const Channel& comm, const Pattern& pattern, std::string complaint,
                 const Bytes& bytes_of, Number sent_as = Number::unknown,
                 Number received_as = Number::unknown, std::vector<std::int64_t>* told = nullptr) {
  const auto told_by_peer = [&](const std::vector<Link>& links, Number what) {
    Numbers told;
    for (const Link& link : links)
      told[link.peer] = static_cast<std::int64_t>(bytes_of(link)) | static_cast<std::int64_t>(what)
                                                                        << bits_of_bytes;
    return told;
  };
  if (complaint.empty()) complaint = impossible(comm, pattern);
  // A rank that complains sends nothing: then only the complaint counts.
  const Numbers sent = complaint.empty() ? told_by_peer(pattern.sends(), sent_as) : Numbers{};
  const Numbers expected =
      complaint.empty() ? told_by_peer(pattern.receives(), received_as) : Numbers{};
  const Numbers announced = sparse_exchange(comm, sent);

  const auto number = [](const Numbers& numbers, int rank) {
    const auto found = numbers.find(rank);
    return found == numbers.end() ? 0 : found->second;
  };
  const auto unlike = [&](int peer) -> std::string {
    const std::int64_t theirs = number(announced, peer), mine = number(expected, peer);
    const Number given = number_in(theirs), wanted = number_in(mine);
    const std::string me = "exchange: rank " + std::to_string(mpi::rank(comm));
    if ((theirs & all_bytes) != (mine & all_bytes))
      return me + " expects " + std::to_string(mine & all_bytes) + " bytes from rank " +
             std::to_string(peer) + ", which sends " + std::to_string(theirs & all_bytes);
    if (given == wanted || given == Number::unknown || wanted == Number::unknown) return {};
    return me + " receives as " + name(wanted) + " what rank " + std::to_string(peer) +
           " sends as " + name(given) + "; give both the same type (Field::number)";
  };
  std::set<int> peers;
  for (const Numbers* numbers : {&sent, &expected, &announced})
    for (const auto& [rank, bytes] : *numbers) peers.insert(rank);
  bool two_way = true;
  std::string unequal;
  for (const int peer : peers) {
    if (unequal.empty()) unequal = unlike(peer);
    two_way = two_way && sent.contains(peer) == expected.contains(peer);
  }
  // What cannot be at all is said first: what does not fit may follow from it.
  std::vector<std::int64_t> least{unequal.empty(), two_way};
  if (told != nullptr) least.insert(least.end(), told->begin(), told->end());
  least = mpi::agree(comm, complaint, std::move(least));
  if (told != nullptr) told->assign(least.begin() + 2, least.end());
  if (least[0] == 0) mpi::agree(comm, unequal);
  return least[1] != 0;
}

}  // namespace

bool check_pattern(const Channel& comm, const Pattern& pattern, std::size_t element_bytes,
                   std::string complaint) {
  return check_links(comm, pattern, std::move(complaint),
                     [&](const Link& link) { return link.size() * element_bytes; });
}

bool check_pattern(const Setup& setup, std::string complaint, std::vector<std::int64_t>* told) {
  // Where values are combined, check_numbers says more.
  const bool known = !setup.several && setup.combine == Combine::replace;
  return check_links(
      setup.comm, setup.pattern, std::move(complaint),
      [&](const Link& link) { return setup.bytes(link); },
      known ? number_of(setup.send_fields()) : Number::unknown,
      known ? number_of(setup.receive_fields()) : Number::unknown, told);
}

namespace {

/// The numbers of a link's message, each with how many bytes of it follow each other, as one
/// number.
std::int64_t kinds_of(const Setup& setup, const Layout& message) {
  std::uint64_t all = 14695981039346656037u, bytes = 0;
  Number last = Number::unknown;
  const auto mix = [&](std::uint64_t word) { all = (all ^ word) * 1099511628211u; };
  for (const Piece& piece : message.pieces()) {
    const Number number = setup.fields[static_cast<std::size_t>(piece.field)].number;
    if (number != last) mix(std::exchange(bytes, 0)), mix(static_cast<std::uint64_t>(number));
    last = number;
    bytes += piece.bytes();
  }
  mix(bytes);
  return static_cast<std::int64_t>(all);
}

/// Checks several parts, which ranks may number as they like.
void check_numbers_of_parts(const Setup& setup) {
  std::vector<std::int64_t> mine;
  for (const Link& link : setup.pattern.sends())
    mine.push_back(kinds_of(setup, setup.send_layout(link)));
  const std::vector<int> sources = setup.sources();
  const std::vector<std::int64_t> theirs = trade(setup.comm, setup.targets(), mine, sources, 1);
  std::string complaint;
  for (std::size_t i = 0; i < theirs.size() && complaint.empty(); ++i)
    if (theirs[i] != kinds_of(setup, setup.receive_layout(setup.pattern.receives()[i])))
      complaint = "exchange: rank " + std::to_string(sources[i]) +
                  " sends numbers of other types, or in another order, than rank " +
                  std::to_string(mpi::rank(setup.comm)) +
                  " combines them with; give the fields of both the same types (Field::number)";
  mpi::agree(setup.comm, complaint);
}

}  // namespace

void check_numbers(const Setup& setup) {
  if (setup.several) return check_numbers_of_parts(setup);
  const Channel& comm = setup.comm;
  const Pattern& pattern = setup.pattern;
  const std::vector<Field>& fields = setup.fields;
  const auto most = static_cast<std::size_t>(
      -mpi::agree(comm, "", {-static_cast<std::int64_t>(fields.size())}).front());
  std::vector<std::int64_t> numbers(most, 0);  // no field: unknown
  for (std::size_t f = 0; f < fields.size(); ++f)
    numbers[f] = static_cast<std::int64_t>(fields[f].number);
  const auto peers = [](const std::vector<Link>& links) {
    std::vector<int> ranks;
    for (const Link& link : links) ranks.push_back(link.peer);
    return ranks;
  };
  const std::vector<int> targets = peers(pattern.sends()), sources = peers(pattern.receives());
  std::vector<std::int64_t> mine;
  for (std::size_t i = 0; i < targets.size(); ++i)
    mine.insert(mine.end(), numbers.begin(), numbers.end());
  const std::vector<std::int64_t> theirs = trade(comm, targets, mine, sources, most);
  std::string complaint;
  for (std::size_t i = 0; i < theirs.size() && complaint.empty(); ++i) {
    const std::size_t field = i % most;
    if (theirs[i] != numbers[field])
      complaint = "exchange: rank " + std::to_string(sources[i / most]) + " sends field " +
                  std::to_string(field) + " as " + name(static_cast<Number>(theirs[i])) +
                  ", which rank " + std::to_string(mpi::rank(comm)) + " would combine with " +
                  name(static_cast<Number>(numbers[field])) +
                  "; give both the same type (Field::number)";
  }
  mpi::agree(comm, complaint);
}

}  // namespace halocline::detail
