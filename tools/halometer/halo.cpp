// halo: the halo of a 2-D or 3-D grid, by extent, width and periodicity, and beside it what one
// would write by hand. reverse: the same halo on its way back, added to the cells of its owner.

#include "exchange_work.hpp"
#include "handwritten.hpp"
#include "kind.hpp"

#include <frame/lists.hpp>

#include <halocline/grid.hpp>
#include <halocline/more/mpi.hpp>

#include <algorithm>

namespace halometer {

using namespace halocline;

namespace {

std::vector<std::int64_t> extents(const std::string& text) {
  std::vector<std::int64_t> numbers = frame::numbers(text, 'x');
  if (numbers.size() != 2 && numbers.size() != 3)
    throw Error("--extent " + text + ": give the cells of a rank as 512x512 or 64x64x64");
  return numbers;
}

/// The process grid asked for, or the one that MPI suggests.
std::vector<int> process_grid(MPI_Comm comm, const std::string& text, std::size_t axes) {
  const int ranks = mpi::size(comm);
  std::vector<int> dims(axes, 0);
  if (text.empty()) {
    HALOCLINE_MPI(MPI_Dims_create, ranks, static_cast<int>(axes), dims.data());
    return dims;
  }
  const std::vector<std::int64_t> asked = frame::numbers(text, 'x');
  std::int64_t all = 1;
  for (const std::int64_t parts : asked) all *= std::min<std::int64_t>(parts, ranks + 1);
  if (asked.size() != axes || all != ranks)
    throw Error("--dims " + text + ": must be " + std::to_string(axes) +
                " numbers, as many as --extent has, whose product is the number of ranks, " +
                std::to_string(ranks));
  std::transform(asked.begin(), asked.end(), dims.begin(),
                 [](std::int64_t parts) { return static_cast<int>(parts); });
  return dims;
}

/// How a rank's array lies in memory.
struct Layout {
  Padding padding;
  std::size_t elements;
};

/// Without padding, or with every row that a rank owns beginning on a cache line, as programs have
/// it whose sweeps are vectorised.
Layout layout_of(const Grid& grid, bool padded) {
  const int last = grid.axes() - 1;
  const auto local = [&](int axis) { return static_cast<std::ptrdiff_t>(grid.local(axis)); };
  constexpr std::ptrdiff_t line = 64 / sizeof(double);
  const auto lines_of = [&](std::ptrdiff_t count) {
    return padded ? (count + line - 1) / line * line : count;
  };
  const auto beside = static_cast<std::ptrdiff_t>(grid.width(last).below);
  const std::ptrdiff_t row = lines_of(local(last)), plane = local(last - 1) * row,
                       lead = lines_of(beside) - beside;
  return {{lead, plane, row}, static_cast<std::size_t>(lead + (last == 2 ? local(0) : 1) * plane)};
}

Rows owned_rows(const Grid& grid, const Padding& padding) {
  const auto size = [](auto value) { return static_cast<std::size_t>(value); };
  const auto owned = [&](int axis) { return size(grid.owned(axis).size()); };
  const auto below = [&](int axis) { return size(grid.width(axis).below); };
  const int last = grid.axes() - 1;
  Rows rows{.planes = 1,
            .rows = owned(last - 1),
            .elements = owned(last),
            .offset = size(padding.lead) + below(last - 1) * size(padding.row) + below(last),
            .plane_stride = 0,
            .row_stride = size(padding.row)};
  if (last == 2) {
    rows.planes = owned(0);
    rows.plane_stride = size(padding.plane);
    rows.offset += below(0) * rows.plane_stride;
  }
  return rows;
}

class Halo final : public Kind {
 public:
  explicit Halo(bool back) : back_(back) {}
  std::string name() const override { return back_ ? "reverse" : "halo"; }
  std::string summary() const override {
    return back_ ? "halos that go back to their owners and are added there"
                 : "halos of 2-D and 3-D grids";
  }

  void declare(frame::Arguments& app) override {
    app.option("--extent", extents_, "cells of each rank, in doubles")
        .with_commas()
        .shows_default();
    app.option("--halo", widths_, "widths of the halo, in cells")
        .with_commas()
        .range(1, 1024)
        .shows_default();
    app.option("--dims", dims_, "process grid, as 1x1x2 (what MPI suggests)");
    app.option("--boundary", boundaries_, "open, periodic or both")
        .with_commas()
        .one_of({"open", "periodic"})
        .shows_default();
    app.flag("--faces", faces_, "no edges and corners");
    app.flag("--padded", padded_, "every row that a rank owns begins on a cache line");
    if (back_) return;
    app.option("--rewrite", rewrite_,
               "what is written between two exchanges: all a rank owns (field), the cells that "
               "are sent, or none; with none, exchanges follow each other in batches")
        .one_of({"field", "sent", "none"})
        .shows_default();
    app.flag("--yardstick", yardstick_,
             "beside the schemes, a hand-written packed loop of messages and a hand-written "
             "copy from shared memory");
  }

  std::vector<Group> groups(MPI_Comm comm, const std::string& patterns) override {
    const std::vector<Scheme> schemes = chosen_schemes(patterns);
    std::vector<Group> groups;
    for (const std::string& extent : extents_)
      for (const std::string& boundary : boundaries_)
        for (const int width : widths_)
          groups.push_back(group(comm, schemes, extent, boundary, width));
    return groups;
  }

 private:
  Group group(MPI_Comm comm, const std::vector<Scheme>& schemes, const std::string& extent,
              const std::string& boundary, int width) const {
    std::vector<std::int64_t> cells = extents(extent);
    // Every rank has the same part.
    const std::vector<int> dims = process_grid(comm, dims_, cells.size());
    for (std::size_t axis = 0; axis < cells.size(); ++axis) cells[axis] *= dims[axis];
    const bool periodic = boundary == "periodic";
    const Grid grid(comm, cells,
                    {.halo = width,
                     .periodic = std::vector<bool>(cells.size(), periodic),
                     .corners = !faces_,
                     .dims = dims});
    const auto [padding, elements] = layout_of(grid, padded_);
    const int last = grid.axes() - 1;
    const Pattern pattern = grid.halo().padded(padding, grid.local(last - 1), grid.local(last));
    const Rewrite rewriting = rewrite(rewrite_);
    const Rows rows = owned_rows(grid, padding);

    Group group{.title = extent + " " + boundary + ", halo " + std::to_string(width)};
    if (back_) {
      add_both_ways(group, comm, schemes, pattern, elements,
                    {{"extent", extent},
                     {"boundary", boundary},
                     {"halo", width},
                     {"corners", !faces_},
                     {"dims", dims},
                     {"padded", padded_}});
      return group;
    }
    const nlohmann::ordered_json parameters = {
        {"extent", extent},    {"boundary", boundary}, {"halo", width},    {"corners", !faces_},
        {"rewrite", rewrite_}, {"dims", dims},         {"padded", padded_}};
    const double bytes = busiest_bytes(comm, pattern, sizeof(double));
    const auto add = [&](const std::string& scheme, auto make) {
      group.contenders.push_back(
          {.scheme = scheme, .parameters = parameters, .bytes = bytes, .make = make});
    };
    if (yardstick_) {
      add(handwritten_messages,
          [=] { return make_handwritten_messages(comm, pattern, elements, rewriting, rows); });
      add(handwritten_copy,
          [=] { return make_handwritten_copy(comm, pattern, elements, rewriting, rows); });
    }
    for (const Scheme& scheme : schemes)
      add(scheme.str(), [=]() -> std::unique_ptr<Work> {
        return std::make_unique<ExchangeWork>(
            comm, pattern, elements, scheme,
            ExchangeWork::Options{.rewrite = rewriting, .in_loop = rewriting, .owned = rows});
      });
    return group;
  }

  /// Out: from the owners into the halos. Back: from there to the owners, who add it.
  static void add_both_ways(Group& group, MPI_Comm comm, const std::vector<Scheme>& schemes,
                            const Pattern& out, std::size_t elements,
                            const nlohmann::ordered_json& of_both) {
    group.conclude = over("way", {{"back", "out"}});
    for (const Scheme& scheme : schemes)
      for (const bool back : {false, true}) {
        const Pattern pattern = back ? out.reversed() : out;
        nlohmann::ordered_json parameters = of_both;
        parameters["way"] = back ? "back" : "out";
        ExchangeWork::Options options{.rewrite = Rewrite::sent, .in_loop = Rewrite::sent};
        if (back) options.exchange.combine = Combine::sum, options.exchange.any_order = true;
        group.contenders.push_back({.scheme = scheme.str(),
                                    .parameters = parameters,
                                    .bytes = busiest_bytes(comm, pattern, sizeof(double)),
                                    .make = [=]() -> std::unique_ptr<Work> {
                                      return std::make_unique<ExchangeWork>(comm, pattern, elements,
                                                                            scheme, options);
                                    }});
      }
  }

  bool back_;
  std::vector<std::string> extents_{"512x512", "64x64x64"}, boundaries_{"open", "periodic"};
  std::vector<int> widths_{1, 2, 3};
  bool faces_ = false, padded_ = false, yardstick_ = false;
  std::string rewrite_ = "field", dims_;
};

}  // namespace

std::unique_ptr<Kind> halo() {
  return std::make_unique<Halo>(false);
}

std::unique_ptr<Kind> reverse() {
  return std::make_unique<Halo>(true);
}

}  // namespace halometer
