#include "balance.hpp"

#include <halocline/more/mpi.hpp>

#include <algorithm>
#include <cmath>

namespace md {

using namespace halocline;

namespace {

constexpr std::size_t bins = 512;  // along an axis, from end to end

/// Work by bins, several of them one behind the other; the sum of all ranks'.
class Histograms {
 public:
  Histograms(std::size_t count, double edge) : per_bin_(edge / bins), work_(count * bins, 0.0) {}

  void add(std::size_t which, double place, double work) {
    const auto bin = static_cast<std::size_t>(std::max(0.0, place / per_bin_));
    work_[which * bins + std::min(bin, bins - 1)] += work;
  }
  void sum(MPI_Comm comm) {
    HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, work_.data(), static_cast<int>(work_.size()),
                  MPI_DOUBLE, MPI_SUM, comm);
  }
  /// New cuts between the ends of `cuts`: the same work in each part, evenly spread in each bin.
  void cut(std::size_t which, std::vector<double>& cuts, double quantum, double least) const {
    const auto first = work_.begin() + static_cast<std::ptrdiff_t>(which * bins);
    double all = 0;
    for (std::size_t bin = 0; bin < bins; ++bin) all += first[static_cast<std::ptrdiff_t>(bin)];
    if (all <= 0) return;
    const std::size_t parts = cuts.size() - 1;
    const double edge = cuts.back();
    double before = 0;
    std::size_t bin = 0;
    for (std::size_t i = 1; i < parts; ++i) {
      const double wanted = all * static_cast<double>(i) / static_cast<double>(parts);
      double here = first[static_cast<std::ptrdiff_t>(bin)];
      while (bin + 1 < bins && before + here < wanted) {
        before += here;
        here = first[static_cast<std::ptrdiff_t>(++bin)];
      }
      const double inside = here > 0 ? std::clamp((wanted - before) / here, 0.0, 1.0) : 0;
      cuts[i] = (static_cast<double>(bin) + inside) * per_bin_;
    }
    // Nothing thinner than the least, from either end.
    least = std::min(least, edge / (2 * static_cast<double>(parts)));
    for (std::size_t i = 1; i < parts; ++i) cuts[i] = std::max(cuts[i], cuts[i - 1] + least);
    for (std::size_t i = parts; --i > 0;) cuts[i] = std::min(cuts[i], cuts[i + 1] - least);
    for (std::size_t i = 1; i < parts; ++i) cuts[i] = std::nearbyint(cuts[i] / quantum) * quantum;
  }

 private:
  double per_bin_;
  std::vector<double> work_;
};

}  // namespace

double imbalance(MPI_Comm comm, double work) {
  double most = work, all = work;
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
  return all > 0 ? most * mpi::size(comm) / all : 1;
}

Decomposition balanced(MPI_Comm comm, const Decomposition& now, const Particles& particles,
                       double work, bool straight, double least) {
  Decomposition next = now;
  const int px = now.dims()[0], py = now.dims()[1];
  const auto columns = static_cast<std::size_t>(py);
  const Vector& edges = now.box().edges();
  const double quantum = now.box().quantum();
  const double each = particles.owned() > 0 ? work / static_cast<double>(particles.owned()) : 0;
  const auto share_out = [&](std::size_t axis, std::size_t count, auto&& which, auto&& cuts_of) {
    Histograms histograms(count, edges[axis]);
    for (std::size_t i = 0; i < particles.owned(); ++i) {
      const Vector position = particles.position(i);
      histograms.add(which(position), position[axis], each);
    }
    histograms.sum(comm);
    for (std::size_t k = 0; k < count; ++k)
      histograms.cut(k, cuts_of(static_cast<int>(k)), quantum, least);
  };
  const auto everywhere = [](const Vector&) -> std::size_t { return 0; };
  share_out(
      0, 1, everywhere, [&](int) -> auto& { return next.cuts(); });
  if (straight) {
    share_out(
        1, 1, everywhere, [&](int) -> auto& { return next.cuts(0); });
    share_out(
        2, 1, everywhere, [&](int) -> auto& { return next.cuts(0, 0); });
    for (int i = 0; i < px; ++i) {
      next.cuts(i) = next.cuts(0);
      for (int j = 0; j < py; ++j) next.cuts(i, j) = next.cuts(0, 0);
    }
    return next;
  }
  const auto slab = [&](const Vector& position) { return piece(next.cuts(), position[0]); };
  share_out(
      1, static_cast<std::size_t>(px), slab, [&](int i) -> auto& { return next.cuts(i); });
  share_out(
      2, static_cast<std::size_t>(px) * columns,
      [&](const Vector& position) {
        const std::size_t i = slab(position);
        return i * columns + piece(next.cuts(static_cast<int>(i)), position[1]);
      },
      [&](int column) -> auto& { return next.cuts(column / py, column % py); });
  return next;
}

}  // namespace md
