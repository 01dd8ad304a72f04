// setup: what it takes to make an exchange where there is one of the same ranks already, and what
// it keeps: an adaptive mesh, or a code with many fields, makes thousands.

#include "exchange_work.hpp"
#include "kind.hpp"
#include "measure.hpp"

#include <halocline/grid.hpp>
#include <halocline/more/method.hpp>
#include <halocline/more/mpi.hpp>

#include <malloc.h>

#include <map>
#include <optional>

namespace halometer {

using namespace halocline;

namespace {

/// A three-dimensional halo, with edges and corners.
struct BoxHalo {
  BoxHalo(MPI_Comm comm, const std::vector<std::int64_t>& cells, const Scheme& scheme)
      : grid(comm, cells, {.decomposition = Decomposition::blocks}), array(grid, scheme) {}
  Exchange exchange(const Scheme& scheme) const {
    return Exchange(grid.comm(), grid.halo(), array, scheme);
  }
  Grid grid;
  Array<double> array;
};

class SetUp final : public Work {
 public:
  SetUp(MPI_Comm comm, const std::vector<std::int64_t>& cells, const Scheme& scheme)
      : scheme_(scheme), halo_(comm, cells, scheme), first_(halo_.exchange(scheme)) {}

  void prepare() override { made_.reset(); }  // its end is not timed
  void step() override { made_.emplace(halo_.exchange(scheme_)); }
  bool alone() const override { return true; }

  std::string check() override {
    prepare();
    step();
    made_->run();
    return {};
  }

 private:
  Scheme scheme_;
  BoxHalo halo_;
  Exchange first_;
  std::optional<Exchange> made_;
};

/// Bytes on the heap that each of several exchanges keeps, on the rank where it is most: the
/// library's and MPI's own. Collective.
std::int64_t bytes_kept(MPI_Comm comm, const std::vector<std::int64_t>& cells,
                        const Scheme& scheme) {
  constexpr int count = 32;
  const BoxHalo halo(comm, cells, scheme);
  std::vector<Exchange> exchanges;
  exchanges.reserve(count + 1);
  exchanges.push_back(halo.exchange(scheme));  // what all share
  const auto on_heap = [] {
    const struct mallinfo2 heap = mallinfo2();
    return static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
  };
  const std::int64_t before = on_heap();
  for (int i = 0; i < count; ++i) exchanges.push_back(halo.exchange(scheme));
  std::int64_t bytes = (on_heap() - before) / count;
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_MAX, comm);
  return bytes;
}

/// What a scheme needs once in a job of so many ranks, such as GASPI's start, on the rank that it
/// takes longest; in milliseconds. Collective.
double start_of(const Scheme& scheme, MPI_Comm comm) {
  double seconds = prepare(scheme);
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  return 1e3 * seconds;
}

class Setups final : public Kind {
 public:
  std::string name() const override { return "setup"; }
  std::string summary() const override { return "making one more exchange: time, and bytes kept"; }

  void declare(frame::Arguments& app) override {
    app.option("--cells", cells_, "of a three-dimensional grid, along each axis")
        .with_commas()
        .expected(3)
        .positive()
        .shows_default();
  }

  std::vector<Group> groups(MPI_Comm comm, const std::string& patterns) override {
    Group group{.title = "making one more exchange of a halo, " + std::to_string(cells_[0]) +
                         " x " + std::to_string(cells_[1]) + " x " + std::to_string(cells_[2]) +
                         " cells"};
    std::map<std::string, double> kept;
    std::map<std::string, double> started;
    for (const Scheme& scheme : chosen_schemes(patterns)) {
      kept[scheme.str()] = static_cast<double>(bytes_kept(comm, cells_, scheme));
      if (const double ms = start_of(scheme, comm); ms > 0) started[scheme.str()] = ms;
      group.contenders.push_back({.scheme = scheme.str(),
                                  .parameters = {{"cells", cells_}},
                                  .make = [=, cells = cells_]() -> std::unique_ptr<Work> {
                                    return std::make_unique<SetUp>(comm, cells, scheme);
                                  }});
    }
    group.conclude = [kept, started](std::vector<Measured>& results) {
      for (Measured& result : results) {
        if (!result.measured()) continue;
        const double bytes = kept.at(result.scheme);
        result.shares = {{"kept_bytes", {bytes, bytes, bytes, 1}}};
        if (const auto found = started.find(result.scheme); found != started.end())
          result.shares.push_back({"start_ms", {found->second, found->second, found->second, 1}});
      }
    };
    return {std::move(group)};
  }

 private:
  std::vector<std::int64_t> cells_{16, 16, 16};
};

}  // namespace

std::unique_ptr<Kind> setup() {
  return std::make_unique<Setups>();
}

}  // namespace halometer
