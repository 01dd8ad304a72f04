#include "rows.hpp"

#include "pair.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace md {

namespace {

/// Rows are filled up to a multiple of it with a partner that is too far away to matter.
constexpr std::size_t lanes = 8;

/// From one coordinate of a particle to the next.
std::size_t component(const Words& words) {
  return words(0, 1) - words(0, 0);
}

void find_words(const Particles& particles, const InCells& some, std::vector<int>& words) {
  const std::size_t count = some.index.size() - InCells::tail;
  words.resize(count);
  for (std::size_t place = 0; place < count; ++place)
    words[place] =
        static_cast<int>(particles.words()(static_cast<std::size_t>(some.index[place]), 0));
}

}  // namespace

void Rows::sorted(const Particles&) {
  inner_.clear();
  outer_.clear();
}

void Rows::add_row(const Particles& particles, const InCells& mine, std::size_t place) {
  const auto i = static_cast<std::size_t>(mine.index[place]);
  const bool ghost = i >= particles.owned();
  const float x = mine.x[place], y = mine.y[place], z = mine.z[place];
  const std::size_t first = filled_;
  std::size_t count = first;
  // Writes every candidate and keeps the place of those that are near: no branch to mispredict.
  const auto look = [&](const InCells& others, const std::vector<int>& words, std::size_t from,
                        std::size_t to, auto&& besides) {
    if (partners_.size() < count + (to - from) + lanes)
      partners_.resize(std::max(partners_.size() * 3 / 2, count + (to - from) + lanes));
    int* const out = partners_.data();
    for (std::size_t k = from; k < to; ++k) {
      const float dx = others.x[k] - x, dy = others.y[k] - y, dz = others.z[k] - z;
      out[count] = words[k];
      count +=
          static_cast<std::size_t>((dx * dx + dy * dy + dz * dz <= reach_squared_) & besides(k));
    }
  };
  const auto others = [&](const InCells& some) {
    return [&some, &mine, place](std::size_t k) { return &some != &mine || k != place; };
  };
  const Cells::Around around = cells_.around(cells_.cell_of(particles.position(i)));
  const auto for_runs = [&](const InCells& some, auto&& act) {
    for (const auto [begin, end] : around)
      if (begin <= end)
        act(static_cast<std::size_t>(some.starts[static_cast<std::size_t>(begin)]),
            static_cast<std::size_t>(some.starts[static_cast<std::size_t>(end) + 1]));
  };
  for_runs(owned_, [&](std::size_t from, std::size_t to) {
    look(owned_, owned_words_, from, to, others(owned_));
  });
  const std::size_t own = count;
  for_runs(ghosts_, [&](std::size_t from, std::size_t to) {
    if (!ghost) return look(ghosts_, ghost_words_, from, to, others(ghosts_));
    const Zone zone = particles.zones()[i - particles.owned()];
    if (zone == anywhere) return;
    look(ghosts_, ghost_words_, from, to, [&](std::size_t k) {
      const auto other = static_cast<std::size_t>(ghosts_.index[k]) - particles.owned();
      return (zone & particles.zones()[other]) == 0;
    });
  });
  const bool inner = !ghost && own == count;
  while ((count - first) % lanes != 0)
    partners_[count++] = static_cast<int>(particles.words()(particles.size(), 0));
  filled_ = count;
  (inner ? inner_ : outer_)
      .push_back({static_cast<int>(i), first, static_cast<int>(count - first)});
}

void Rows::build(Particles& particles) {
  const double reach = settings_.lj.cutoff + (settings_.lists ? settings_.skin : 0);
  // What single precision may add to a distance.
  double farthest = 0;
  for (const InCells* some : {&owned_, &ghosts_})
    for (const auto* coordinates : {&some->x, &some->y, &some->z})
      for (std::size_t k = 0; k + InCells::tail < coordinates->size(); ++k)
        farthest = std::max(farthest, std::abs(static_cast<double>((*coordinates)[k])));
  const double safe = (reach + 4 * farthest * std::numeric_limits<float>::epsilon()) * (1 + 1e-6);
  reach_squared_ = static_cast<float>(safe * safe);

  inner_.clear();
  outer_.clear();
  filled_ = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    particles.position(particles.size(), axis) =
        particles.owned() > 0 ? particles.position(0, axis) + 1e6 * reach : 0;
  find_words(particles, owned_, owned_words_);
  find_words(particles, ghosts_, ghost_words_);
  for (std::size_t place = 0; place < owned_words_.size(); ++place)
    add_row(particles, owned_, place);
  if (settings_.back)
    for (std::size_t place = 0; place < ghost_words_.size(); ++place)
      add_row(particles, ghosts_, place);
}

template <bool exact, bool sums>
void Rows::compute_row(Particles& particles, const Row& row, Result& result) const {
  const LennardJones& lj = settings_.lj;
  const Pair<double> pair(lj, lj.shift());
  const FixedPoint grid = lj.force_grid(), energies = lj.energy_grid();
  const double cutoff_squared = lj.cutoff * lj.cutoff, magic = grid.magic(),
               magic_energy = energies.magic();
  const Words words = particles.words();
  const std::size_t next = component(words), at = words(static_cast<std::size_t>(row.particle), 0);
  const double* const xs = particles.positions().data();
  const double* const ys = xs + next;
  const double* const zs = ys + next;
  const double x = xs[at], y = ys[at], z = zs[at];
  const int* const partners = partners_.data() + row.first;

  // The bits of a number and the magic one are those of its count and of the magic one: the latter
  // are taken off at the end, as often as they have been added. Sums of unsigned numbers wrap.
  std::uint64_t cx = 0, cy = 0, cz = 0, potential = 0, virial = 0;
  double fx = 0, fy = 0, fz = 0, least = std::numeric_limits<double>::infinity();
#pragma omp simd reduction(+ : cx, cy, cz, potential, virial, fx, fy, fz) reduction(min : least)
  for (int k = 0; k < row.partners; ++k) {
    const int j = partners[k];
    const double dx = x - xs[j], dy = y - ys[j], dz = z - zs[j];
    const double squared = Pair<double>::distance_squared(dx, dy, dz);
    const double inverse = 1 / squared;
    const bool near = squared < cutoff_squared;
    const double force = near ? pair.force(inverse) : 0;
    least = squared < least ? squared : least;
    if constexpr (exact) {
      cx += std::bit_cast<std::uint64_t>(std::fma(force, dx, magic));
      cy += std::bit_cast<std::uint64_t>(std::fma(force, dy, magic));
      cz += std::bit_cast<std::uint64_t>(std::fma(force, dz, magic));
    } else {
      fx += force * dx;
      fy += force * dy;
      fz += force * dz;
    }
    if constexpr (sums) {
      const double u = near ? pair.potential(Pair<double>::inverse_sixth(inverse)) : 0;
      potential += std::bit_cast<std::uint64_t>(u + magic_energy);
      virial += std::bit_cast<std::uint64_t>(std::fma(force, squared, magic_energy));
    }
  }

  ForceWord* const forces = particles.forces().data() + at;
  const auto count = static_cast<std::uint64_t>(row.partners);
  const auto counted = [count](std::uint64_t bits, double added) {
    return static_cast<std::int64_t>(bits - count * std::bit_cast<std::uint64_t>(added));
  };
  if constexpr (exact) {
    forces[0].count = counted(cx, magic);
    forces[next].count = counted(cy, magic);
    forces[2 * next].count = counted(cz, magic);
  } else {
    forces[0].force = fx, forces[next].force = fy, forces[2 * next].force = fz;
  }
  if constexpr (sums) {
    result.potential += counted(potential, magic_energy);
    result.virial += counted(virial, magic_energy);
  }
  // Not a number is no closer than anything.
  if (!(least > lj.closest() * lj.closest())) result.overlap = overlapping(particles, row);
}

/// Finds out which of a row's partners is too close.
std::array<int, 2> Rows::overlapping(const Particles& particles, const Row& row) const {
  const auto i = static_cast<std::size_t>(row.particle);
  std::array<int, 2> closest{row.particle, row.particle};
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < particles.size(); ++j) {
    if (j == i) continue;
    double squared = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double d = particles.position(i, axis) - particles.position(j, axis);
      squared += d * d;
    }
    if (squared < least) least = squared, closest[1] = static_cast<int>(j);
  }
  return closest;
}

template <bool exact, bool sums>
Rows::Result Rows::compute_rows(Particles& particles, const std::vector<Row>& rows) const {
  Result all;
#pragma omp parallel num_threads(settings_.threads) if (settings_.threads > 1)
  {
    Result mine;
#pragma omp for schedule(static) nowait
    for (std::size_t k = 0; k < rows.size(); ++k)
      compute_row<exact, sums>(particles, rows[k], mine);
#pragma omp critical(md_rows)
    {
      all.potential += mine.potential;
      all.virial += mine.virial;
      if (mine.overlap[0] >= 0) all.overlap = mine.overlap;
    }
  }
  return all;
}

Rows::Result Rows::compute(Particles& particles, bool inner, bool sums) const {
  const std::vector<Row>& rows = inner ? inner_ : outer_;
  if (settings_.sum == Sum::exact)
    return sums ? compute_rows<true, true>(particles, rows)
                : compute_rows<true, false>(particles, rows);
  return sums ? compute_rows<false, true>(particles, rows)
              : compute_rows<false, false>(particles, rows);
}

double Rows::inner_share() const noexcept {
  std::size_t inner = 0;
  for (const Row& row : inner_) inner += static_cast<std::size_t>(row.partners);
  return filled_ == 0 ? 0 : static_cast<double>(inner) / static_cast<double>(filled_);
}

}  // namespace md
