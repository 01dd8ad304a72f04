#include "rows.hpp"

#include "pair.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <limits>

namespace md {

namespace {

using numerics::Lanes;

/// Rows are filled up to a multiple of it.
constexpr int L = numerics::widest;
/// What `near` may write too much, and the filling.
constexpr std::size_t spare = Candidates::together + L;

/// Of quanta; they wrap.
typedef std::uint64_t Counts __attribute__((vector_size(L * sizeof(std::uint64_t))));

/// From one coordinate of a particle to the next.
std::size_t component(const Words& words) {
  return words(0, 1) - words(0, 0);
}

void find_words(const Particles& particles, const InCells& some, std::vector<int>& words) {
  words.resize(some.index.size());
  for (std::size_t place = 0; place + InCells::tail < words.size(); ++place)
    words[place] =
        static_cast<int>(particles.words()(static_cast<std::size_t>(some.index[place]), 0));
}

/// The positions of L particles, component by component.
struct Positions {
  Lanes<L> x, y, z;
};

#if defined(__AVX__)
/// Of four particles whose components lie side by side: a transposition.
[[gnu::always_inline]] inline std::array<Lanes<4>, 3> four(const double* from, const int* words) {
  const auto a = numerics::load<4>(from + words[0]), b = numerics::load<4>(from + words[1]),
             c = numerics::load<4>(from + words[2]), d = numerics::load<4>(from + words[3]);
  const Lanes<4> xz = __builtin_shufflevector(a, b, 0, 4, 2, 6),
                 yw = __builtin_shufflevector(a, b, 1, 5, 3, 7),
                 xz2 = __builtin_shufflevector(c, d, 0, 4, 2, 6),
                 yw2 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  return {__builtin_shufflevector(xz, xz2, 0, 1, 4, 5),
          __builtin_shufflevector(yw, yw2, 0, 1, 4, 5),
          __builtin_shufflevector(xz, xz2, 2, 3, 6, 7)};
}
#endif

template <Layout layout>
[[gnu::always_inline]] inline Positions gather(const double* from, std::size_t next,
                                               const int* words) {
#if defined(__AVX512F__)
  if constexpr (layout == Layout::aos && L == 8) {
    const auto low = four(from, words), high = four(from, words + 4);
    const auto both = [](Lanes<4> a, Lanes<4> b) {
      return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
    };
    return {both(low[0], high[0]), both(low[1], high[1]), both(low[2], high[2])};
  }
#elif defined(__AVX__)
  if constexpr (layout == Layout::aos && L == 4) {
    const auto all = four(from, words);
    return {all[0], all[1], all[2]};
  }
#endif
  Positions all;
  for (int lane = 0; lane < L; ++lane) {
    const double* const at = from + words[lane];
    all.x[lane] = at[0];
    all.y[lane] = at[next];
    all.z[lane] = at[2 * next];
  }
  return all;
}

/// The smaller one in every lane; `b` where `a` is not a number.
inline Lanes<L> smaller(Lanes<L> a, Lanes<L> b) {
#if defined(__AVX512F__)
  return _mm512_mask_min_pd(a, 0xff, a, b);
#elif defined(__AVX__)
  return _mm256_min_pd(a, b);
#else
  return a < b ? a : b;
#endif
}

/// The sum of all lanes, halves by halves.
template <int lanes, class V>
[[gnu::always_inline]] inline auto total(V all) {
  if constexpr (lanes == 2) {
    return all[0] + all[1];
  } else {
    constexpr int half = lanes / 2;
    return [&]<std::size_t... lane>(std::index_sequence<lane...>) {
      return total<half>(__builtin_shufflevector(all, all, static_cast<int>(lane)...) +
                         __builtin_shufflevector(all, all, (static_cast<int>(lane) + half)...));
    }
    (std::make_index_sequence<half>());
  }
}

/// The force on one particle. All operations are on whole vectors, most of whose lanes are partners
/// within the cut-off, and positions mostly come from the cache: arithmetic is the limit, above all
/// the division, and shuffling positions into lanes.
template <Layout layout, bool exact, bool sums>
class RowKernel {
 public:
  RowKernel(const LennardJones& lj, Particles& particles)
      : pair_(lj, lj.shift()),
        cutoff_squared_(lj.cutoff * lj.cutoff),
        closest_squared_(lj.closest() * lj.closest()),
        magic_(lj.force_grid().magic()),
        magic_energy_(lj.energy_grid().magic()),
        next_(component(particles.words())),
        positions_(particles.positions().data()),
        forces_(particles.forces().data()) {}

  /// `count` is a multiple of L. Returns whether somebody is too close.
  [[gnu::always_inline]] bool operator()(int word, const int* partners, int count,
                                         Rows::Result& result) const {
    const double* const at = positions_ + word;
    const Lanes<L> x = numerics::broadcast<L>(at[0]), y = numerics::broadcast<L>(at[next_]),
                   z = numerics::broadcast<L>(at[2 * next_]);
    const Lanes<L> magic = numerics::broadcast<L>(magic_),
                   magic_energy = numerics::broadcast<L>(magic_energy_), zero{};
    Counts cx{}, cy{}, cz{}, potential{}, virial{};
    Lanes<L> fx{}, fy{}, fz{}, least = numerics::broadcast<L>(cutoff_squared_);
    for (int k = 0; k < count; k += L) {
      const Positions other = gather<layout>(positions_, next_, partners + k);
      const Lanes<L> dx = x - other.x, dy = y - other.y, dz = z - other.z;
      const Lanes<L> squared = Pair<Lanes<L>>::distance_squared(dx, dy, dz);
      const Lanes<L> inverse = 1.0 / squared;
      const auto near = squared < cutoff_squared_;
      const Lanes<L> force = near ? pair_.force(inverse) : zero;
      least = smaller(squared, least);
      if constexpr (exact) {
        // The bits are the count and those of the magic number, which are taken off at the end, as
        // often as they have been added.
        cx += (Counts)numerics::fma(force, dx, magic);
        cy += (Counts)numerics::fma(force, dy, magic);
        cz += (Counts)numerics::fma(force, dz, magic);
      } else {
        fx = numerics::fma(force, dx, fx);
        fy = numerics::fma(force, dy, fy);
        fz = numerics::fma(force, dz, fz);
      }
      if constexpr (sums) {
        const Lanes<L> u = near ? pair_.potential(Pair<Lanes<L>>::inverse_sixth(inverse)) : zero;
        potential += (Counts)(u + magic_energy);
        virial += (Counts)numerics::fma(force, squared, magic_energy);
      }
    }
    ForceWord* const to = forces_ + word;
    if constexpr (exact) {
      to[0].count = counted(cx, magic_, count);
      to[next_].count = counted(cy, magic_, count);
      to[2 * next_].count = counted(cz, magic_, count);
    } else {
      to[0].force = total<L>(fx), to[next_].force = total<L>(fy),
      to[2 * next_].force = total<L>(fz);
    }
    if constexpr (sums) {
      result.potential += counted(potential, magic_energy_, count);
      result.virial += counted(virial, magic_energy_, count);
    }
    const auto close = least < closest_squared_;
    return total<L>(close) != 0;
  }

 private:
  static std::int64_t counted(Counts bits, double magic, int times) {
    return static_cast<std::int64_t>(total<L>(bits) - static_cast<std::uint64_t>(times) *
                                                          std::bit_cast<std::uint64_t>(magic));
  }

  Pair<Lanes<L>> pair_;
  double cutoff_squared_, closest_squared_, magic_, magic_energy_;
  std::size_t next_;
  const double* positions_;
  ForceWord* forces_;
};

}  // namespace

Rows::Rows(const ForceSettings& settings, const Cells& cells, const InCells& owned,
           const InCells& ghosts)
    : settings_(settings),
      cells_(cells),
      owned_(owned),
      ghosts_(ghosts),
      parts_(static_cast<std::size_t>(std::max(1, settings.threads))) {}

// Finds the rows of a part and calls use(word, partners, count, with_ghosts). The partners of a row
// lie behind those of the row before if they are kept, else where that row's were.
template <class Use>
void Rows::for_rows(const Particles& particles, Part& part, bool keep, bool inner, bool outer,
                    Use&& use) const {
  const Places owned{owned_.x.data(), owned_.y.data(), owned_.z.data(), owned_words_.data()};
  const Places ghosts{ghosts_.x.data(), ghosts_.y.data(), ghosts_.z.data(), ghost_words_.data()};
  const auto zone_of = [&](std::size_t place) {
    return particles.zones()[static_cast<std::size_t>(ghosts_.index[place]) - particles.owned()];
  };
  // Collects those in some cells whose pairs with particles of a zone are computed here.
  const auto collect = [&](Candidates& all, const InCells& some, const Places& places,
                           const Cells::Around& around, Zone zone) {
    all.clear();
    for (const auto [begin, end] : around) {
      if (begin > end) continue;
      const auto from = static_cast<std::size_t>(some.starts[static_cast<std::size_t>(begin)]),
                 to = static_cast<std::size_t>(some.starts[static_cast<std::size_t>(end) + 1]);
      if (zone == 0)
        all.add(places, from, to);
      else
        for (std::size_t k = from; k < to; ++k)
          if ((zone & zone_of(k)) == 0) all.add(places, k, k + 1);
    }
    all.close();
  };
  Candidates &near_owned = part.near_owned, &near_ghosts = part.near_ghosts;
  part.filled = 0;
  const auto rows_of = [&](const std::vector<int>& cells, const InCells& mine, const Places& places,
                           bool of_ghosts) {
    for (const int cell : cells) {
      const bool is_inner = !of_ghosts && cells_.inner(cell);
      if (is_inner ? !inner : !outer) continue;
      const auto c = static_cast<std::size_t>(cell);
      const auto around = cells_.around(cell);
      collect(near_owned, owned_, owned, around, 0);
      Zone zone = is_inner || of_ghosts ? anywhere : 0;
      const auto collect_ghosts = [&] {
        near_ghosts.clear();
        if (zone != anywhere) collect(near_ghosts, ghosts_, ghosts, around, zone);
      };
      collect_ghosts();
      for (auto place = static_cast<std::size_t>(mine.starts[c]);
           place < static_cast<std::size_t>(mine.starts[c + 1]); ++place) {
        if (of_ghosts && zone != zone_of(place)) {
          zone = zone_of(place);
          collect_ghosts();
        }
        const std::size_t most = near_owned.count() + near_ghosts.count() + spare;
        if (part.partners.size() < part.filled + most)
          part.partners.resize(std::max(part.partners.size() * 3 / 2, part.filled + most));
        int* const out = part.partners.data() + part.filled;
        const int word = places.note[place];
        const float x = places.x[place], y = places.y[place], z = places.z[place];
        const std::size_t own = near_owned.near(x, y, z, reach_squared_, word, out);
        std::size_t count = own + near_ghosts.near(x, y, z, reach_squared_, word, out + own);
        const bool with_ghosts = of_ghosts || count > own;
        while (count % L != 0) out[count++] = nobody_;
        use(word, part.filled, static_cast<int>(count), with_ghosts);
        if (keep) part.filled += count;
      }
    }
  };
  rows_of(part.cells, owned_, owned, false);
  rows_of(part.ghost_cells, ghosts_, ghosts, true);
}

void Rows::build(Particles& particles) {
  const double reach = settings_.lj.cutoff + (settings_.lists ? settings_.skin : 0);
  // What single precision may add to a distance.
  float farthest = 0;
  for (const InCells* some : {&owned_, &ghosts_})
    for (const auto* coordinates : {&some->x, &some->y, &some->z})
      for (std::size_t k = 0; k + InCells::tail < coordinates->size(); ++k)
        farthest = std::max(farthest, std::fabs((*coordinates)[k]));
  const double safe =
      (reach + 4 * static_cast<double>(farthest) * std::numeric_limits<float>::epsilon()) *
      (1 + 1e-6);
  reach_squared_ = static_cast<float>(safe * safe);

  nobody_ = static_cast<int>(particles.words()(particles.size(), 0));
  for (std::size_t axis = 0; axis < 3; ++axis)
    particles.position(particles.size(), axis) =
        particles.owned() > 0 ? particles.position(0, axis) + 1e6 * reach : 0;
  find_words(particles, owned_, owned_words_);
  find_words(particles, ghosts_, ghost_words_);

  // Cells with somebody in them, dealt out in pieces of as many particles.
  for (Part& part : parts_) part.cells.clear(), part.ghost_cells.clear();
  const auto deal = [&](const InCells& some, std::vector<int> Part::*cells) {
    const std::size_t all = some.index.size() - InCells::tail;
    for (int cell = 0; cell < cells_.count(); ++cell) {
      const auto from = static_cast<std::size_t>(some.starts[static_cast<std::size_t>(cell)]);
      if (from < static_cast<std::size_t>(some.starts[static_cast<std::size_t>(cell) + 1]))
        (parts_[from * parts_.size() / all].*cells).push_back(cell);
    }
  };
  deal(owned_, &Part::cells);
  if (settings_.back) deal(ghosts_, &Part::ghost_cells);
  if (!settings_.lists) return;

  std::exception_ptr failed;
#pragma omp parallel for schedule(static, 1) num_threads(settings_.threads) if (parts_.size() > 1)
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Part& part = parts_[p];
    try {
      part.inner.clear();
      part.outer.clear();
      part.inner_partners = 0;
      for_rows(particles, part, true, true, true,
               [&](int word, std::size_t first, int count, bool with_ghosts) {
                 (with_ghosts ? part.outer : part.inner).push_back({word, count, first});
                 if (!with_ghosts) part.inner_partners += static_cast<std::size_t>(count);
               });
    } catch (...) {
#pragma omp critical(md_rows)
      failed = std::current_exception();
    }
  }
  if (failed) std::rethrow_exception(failed);
}

/// Finds out which other particle is too close.
std::array<int, 2> Rows::overlapping(const Particles& particles, int word) const {
  std::size_t i = 0;
  while (particles.words()(i, 0) != static_cast<std::size_t>(word)) ++i;
  std::array<int, 2> closest{static_cast<int>(i), static_cast<int>(i)};
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

template <Layout layout, bool exact, bool sums>
Rows::Result Rows::compute_rows(Particles& particles, bool inner) {
  const RowKernel<layout, exact, sums> kernel(settings_.lj, particles);
  Result all;
  int overlap = -1;
  std::exception_ptr failed;
#pragma omp parallel for schedule(static, 1) num_threads(settings_.threads) if (parts_.size() > 1)
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Part& part = parts_[p];
    Result mine;
    int mine_overlaps = -1;
    try {
      if (settings_.lists)
        for (const Row& row : inner ? part.inner : part.outer) {
          if (kernel(row.word, part.partners.data() + row.first, row.partners, mine))
            mine_overlaps = row.word;
        }
      else
        for_rows(particles, part, false, inner, !inner,
                 [&](int word, std::size_t first, int count, bool) {
                   if (kernel(word, part.partners.data() + first, count, mine))
                     mine_overlaps = word;
                 });
    } catch (...) {
#pragma omp critical(md_rows)
      failed = std::current_exception();
    }
#pragma omp critical(md_rows)
    {
      all.potential += mine.potential;
      all.virial += mine.virial;
      if (mine_overlaps >= 0) overlap = mine_overlaps;
    }
  }
  if (failed) std::rethrow_exception(failed);
  if (overlap >= 0) all.overlap = overlapping(particles, overlap);
  return all;
}

Rows::Result Rows::compute(Particles& particles, bool inner, bool sums) {
  const auto with = [&]<Layout layout>() {
    if (settings_.sum == Sum::exact)
      return sums ? compute_rows<layout, true, true>(particles, inner)
                  : compute_rows<layout, true, false>(particles, inner);
    return sums ? compute_rows<layout, false, true>(particles, inner)
                : compute_rows<layout, false, false>(particles, inner);
  };
  switch (particles.layout()) {
    case Layout::aos: return with.template operator()<Layout::aos>();
    case Layout::soa: return with.template operator()<Layout::soa>();
    default: return with.template operator()<Layout::cluster>();
  }
}

double Rows::inner_share() const noexcept {
  double inner = 0, all = 0;
  for (const Part& part : parts_)
    if (settings_.lists) {
      inner += static_cast<double>(part.inner_partners);
      all += static_cast<double>(part.filled);
    } else {
      for (const int cell : part.cells) {
        const auto c = static_cast<std::size_t>(cell);
        const double here = owned_.starts[c + 1] - owned_.starts[c];
        inner += cells_.inner(cell) ? here : 0;
        all += here;
      }
    }
  return all > 0 ? inner / all : 0;
}

}  // namespace md
