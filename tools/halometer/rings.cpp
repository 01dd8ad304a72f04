// rings: several communicating rings at once, by message size and number of communicating ranks
// (R. Rabenseifner's "multiple communicating rings": one ring through the first core of every node,
// one through the second, and so on; on full nodes give as many rings as a node has ranks).

#include "exchange_work.hpp"

#include <halocline/error.hpp>
#include "kind.hpp"

namespace halometer {

using namespace halocline;

namespace {

/// Rank r of the first `communicating` ranks is in ring r modulo `rings` and sends `bytes` to
/// either side. The others look on.
Pattern ring_pattern(MPI_Comm comm, int rings, int communicating, std::size_t bytes) {
  Pattern pattern;
  const int me = mpi::rank(comm);
  if (me >= communicating) return pattern;
  const int ring = me % rings, place = me / rings;
  const int members = (communicating - ring + rings - 1) / rings;
  const auto member = [&](int number) { return ring + (number + members) % members * rings; };
  const int down = member(place - 1), up = member(place + 1);
  const auto block = [&](std::size_t number) {
    return Block{.offset = static_cast<std::ptrdiff_t>(number * bytes), .count = {1, 1, bytes}};
  };
  // Upwards, then downwards, on both sides of a link.
  pattern.send(up, block(0));
  pattern.receive(down, block(2));
  pattern.send(down, block(1));
  pattern.receive(up, block(3));
  return pattern;
}

class Rings final : public Kind {
 public:
  std::string name() const override { return "rings"; }
  std::string summary() const override { return "several communicating rings at once"; }

  void declare(frame::Arguments& app) override {
    add_sizes(app, "--sizes", sizes_, "bytes to either side");
    app.option("--rings", rings_, "how many at once").with_commas().positive().shows_default();
    app.option("--communicating", communicating_, "ranks that take part; 0: all")
        .with_commas()
        .not_negative()
        .shows_default();
    add_unchanged(app, fresh_);
  }

  std::vector<Group> groups(MPI_Comm comm, const std::string& patterns) override {
    const std::vector<Scheme> schemes = chosen_schemes(patterns);
    std::vector<Group> groups;
    for (const int wanted : communicating_)
      for (const int rings : rings_) {
        const int ranks = wanted == 0 ? mpi::size(comm) : wanted;
        if (ranks > mpi::size(comm))
          throw Error("--communicating " + std::to_string(ranks) + ": there are only " +
                      std::to_string(mpi::size(comm)) + " ranks");
        if (ranks < 2 * rings)
          throw Error("--rings " + std::to_string(rings) + ": a ring needs 2 ranks, and only " +
                      std::to_string(ranks) + " communicate");
        for (const std::size_t bytes : sizes_)
          groups.push_back(group(comm, schemes, rings, ranks, bytes));
      }
    return groups;
  }

 private:
  Group group(MPI_Comm comm, const std::vector<Scheme>& schemes, int rings, int ranks,
              std::size_t bytes) const {
    Group group{.title = std::to_string(rings) + (rings == 1 ? " ring of " : " rings of ") +
                         std::to_string(ranks) + " ranks, " + shown_bytes(bytes) +
                         " to either side"};
    for (const Scheme& scheme : schemes)
      group.contenders.push_back({.scheme = scheme.str(),
                                  .parameters = {{"size", bytes},
                                                 {"rings", rings},
                                                 {"communicating", ranks},
                                                 {"unchanged", !fresh_}},
                                  .bytes = 2.0 * static_cast<double>(bytes),
                                  .make = [=, fresh = fresh_]() -> std::unique_ptr<Work> {
                                    return std::make_unique<ExchangeWork>(
                                        comm, ring_pattern(comm, rings, ranks, bytes), 4 * bytes,
                                        scheme,
                                        ExchangeWork::Options{.fresh = fresh, .element_bytes = 1});
                                  }});
    return group;
  }

  std::vector<std::size_t> sizes_{8, 1024, 32768, 1 << 20};
  std::vector<int> rings_{1}, communicating_{0};
  bool fresh_ = true;
};

}  // namespace

std::unique_ptr<Kind> rings() {
  return std::make_unique<Rings>();
}

}  // namespace halometer
