// neighbors: some doubles to each of 2, 4, 6, 8 or 26 neighbours of a periodic process grid, then
// all may continue. Neighbours that are the same rank share a message, as they do in an
// application. Beside links that stay as they are, those whose sizes or index lists change. Between
// start and finish there may be a computation of a set length.

#include "busy.hpp"
#include "exchange_work.hpp"

#include <halocline/error.hpp>
#include <halocline/more/mpi.hpp>
#include "handwritten.hpp"
#include "kind.hpp"
#include "ragged_work.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace halometer {

using namespace halocline;

namespace {

using Direction = std::array<int, 3>;

/// How a number of neighbours comes about: axes of the process grid, and whether diagonals count.
struct Stencil {
  int neighbours, axes;
  bool diagonals;
};
constexpr Stencil stencils[] = {
    {2, 1, false}, {4, 2, false}, {8, 2, true}, {6, 3, false}, {26, 3, true}};

std::vector<Direction> directions(const Stencil& stencil) {
  std::vector<Direction> list;
  const int y = stencil.axes > 1 ? 1 : 0, z = stencil.axes > 2 ? 1 : 0;
  for (int a = -1; a <= 1; ++a)
    for (int b = -y; b <= y; ++b)
      for (int c = -z; c <= z; ++c) {
        const int distance = std::abs(a) + std::abs(b) + std::abs(c);
        if (distance == 1 || (distance > 1 && stencil.diagonals)) list.push_back({a, b, c});
      }
  return list;
}

/// How the cells of a link lie, as elements of the field: one after the other, or every second one
/// from `first` on, as an index list names them.
struct Lie {
  std::ptrdiff_t apart = 1, first = 0;
};

Pattern pattern_of(MPI_Comm comm, const Stencil& stencil, std::size_t doubles, Lie lie = {}) {
  std::array<int, 3> dims{1, 1, 1};
  std::vector<int> chosen(static_cast<std::size_t>(stencil.axes), 0);
  HALOCLINE_MPI(MPI_Dims_create, mpi::size(comm), stencil.axes, chosen.data());
  std::copy(chosen.begin(), chosen.end(), dims.begin());
  const int me = mpi::rank(comm);
  const Direction mine{me / (dims[1] * dims[2]), me / dims[2] % dims[1], me % dims[2]};
  const auto neighbour = [&](const Direction& direction, int sign) {
    int rank = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      rank = rank * dims[axis] + (mine[axis] + sign * direction[axis] + dims[axis]) % dims[axis];
    return rank;
  };

  Pattern pattern;
  const std::vector<Direction> all = directions(stencil);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(i * doubles);
    const auto end = static_cast<std::ptrdiff_t>(all.size() * doubles) * lie.apart;
    const Block to{.offset = end + begin, .count = {1, 1, doubles}};
    const int target = neighbour(all[i], 1), source = neighbour(all[i], -1);
    const std::size_t run = lie.apart == 1 ? doubles : 1;  // cells of a block
    for (std::size_t at = 0; at < doubles; at += run) {
      const Block from{.offset = (begin + static_cast<std::ptrdiff_t>(at)) * lie.apart + lie.first,
                       .count = {1, 1, run}};
      if (target == me)
        pattern.copy(from,
                     {.offset = to.offset + static_cast<std::ptrdiff_t>(at), .count = {1, 1, run}});
      else
        pattern.send(target, from);
    }
    if (target != me) pattern.receive(source, to);
  }
  return pattern;
}

class Neighbors final : public Kind {
 public:
  std::string name() const override { return "neighbors"; }
  std::string summary() const override { return "doubles to each of 2, 4, 6, 8 or 26 neighbours"; }

  void declare(frame::Arguments& app) override {
    app.option("--count", counts_, "neighbours: 2, 4, 6, 8 or 26")
        .with_commas()
        .one_number_of({2, 4, 6, 8, 26})
        .shows_default();
    app.option("--doubles", doubles_, "to each of them")
        .with_commas()
        .range(1, 1 << 24)
        .shows_default();
    app.option("--links", links_,
               "what becomes of links from step to step: fixed; ragged, other sizes at each "
               "step; lists, cells that lie apart; changed, other such lists at each step")
        .with_commas()
        .one_of({"fixed", "ragged", "lists", "changed"})
        .shows_default();
    app.option("--compute", compute_us_,
               "microseconds of computation between start and finish; not of ragged links")
        .with_commas()
        .range(0.0, 1e7)
        .shows_default();
    app.flag("--yardstick", yardstick_,
             "measure what one writes by hand for links that are fixed, or lists, too; it "
             "computes nothing meanwhile");
    add_unchanged(app, fresh_);
  }

  std::vector<Group> groups(MPI_Comm comm, const std::string& patterns) override {
    const std::vector<Scheme> schemes = chosen_schemes(patterns);
    computes_ =
        std::any_of(compute_us_.begin(), compute_us_.end(), [](double us) { return us > 0; });
    if (computes_ && std::find(links_.begin(), links_.end(), "ragged") != links_.end())
      throw Error("--compute: of --links ragged nothing is computed meanwhile; leave one out");
    std::vector<Group> groups;
    for (const int count : counts_)
      for (const int doubles : doubles_)
        for (const double us : compute_us_)
          groups.push_back(group(comm, schemes, count, doubles, us));
    return groups;
  }

 private:
  Group group(MPI_Comm comm, const std::vector<Scheme>& schemes, int count, int doubles,
              double us) const {
    char length[48] = "";
    if (us > 0) std::snprintf(length, sizeof length, " with %g µs of computation", us);
    Group group{.title = std::to_string(doubles) + " doubles to each of " + std::to_string(count) +
                         " neighbours" + length,
                .conclude = over("links", {{"ragged", "fixed"}, {"changed", "lists"}})};
    const Stencil& stencil = *std::find_if(std::begin(stencils), std::end(stencils),
                                           [&](auto& s) { return s.neighbours == count; });
    const auto each = static_cast<std::size_t>(doubles);
    const Pattern whole = pattern_of(comm, stencil, each);
    const double bytes = busiest_bytes(comm, whole, sizeof(double));
    const auto add = [&](const std::string& scheme, const std::string& links,
                         std::function<std::unique_ptr<Work>()> make) {
      nlohmann::ordered_json parameters = {{"neighbours", count},
                                           {"doubles", doubles},
                                           {"size", 8 * doubles},
                                           {"links", links},
                                           {"unchanged", !fresh_}};
      if (computes_) parameters["compute_us"] = us;
      group.contenders.push_back({.scheme = scheme,
                                  .parameters = std::move(parameters),
                                  .bytes = bytes,
                                  .make = std::move(make)});
    };
    std::function<void()> meanwhile;
    if (us > 0) meanwhile = [busy = Busy(comm, us * 1e-6)] { busy.run(); };
    const auto once = [&](const std::string& links) {
      Layout made(comm, stencil, each, links, fresh_);
      made.options.meanwhile = meanwhile;
      return made;
    };
    for (const std::string& links : links_)
      if (yardstick_ && us == 0 && (links == "fixed" || links == "lists"))
        add(handwritten_messages, links, [=, of = once(links)] {
          return make_handwritten_messages(comm, of.pattern, of.elements, of.options.in_loop,
                                           of.options.owned);
        });
    for (const Scheme& scheme : schemes)
      for (const std::string& links : links_)
        add(scheme.str(), links, [=, of = once(links), fresh = fresh_]() -> std::unique_ptr<Work> {
          if (links == "ragged") return make_ragged(comm, whole, scheme, fresh);
          return std::make_unique<ExchangeWork>(comm, of.pattern, of.elements, scheme, of.options);
        });
    return group;
  }

  /// Where the cells of links lie, and how they are written.
  struct Layout {
    Layout(MPI_Comm comm, const Stencil& stencil, std::size_t doubles, const std::string& links,
           bool fresh) {
      const bool lists = links != "fixed";
      const std::size_t cells = static_cast<std::size_t>(stencil.neighbours) * doubles;
      pattern = pattern_of(comm, stencil, doubles, {.apart = lists ? 2 : 1});
      elements = (lists ? 3 : 2) * cells;
      options.fresh = fresh;
      options.in_loop = !fresh ? Rewrite::none : lists ? Rewrite::field : Rewrite::sent;
      // All cells that are in some list.
      if (lists) options.owned = {.planes = 1, .rows = 1, .elements = 2 * cells};
      if (links == "changed") {
        options.exchange = {.changes = true};
        options.other = pattern_of(comm, stencil, doubles, {.apart = 2, .first = 1});
      }
    }

    Pattern pattern;
    std::size_t elements;
    ExchangeWork::Options options;
  };

  std::vector<int> counts_{26}, doubles_{1, 10, 100, 1000};
  std::vector<double> compute_us_{0};
  std::vector<std::string> links_{"fixed"};
  bool fresh_ = true, yardstick_ = false, computes_ = false;
};

}  // namespace

std::unique_ptr<Kind> neighbors() {
  return std::make_unique<Neighbors>();
}

}  // namespace halometer
