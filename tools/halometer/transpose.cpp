// transpose: a matrix of complex numbers that is spread by rows becomes spread by columns, as
// spectral codes need between their one-dimensional transforms; and beside it MPI_Alltoallw with
// derived datatypes, which is what one would write by hand.

#include "kind.hpp"

#include <frame/lists.hpp>

#include <halocline/distribution.hpp>
#include <halocline/exchange.hpp>
#include <halocline/more/mpi.hpp>

#include <complex>

namespace halometer {

using namespace halocline;

namespace {

using Number = std::complex<double>;
constexpr const char* handwritten_alltoallw = "handwritten:alltoallw";

struct Matrix {
  std::int64_t rows, columns;
};

Matrix matrix_of(const std::string& text) {
  const std::vector<std::int64_t> numbers = frame::numbers(text, 'x');
  if (numbers.size() != 2) throw Error("--matrix " + text + ": give rows and columns as 1024x1024");
  return {numbers[0], numbers[1]};
}

/// By rows, then by columns; these are contiguous if the matrix is turned.
struct Transpose {
  Transpose(MPI_Comm comm, const Matrix& matrix, bool turned)
      : before({matrix.rows, matrix.columns}, {mpi::size(comm), 1}),
        after({matrix.rows, matrix.columns}, {1, mpi::size(comm)},
              {.order = turned ? std::vector{1, 0} : std::vector{0, 1}}) {}
  Distribution before, after;
};

class TransposeWork : public Work {
 public:
  TransposeWork(MPI_Comm comm, const Matrix& matrix, bool turned, const Scheme& memory)
      : comm_(comm),
        matrix_(matrix),
        transpose_(comm, matrix, turned),
        from_(comm, transpose_.before.elements(mpi::rank(comm)), memory),
        to_(comm, transpose_.after.elements(mpi::rank(comm)), memory) {}

  /// All is written before, as a transform does.
  void prepare() override { write(++step_); }
  bool alone() const override { return true; }
  std::string check() override {
    for (int step = -3; step < 0; ++step) {
      write(step);
      std::fill(to_.begin(), to_.end(), Number());
      this->step();
      std::string wrong;
      each(transpose_.after, to_, [&](Number& number, std::int64_t cell) {
        if (number != value(cell, step))
          wrong = "rank " + std::to_string(mpi::rank(comm_)) + " got a wrong number " +
                  std::to_string(cell);
      });
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 protected:
  const Transpose& transpose() const { return transpose_; }
  const Matrix& matrix() const { return matrix_; }
  MPI_Comm comm() const { return comm_; }
  const Array<Number>& from() const { return from_; }
  const Array<Number>& to() const { return to_; }

 private:
  static Number value(std::int64_t cell, int step) {
    return {static_cast<double>(cell), static_cast<double>(step)};
  }
  template <class Visit>
  void each(const Distribution& spread, const Array<Number>& array, const Visit& visit) const {
    for (const auto& part : spread.parts_of(mpi::rank(comm_)))
      for (std::int64_t i = part.cells[0].begin; i < part.cells[0].end; ++i)
        for (std::int64_t j = part.cells[1].begin; j < part.cells[1].end; ++j)
          visit(array[static_cast<std::size_t>(part.offset +
                                               (i - part.cells[0].begin) * part.stride[0] +
                                               (j - part.cells[1].begin) * part.stride[1])],
                i * matrix_.columns + j);
  }
  void write(int step) {
    each(transpose_.before, from_,
         [&](Number& number, std::int64_t cell) { number = value(cell, step); });
  }

  MPI_Comm comm_;
  Matrix matrix_;
  Transpose transpose_;
  Array<Number> from_, to_;
  int step_ = 0;
};

class ByExchange final : public TransposeWork {
 public:
  ByExchange(MPI_Comm comm, const Matrix& matrix, bool turned, const Scheme& scheme)
      : TransposeWork(comm, matrix, turned, scheme),
        exchange_(comm, Pattern::between(transpose().before, transpose().after, mpi::rank(comm)),
                  from(), to(), scheme) {}
  void step() override { exchange_.run(); }

 private:
  Exchange exchange_;
};

/// One call of MPI, with a datatype for what goes to and what comes from each rank.
class ByAlltoallw final : public TransposeWork {
 public:
  ByAlltoallw(MPI_Comm comm, const Matrix& matrix, bool turned)
      : TransposeWork(comm, matrix, turned, "p2p:nonblocking"),
        own_(mpi::Comm::duplicate(comm)),
        offsets_(static_cast<std::size_t>(mpi::size(comm)), 0) {
    const int ranks = mpi::size(comm), me = mpi::rank(comm);
    const Range rows = part_of(matrix.rows, ranks, me),
                columns = part_of(matrix.columns, ranks, me);
    for (int rank = 0; rank < ranks; ++rank) {
      const Range theirs = part_of(matrix.columns, ranks, rank);
      leaves_.push_back(box(rows.size(), theirs.size(), matrix.columns, theirs.begin));
      const Range from = part_of(matrix.rows, ranks, rank);
      lands_.push_back(
          turned ? turned_box(from, columns.size(), matrix.rows)
                 : box(from.size(), columns.size(), columns.size(), from.begin * columns.size()));
      sends_.push_back(leaves_.back());
      receives_.push_back(lands_.back());
      send_counts_.push_back(rows.size() > 0 && theirs.size() > 0 ? 1 : 0);
      receive_counts_.push_back(from.size() > 0 && columns.size() > 0 ? 1 : 0);
    }
  }
  void step() override {
    HALOCLINE_MPI(MPI_Alltoallw, from().data(), send_counts_.data(), offsets_.data(), sends_.data(),
                  to().data(), receive_counts_.data(), offsets_.data(), receives_.data(), own_);
  }

 private:
  /// `rows` rows of `count` numbers that lie `stride` apart, from number `begin` on.
  static mpi::Datatype box(std::int64_t rows, std::int64_t count, std::int64_t stride,
                           std::int64_t begin) {
    mpi::Datatype one;
    HALOCLINE_MPI(MPI_Type_vector, static_cast<int>(rows), static_cast<int>(count),
                  static_cast<int>(stride), MPI_C_DOUBLE_COMPLEX, one.address());
    return from_number(one, begin);
  }
  /// Rows that land as columns of `height` numbers: number after number along each.
  static mpi::Datatype turned_box(const Range& rows, std::int64_t count, std::int64_t height) {
    mpi::Datatype row, all;
    HALOCLINE_MPI(MPI_Type_vector, static_cast<int>(count), 1, static_cast<int>(height),
                  MPI_C_DOUBLE_COMPLEX, row.address());
    HALOCLINE_MPI(MPI_Type_create_hvector, static_cast<int>(rows.size()), 1,
                  static_cast<MPI_Aint>(sizeof(Number)), row, all.address());
    return from_number(all, rows.begin);
  }
  static mpi::Datatype from_number(const mpi::Datatype& cells, std::int64_t begin) {
    mpi::Datatype type;
    const int one = 1;
    const MPI_Aint offset = begin * static_cast<MPI_Aint>(sizeof(Number));
    const MPI_Datatype of = cells;
    HALOCLINE_MPI(MPI_Type_create_struct, 1, &one, &offset, &of, type.address());
    HALOCLINE_MPI(MPI_Type_commit, type.address());
    return type;
  }

  mpi::Comm own_;
  std::vector<mpi::Datatype> leaves_, lands_;
  std::vector<MPI_Datatype> sends_, receives_;
  std::vector<int> send_counts_, receive_counts_, offsets_;
};

class TransposeKind final : public Kind {
 public:
  std::string name() const override { return "transpose"; }
  std::string summary() const override {
    return "a complex matrix by rows becomes one by columns; beside it MPI_Alltoallw";
  }

  void declare(frame::Arguments& app) override {
    app.option("--matrix", matrices_, "rows x columns, complex doubles, on all ranks together")
        .with_commas()
        .shows_default();
    app.option("--memory", orders_,
               "how a rank's columns lie in memory: as they lay (kept), or one after the "
               "other (turned)")
        .with_commas()
        .one_of({"kept", "turned"})
        .shows_default();
  }

  std::vector<Group> groups(MPI_Comm comm, const std::string& patterns) override {
    // A transpose is done where it lands: access=direct is access=copy here.
    std::vector<Scheme> schemes = chosen_schemes(patterns);
    std::erase_if(schemes, [](const Scheme& scheme) {
      return scheme.has("access") && scheme.is("access", "direct");
    });
    std::vector<Group> groups;
    for (const std::string& matrix : matrices_)
      for (const std::string& order : orders_)
        groups.push_back(group(comm, schemes, matrix, order));
    return groups;
  }

 private:
  static Group group(MPI_Comm comm, const std::vector<Scheme>& schemes, const std::string& text,
                     const std::string& order) {
    const Matrix matrix = matrix_of(text);
    const bool turned = order == "turned";
    const Transpose transpose(comm, matrix, turned);
    const Pattern mine = Pattern::between(transpose.before, transpose.after, mpi::rank(comm));
    double bytes = static_cast<double>(mine.elements_sent() * sizeof(Number));
    HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_MAX, comm);
    const nlohmann::ordered_json parameters = {{"matrix", text}, {"memory", order}};
    Group group{.title = text + ", " + order};
    group.contenders.push_back({.scheme = handwritten_alltoallw,
                                .parameters = parameters,
                                .bytes = bytes,
                                .make = [=]() -> std::unique_ptr<Work> {
                                  return std::make_unique<ByAlltoallw>(comm, matrix, turned);
                                }});
    for (const Scheme& scheme : schemes)
      group.contenders.push_back({.scheme = scheme.str(),
                                  .parameters = parameters,
                                  .bytes = bytes,
                                  .make = [=]() -> std::unique_ptr<Work> {
                                    return std::make_unique<ByExchange>(comm, matrix, turned,
                                                                        scheme);
                                  }});
    return group;
  }

  std::vector<std::string> matrices_{"1024x1024"}, orders_{"kept", "turned"};
};

}  // namespace

std::unique_ptr<Kind> transpose() {
  return std::make_unique<TransposeKind>();
}

}  // namespace halometer
