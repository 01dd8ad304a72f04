// Distributions: which boxes of an array each rank has.

#include "converted.hpp"

#include <algorithm>
#include <numeric>

using namespace halocline;
using c::call, c::create, c::give, c::in;

namespace {

DistributionOptions options_of(const halocline_distribution_options* options, std::size_t axes) {
  const halocline_distribution_options from =
      c::known(options, halocline_distribution_options HALOCLINE_DISTRIBUTION_OPTIONS,
               "HALOCLINE_DISTRIBUTION_OPTIONS");
  DistributionOptions to;
  const std::size_t there = std::min<std::size_t>(axes, HALOCLINE_MOST_AXES);
  for (std::size_t axis = 0; axis < there; ++axis) {
    to.halos.push_back(c::width(from.halos[axis]));
    to.order.push_back(from.order[axis]);
  }
  if (std::ranges::all_of(to.order, [](int axis) { return axis == 0; })) to.order.clear();
  to.first = from.first;
  to.ranks = c::list<int>(from.ranks, c::size(from.rank_count, "rank_count"), "ranks");
  return to;
}

halocline_part part_of_c(const Distribution::Part& part) {
  halocline_part to{};
  to.rank = part.rank;
  to.number = static_cast<std::int64_t>(part.number);
  to.begin = part.begin;
  to.elements = static_cast<std::int64_t>(part.elements);
  to.offset = part.offset;
  for (std::size_t axis = 0; axis < most_axes; ++axis) {
    to.cells[axis] = c::range(part.cells[axis]);
    to.stride[axis] = part.stride[axis];
    to.order[axis] = static_cast<int>(part.order[axis]);
  }
  return to;
}

void write_parts(const std::vector<Distribution::Part>& all, std::int64_t room,
                 halocline_part* parts, std::int64_t* count) {
  c::at(count, "count") = static_cast<std::int64_t>(all.size());
  const std::size_t some = std::min(all.size(), c::size(room, "room"));
  if (some > 0) c::at(parts, "parts");
  std::transform(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(some), parts, part_of_c);
}

}  // namespace

int halocline_distribution_create(int axes, const int64_t* cells, const int* dims,
                                  const halocline_distribution_options* options,
                                  halocline_distribution** distribution) {
  return create(__func__, distribution, "distribution", [&] {
    const std::size_t n = c::size(axes, "axes");
    return Distribution(c::list<std::int64_t>(cells, n, "cells"), c::list<int>(dims, n, "dims"),
                        options_of(options, n));
  });
}

int halocline_distribution_of_cuts(int axes, const int* counts, const int64_t* cuts,
                                   const halocline_distribution_options* options,
                                   halocline_distribution** distribution) {
  return create(__func__, distribution, "distribution", [&] {
    const std::size_t n = c::size(axes, "axes");
    std::vector<std::vector<std::int64_t>> lists;
    for (const int count : c::list<int>(counts, n, "counts")) {
      lists.push_back(c::list<std::int64_t>(cuts, c::size(count, "counts"), "cuts"));
      cuts += count;
    }
    return Distribution::of_cuts(std::move(lists), options_of(options, n));
  });
}

int halocline_distribution_of_boxes(int axes, int ranks, const int* counts,
                                    const halocline_range* boxes,
                                    const halocline_distribution_options* options,
                                    halocline_distribution** distribution) {
  return create(__func__, distribution, "distribution", [&] {
    const std::size_t n = c::size(axes, "axes");
    std::vector<std::vector<Box>> lists;
    for (const int count : c::list<int>(counts, c::size(ranks, "ranks"), "counts")) {
      std::vector<Box>& mine = lists.emplace_back(c::size(count, "counts"), Box(n));
      if (count > 0) c::at(boxes, "boxes");
      for (Box& box : mine)
        for (Range& along : box) along = c::range(*boxes++);
    }
    return Distribution::of_boxes(lists, options_of(options, n));
  });
}

int halocline_distribution_free(halocline_distribution** distribution) {
  return c::end(distribution);
}

int halocline_distribution_axes(const halocline_distribution* distribution, int* axes) {
  return give(__func__, axes, "axes", [&] { return in(distribution, "distribution").axes(); });
}
int halocline_distribution_cells(const halocline_distribution* distribution, int64_t* cells) {
  return call(__func__, [&] {
    const std::vector<std::int64_t> all = in(distribution, "distribution").cells();
    if (all.empty()) throw Error("distribution: boxes do not say how many cells the array has");
    c::write(all, cells, "cells");
  });
}
int halocline_distribution_halo(const halocline_distribution* distribution, int axis,
                                halocline_halo_width* width) {
  return give(__func__, width, "width", [&] {
    const Distribution& it = in(distribution, "distribution");
    if (axis < 0 || axis >= it.axes())
      throw c::ArgumentError("there is no axis " + std::to_string(axis) + " of " +
                             std::to_string(it.axes()));
    return c::width(it.halo(axis));
  });
}
int halocline_distribution_elements(const halocline_distribution* distribution, int rank,
                                    int64_t* elements) {
  return give(__func__, elements, "elements",
              [&] { return in(distribution, "distribution").elements(rank); });
}
int halocline_distribution_parts_of(const halocline_distribution* distribution, int rank,
                                    int64_t room, halocline_part* parts, int64_t* count) {
  return call(__func__, [&] {
    write_parts(in(distribution, "distribution").parts_of(rank), room, parts, count);
  });
}
int halocline_distribution_overlapping(const halocline_distribution* distribution,
                                       const halocline_range* cells, int64_t room,
                                       halocline_part* parts, int64_t* count) {
  return call(__func__, [&] {
    const Distribution& it = in(distribution, "distribution");
    Distribution::Cells box;
    box.fill({0, 1});
    for (int axis = 0; axis < it.axes(); ++axis)
      box[static_cast<std::size_t>(axis)] = c::range((&c::at(cells, "cells"))[axis]);
    write_parts(it.overlapping(box), room, parts, count);
  });
}
int halocline_distribution_overlaps(const halocline_distribution* distribution, int* overlaps) {
  return give(__func__, overlaps, "overlaps",
              [&] { return in(distribution, "distribution").overlaps(); });
}
