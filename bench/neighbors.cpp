// neighbors: some doubles to each of 2, 4, 6, 8 or 26 neighbours of a periodic process grid, then
// all may continue. Neighbours that are the same rank share a message, as they do in an
// application.

#include "exchange_work.hpp"
#include "kind.hpp"

#include <array>

namespace halobench {

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

Pattern pattern_of(MPI_Comm comm, const Stencil& stencil, std::size_t doubles) {
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
    const auto end = static_cast<std::ptrdiff_t>(all.size() * doubles);
    const Block from{.offset = begin, .count = {1, 1, doubles}};
    const Block to{.offset = end + begin, .count = {1, 1, doubles}};
    const int target = neighbour(all[i], 1), source = neighbour(all[i], -1);
    if (target == me) {
      pattern.copy(from, to);
    } else {
      pattern.send(target, from);
      pattern.receive(source, to);
    }
  }
  return pattern;
}

class Neighbors final : public Kind {
 public:
  std::string name() const override { return "neighbors"; }
  std::string summary() const override { return "doubles to each of 2, 4, 6, 8 or 26 neighbours"; }

  void declare(CLI::App& app) override {
    app.add_option("--count", counts_, "neighbours: 2, 4, 6, 8 or 26")
        ->delimiter(',')
        ->check(CLI::IsMember({2, 4, 6, 8, 26}))
        ->capture_default_str();
    app.add_option("--doubles", doubles_, "to each of them")
        ->delimiter(',')
        ->check(CLI::Range(1, 1 << 24))
        ->capture_default_str();
    add_unchanged(app, fresh_);
  }

  std::vector<Group> groups(MPI_Comm comm, const std::string& patterns) override {
    const std::vector<Scheme> schemes = chosen_schemes(patterns);
    std::vector<Group> groups;
    for (const int count : counts_)
      for (const int doubles : doubles_) {
        Group group{.title = std::to_string(doubles) + " doubles to each of " +
                             std::to_string(count) + " neighbours"};
        const Stencil& stencil = *std::find_if(std::begin(stencils), std::end(stencils),
                                               [&](auto& s) { return s.neighbours == count; });
        const auto each = static_cast<std::size_t>(doubles);
        const Pattern pattern = pattern_of(comm, stencil, each);
        const double bytes = busiest_bytes(comm, pattern, sizeof(double));
        for (const Scheme& scheme : schemes)
          group.contenders.push_back(
              {.scheme = scheme.str(),
               .parameters = {{"neighbours", count},
                              {"doubles", doubles},
                              {"size", 8 * doubles},
                              {"unchanged", !fresh_}},
               .bytes = bytes,
               .make = [=, fresh = fresh_]() -> std::unique_ptr<Work> {
                 return std::make_unique<ExchangeWork>(
                     comm, pattern, 2 * each * static_cast<std::size_t>(count), scheme,
                     ExchangeWork::Options{.fresh = fresh,
                                           .in_loop = fresh ? Rewrite::sent : Rewrite::none});
               }});
        groups.push_back(std::move(group));
      }
    return groups;
  }

 private:
  std::vector<int> counts_{26}, doubles_{1, 10, 100, 1000};
  bool fresh_ = true;
};

}  // namespace

std::unique_ptr<Kind> neighbors() {
  return std::make_unique<Neighbors>();
}

}  // namespace halobench
