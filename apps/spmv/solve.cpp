#include "solve.hpp"

#include "sums.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace spmv {

using namespace halocline;

namespace {

using Vector = std::vector<double>;

/// What both methods have in common: M^-1, b, and when to stop.
class Iteration {
 public:
  Iteration(MPI_Comm comm, Product& product, Inverse& inverse, std::span<const double> b,
            std::span<double> x, int threads, const Task& task, const frame::Progress& progress)
      : comm_(comm),
        product_(product),
        inverse_(inverse),
        b_(b),
        x_(x),
        elements_(std::ssize(b)),
        threads_(threads),
        task_(task),
        progress_(progress) {
    std::ranges::fill(x_, 0.0);
    Sums<1> sums(comm_);
    sums.add(elements_, threads_, [&](std::ptrdiff_t from, std::ptrdiff_t to, auto& terms) {
      for (std::ptrdiff_t i = from; i < to; ++i) terms[0][at(i - from)] = b_[at(i)] * b_[at(i)];
    });
    norm_ = std::sqrt(sums.over_ranks()[0]);
  }

  Solution cg();
  Solution pipelined();

 private:
  static std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }
  double scaled(std::ptrdiff_t i, double value) const {
    return inverse_.diagonal.empty() ? value : value / inverse_.diagonal[at(i)];
  }
  /// Whether M^-1 takes an element at a time. Else z = M^-1 r is found for all of them at once.
  bool pointwise() const { return inverse_.sweeps == nullptr; }
  /// z = M^-1 r. Collective.
  void precondition(std::span<const double> r, std::span<double> z) {
    if (!pointwise()) return inverse_.sweeps->apply(r, z);
    for_elements([&](std::ptrdiff_t i) { z[at(i)] = scaled(i, r[at(i)]); });
  }
  template <class Work>
  void for_elements(const Work& work) const {
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
    for (std::ptrdiff_t i = 0; i < elements_; ++i) work(i);
  }

  /// Notes the squared residual of the recurrence; whether that is the end.
  bool done(Solution& solution, double squares) {
    // b = 0 has x = 0.
    const double residual = norm_ == 0 ? 0 : std::sqrt(squares) / norm_;
    solution.history.push_back(residual);
    if (progress_) progress_(solution.iterations, residual);
    if (!std::isfinite(residual)) refuse("the residual is no number", solution);
    solution.converged = residual <= task_.tolerance;
    return solution.converged || solution.iterations == task_.most;
  }

  [[noreturn]] void refuse(const std::string& what, const Solution& solution) const {
    throw Error("conjugate gradients: " + what + " after " + std::to_string(solution.iterations) +
                " iterations; the matrix must be symmetric and positive definite" +
                (inverse_.diagonal.empty() ? "" : ", and so must its diagonal"));
  }

  /// |b - A x| / |b|.
  Solution finished(Solution solution) {
    Vector y(x_.size());
    // Who reads the last input in place has read it.
    HALOCLINE_MPI(MPI_Barrier, comm_);
    std::ranges::copy(x_, product_.x().begin());
    product_.multiply(y.data());
    Sums<1> sums(comm_);
    sums.add(elements_, threads_, [&](std::ptrdiff_t from, std::ptrdiff_t to, auto& terms) {
      for (std::ptrdiff_t i = from; i < to; ++i) {
        const double rest = b_[at(i)] - y[at(i)];
        terms[0][at(i - from)] = rest * rest;
      }
    });
    const double rest = std::sqrt(sums.over_ranks()[0]);
    solution.residual = norm_ == 0 ? rest : rest / norm_;
    return solution;
  }

  MPI_Comm comm_;
  Product& product_;
  Inverse& inverse_;
  std::span<const double> b_;
  std::span<double> x_;
  std::ptrdiff_t elements_;
  int threads_;
  Task task_;
  const frame::Progress& progress_;
  double norm_ = 0;
};

Solution Iteration::cg() {
  Solution solution;
  const std::span<double> p = product_.x();
  Vector r(b_.begin(), b_.end()), q(r.size());
  Vector whole(pointwise() ? 0 : r.size());  // M^-1 r
  const auto z = [&](std::ptrdiff_t i) {
    return whole.empty() ? scaled(i, r[at(i)]) : whole[at(i)];
  };
  Sums<2> of_r(comm_);  // r M^-1 r and r r
  Sums<1> of_p(comm_);  // p A p
  double alpha = 0, beta = 0, before = 0;
  // Calls `change(i)` for each element of r first.
  const auto add_up = [&](const auto& change) {
    if (!pointwise()) {
      for_elements(change);
      precondition(r, whole);
    }
    of_r.add(elements_, threads_, [&](std::ptrdiff_t from, std::ptrdiff_t to, auto& terms) {
      for (std::ptrdiff_t i = from; i < to; ++i) {
        if (pointwise()) change(i);
        terms[0][at(i - from)] = r[at(i)] * z(i);
        terms[1][at(i - from)] = r[at(i)] * r[at(i)];
      }
    });
  };
  add_up([](std::ptrdiff_t) {});
  for (;; ++solution.iterations) {
    const auto [now, squares] = of_r.over_ranks();
    if (done(solution, squares)) return finished(std::move(solution));
    if (now <= 0) refuse("r M^-1 r is " + std::to_string(now), solution);
    beta = solution.iterations == 0 ? 0 : now / before;
    before = now;
    const bool first = solution.iterations == 0;
    // Neighbours have read p: they have brought their part of the sum after that.
    for_elements([&](std::ptrdiff_t i) { p[at(i)] = first ? z(i) : z(i) + beta * p[at(i)]; });
    product_.multiply(q.data());
    of_p.add(elements_, threads_, [&](std::ptrdiff_t from, std::ptrdiff_t to, auto& terms) {
      for (std::ptrdiff_t i = from; i < to; ++i) terms[0][at(i - from)] = p[at(i)] * q[at(i)];
    });
    const double curvature = of_p.over_ranks()[0];
    if (!(curvature > 0)) refuse("p A p is " + std::to_string(curvature), solution);
    alpha = now / curvature;
    add_up([&](std::ptrdiff_t i) {
      x_[at(i)] += alpha * p[at(i)];
      r[at(i)] -= alpha * q[at(i)];
    });
  }
}

Solution Iteration::pipelined() {
  Solution solution;
  const std::size_t all = b_.size();
  Vector r(b_.begin(), b_.end()), u(all), w(all), n(all), z(all), q(all), s(all), p(all);
  precondition(r, u);
  std::ranges::copy(u, product_.x(1).begin());
  product_.multiply(w.data(), 1);
  Sums<3> sums(comm_);  // r u, w u, r r
  double alpha = 0, before = 0;
  sums.add(elements_, threads_, [&](std::ptrdiff_t from, std::ptrdiff_t to, auto& terms) {
    for (std::ptrdiff_t i = from; i < to; ++i) {
      terms[0][at(i - from)] = r[at(i)] * u[at(i)];
      terms[1][at(i - from)] = w[at(i)] * u[at(i)];
      terms[2][at(i - from)] = r[at(i)] * r[at(i)];
    }
  });
  for (;; ++solution.iterations) {
    sums.start();
    // Two inputs in turn: who has brought his part of this sum has used the one before the last.
    const int input = solution.iterations % 2;
    const std::span<double> m = product_.x(input);
    precondition(w, m);
    product_.multiply(n.data(), input);
    const auto [now, delta, squares] = sums.finish();
    if (done(solution, squares)) return finished(std::move(solution));
    const bool first = solution.iterations == 0;
    const double beta = first ? 0 : now / before;
    const double curvature = first ? delta : delta - beta * now / alpha;
    if (!(curvature > 0)) refuse("p A p is " + std::to_string(curvature), solution);
    alpha = now / curvature;
    before = now;
    sums.add(elements_, threads_, [&](std::ptrdiff_t from, std::ptrdiff_t to, auto& terms) {
      for (std::ptrdiff_t j = from; j < to; ++j) {
        const std::size_t i = at(j), t = at(j - from);
        z[i] = n[i] + beta * z[i];
        q[i] = m[i] + beta * q[i];
        s[i] = w[i] + beta * s[i];
        p[i] = u[i] + beta * p[i];
        x_[i] += alpha * p[i];
        r[i] -= alpha * s[i];
        u[i] -= alpha * q[i];
        w[i] -= alpha * z[i];
        terms[0][t] = r[i] * u[i];
        terms[1][t] = w[i] * u[i];
        terms[2][t] = r[i] * r[i];
      }
    });
  }
}

}  // namespace

int inputs_of(Method method) {
  return method == Method::pipelined_cg ? 2 : 1;
}

std::vector<double> diagonal_of(MPI_Comm comm, const Matrix& matrix) {
  std::vector<double> diagonal;
  std::string complaint;
  for (std::int64_t row = matrix.rows.begin; row < matrix.rows.end; ++row) {
    const auto r = static_cast<std::size_t>(row - matrix.rows.begin);
    const auto from = matrix.columns.begin() + matrix.begin[r],
               to = matrix.columns.begin() + matrix.begin[r + 1];
    const auto found = std::find(from, to, row);
    const auto e = static_cast<std::size_t>(found - matrix.columns.begin());
    diagonal.push_back(found != to ? matrix.values[e] : 0);
    if (diagonal.back() == 0 && complaint.empty())
      complaint = "row " + std::to_string(row + 1) +
                  " has a zero on the diagonal, by which the preconditioner divides";
  }
  mpi::agree(comm, complaint);
  return diagonal;
}

Inverse inverse_of(MPI_Comm comm, const Matrix& matrix, Preconditioner preconditioner,
                   const Plan& plan, const Product& product,
                   const std::vector<std::int64_t>& at_first) {
  Inverse inverse;
  if (preconditioner == Preconditioner::none) return inverse;
  inverse.diagonal = diagonal_of(comm, matrix);
  if (preconditioner == Preconditioner::jacobi) return inverse;
  Plan sweeps = plan;
  sweeps.layout = product.layout();
  sweeps.sigma = product.sigma();
  sweeps.scheme = product.scheme();
  // The next sweep may write where a neighbour still reads.
  if (product.reads_in_place()) sweeps.scheme = sweeps.scheme.without("access");
  inverse.sweeps = std::make_unique<GaussSeidel>(comm, matrix, std::exchange(inverse.diagonal, {}),
                                                 sweeps, at_first);
  return inverse;
}

Solution solve(MPI_Comm comm, Product& product, Inverse& inverse, std::span<const double> b,
               std::span<double> x, int threads, const Task& task,
               const frame::Progress& progress) {
  Iteration iteration(comm, product, inverse, b, x, threads, task, progress);
  return task.method == Method::cg ? iteration.cg() : iteration.pipelined();
}

}  // namespace spmv
