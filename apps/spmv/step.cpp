// What a product, or an iteration of a solver, does on any number of ranks.

#include "spmv.hpp"

namespace spmv {

using namespace halocline;
using nlohmann::ordered_json;

namespace {

/// These rows of a matrix that one process has. Values are left out.
Matrix rows_of(const Matrix& all, const Range& rows) {
  const auto first = static_cast<std::size_t>(rows.begin),
             last = static_cast<std::size_t>(rows.end);
  Matrix some;
  some.rows = rows;
  some.all_rows = all.all_rows;
  some.all_columns = all.all_columns;
  for (std::size_t row = first; row < last; ++row)
    some.begin.push_back(all.begin[row + 1] - all.begin[first]);
  some.columns.assign(all.columns.begin() + all.begin[first],
                      all.columns.begin() + all.begin[last]);
  return some;
}

/// Where the rows of each rank end.
std::vector<std::int64_t> ends_of_rows(const Matrix& all, Parts parts, int ranks) {
  std::vector<std::int64_t> ends;
  if (parts == Parts::rows || ranks == 1) {
    for (int rank = 0; rank < ranks; ++rank) ends.push_back(part_of(all.all_rows, ranks, rank).end);
    return ends;
  }
  ends.assign(static_cast<std::size_t>(ranks), 0);
  for (std::int64_t row = 0; row < all.all_rows; ++row)
    ++ends[balanced_owner(all.begin[static_cast<std::size_t>(row)] + of_a_row * row,
                          all.entries() + of_a_row * all.all_rows, ends.size())];
  for (std::size_t rank = 1; rank < ends.size(); ++rank) ends[rank] += ends[rank - 1];
  return ends;
}

}  // namespace

Matrix Spmv::whole_matrix() const {
  const Range rows{0, this->rows()};
  Matrix all = generator_ ? generate(*generator_, rows) : read(MPI_COMM_SELF, *file_);
  if (settings_.reorder)
    all = renumbered(MPI_COMM_SELF, all, reverse_cuthill_mckee(MPI_COMM_SELF, all), rows);
  return all;
}

frame::Step Spmv::step(const frame::Options& options) const {
  const Plan& plan = settings_.plan;
  const char* const asked = "--describe-step";
  frame::only_with(!settings_.power, asked, "one product after the other, not --power");
  frame::only_with(!plan.device, asked, "the host's products, not --device");
  frame::only_with(!settings_.by_graph(), asked, "--partition rows or entries");
  frame::only_with(settings_.preconditioner != Preconditioner::sgs, asked,
                   "--preconditioner none or jacobi");
  check_memory();
  const int ranks = options.ranks;
  const Matrix all = whole_matrix();
  const std::vector<std::int64_t> ends = ends_of_rows(all, settings_.parts, ranks);
  std::vector<std::int64_t> owned = ends;  // where each rank's part of x ends
  if (!all.square())
    for (int rank = 0; rank < ranks; ++rank)
      owned[static_cast<std::size_t>(rank)] = part_of(all.all_columns, ranks, rank).end;
  std::vector<frame::Message> halo;
  std::vector<double> inner, border, entries;  // of each rank
  for (int rank = 0; rank < ranks; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const auto part = [&](const std::vector<std::int64_t>& all_ends) {
      return Range{r == 0 ? 0 : all_ends[r - 1], all_ends[r]};
    };
    const Matrix mine = rows_of(all, part(ends));
    const Range own = part(owned);
    const auto wanted = wanted_of(mine, own, owned);
    for (std::size_t owner = 0; owner < wanted.size(); ++owner)
      if (!wanted[owner].empty())
        halo.push_back({static_cast<int>(owner), rank, sizeof(double) * wanted[owner].size()});
    double without = 0;
    for (std::size_t row = 0; row + 1 < mine.begin.size(); ++row)
      if (needs_nobody(mine, row, own))
        without += static_cast<double>(mine.begin[row + 1] - mine.begin[row]);
    entries.push_back(static_cast<double>(mine.entries()));
    inner.push_back(without);
    border.push_back(entries.back() - without);
  }

  frame::Step step{.ranks = ranks};
  step.add("x", halo);
  if (plan.sharing() == "masteronly") {
    step.parts.push_back({{"exchange", "x"}});
    step.parts.push_back(frame::computing(name, entries));
  } else {
    step.parts.push_back({{"start", "x"}});
    step.parts.push_back(frame::computing(name, inner, entries));
    step.parts.push_back({{"finish", "x"}});
    step.parts.push_back(frame::computing(name, border, entries));
  }
  // Sums of vectors; the pipelined solver has one, beside the product.
  const int sums = !settings_.solve ? 0 : *settings_.solve == Method::cg ? 2 : 1;
  for (int i = 0; i < sums; ++i) step.parts.push_back({{"reduce", "allreduce"}});
  return step;
}

}  // namespace spmv
