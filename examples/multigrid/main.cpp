// multigrid: conjugate gradients with a multigrid preconditioner on index lists, of the shape that
// the benchmark HPCG has. It has its own MPI_Init, and exchanges several vectors of each level.

#include "../common/turns.hpp"
#include "halo.hpp"

#include <cmath>

namespace multigrid {

namespace {

constexpr int level_count = 3;

double dot(MPI_Comm comm, int points, const Vector& a, const Vector& b) {
  double sum = 0;
  for (int i = 0; i < points; ++i) sum += a[i] * b[i];
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  return sum;
}

/// The levels, with an exchange and vectors for each.
class Solver {
 public:
  Solver(MPI_Comm comm, int side, const std::string& exchange)
      : comm_(comm), levels_(make_levels(comm, side, level_count)) {
    for (const Level& level : levels_) {
      halos_.push_back(exchange == "plain" ? plain_halo(comm, level)
                                           : halocline_halo(comm, level, exchange));
      solution_.emplace_back(level.extent);
      right_.emplace_back(level.points);
      product_.emplace_back(level.points);
    }
  }

  turns::Outcome solve(int steps) {
    const Level& fine = levels_.front();
    Vector x(fine.extent), search(fine.extent), residual(fine.points, 1.0), product(fine.points);
    Vector& preconditioned = solution_.front();
    turns::Outcome outcome;
    double before = 1;
    const double begin = MPI_Wtime();
    for (int step = 0; step < steps; ++step) {
      right_.front() = residual;
      cycle(0);
      const double now = dot(comm_, fine.points, residual, preconditioned);
      const double beta = step == 0 ? 0 : now / before;
      for (int i = 0; i < fine.points; ++i) search[i] = preconditioned[i] + beta * search[i];
      fill(0, search);
      multiply(fine, search, product);
      const double alpha = now / dot(comm_, fine.points, search, product);
      for (int i = 0; i < fine.points; ++i) {
        x[i] += alpha * search[i];
        residual[i] -= alpha * product[i];
      }
      before = now;
      exchanging_.end_step();
    }
    outcome.seconds = MPI_Wtime() - begin;
    outcome.exchange = std::move(exchanging_);
    outcome.result = std::sqrt(dot(comm_, fine.points, residual, residual));
    for (int i = 0; i < fine.points; ++i)
      outcome.checksum += turns::hash(static_cast<std::uint64_t>(fine.number[i]), x[i]);
    return outcome;
  }

 private:
  void fill(int number, Vector& x) {
    exchanging_([&] { halos_[number]->fill(x); });
  }

  /// A V-cycle for the right side of this level, beginning with a solution of 0.
  void cycle(int number) {
    const Level& level = levels_[number];
    Vector &x = solution_[number], &b = right_[number], &product = product_[number];
    std::fill(x.begin(), x.end(), 0.0);
    smooth(level, b, x);  // what is 0 everywhere has the halo that it needs
    if (number + 1 == level_count) return;
    fill(number, x);
    multiply(level, x, product);
    const std::vector<int>& in_finer = levels_[number + 1].in_finer;
    for (std::size_t i = 0; i < in_finer.size(); ++i)
      right_[number + 1][i] = b[in_finer[i]] - product[in_finer[i]];
    cycle(number + 1);
    for (std::size_t i = 0; i < in_finer.size(); ++i) x[in_finer[i]] += solution_[number + 1][i];
    fill(number, x);
    smooth(level, b, x);
  }

  MPI_Comm comm_;
  std::vector<Level> levels_;
  std::vector<std::unique_ptr<Halo>> halos_;
  std::vector<Vector> solution_, right_, product_;  // of each level
  turns::Stopwatch exchanging_;
};

}  // namespace

}  // namespace multigrid

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = turns::compare(
      "multigrid", "an iteration", {.size = 16, .steps = 20}, argc, argv,
      [](const turns::Options& options, const std::string& exchange) {
        return multigrid::Solver(MPI_COMM_WORLD, options.size, exchange).solve(options.steps);
      });
  MPI_Finalize();
  return status;
}
