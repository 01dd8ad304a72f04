// overlap: a message from rank 0 to rank 1, with a computation of a set length between start and
// finish on both. How much of the transfer is hidden, as either side sees it:
//   hidden = (exchange alone + computation alone - both) / the shorter of the two
// which is 1 where the shorter one costs nothing more, and 0 where both take their time.

#include "busy.hpp"

#include <halocline/error.hpp>
#include <halocline/more/mpi.hpp>
#include "exchange_work.hpp"
#include "kind.hpp"
#include "measure.hpp"

#include <map>

namespace halometer {

using namespace halocline;

namespace {

constexpr const char* computation = "computation";

class Compute final : public Work {
 public:
  Compute(MPI_Comm comm, double seconds) : busy_(comm, seconds) {}
  void step() override { busy_.run(); }

 private:
  Busy busy_;
};

class Overlapped final : public Work {
 public:
  Overlapped(MPI_Comm comm, std::unique_ptr<ExchangeWork> exchange, double seconds)
      : exchange_(std::move(exchange)), busy_(comm, seconds) {}
  void step() override {
    exchange_->start();
    busy_.run();
    exchange_->finish();
  }
  std::string check() override { return exchange_->check(); }

 private:
  std::unique_ptr<ExchangeWork> exchange_;
  Busy busy_;
};

/// A contender's samples as this rank saw them.
std::span<const double> counted(const Measured& result) {
  return result.counted(result.own);
}

/// What `rank` says. Collective.
Interval of_rank(MPI_Comm comm, int rank, Interval mine) {
  static_assert(sizeof mine == 4 * sizeof(double));
  HALOCLINE_MPI(MPI_Bcast, &mine, 4, MPI_DOUBLE, rank, comm);
  return mine;
}

/// Adds to every overlapped result what it has hidden. Collective.
void add_hidden(MPI_Comm comm, std::vector<Measured>& results) {
  std::map<std::string, const Measured*> alone;
  for (const Measured& result : results)
    if (result.measured() && result.parameters["part"] != "both") alone[result.scheme] = &result;
  const auto compute = alone.find(computation);
  if (compute == alone.end()) return;
  for (Measured& result : results) {
    const auto exchange = alone.find(result.scheme);
    if (!result.measured() || result.parameters["part"] != "both" || exchange == alone.end())
      continue;
    Interval mine{};
    const std::span<const double> sets[] = {counted(*exchange->second), counted(*compute->second),
                                            counted(result)};
    if (mpi::rank(comm) < 2)
      mine = bootstrap(sets, [](std::span<const double> medians) {
        const double e = medians[0], c = medians[1], both = medians[2];
        return (e + c - both) / std::min(e, c);
      });
    result.shares = {{"hidden_at_sender", of_rank(comm, 0, mine)},
                     {"hidden_at_receiver", of_rank(comm, 1, mine)}};
  }
}

class Overlap final : public Kind {
 public:
  std::string name() const override { return "overlap"; }
  std::string summary() const override { return "how much of a transfer a computation hides"; }

  void declare(frame::Arguments& app) override {
    add_sizes(app, "--sizes", sizes_, "bytes of the message");
    app.option("--compute", compute_us_, "length of the computation, in microseconds")
        .with_commas()
        .range(1.0, 1e7)
        .shows_default();
  }

  std::vector<Group> groups(MPI_Comm comm, const std::string& patterns) override {
    if (mpi::size(comm) < 2) throw Error("overlap needs 2 ranks");
    const std::vector<Scheme> schemes = chosen_schemes(patterns);
    std::vector<Group> groups;
    for (const std::size_t bytes : sizes_)
      for (const double us : compute_us_) groups.push_back(group(comm, schemes, bytes, us));
    return groups;
  }

 private:
  static Group group(MPI_Comm comm, const std::vector<Scheme>& schemes, std::size_t bytes,
                     double us) {
    char length[32];
    std::snprintf(length, sizeof length, "%g", us);
    Group group{
        .title = "overlap, " + shown_bytes(bytes) + " with " + length + " µs of computation",
        .conclude = [=](std::vector<Measured>& results) { add_hidden(comm, results); }};
    const auto add = [&](const std::string& scheme, const char* part, auto make) {
      group.contenders.push_back(
          {.scheme = scheme,
           .parameters = {{"size", bytes}, {"compute_us", us}, {"part", part}},
           .make = make});
    };
    add(computation, "computation",
        [=]() -> std::unique_ptr<Work> { return std::make_unique<Compute>(comm, us * 1e-6); });
    Pattern pattern;
    const Block all{.offset = 0, .count = {1, 1, bytes}};
    if (mpi::rank(comm) == 0) pattern.send(1, all);
    if (mpi::rank(comm) == 1) pattern.receive(0, all);
    for (const Scheme& scheme : schemes) {
      const auto exchange = [=] {
        return std::make_unique<ExchangeWork>(comm, pattern, bytes, scheme,
                                              ExchangeWork::Options{.element_bytes = 1});
      };
      add(scheme.str(), "exchange", [=]() -> std::unique_ptr<Work> { return exchange(); });
      add(scheme.str(), "both", [=]() -> std::unique_ptr<Work> {
        return std::make_unique<Overlapped>(comm, exchange(), us * 1e-6);
      });
    }
    return group;
  }

  std::vector<std::size_t> sizes_{65536, 1 << 20};
  std::vector<double> compute_us_{100, 1000};
};

}  // namespace

std::unique_ptr<Kind> overlap() {
  return std::make_unique<Overlap>();
}

}  // namespace halometer
