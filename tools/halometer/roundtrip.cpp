// roundtrip: how long a message takes there and its answer back, between ranks 0 and 1; how long a
// cache line takes between their cores, which no scheme can undercut; and beside gaspi what GASPI
// takes by itself.

#include "exchange_work.hpp"
#include "kind.hpp"
#include "plain_gaspi.hpp"

#include <machine/cores.hpp>

namespace halometer {

using namespace halocline;

namespace {

constexpr const char* cache_line = "limit:cache-line";

/// Both ranks send in every exchange, and nobody sends again before it has received. So two
/// exchanges in a row are the time there and back: what rank 1 sends in the second it could only
/// send after rank 0's first had arrived.
Pattern both_ways(MPI_Comm comm, std::size_t bytes) {
  Pattern pattern;
  const int rank = mpi::rank(comm);
  if (rank > 1) return pattern;
  pattern.send(1 - rank, {.offset = 0, .count = {1, 1, bytes}});
  pattern.receive(1 - rank, {.offset = static_cast<std::ptrdiff_t>(bytes), .count = {1, 1, bytes}});
  return pattern;
}

class CacheLine final : public Work {
 public:
  explicit CacheLine(MPI_Comm comm) : line_(comm) {}
  void step() override { line_.there_and_back(); }

 private:
  machine::CacheLine line_;
};

class RoundTrip final : public Kind {
 public:
  std::string name() const override { return "roundtrip"; }
  std::string summary() const override {
    return "there and back between two ranks, by message size; and the limit, a cache line";
  }

  void declare(frame::Arguments& app) override {
    add_sizes(app, "--sizes", sizes_, "bytes of a message: 0,8,64K,1M");
    app.flag("!--no-limit", limit_, "leave out the cache line, and GASPI by itself");
    add_unchanged(app, fresh_);
  }

  std::vector<Group> groups(MPI_Comm comm, const std::string& patterns) override {
    if (mpi::size(comm) < 2) throw Error("roundtrip needs 2 ranks");
    const std::vector<Scheme> schemes = chosen_schemes(patterns);
    std::vector<Group> groups;
    for (const std::size_t bytes : sizes_) {
      Group group{.title = "round trip, " + shown_bytes(bytes)};
      const nlohmann::ordered_json parameters = {{"size", bytes}, {"unchanged", !fresh_}};
      if (limit_)
        group.contenders.push_back(
            {.scheme = cache_line,
             .parameters = parameters,
             .make = [=]() -> std::unique_ptr<Work> { return std::make_unique<CacheLine>(comm); }});
      const bool by_gaspi = std::any_of(schemes.begin(), schemes.end(), [](const Scheme& scheme) {
        return scheme.method() == "gaspi";
      });
      if (limit_ && by_gaspi)
        group.contenders.push_back({.scheme = plain_gaspi,
                                    .parameters = parameters,
                                    .bytes = 2.0 * static_cast<double>(bytes),
                                    .make = [=] { return make_plain_gaspi(comm, bytes); }});
      for (const Scheme& scheme : schemes)
        group.contenders.push_back(
            {.scheme = scheme.str(),
             .parameters = parameters,
             .bytes = 2.0 * static_cast<double>(bytes),
             .make = [=, fresh = fresh_]() -> std::unique_ptr<Work> {
               return std::make_unique<ExchangeWork>(
                   comm, both_ways(comm, bytes), 2 * bytes, scheme,
                   ExchangeWork::Options{.fresh = fresh, .in_a_row = 2, .element_bytes = 1});
             }});
      groups.push_back(std::move(group));
    }
    return groups;
  }

 private:
  std::vector<std::size_t> sizes_{0, 8, 64, 512, 4096, 32768, 1 << 18, 1 << 21, 1 << 24, 1 << 26};
  bool limit_ = true, fresh_ = true;
};

}  // namespace

std::unique_ptr<Kind> roundtrip() {
  return std::make_unique<RoundTrip>();
}

}  // namespace halometer
