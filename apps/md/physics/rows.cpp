#include "rows.hpp"

#include "pair.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>
#include <utility>

namespace md {

namespace {

using numerics::Lanes;

constexpr int L = Rows::together;

/// Counts of quanta; they wrap.
typedef std::uint64_t Counts __attribute__((vector_size(L * sizeof(std::uint64_t))));

/// From one coordinate of a particle to the next.
std::size_t component(const Addressing& words) {
  return words(0, 1) - words(0, 0);
}

/// The positions of L particles, component by component.
struct Positions {
  Lanes<L> x, y, z;
};

#if defined(__AVX__)
/// The positions of particles whose components lie side by side: a transposition.
[[gnu::always_inline]] inline Positions transposed(const double* from, const int* words) {
  const auto at = [&](int lane) { return numerics::load<4>(from + words[lane]); };
#if defined(__AVX512F__)
  const auto both = [&](int lane) -> Lanes<8> {
    return _mm512_maskz_insertf64x4(0xff, _mm512_castpd256_pd512(at(lane)), at(lane + 2), 1);
  };
  const Lanes<8> a = both(0), b = both(1), c = both(4), d = both(5);
  const Lanes<8> xz = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14),
                 yw = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15),
                 xz2 = __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14),
                 yw2 = __builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15);
  return {__builtin_shufflevector(xz, xz2, 0, 1, 4, 5, 8, 9, 12, 13),
          __builtin_shufflevector(yw, yw2, 0, 1, 4, 5, 8, 9, 12, 13),
          __builtin_shufflevector(xz, xz2, 2, 3, 6, 7, 10, 11, 14, 15)};
#else
  const Lanes<4> a = at(0), b = at(1), c = at(2), d = at(3);
  const Lanes<4> xz = __builtin_shufflevector(a, b, 0, 4, 2, 6),
                 yw = __builtin_shufflevector(a, b, 1, 5, 3, 7),
                 xz2 = __builtin_shufflevector(c, d, 0, 4, 2, 6),
                 yw2 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  return {__builtin_shufflevector(xz, xz2, 0, 1, 4, 5),
          __builtin_shufflevector(yw, yw2, 0, 1, 4, 5),
          __builtin_shufflevector(xz, xz2, 2, 3, 6, 7)};
#endif
}
#endif

template <Layout layout>
[[gnu::always_inline]] inline Positions gather(const double* from, std::size_t next,
                                               const int* words) {
#if defined(__AVX__)
  if constexpr (layout == Layout::aos) return transposed(from, words);
#endif
  return {numerics::gather<L>(from, words), numerics::gather<L>(from + next, words),
          numerics::gather<L>(from + 2 * next, words)};
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

/// The forces on the particles of a block, one in each lane. Sums stay in their lanes, so there is
/// nothing to add up across them, and short rows cost no more than their partners.
///
/// All operations are on whole vectors, most of whose lanes are partners within the cut-off, and
/// positions mostly come from the cache. With AVX2 a turn of the loop is some sixty instructions, a
/// good third of which gather positions into lanes. A Zen 3 has ports enough to carry them out in
/// 10 cycles; that they wait for each other makes it 19 (by llvm-mca), and is the limit. Therefore
/// the first half of a turn, up to the division, runs ahead of the second.
template <Layout layout, bool exact, bool sums>
class BlockKernel {
 public:
  BlockKernel(const LennardJones& lj, Particles& particles)
      : pair_(lj, lj.shift()),
        cutoff_squared_(lj.cutoff * lj.cutoff),
        closest_squared_(lj.closest() * lj.closest()),
        magic_(lj.force_grid().magic()),
        magic_energy_(lj.energy_grid().magic()),
        next_(component(particles.words())),
        positions_(particles.positions().data()),
        forces_(particles.forces().data()) {}

  /// `partners` are `length` times one for each row. Returns a row of which somebody is too close,
  /// or -1.
  [[gnu::always_inline]] int operator()(const Rows::Block& block, const int* partners,
                                        Rows::Result& result) const {
    const Positions mine = gather<layout>(positions_, next_, block.words.data());
    const Lanes<L> magic = numerics::broadcast<L>(magic_),
                   magic_energy = numerics::broadcast<L>(magic_energy_), zero{};
    Counts cx{}, cy{}, cz{}, potential{}, virial{};
    Lanes<L> fx{}, fy{}, fz{}, least = numerics::broadcast<L>(cutoff_squared_);
    Separation now = separation(mine, partners);
    for (int k = 1; k <= block.length; ++k) {
      const Separation pair = now;
      // Behind the last partners are the last ones once more.
      now = separation(mine, partners + L * std::min(k, block.length - 1));
      const auto near = pair.squared < cutoff_squared_;
      const Lanes<L> force = near ? pair_.force(pair.inverse) : zero;
      least = smaller(pair.squared, least);
      if constexpr (exact) {
        // The bits are the count and those of the magic number, which are taken off at the end, as
        // often as they have been added.
        cx += (Counts)numerics::fma(force, pair.dx, magic);
        cy += (Counts)numerics::fma(force, pair.dy, magic);
        cz += (Counts)numerics::fma(force, pair.dz, magic);
      } else {
        fx = numerics::fma(force, pair.dx, fx);
        fy = numerics::fma(force, pair.dy, fy);
        fz = numerics::fma(force, pair.dz, fz);
      }
      if constexpr (sums) {
        const Lanes<L> u =
            near ? pair_.potential(Pair<Lanes<L>>::inverse_sixth(pair.inverse)) : zero;
        potential += (Counts)(u + magic_energy);
        virial += (Counts)numerics::fma(force, pair.squared, magic_energy);
      }
    }
    if constexpr (exact) {
      cx -= magic_bits(magic_, block.length);
      cy -= magic_bits(magic_, block.length);
      cz -= magic_bits(magic_, block.length);
    }
    for (int row = 0; row < block.rows; ++row) {
      ForceWord* const to = forces_ + block.words[static_cast<std::size_t>(row)];
      if constexpr (exact) {
        to[0].count = static_cast<std::int64_t>(cx[row]);
        to[next_].count = static_cast<std::int64_t>(cy[row]);
        to[2 * next_].count = static_cast<std::int64_t>(cz[row]);
      } else {
        to[0].force = fx[row];
        to[next_].force = fy[row];
        to[2 * next_].force = fz[row];
      }
    }
    if constexpr (sums) {
      potential -= magic_bits(magic_energy_, block.length);
      virial -= magic_bits(magic_energy_, block.length);
      for (int row = 0; row < block.rows; ++row) {
        result.potential += static_cast<std::int64_t>(potential[row]);
        result.virial += static_cast<std::int64_t>(virial[row]);
      }
    }
    const auto close = least < closest_squared_;
    if (total<L>(close) != 0) [[unlikely]]
      for (int row = 0; row < block.rows; ++row)
        if (close[row] != 0) return row;
    return -1;
  }

 private:
  struct Separation {
    Lanes<L> dx, dy, dz, squared, inverse;
  };
  [[gnu::always_inline]] Separation separation(const Positions& mine, const int* partners) const {
    const Positions other = gather<layout>(positions_, next_, partners);
    const Lanes<L> dx = mine.x - other.x, dy = mine.y - other.y, dz = mine.z - other.z;
    const Lanes<L> squared = Pair<Lanes<L>>::distance_squared(dx, dy, dz);
    return {dx, dy, dz, squared, 1.0 / squared};
  }
  static std::uint64_t magic_bits(double magic, int times) {
    return static_cast<std::uint64_t>(times) * std::bit_cast<std::uint64_t>(magic);
  }

  Pair<Lanes<L>> pair_;
  double cutoff_squared_, closest_squared_, magic_, magic_energy_;
  std::size_t next_;
  const double* positions_;
  ForceWord* forces_;
};

}  // namespace

Rows::Rows(const ForceSettings& settings, const Cells& cells, const InCells& places)
    : settings_(settings),
      cells_(cells),
      places_(places),
      parts_(static_cast<std::size_t>(std::max(1, settings.threads))) {}

// A block whose rows are being found: row after row, each in a place of its own.
class Rows::Rough {
 public:
  /// Where the partners of the next row go: there is room for so many and a few more.
  int* next_row(std::size_t most) {
    if (most + Candidates::together > room_) {
      const std::size_t grown = 2 * (most + Candidates::together);
      std::vector<int> larger(L * grown);
      for (int row = 0; row < block_.rows; ++row)
        std::copy_n(this->row(row), counts_[static_cast<std::size_t>(row)],
                    larger.begin() + static_cast<std::ptrdiff_t>(grown) * row);
      partners_ = std::move(larger);
      room_ = grown;
    }
    return row(block_.rows);
  }
  /// It is of that particle. Returns whether the block is full.
  bool add(int word, std::size_t count) {
    const auto row = static_cast<std::size_t>(block_.rows);
    block_.words[row] = word;
    counts_[row] = static_cast<int>(count);
    block_.length = std::max(block_.length, counts_[row]);
    return ++block_.rows == L;
  }
  bool empty() const noexcept { return block_.rows == 0; }
  int length() const { return block_.length; }
  /// What `take` writes to `out`.
  std::size_t room_needed() const { return static_cast<std::size_t>(L * rounded_up()); }

  /// The block; its partners go to `out`, side by side, short rows filled up with `nobody`. Then
  /// there are no rows.
  Block take(int* out, int nobody) {
    for (int row = block_.rows; row < L; ++row) {
      block_.words[static_cast<std::size_t>(row)] = block_.words[0];
      counts_[static_cast<std::size_t>(row)] = 0;
    }
    for (int lane = 0; lane < L; ++lane)
      std::fill(row(lane) + counts_[static_cast<std::size_t>(lane)], row(lane) + rounded_up(),
                nobody);
    for (int lane = 0; lane < L; lane += tile)
      for (int k = 0; k < rounded_up(); k += tile) transpose(lane, k, out);
    return std::exchange(block_, none);
  }

 private:
  int* row(int number) { return partners_.data() + static_cast<std::size_t>(number) * room_; }
  /// Rows and columns of partners are exchanged in squares of so many.
  static constexpr int tile = std::min(L, 4);
  int rounded_up() const { return (block_.length + tile - 1) / tile * tile; }

  void transpose(int lane, int k, int* out) {
    if constexpr (tile == 4) {
      typedef int Four __attribute__((vector_size(4 * sizeof(int))));
      const auto four = [&](int i) {
        Four partners;
        std::memcpy(&partners, row(lane + i) + k, sizeof partners);
        return partners;
      };
      const Four a = four(0), b = four(1), c = four(2), d = four(3);
      const Four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5),
                 cd = __builtin_shufflevector(c, d, 0, 4, 1, 5),
                 ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7),
                 cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
      const std::array<Four, 4> columns{__builtin_shufflevector(ab, cd, 0, 1, 4, 5),
                                        __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
                                        __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5),
                                        __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7)};
      for (int i = 0; i < 4; ++i)
        std::memcpy(out + (k + i) * L + lane, &columns[static_cast<std::size_t>(i)], sizeof(Four));
    } else {
      for (int i = 0; i < tile; ++i)
        for (int j = 0; j < tile; ++j) out[(k + i) * L + lane + j] = row(lane + j)[k + i];
    }
  }

  static constexpr Block none{.words = {}, .rows = 0, .length = 1, .first = 0};
  // The length is at least one: the kernel's loop looks at the first partners in any case.
  Block block_ = none;
  std::array<int, L> counts_{};
  std::vector<int> partners_;
  std::size_t room_ = 0;
};

// Collecting candidates takes as long as looking at some fifty of them: cells next to each other
// along x with few particles share them. Returns the last one of those that go with `first`.
std::size_t Rows::group(const std::vector<int>& cells, std::size_t first) const {
  constexpr int enough = 12;
  const auto start = [&](int cell) { return places_.starts[static_cast<std::size_t>(cell)]; };
  const int begin = start(cells[first]), end_of_line = cells_.last_along_x(cells[first]);
  std::size_t last = first;
  while (last + 1 < cells.size()) {
    const int next = cells[last + 1];
    if (start(next + 1) - begin > enough || next > end_of_line || next > cells[last] + 2 ||
        next > cells[first] + 8)
      break;
    ++last;
  }
  return last;
}

/// Keeps those partners of a particle that are no farther than lists reach; returns how many.
std::size_t Rows::within_reach(const Particles& particles, int word, int* partners,
                               std::size_t count) const {
  const double reach = settings_.lj.cutoff + settings_.skin, squared = reach * reach;
  const std::size_t next = component(particles.words());
  const double* const positions = particles.positions().data();
  std::size_t kept = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double *const one = positions + word, *const other = positions + partners[k];
    const double dx = one[0] - other[0], dy = one[next] - other[next],
                 dz = one[2 * next] - other[2 * next];
    partners[kept] = partners[k];
    kept += Pair<double>::distance_squared(dx, dy, dz) <= squared;
  }
  return kept;
}

// Finds the rows of a part and calls use(block, with_ghosts) for each block of them, whose partners
// lie behind those of the block before if they are kept, else where that block's were.
template <class Use>
void Rows::for_blocks(const Particles& particles, Part& part, bool keep, Use&& use) const {
  const Places places{places_.x.data(), places_.y.data(), places_.z.data(), places_.word.data()};
  const auto start = [&](int cell) {
    return static_cast<std::size_t>(places_.starts[static_cast<std::size_t>(cell)]);
  };
  const auto zone_of = [&](std::size_t place) -> Zone {
    const auto i = static_cast<std::size_t>(places_.index[place]);
    return i < particles.owned() ? Zone{0} : particles.zones()[i - particles.owned()];
  };
  const auto first_ghost = static_cast<int>(particles.words()(particles.owned(), 0));
  const auto has_ghosts = [&](const int* words, std::size_t count) {
    int has = 0;
    for (std::size_t k = 0; k < count; ++k) has |= words[k] >= first_ghost;
    return has != 0;
  };
  // Collects those whose pairs with particles of a zone are computed here. Returns which number
  // place 0 would have among them: owned ones are, ghosts are not candidates of their own zone.
  Candidates& candidates = part.candidates;
  const auto collect = [&](const Cells::Around& around, Zone zone) {
    candidates.clear();
    std::size_t zeroth = 0;
    for (const Cells::Run& run : around) {
      if (run.first > run.last) continue;
      const std::size_t from = start(run.first), to = start(run.last + 1);
      if (&run == &around[around.size() / 2]) zeroth = candidates.count() - from;
      if (zone == 0)
        candidates.add(places, from, to);
      else
        for (std::size_t k = from; k < to; ++k)
          if ((zone & zone_of(k)) == 0) candidates.add(places, k, k + 1);
    }
    return zeroth;
  };
  part.filled = 0;
  std::array<Rough, 2> rough;  // without ghosts, and with them
  const auto finish = [&](bool with_ghosts) {
    Rough& rows = rough[with_ghosts];
    const std::size_t needed = part.filled + rows.room_needed();
    if (part.partners.size() < needed)
      part.partners.resize(std::max(part.partners.size() * 3 / 2, needed));
    const auto length = static_cast<std::size_t>(rows.length());
    Block block = rows.take(part.partners.data() + part.filled, nobody_);
    block.first = part.filled;
    if (keep) part.filled += L * length;
    use(block, with_ghosts);
  };
  for (std::size_t first = 0, last; first < part.cells.size(); first = last + 1) {
    last = group(part.cells, first);
    const auto around = cells_.around(part.cells[first], part.cells[last]);
    const std::size_t begin = start(part.cells[first]), end = start(part.cells[last] + 1);
    Zone zone = zone_of(begin);
    std::size_t zeroth = collect(around, zone);
    // Without a ghost among candidates no row has one.
    const bool near_ghosts = keep && has_ghosts(candidates.notes(), candidates.count());
    for (std::size_t place = begin; place < end; ++place) {
      if (const Zone its = zone_of(place); its != zone) zeroth = collect(around, zone = its);
      const int word = places.note[place];
      // Whether a row has ghosts, which matters if it is kept, is known when it is there.
      int* out = rough[0].next_row(candidates.count());
      const std::size_t self = zone == 0 ? zeroth + place : candidates.count();
      std::size_t count =
          candidates.near(places.x[place], places.y[place], places.z[place], self, out);
      if (keep && settings_.strict) count = within_reach(particles, word, out, count);
      const bool with_ghosts =
          keep && (word >= first_ghost || (near_ghosts && has_ghosts(out, count)));
      if (with_ghosts) std::copy_n(out, count, rough[1].next_row(count));
      if (rough[with_ghosts].add(word, count)) finish(with_ghosts);
    }
  }
  for (const bool with_ghosts : {false, true})
    if (!rough[with_ghosts].empty()) finish(with_ghosts);
}

void Rows::build(Particles& particles) {
  const double reach = settings_.lj.cutoff + (settings_.lists ? settings_.skin : 0);
  nobody_ = static_cast<int>(particles.words()(particles.size(), 0));
  for (std::size_t axis = 0; axis < 3; ++axis)
    particles.position(particles.size(), axis) =
        particles.owned() > 0 ? particles.position(0, axis) + 1e6 * reach : 0;

  // Cells whose rows are wanted, dealt out in pieces of as many particles.
  for (Part& part : parts_) part.cells.clear();
  const auto owned = static_cast<int>(particles.owned());
  std::size_t part = 0;
  for (const int cell : places_.occupied) {
    const auto from = static_cast<std::size_t>(places_.starts[static_cast<std::size_t>(cell)]);
    while (from * parts_.size() >= (part + 1) * places_.size()) ++part;
    if (settings_.back || places_.index[from] < owned) parts_[part].cells.push_back(cell);
  }
  if (!settings_.lists) return;

  std::exception_ptr failed;
#pragma omp parallel for schedule(static, 1) num_threads(settings_.threads) if (parts_.size() > 1)
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Part& part = parts_[p];
    try {
      part.inner.clear();
      part.outer.clear();
      part.inner_partners = 0;
      for_blocks(particles, part, true, [&](const Block& block, bool with_ghosts) {
        (with_ghosts ? part.outer : part.inner).push_back(block);
        if (!with_ghosts) part.inner_partners += static_cast<std::size_t>(L * block.length);
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
  Result all;
  if (inner && !settings_.lists) return all;
  const BlockKernel<layout, exact, sums> kernel(settings_.lj, particles);
  int overlap = -1;
  std::exception_ptr failed;
#pragma omp parallel for schedule(static, 1) num_threads(settings_.threads) if (parts_.size() > 1)
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Part& part = parts_[p];
    Result mine;
    int mine_overlaps = -1;
    try {
      const auto use = [&](const Block& block) {
        const int row = kernel(block, part.partners.data() + block.first, mine);
        if (row >= 0) mine_overlaps = block.words[static_cast<std::size_t>(row)];
      };
      if (settings_.lists)
        for (const Block& block : inner ? part.inner : part.outer) use(block);
      else
        for_blocks(particles, part, false, [&](const Block& block, bool) { use(block); });
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
  for (const Part& part : parts_) {
    inner += static_cast<double>(part.inner_partners);
    all += static_cast<double>(part.filled);
  }
  return all > 0 ? inner / all : 0;
}

}  // namespace md
