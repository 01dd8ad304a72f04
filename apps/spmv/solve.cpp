#include "solve.hpp"

#include "sums.hpp"

#include <machine/lap.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace spmv {

using namespace halocline;

namespace {

using Vector = Array<double>;

/// What both methods have in common: M^-1, b, and when to stop.
class Iteration {
 public:
  Iteration(MPI_Comm comm, Product& product, Inverse& inverse, std::span<const double> b,
            std::span<double> x, int threads, const Task& task, const frame::Progress& progress,
            KeptVectors& kept)
      : comm_(comm),
        product_(product),
        inverse_(inverse),
        b_(b),
        x_(x),
        elements_(std::ssize(b)),
        threads_(threads),
        task_(task),
        progress_(progress),
        kept_(kept) {
    std::ranges::fill(x_, 0.0);
    Sums<1> sums(comm_);
    sums.add(elements_, threads_, [&](std::ptrdiff_t from, std::ptrdiff_t to, auto& terms) {
      multiply(from, to, b_.data(), b_.data(), terms[0].data());
    });
    norm_ = std::sqrt(sums.over_ranks()[0]);
  }

  Solution cg();
  Solution pipelined();

 private:
  static std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }
  Vector zeros() const { return {comm_, b_.size()}; }
  Vector right_side() const {
    Vector r = zeros();
    std::ranges::copy(b_, r.begin());
    return r;
  }
  /// M^-1 where it takes an element at a time.
  struct Scale {
    const double* diagonal;  ///< null: ones
    double operator()(std::ptrdiff_t i, double value) const {
      return diagonal != nullptr ? value / diagonal[i] : value;
    }
  };
  Scale scale() const { return {inverse_.diagonal.empty() ? nullptr : inverse_.diagonal.data()}; }
  /// Whether M^-1 takes an element at a time. Else z = M^-1 r is found for all of them at once.
  bool pointwise() const { return inverse_.sweeps == nullptr; }
  /// z = M^-1 r. Collective.
  void precondition(std::span<const double> r, std::span<double> z) {
    if (!pointwise()) return inverse_.sweeps->apply(r, z);
    for_elements([scaled = scale(), from = r.data(), to = z.data()](std::ptrdiff_t i) {
      to[i] = scaled(i, from[i]);
    });
  }
  /// Calls `work(i)`, which holds what it needs by value: so compilers see that what it writes does
  /// not change it, and take a vector of elements at a time.
  template <class Work>
  static void for_elements(std::ptrdiff_t from, std::ptrdiff_t to, Work work) {
    for (std::ptrdiff_t i = from; i < to; ++i) work(i);
  }
  template <class Work>
  void for_elements(const Work& work) const {
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
    for (std::ptrdiff_t i = 0; i < elements_; i += block)
      for_elements(i, std::min(elements_, i + block), work);
  }
  /// products[0] = a[from] b[from] and so on.
  static void multiply(std::ptrdiff_t from, std::ptrdiff_t to, const double* a, const double* b,
                       double* products) {
    for_elements(from, to, [=](std::ptrdiff_t i) { products[i - from] = a[i] * b[i]; });
  }

  /// Notes the squared residual of the recurrence; whether that is the end.
  bool done(Solution& solution, double squares) {
    if (!std::isfinite(norm_))
      throw Error(
          "conjugate gradients: |b| is no number: the right-hand side has elements that are none, "
          "or whose squares are too large for one");
    // b = 0 has x = 0.
    const double residual = norm_ == 0 ? 0 : std::sqrt(squares) / norm_;
    solution.history.push_back(residual);
    if (progress_) progress_(solution.iterations, residual);
    if (!std::isfinite(residual)) refuse("the residual is no number", solution);
    solution.converged = residual <= task_.tolerance;
    return solution.converged || solution.iterations >= task_.most;  // a restart may be beyond
  }

  /// Before an iteration: what goes into a checkpoint beside vectors, and comes out of it. What the
  /// iteration itself notes is not in it yet.
  static nlohmann::ordered_json progress_of(const Solution& solution, nlohmann::ordered_json more) {
    std::vector<double> history = solution.history;
    history.resize(static_cast<std::size_t>(solution.iterations));
    more["residuals"] = std::move(history);
    return more;
  }
  static void go_on(Solution& solution, const frame::StateFile& from) {
    solution.iterations = from.progress<int>("iteration");
    solution.history = from.progress<std::vector<double>>("residuals");
  }

  [[noreturn]] void refuse(const std::string& what, const Solution& solution) const {
    throw Error("conjugate gradients: " + what + " after " + std::to_string(solution.iterations) +
                " iterations; the matrix must be symmetric and positive definite" +
                (inverse_.diagonal.empty() ? "" : ", and so must its diagonal"));
  }

  /// |b - A x| / |b|.
  Solution finished(Solution solution) {
    const Vector y = zeros();
    // All ranks that read the last input in place have read it.
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
  KeptVectors& kept_;
  double norm_ = 0;
};

Solution Iteration::cg() {
  Solution solution;
  double* const p = product_.x().data();
  double* const x = x_.data();
  const Vector residual = right_side(), product = zeros();
  const Vector whole = pointwise() ? Vector() : zeros();  // M^-1 r
  double *const r = residual.data(), *const q = product.data();
  const auto z = [scaled = scale(), r, whole = pointwise() ? nullptr : whole.data()](
                     std::ptrdiff_t i) { return whole != nullptr ? whole[i] : scaled(i, r[i]); };
  Sums<2> of_r(comm_);  // r M^-1 r and r r
  Sums<1> of_p(comm_);  // p A p
  double before = 0;
  // Calls `change(i)` for each element of r first.
  const auto add_up = [&](const auto& change) {
    if (!pointwise()) {
      for_elements(change);
      precondition(residual, whole);
    }
    of_r.add(elements_, threads_, [&](std::ptrdiff_t from, std::ptrdiff_t to, auto& terms) {
      if (pointwise()) for_elements(from, to, change);
      for_elements(from, to, [=, products = terms[0].data()](std::ptrdiff_t i) {
        products[i - from] = r[i] * z(i);
      });
      multiply(from, to, r, r, terms[1].data());
    });
  };
  const KeptVectors::Vectors state{{"x", x_}, {"r", residual.span()}, {"p", product_.x()}};
  if (const frame::StateFile* const from = kept_.load(state)) {
    go_on(solution, *from);
    before = from->progress<double>("before");
  }
  const auto progress = [&] {
    return progress_of(solution, nlohmann::ordered_json::object({{"before", before}}));
  };
  add_up([](std::ptrdiff_t) {});
  for (;; ++solution.iterations) {
    if (kept_.due(solution.iterations) && !kept_.save(solution.iterations, progress(), state))
      return solution;
    const auto [now, squares] = of_r.over_ranks();
    if (done(solution, squares)) {
      kept_.finish(solution.iterations, progress(), state);
      return finished(std::move(solution));
    }
    if (now <= 0) refuse("r M^-1 r is " + std::to_string(now), solution);
    const machine::Lap lap(product_.section());
    // Neighbours have read p: they have brought their part of the sum after that.
    if (solution.iterations == 0)
      for_elements([=](std::ptrdiff_t i) { p[i] = z(i); });
    else
      for_elements([=, beta = now / before](std::ptrdiff_t i) { p[i] = z(i) + beta * p[i]; });
    before = now;
    product_.multiply(q);
    of_p.add(elements_, threads_, [&](std::ptrdiff_t from, std::ptrdiff_t to, auto& terms) {
      multiply(from, to, p, q, terms[0].data());
    });
    const double curvature = of_p.over_ranks()[0];
    if (!(curvature > 0)) refuse("p A p is " + std::to_string(curvature), solution);
    add_up([=, alpha = now / curvature](std::ptrdiff_t i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    });
  }
}

Solution Iteration::pipelined() {
  Solution solution;
  const Vector r = right_side(), u = zeros(), w = zeros(), n = zeros(), z = zeros(), q = zeros(),
               s = zeros(), p = zeros();
  Sums<3> sums(comm_);  // r u, w u, r r
  double alpha = 0, before = 0;
  const KeptVectors::Vectors state{{"x", x_},       {"r", r.span()}, {"u", u.span()},
                                   {"w", w.span()}, {"z", z.span()}, {"q", q.span()},
                                   {"s", s.span()}, {"p", p.span()}};
  if (const frame::StateFile* const from = kept_.load(state)) {
    go_on(solution, *from);
    alpha = from->progress<double>("alpha");
    before = from->progress<double>("before");
  } else {
    precondition(r, u);
    std::ranges::copy(u, product_.x(1).begin());
    product_.multiply(w.data(), 1);
  }
  const auto progress = [&] {
    return progress_of(solution, {{"alpha", alpha}, {"before", before}});
  };
  const auto products = [&](std::ptrdiff_t from, std::ptrdiff_t to, auto& terms) {
    multiply(from, to, r.data(), u.data(), terms[0].data());
    multiply(from, to, w.data(), u.data(), terms[1].data());
    multiply(from, to, r.data(), r.data(), terms[2].data());
  };
  sums.add(elements_, threads_, products);
  for (;; ++solution.iterations) {
    if (kept_.due(solution.iterations) && !kept_.save(solution.iterations, progress(), state))
      return solution;
    const machine::Lap lap(product_.section());
    sums.start();
    // Two inputs in turn: who has brought his part of this sum has used the one before the last.
    const int input = solution.iterations % 2;
    const std::span<double> m = product_.x(input);
    precondition(w, m);
    product_.multiply(n.data(), input);
    const auto [now, delta, squares] = sums.finish();
    if (done(solution, squares)) {
      kept_.finish(solution.iterations, progress(), state);
      return finished(std::move(solution));
    }
    const bool first = solution.iterations == 0;
    const double beta = first ? 0 : now / before;
    const double curvature = first ? delta : delta - beta * now / alpha;
    if (!(curvature > 0)) refuse("p A p is " + std::to_string(curvature), solution);
    alpha = now / curvature;
    before = now;
    sums.add(elements_, threads_, [&](std::ptrdiff_t from, std::ptrdiff_t to, auto& terms) {
      // A vector and what it is updated by, at a time: few enough for a compiler to see that they
      // are apart.
      const auto follow = [&](const Vector& v, const double* by) {
        for_elements(from, to,
                     [v = v.data(), by, beta](std::ptrdiff_t i) { v[i] = by[i] + beta * v[i]; });
      };
      const auto step = [&](double* v, double length, const Vector& along) {
        for_elements(from, to, [v, length, along = along.data()](std::ptrdiff_t i) {
          v[i] += length * along[i];
        });
      };
      follow(z, n.data());
      follow(q, m.data());
      follow(s, w.data());
      follow(p, u.data());
      step(x_.data(), alpha, p);
      step(r.data(), -alpha, s);
      step(u.data(), -alpha, q);
      step(w.data(), -alpha, z);
      products(from, to, terms);
    });
  }
}

}  // namespace

int inputs_of(Method method) {
  return method == Method::pipelined_cg ? 2 : 1;
}

ZeroDiagonal::ZeroDiagonal(std::int64_t where)
    : Error("row " + std::to_string(where + 1) +
            " has a zero on the diagonal, by which the preconditioner divides"),
      row(where) {}

std::vector<double> diagonal_of(MPI_Comm comm, const Matrix& matrix) {
  std::vector<double> diagonal;
  std::int64_t first_zero = matrix.all_rows;
  for (std::int64_t row = matrix.rows.begin; row < matrix.rows.end; ++row) {
    const auto r = static_cast<std::size_t>(row - matrix.rows.begin);
    const auto from = matrix.columns.begin() + matrix.begin[r],
               to = matrix.columns.begin() + matrix.begin[r + 1];
    const auto found = std::find(from, to, row);
    const auto e = static_cast<std::size_t>(found - matrix.columns.begin());
    diagonal.push_back(found != to ? matrix.values[e] : 0);
    if (diagonal.back() == 0) first_zero = std::min(first_zero, row);
  }
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &first_zero, 1, MPI_INT64_T, MPI_MIN, comm);
  if (first_zero < matrix.all_rows) throw ZeroDiagonal(first_zero);
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
  inverse.sweeps = std::make_unique<GaussSeidel>(comm, matrix, std::exchange(inverse.diagonal, {}),
                                                 sweeps, at_first);
  return inverse;
}

Solution solve(MPI_Comm comm, Product& product, Inverse& inverse, std::span<const double> b,
               std::span<double> x, int threads, const Task& task, const frame::Progress& progress,
               KeptVectors kept) {
  Iteration iteration(comm, product, inverse, b, x, threads, task, progress, kept);
  return task.method == Method::cg ? iteration.cg() : iteration.pipelined();
}

}  // namespace spmv
