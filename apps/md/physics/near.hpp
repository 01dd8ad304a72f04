#pragma once
// Finding neighbours: who of many candidates is within reach. In fixed point of 16 bits, 32 at a
// time where vectors have 512 bits, 16 where they have 256.
//
// Candidates are copied together first, once for all particles of a cell. So the search is one loop
// of whole vectors and as many for each of these particles, which a processor foresees; a loop for
// each stretch of memory ends nine times a particle where nobody expects it, and costs twice.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace md {

/// A coordinate counted in parts of the reach, modulo 2^16, which is twelve reaches. So is the
/// difference of two, and right if they are less than six reaches apart; who is farther away may
/// seem near, and is found out when forces are computed.
using Coarse = std::int16_t;

class CoarseGrid {
 public:
  static constexpr int reach = 5461;
  explicit CoarseGrid(double all_reach) : scale_(reach / all_reach) {}
  Coarse operator()(double coordinate) const noexcept {
    // The last bits are those of the nearest integer (fixed_point.hpp).
    const double shifted = coordinate * scale_ + 0x1.8p52;
    return static_cast<Coarse>(std::bit_cast<std::uint64_t>(shifted));
  }

  /// A difference of two coordinates squared, divided by 2^15 and rounded.
  static int squared(Coarse difference) noexcept {
    return (difference * difference + 0x4000) >> 15;
  }
  /// The sum of three of those is no more for whoever is within reach: rounding makes each
  /// difference larger by at most 1, and their sum by 1.5.
  static constexpr int near = (reach * reach + 4 * reach + 3) / 0x8000 + 2;

 private:
  double scale_;
};

/// Points in memory: their coordinates, and what is to be noted of them. `Candidates::together`
/// more behind the last one may be read.
struct Places {
  const Coarse *x, *y, *z;
  const int* note;
};

#if defined(__AVX2__) && !defined(__AVX512BW__)
/// For each set of eight lanes a permutation, a byte a lane, that brings its members to the front:
/// what AVX-512 has an instruction for.
inline constexpr auto members_first = [] {
  std::array<std::uint64_t, 256> all{};
  for (unsigned set = 0; set < all.size(); ++set)
    for (unsigned lane = 0, to = 0; lane < 8; ++lane)
      if (set >> lane & 1) all[set] |= std::uint64_t{lane} << (8 * to++);
  return all;
}();
#endif

/// Memory that begins where a cache line does: whole vectors are then in one line each.
template <class T>
struct OnLines {
  using value_type = T;
  static constexpr std::align_val_t line{64};
  OnLines() = default;
  template <class U>
  OnLines(const OnLines<U>&) {}
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), line));
  }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, line); }
  bool operator==(const OnLines&) const = default;
};

class Candidates {
 public:
  /// So many are copied at a time.
  static constexpr std::size_t together = 16;

  void clear() noexcept { count_ = 0; }
  std::size_t count() const noexcept { return count_; }
  const int* notes() const noexcept { return note_.data(); }

  /// Adds points [from, to).
  void add(const Places& points, std::size_t from, std::size_t to) {
    if (x_.size() < count_ + (to - from) + at_a_time) grow(count_ + (to - from) + at_a_time);
    for (std::size_t k = from, at = count_; k < to; k += together, at += together) {
      std::memcpy(x_.data() + at, points.x + k, together * sizeof(Coarse));
      std::memcpy(y_.data() + at, points.y + k, together * sizeof(Coarse));
      std::memcpy(z_.data() + at, points.z + k, together * sizeof(Coarse));
      std::memcpy(note_.data() + at, points.note + k, together * sizeof(int));
    }
    count_ += to - from;
  }

  /// Writes the notes of those that are near a point, but for number `self`; up to 16 more ints
  /// behind them may be written. Returns how many there are.
  std::size_t near(Coarse x, Coarse y, Coarse z, std::size_t self, int* out) const;

 private:
  /// So many are looked at, of the last ones perhaps one.
  static constexpr std::size_t at_a_time = 32;
  void grow(std::size_t count) {
    for (auto* of : {&x_, &y_, &z_}) of->resize(2 * count);
    note_.resize(x_.size());
  }

  std::vector<Coarse, OnLines<Coarse>> x_, y_, z_;
  std::vector<int, OnLines<int>> note_;
  std::size_t count_ = 0;
};

inline std::size_t Candidates::near(Coarse x, Coarse y, Coarse z, std::size_t self,
                                    int* out) const {
  const std::size_t all = count_;
  const Coarse *const xs = x_.data(), *const ys = y_.data(), *const zs = z_.data();
  const int* const notes = note_.data();
  int* const begin = out;
#if defined(__AVX2__)
  // A bit for each particle from number `first` on, up to the last one and without `self`.
  const auto others = [&](std::uint32_t close, std::size_t first) {
    close &= ~0u >> (32 - std::min<std::size_t>(all - first, 32));
    return close & ~(std::uint32_t{self - first < 32} << ((self - first) % 32));
  };
#endif
#if defined(__AVX512BW__)
  const __m512i px = _mm512_set1_epi16(x), py = _mm512_set1_epi16(y), pz = _mm512_set1_epi16(z),
                most = _mm512_set1_epi16(CoarseGrid::near);
  const auto squared = [](__m512i one, const Coarse* other) {
    const __m512i difference = _mm512_sub_epi16(one, _mm512_load_si512(other));
    return _mm512_mulhrs_epi16(difference, difference);
  };
  for (std::size_t k = 0; k < all; k += 32) {
    const __m512i sum = _mm512_adds_epu16(
        _mm512_adds_epu16(squared(px, xs + k), squared(py, ys + k)), squared(pz, zs + k));
    const std::uint32_t close = others(_mm512_cmple_epu16_mask(sum, most), k);
    for (const int half : {0, 16}) {
      const auto found = static_cast<__mmask16>(close >> half);
      // Compressed in a register: some processors are very slow at compressing to memory.
      _mm512_storeu_si512(out,
                          _mm512_maskz_compress_epi32(found, _mm512_load_si512(notes + k + half)));
      out += std::popcount(found);
    }
  }
#elif defined(__AVX2__)
  const __m256i px = _mm256_set1_epi16(x), py = _mm256_set1_epi16(y), pz = _mm256_set1_epi16(z),
                most = _mm256_set1_epi16(CoarseGrid::near);
  const auto load = [](const auto* from) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
  };
  const auto squared = [&](__m256i one, const Coarse* other) {
    const __m256i difference = _mm256_sub_epi16(one, load(other));
    return _mm256_mulhrs_epi16(difference, difference);
  };
  const auto close = [&](std::size_t k) {
    const __m256i sum = _mm256_adds_epu16(
        _mm256_adds_epu16(squared(px, xs + k), squared(py, ys + k)), squared(pz, zs + k));
    return _mm256_cmpeq_epi16(_mm256_subs_epu16(sum, most), _mm256_setzero_si256());
  };
  for (std::size_t k = 0; k < all; k += 32) {
    // What is packed has its inner quarters exchanged.
    const __m256i bytes =
        _mm256_permute4x64_epi64(_mm256_packs_epi16(close(k), close(k + 16)), 0xd8);
    const std::uint32_t bits = others(static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes)), k);
    for (const int quarter : {0, 8, 16, 24}) {
      const unsigned found = bits >> quarter & 0xff;
      const __m256i order = _mm256_cvtepu8_epi32(
          _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&members_first[found])));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                          _mm256_permutevar8x32_epi32(load(notes + k + quarter), order));
      out += std::popcount(found);
    }
  }
#else
  // Every candidate is written, and stays if it is near: no branch to mispredict.
  const auto squared = [](Coarse one, Coarse other) {
    return CoarseGrid::squared(static_cast<Coarse>(one - other));
  };
  for (std::size_t k = 0; k < all; ++k) {
    *out = notes[k];
    const int sum = squared(x, xs[k]) + squared(y, ys[k]) + squared(z, zs[k]);
    out += (sum <= CoarseGrid::near) & (k != self);
  }
#endif
  return static_cast<std::size_t>(out - begin);
}

}  // namespace md
