#include "gauss_seidel.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include <omp.h>

namespace spmv {

using namespace halocline;

namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

/// One half of the matrix, by numbers.
struct Triangle {
  std::vector<std::int64_t> begin{0};
  std::vector<std::int32_t> columns{};
  std::vector<double> values{};
};

/// The pattern's elements of one colour, by their numbers.
Pattern of_colour(const Pattern& pattern, int colour, const std::vector<int>& colours,
                  const std::vector<std::int32_t>& number) {
  Pattern part;
  const auto for_runs = [&](const Link& link, const auto& add) {
    Block run{.offset = 0, .count = {1, 1, 0}};
    for (const Block& block : link.blocks)
      for (std::size_t i = 0; i < block.size(); ++i) {
        const std::size_t place = at(block.offset) + i;
        if (colours[place] != colour) continue;
        if (run.size() > 0 &&
            number[place] != run.offset + static_cast<std::ptrdiff_t>(run.size())) {
          add(run);
          run.count[2] = 0;
        }
        if (run.size() == 0) run.offset = number[place];
        ++run.count[2];
      }
    if (run.size() > 0) add(run);
  };
  for (const Link& link : pattern.sends())
    for_runs(link, [&](const Block& block) { part.send(link.peer, block); });
  for (const Link& link : pattern.receives())
    for_runs(link, [&](const Block& block) { part.receive(link.peer, block); });
  return part;
}

}  // namespace

std::vector<int> colours_of(MPI_Comm comm, const Matrix& matrix, const Halo& halo,
                            const std::vector<std::int64_t>& at_first) {
  const auto first = [&](std::int64_t index) {
    return at_first.empty() ? index : at_first[at(index)];
  };
  constexpr int none = -1;
  std::vector<int> colours(at(halo.elements()), none), taken;
  std::vector<std::int64_t> waiting(at(matrix.rows.size()));
  std::iota(waiting.begin(), waiting.end(), matrix.rows.begin);
  std::ranges::sort(waiting, {}, first);
  // `act` of the other columns of a row.
  const auto for_others = [&](std::int64_t row, const auto& act) {
    const std::size_t r = at(row - matrix.rows.begin);
    for (std::size_t e = at(matrix.begin[r]); e < at(matrix.begin[r + 1]); ++e)
      if (matrix.columns[e] != row) act(matrix.columns[e]);
  };
  Exchange exchange(comm, halo.pattern, field(colours.data(), colours.size()), "p2p:nonblocking");
  // As far as this rank gets, until it must know what others have.
  do {
    std::erase_if(waiting, [&](std::int64_t row) {
      bool known = true;
      for_others(row, [&](std::int64_t column) {
        if (first(column) > first(row)) return;
        const int colour = colours[at(halo.place(column))];
        known = known && colour != none;
        if (colour == none) return;
        if (std::ssize(taken) <= colour) taken.resize(at(colour) + 1, -1);
        taken[at(colour)] = static_cast<int>(row - matrix.rows.begin);
      });
      if (!known) return false;
      int colour = 0;
      while (colour < std::ssize(taken) &&
             taken[at(colour)] == static_cast<int>(row - matrix.rows.begin))
        ++colour;
      colours[at(row - matrix.rows.begin)] = colour;
      return true;
    });
    exchange.run();
  } while (!mpi::all_of(comm, waiting.empty()));

  std::string complaint;
  for (std::int64_t row = matrix.rows.begin; row < matrix.rows.end && complaint.empty(); ++row)
    for_others(row, [&](std::int64_t column) {
      if (colours[at(halo.place(column))] == colours[at(row - matrix.rows.begin)])
        complaint = "row " + std::to_string(first(row) + 1) + " has an entry in column " +
                    std::to_string(first(column) + 1) + ", but row " +
                    std::to_string(first(column) + 1) + " has none in column " +
                    std::to_string(first(row) + 1) +
                    "; sgs is for matrices with a symmetric pattern";
    });
  mpi::agree(comm, complaint);
  return colours;
}

GaussSeidel::GaussSeidel(MPI_Comm comm, const Matrix& matrix, std::span<const double> diagonal,
                         const Plan& plan, const std::vector<std::int64_t>& at_first)
    : threads_(plan.threads) {
  const Halo halo = halo_of(comm, matrix);
  const std::vector<int> colours = colours_of(comm, matrix, halo, at_first);
  const auto rows = static_cast<std::int32_t>(matrix.rows.size());

  // Numbers: by colour, this rank's before those of others.
  std::vector<std::int32_t> order(colours.size()), number(colours.size());
  std::iota(order.begin(), order.end(), 0);
  const auto by_colour = [&](std::int32_t a, std::int32_t b) {
    return colours[at(a)] < colours[at(b)];
  };
  std::stable_sort(order.begin(), order.begin() + rows, by_colour);
  std::stable_sort(order.begin() + rows, order.end(), by_colour);
  for (std::size_t i = 0; i < order.size(); ++i)
    number[at(order[i])] = static_cast<std::int32_t>(i);
  row_.assign(order.begin(), order.begin() + rows);

  Triangle lower, upper;
  for (const std::int32_t row : row_) {
    diagonal_.push_back(diagonal[at(row)]);
    for (std::size_t e = at(matrix.begin[at(row)]); e < at(matrix.begin[at(row) + 1]); ++e) {
      const auto place = at(halo.place(matrix.columns[e]));
      if (colours[place] == colours[at(row)]) continue;  // the diagonal
      Triangle& half = colours[place] < colours[at(row)] ? lower : upper;
      half.columns.push_back(number[place]);
      half.values.push_back(matrix.values[e]);
    }
    for (Triangle* const half : {&lower, &upper}) half->begin.push_back(std::ssize(half->columns));
  }
  sums_.resize(at(rows));

  // One more element than there are, which is 0, for what fills up.
  z_ = Array<double>(comm, colours.size() + 1, plan.scheme);
  int last = colours.empty() ? -1 : *std::ranges::max_element(colours);
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &last, 1, MPI_INT, MPI_MAX, comm);
  auto begin = row_.begin();
  for (int colour = 0; colour <= last; ++colour) {
    const auto end = std::find_if(begin, row_.end(),
                                  [&](std::int32_t row) { return colours[at(row)] > colour; });
    std::vector<std::int32_t> which(at(end - begin));
    std::iota(which.begin(), which.end(), static_cast<std::int32_t>(begin - row_.begin()));
    begin = end;
    const auto half = [&](const Triangle& triangle) {
      const Rows some{triangle.begin, triangle.columns, triangle.values, which};
      Half one;
      one.format = plan.layout == Layout::crs
                       ? make_crs(some, threads_)
                       : make_sell(some, threads_, std::max<std::int64_t>(1, plan.sigma),
                                   static_cast<std::int32_t>(colours.size()));
      one.shares = one.format->shares(threads_);
      return one;
    };
    lower_.push_back(half(lower));
    upper_.push_back(half(upper));
    exchanges_.emplace_back(comm, of_colour(halo.pattern, colour, colours, number),
                            std::vector<Field>{z_}, plan.scheme);
  }
}

template <class Finish>
void GaussSeidel::sweep(const Half& half, const Finish& finish) {
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
  {
    const auto share = at(omp_get_thread_num());
    const std::int64_t first = half.shares[share], last = half.shares[share + 1];
    half.format->multiply(z_.data(), sums_.data(), first, last);
    for (std::int64_t slice = first; slice < last; ++slice)
      for (const std::int32_t i : half.format->rows_of(slice)) finish(at(i));
  }
}

void GaussSeidel::apply(std::span<const double> r, std::span<double> z) {
  double* const all = z_.data();
  const int count = colours();
  for (int colour = 0; colour < count; ++colour) {
    sweep(lower_[at(colour)],
          [&](std::size_t i) { all[i] = (r[at(row_[i])] - sums_[i]) / diagonal_[i]; });
    if (colour + 1 < count) exchanges_[at(colour)].run();
  }
  for (int colour = count - 1; colour >= 0; --colour) {
    sweep(upper_[at(colour)],
          [&](std::size_t i) { z[at(row_[i])] = all[i] -= sums_[i] / diagonal_[i]; });
    if (colour > 0) exchanges_[at(colour)].run();
  }
}

}  // namespace spmv
