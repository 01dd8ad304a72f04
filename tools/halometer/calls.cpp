// calls: what a step costs on the way into the library, from C++ and from C, also where each step
// is given its array. Each rank exchanges with itself, a cell either way, so that little else takes
// time.

#include "kind.hpp"
#include "measure.hpp"

#include <halocline/halocline.h>
#include <halocline/exchange.hpp>
#include <halocline/grid.hpp>

#include <array>

namespace halometer {

using namespace halocline;

namespace {

constexpr std::int64_t cells = 8;
constexpr const char* scheme = "p2p:nonblocking";
using Cells = std::array<double, cells + 2>;

/// Whether a halo on either side holds what the cell at the other end does.
std::string complaint(const Cells& u) {
  return u.front() == u[cells] && u.back() == u[1] ? "" : "the halo is wrong";
}

class FromCpp final : public Work {
 public:
  explicit FromCpp(bool given)
      : grid_(MPI_COMM_SELF, {cells}, {.periodic = {true}}),
        exchange_(MPI_COMM_SELF, grid_.halo(), given ? unbound<double>() : u(), Scheme(scheme)),
        given_(given) {}
  void step() override {
    if (given_)
      exchange_.run(u());
    else
      exchange_.run();
  }
  std::string check() override {
    u_[1] = 1, u_[cells] = 2;
    step();
    return complaint(u_);
  }

 private:
  Field u() { return field(u_.data(), u_.size()); }

  Cells u_{};
  Grid grid_;
  Exchange exchange_;
  bool given_;
};

void expect(int code) {
  if (code != HALOCLINE_SUCCESS) throw Error(halocline_last_error());
}

class FromC final : public Work {
 public:
  FromC() {
    halocline_grid_options options = HALOCLINE_GRID_OPTIONS;
    options.periodic[0] = 1;
    const auto self = halocline_comm_of(MPI_COMM_SELF);
    halocline_grid* grid = nullptr;
    halocline_pattern* halo = nullptr;
    expect(halocline_grid_create(self, 1, &cells, &options, &grid));
    expect(halocline_grid_halo(grid, &halo));
    halocline_field u;
    expect(halocline_field_of(u_.data(), HALOCLINE_FLOAT64, 1, cells + 2, &u));
    expect(halocline_exchange_create(self, halo, &u, 1, scheme, nullptr, &exchange_));
    halocline_pattern_free(&halo);
    halocline_grid_free(&grid);
  }
  ~FromC() override { halocline_exchange_free(&exchange_); }
  FromC(const FromC&) = delete;
  FromC& operator=(const FromC&) = delete;
  void step() override { expect(halocline_exchange_run(exchange_)); }
  std::string check() override {
    u_[1] = 1, u_[cells] = 2;
    step();
    return complaint(u_);
  }

 private:
  Cells u_{};
  halocline_exchange* exchange_ = nullptr;
};

class Calls final : public Kind {
 public:
  std::string name() const override { return "calls"; }
  std::string summary() const override {
    return "a step from C++ and from C, each rank with itself: what calls cost";
  }
  void declare(frame::Arguments&) override {}
  std::vector<Group> groups(MPI_Comm, const std::string& patterns) override {
    Group group{.title = "a step of each rank with itself, " + std::to_string(cells) + " cells"};
    for (const std::string& language : chosen(patterns, {"C++", "C++ run(u)", "C"})) {
      Contender one{.scheme = language, .parameters = {{"cells", cells}}, .make = {}};
      if (language == "C")
        one.make = [] { return std::make_unique<FromC>(); };
      else
        one.make = [given = language != "C++"] { return std::make_unique<FromCpp>(given); };
      group.contenders.push_back(std::move(one));
    }
    return {std::move(group)};
  }
};

}  // namespace

std::unique_ptr<Kind> calls() {
  return std::make_unique<Calls>();
}

}  // namespace halometer
