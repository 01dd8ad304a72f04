// sweeps: the yardstick for the kernels of partdiff and laplace. The same problems, the same
// operations in the same order, the same bits, from loops without any blocking.

#include "kind.hpp"

#include <halocline/range.hpp>
#include "plain_cube.hpp"
#include "plain_square.hpp"

#include <frame/checksum.hpp>
#include <machine/memory.hpp>
#include <numerics/point_checksum.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace halometer {

namespace {

using halocline::Error;

struct Sweep {
  std::string method;
  std::int64_t points;  // a side; laplace: inside the cube
  int function, threads;
  std::int64_t sweeps;  // of a step

  std::string side() const { return "--points " + std::to_string(points); }
};

void check_memory(int arrays, double doubles) {
  machine::check_memory(arrays * sizeof(double) * doubles, "halometer");
}

class Sweeping : public Work {
 public:
  explicit Sweeping(std::int64_t sweeps) : sweeps_(sweeps) {}

  void step() final {
    for (std::int64_t k = 0; k < sweeps_; ++k) sweep();
  }
  /// From the initial values.
  std::string check() override {
    step();
    std::uint64_t sum = 0;
    const auto [points, count] = grid();
    for (std::int64_t index = 0; index < count; ++index)
      sum += numerics::point_checksum(index, points[index]);
    checksum_ = frame::checksum(halocline::world(), sum);
    return {};
  }
  nlohmann::ordered_json result() const override {
    return {{"iterations", sweeps_}, {"checksum", checksum_}};
  }

 protected:
  virtual void sweep() = 0;
  virtual std::pair<const double*, std::int64_t> grid() const = 0;

 private:
  std::int64_t sweeps_;
  std::string checksum_;
};

/// partdiff's.
class OfSquare final : public Sweeping {
 public:
  explicit OfSquare(const Sweep& how)
      : Sweeping(how.sweeps),
        threads_(how.threads),
        problem_(checked(how)),
        source_(problem_),
        points_(plain::allocate(problem_)) {
    plain::initialise(problem_, points_.get(), threads_);
    if (how.method == "gauss-seidel") return;
    other_ = plain::allocate(problem_);
    plain::initialise(problem_, other_.get(), threads_);
  }

  void sweep() override {
    if (!other_) return plain::gauss_seidel(points_.get(), problem_.points(), source_);
    plain::jacobi(points_.get(), other_.get(), problem_.points(), source_, threads_);
    std::swap(points_, other_);
  }

 private:
  static partdiff::Problem checked(const Sweep& how) {
    if (how.points % 8 != 1)
      throw Error(how.side() + ": partdiff's grids have 8 * interlines + 9 points a side");
    const bool in_place = how.method == "gauss-seidel";
    if (in_place && how.threads > 1)
      throw Error("--threads " + std::to_string(how.threads) +
                  ": the plain Gauss-Seidel loop is serial");
    check_memory(in_place ? 1 : 2, std::pow(how.points, 2));
    return {(how.points - 9) / 8, static_cast<partdiff::Function>(how.function)};
  }
  std::pair<const double*, std::int64_t> grid() const override {
    return {points_.get(), problem_.points() * problem_.points()};
  }

  int threads_;
  partdiff::Problem problem_;
  plain::Source source_;
  plain::Points points_, other_;  // in place there is no other
};

/// laplace's.
class OfCube final : public Sweeping {
 public:
  explicit OfCube(const Sweep& how)
      : Sweeping(how.sweeps),
        threads_(how.threads),
        problem_(checked(how)),
        points_(plain::allocate(problem_)),
        other_(plain::allocate(problem_)) {
    for (double* const points : {points_.get(), other_.get()})
      plain::initialise(problem_, points, threads_);
  }

  void sweep() override {
    plain::jacobi(problem_, points_.get(), other_.get(), threads_);
    std::swap(points_, other_);
  }

 private:
  static laplace::Problem checked(const Sweep& how) {
    if (how.points > 100'000)
      throw Error(how.side() + ": a cube can have 100000 points a side at most");
    if (how.function != 1)
      throw Error("--function " + std::to_string(how.function) + ": laplace has no source term");
    check_memory(2, std::pow(how.points + 2, 3));
    return {.x = how.points, .y = how.points, .z = how.points};
  }
  std::pair<const double*, std::int64_t> grid() const override {
    const std::int64_t side = problem_.x + 2;
    return {points_.get(), side * side * side};
  }

  int threads_;
  laplace::Problem problem_;
  plain::Points points_, other_;
};

std::unique_ptr<Work> make(const Sweep& how) {
  if (how.method == "laplace") return std::make_unique<OfCube>(how);
  return std::make_unique<OfSquare>(how);
}

/// In a step between core and memory, if a sweep reads and writes every point once: what is not in
/// place is read into the cache before it is written.
double bytes_moved(const Sweep& how) {
  const auto n = static_cast<double>(how.points), sweeps = static_cast<double>(how.sweeps);
  if (how.method == "laplace") return 24 * std::pow(n, 3) * sweeps;
  return (how.method == "gauss-seidel" ? 16 : 24) * std::pow(n - 2, 2) * sweeps;
}

class Sweeps final : public Kind {
 public:
  std::string name() const override { return "sweeps"; }
  std::string summary() const override { return "plain loops over partdiff's and laplace's grids"; }

  void declare(frame::Arguments& app) override {
    app.option("--points", points_, "a side; laplace: inside the cube")
        .range(9, 800'009)
        .shows_default();
    app.option("--function", function_, "1: f = 0; 2: sines").range(1, 2).shows_default();
    app.option("--threads", threads_, "OpenMP threads")
        .with_commas()
        .range(1, 1024)
        .shows_default();
    app.option("--sweeps", sweeps_, "of a step; the file has the checksum after the first")
        .positive()
        .shows_default();
  }
  int threads() const override { return *std::max_element(threads_.begin(), threads_.end()); }

  std::vector<Group> groups(MPI_Comm comm, const std::string& patterns) override {
    if (halocline::mpi::size(comm) > 1)
      throw Error("sweeps: are those of one rank; start halometer on one");
    std::vector<Group> groups;
    for (const int threads : threads_) {
      Group group{.title = "sweeps, " + std::to_string(points_) + " points a side, " +
                           std::to_string(threads) + (threads == 1 ? " thread" : " threads")};
      for (const std::string& method : chosen(patterns, {"jacobi", "gauss-seidel", "laplace"})) {
        const Sweep how{method, points_, function_, threads, sweeps_};
        group.contenders.push_back({.scheme = method,
                                    .parameters = {{"points", points_},
                                                   {"function", function_},
                                                   {"threads", threads},
                                                   {"sweeps", sweeps_}},
                                    .bytes = bytes_moved(how),
                                    .make = [how] { return make(how); }});
      }
      groups.push_back(std::move(group));
    }
    return groups;
  }

 private:
  std::int64_t points_ = 1033, sweeps_ = 1;
  int function_ = 1;
  std::vector<int> threads_{1};
};

}  // namespace

std::unique_ptr<Kind> sweeps() {
  return std::make_unique<Sweeps>();
}

}  // namespace halometer
