// Patterns: the links of a rank.

#include "converted.hpp"

#include <algorithm>
#include <utility>

namespace halocline::c {

Block block(const halocline_block& block) {
  return {.offset = block.offset,
          .count = {size(block.count[0], "count"), size(block.count[1], "count"),
                    size(block.count[2], "count")},
          .stride = {block.stride[0], block.stride[1]},
          .part = block.part};
}

halocline_block block(const Block& block) {
  return {block.offset,
          {static_cast<std::int64_t>(block.count[0]), static_cast<std::int64_t>(block.count[1]),
           static_cast<std::int64_t>(block.count[2])},
          {block.stride[0], block.stride[1]},
          block.part};
}

}  // namespace halocline::c

using namespace halocline;
using c::call, c::create, c::give, c::in;

namespace {

Block given(const halocline_block* block, const char* name) {
  return c::block(c::at(block, name));
}

std::vector<double> shifted(const double* shift, int count) {
  return c::list<double>(shift, c::size(count, "count"), "shift");
}

/// Indices where they lie.
std::span<const int> listed(const int* indices, std::int64_t count, const char* name) {
  if (c::size(count, "count") == 0) return {};
  return {&c::at(indices, name), static_cast<std::size_t>(count)};
}

template <class Index>
int from_lists(const char* function, int sends, const int* send_peers, const Index* send_counts,
               const Index* send, int receives, const int* receive_peers,
               const Index* receive_counts, const Index* receive, halocline_pattern** pattern) {
  return create(function, pattern, "pattern", [&] {
    /// One direction.
    struct Flat {
      std::span<const int> peers;
      std::span<const Index> counts, indices;
      Flat(int links, const int* of_peers, const Index* of_counts, const Index* of_all,
           const char* name) {
        const std::size_t n = c::size(links, name);
        if (n == 0) return;
        peers = {&c::at(of_peers, "peers"), n};
        counts = {&c::at(of_counts, "counts"), n};
        // What is negative is refused where the pattern is made.
        std::size_t all = 0;
        for (const Index count : counts) all += count < 0 ? 0 : static_cast<std::size_t>(count);
        if (all > 0) indices = {&c::at(of_all, "indices"), all};
      }
    };
    const Flat out(sends, send_peers, send_counts, send, "sends");
    const Flat back(receives, receive_peers, receive_counts, receive, "receives");
    return Pattern::from_indices(out.peers, out.counts, out.indices, back.peers, back.counts,
                                 back.indices);
  });
}

HaloOptions halo_options(const halocline_halo_options* options, int axes) {
  const halocline_halo_options from =
      c::known(options, halocline_halo_options HALOCLINE_HALO_OPTIONS, "HALOCLINE_HALO_OPTIONS");
  HaloOptions to;
  bool all_widths = true, has_cells = false;
  for (int axis = 0; axis < axes; ++axis) {
    const halocline_halo_width& width = from.widths[axis];
    all_widths = all_widths && width.below == HALOCLINE_UNKNOWN && width.above == HALOCLINE_UNKNOWN;
    has_cells = has_cells || from.cells[axis] != 0;
    to.widths.push_back(c::width(width));
    to.periodic.push_back(from.periodic[axis] != 0);
    to.cells.push_back(from.cells[axis]);
  }
  if (all_widths) to.widths.clear();
  if (!has_cells) to.cells.clear();
  to.corners = from.corners != 0;
  to.own_arrays = from.own_arrays != 0;
  return to;
}

std::span<const Link> links_of(const Pattern& pattern, int side) {
  switch (c::kind(side, 4, "side")) {
    case HALOCLINE_SENDS: return pattern.sends();
    case HALOCLINE_RECEIVES: return pattern.receives();
    case HALOCLINE_COPIES_FROM: return {&pattern.copies_from(), 1};
    default: return {&pattern.copies_to(), 1};
  }
}

template <class Entry>
const Entry& entry(std::span<const Entry> entries, std::int64_t number, const char* what) {
  if (number < 0 || std::cmp_greater_equal(number, entries.size()))
    throw c::ArgumentError("there is no " + std::string(what) + " " + std::to_string(number) +
                           " of " + std::to_string(entries.size()));
  return entries[static_cast<std::size_t>(number)];
}

}  // namespace

int halocline_pattern_create(halocline_pattern** pattern) {
  return create(__func__, pattern, "pattern", [] { return Pattern(); });
}
int halocline_pattern_duplicate(const halocline_pattern* pattern, halocline_pattern** same) {
  return create(__func__, same, "same", [&] { return in(pattern, "pattern"); });
}
int halocline_pattern_free(halocline_pattern** pattern) {
  return c::end(pattern);
}

int halocline_pattern_send(halocline_pattern* pattern, int peer, const halocline_block* block) {
  return call(__func__, [&] { in(pattern, "pattern").send(peer, given(block, "block")); });
}
int halocline_pattern_receive(halocline_pattern* pattern, int peer, const halocline_block* block) {
  return call(__func__, [&] { in(pattern, "pattern").receive(peer, given(block, "block")); });
}
int halocline_pattern_receive_shifted(halocline_pattern* pattern, int peer,
                                      const halocline_block* block, const double* shift,
                                      int count) {
  return call(__func__, [&] {
    in(pattern, "pattern").receive(peer, given(block, "block"), shifted(shift, count));
  });
}
int halocline_pattern_send_nothing(halocline_pattern* pattern, int peer) {
  return call(__func__, [&] { in(pattern, "pattern").send_nothing(peer); });
}
int halocline_pattern_receive_nothing(halocline_pattern* pattern, int peer) {
  return call(__func__, [&] { in(pattern, "pattern").receive_nothing(peer); });
}
int halocline_pattern_copy(halocline_pattern* pattern, const halocline_block* from,
                           const halocline_block* to) {
  return call(__func__, [&] { in(pattern, "pattern").copy(given(from, "from"), given(to, "to")); });
}
int halocline_pattern_copy_shifted(halocline_pattern* pattern, const halocline_block* from,
                                   const halocline_block* to, const double* shift, int count) {
  return call(__func__, [&] {
    in(pattern, "pattern").copy(given(from, "from"), given(to, "to"), shifted(shift, count));
  });
}

int halocline_pattern_send_indices(halocline_pattern* pattern, int peer, const int* indices,
                                   int64_t count) {
  return call(__func__,
              [&] { in(pattern, "pattern").send(peer, listed(indices, count, "indices")); });
}
int halocline_pattern_receive_indices(halocline_pattern* pattern, int peer, const int* indices,
                                      int64_t count, const double* shift, int shifts) {
  return call(__func__, [&] {
    in(pattern, "pattern").receive(peer, listed(indices, count, "indices"), shifted(shift, shifts));
  });
}
int halocline_pattern_copy_indices(halocline_pattern* pattern, const int* from, const int* to,
                                   int64_t count, const double* shift, int shifts) {
  return call(__func__, [&] {
    in(pattern, "pattern")
        .copy(listed(from, count, "from"), listed(to, count, "to"), shifted(shift, shifts));
  });
}

int halocline_pattern_count_in(halocline_pattern* pattern, int side, int part, int axes,
                               const int64_t* extents) {
  return call(__func__, [&] {
    const auto all = c::list<std::int64_t>(extents, c::size(axes, "axes"), "extents");
    if (c::kind(side, 2, "side") == HALOCLINE_SENDS)
      in(pattern, "pattern").count_in(all, {}, part);
    else
      in(pattern, "pattern").count_in({}, all, part);
  });
}

int halocline_pattern_from_indices(int sends, const int* send_peers, const int* send_counts,
                                   const int* send, int receives, const int* receive_peers,
                                   const int* receive_counts, const int* receive,
                                   halocline_pattern** pattern) {
  return from_lists(__func__, sends, send_peers, send_counts, send, receives, receive_peers,
                    receive_counts, receive, pattern);
}
int halocline_pattern_from_indices64(int sends, const int* send_peers, const int64_t* send_counts,
                                     const int64_t* send, int receives, const int* receive_peers,
                                     const int64_t* receive_counts, const int64_t* receive,
                                     halocline_pattern** pattern) {
  return from_lists(__func__, sends, send_peers, send_counts, send, receives, receive_peers,
                    receive_counts, receive, pattern);
}
int halocline_pattern_shift(int to, const halocline_block* sent, int from,
                            const halocline_block* received, halocline_pattern** pattern) {
  return create(__func__, pattern, "pattern", [&] {
    return Pattern::shift(to, given(sent, "sent"), from, given(received, "received"));
  });
}
int halocline_pattern_between(const halocline_distribution* from, const halocline_distribution* to,
                              int rank, halocline_pattern** pattern) {
  return create(__func__, pattern, "pattern",
                [&] { return Pattern::between(in(from, "from"), in(to, "to"), rank); });
}
int halocline_pattern_halo_of(const halocline_distribution* parts, int rank,
                              const halocline_halo_options* options, halocline_pattern** pattern) {
  return create(__func__, pattern, "pattern", [&] {
    const Distribution& all = in(parts, "parts");
    return Pattern::halo_of(all, rank, halo_options(options, all.axes()));
  });
}
int halocline_pattern_reversed(const halocline_pattern* pattern, halocline_pattern** reversed) {
  return create(__func__, reversed, "reversed", [&] { return in(pattern, "pattern").reversed(); });
}
int halocline_pattern_padded(const halocline_pattern* pattern, int64_t lead, int64_t plane,
                             int64_t row, int64_t rows, int64_t elements,
                             halocline_pattern** padded) {
  return create(__func__, padded, "padded", [&] {
    return in(pattern, "pattern").padded({lead, plane, row}, rows, elements);
  });
}
int halocline_pattern_united(const halocline_pattern* const* parts, int count,
                             halocline_pattern** united) {
  return create(__func__, united, "united", [&] {
    std::vector<Pattern> all;
    for (std::size_t part = 0; part < c::size(count, "count"); ++part)
      all.push_back(in((&c::at(parts, "parts"))[part], "parts"));
    return Pattern::united(all);
  });
}

int halocline_pattern_links(const halocline_pattern* pattern, int side, int* links) {
  return give(__func__, links, "links",
              [&] { return links_of(in(pattern, "pattern"), side).size(); });
}
int halocline_pattern_link(const halocline_pattern* pattern, int side, int link,
                           halocline_link* facts) {
  return give(__func__, facts, "facts", [&] {
    const Link& one = entry(links_of(in(pattern, "pattern"), side), link, "link");
    return halocline_link{one.peer, static_cast<std::int64_t>(one.blocks.size()),
                          static_cast<std::int64_t>(one.size())};
  });
}
int halocline_pattern_block(const halocline_pattern* pattern, int side, int link, int64_t number,
                            halocline_block* block) {
  return give(__func__, block, "block", [&] {
    const Link& one = entry(links_of(in(pattern, "pattern"), side), link, "link");
    return c::block(entry(std::span<const Block>(one.blocks), number, "block"));
  });
}
int halocline_pattern_empty(const halocline_pattern* pattern, int* empty) {
  return give(__func__, empty, "empty", [&] { return in(pattern, "pattern").empty(); });
}
int halocline_pattern_shifts(const halocline_pattern* pattern, int* shifts) {
  return give(__func__, shifts, "shifts", [&] { return in(pattern, "pattern").shifts(); });
}
int halocline_pattern_elements_sent(const halocline_pattern* pattern, int64_t* elements) {
  return give(__func__, elements, "elements",
              [&] { return in(pattern, "pattern").elements_sent(); });
}
int halocline_pattern_extent(const halocline_pattern* pattern, int64_t* elements) {
  return give(__func__, elements, "elements", [&] { return in(pattern, "pattern").extent(); });
}
int halocline_pattern_send_extent(const halocline_pattern* pattern, int64_t* elements) {
  return give(__func__, elements, "elements", [&] { return in(pattern, "pattern").send_extent(); });
}
int halocline_pattern_receive_extent(const halocline_pattern* pattern, int64_t* elements) {
  return give(__func__, elements, "elements",
              [&] { return in(pattern, "pattern").receive_extent(); });
}
