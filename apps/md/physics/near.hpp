#pragma once
// Finding neighbours: who of many candidates is within reach. In single precision, 16 at a time
// where vectors have 512 bits, 8 where they have 256.
//
// Candidates are copied together first, once for all particles of a cell. So the search is one loop
// of whole vectors and as many for each of these particles, which a processor foresees; a loop for
// each stretch of memory ends nine times a particle where nobody expects it, and costs twice.

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

/// Points in memory: their coordinates, and what is to be noted of them. `Candidates::together`
/// more behind the last one may be read.
struct Places {
  const float *x, *y, *z;
  const int* note;
};

#if defined(__AVX2__) && !defined(__AVX512F__)
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
  /// So many are copied, and looked at, at a time.
  static constexpr std::size_t together = 16;

  void clear() noexcept { count_ = 0; }
  std::size_t count() const noexcept { return count_; }
  const int* notes() const noexcept { return note_.data(); }

  /// Adds points [from, to).
  void add(const Places& points, std::size_t from, std::size_t to) {
    if (x_.size() < count_ + (to - from) + 2 * together) grow(count_ + (to - from));
    for (std::size_t k = from, at = count_; k < to; k += together, at += together) {
      std::memcpy(x_.data() + at, points.x + k, together * sizeof(float));
      std::memcpy(y_.data() + at, points.y + k, together * sizeof(float));
      std::memcpy(z_.data() + at, points.z + k, together * sizeof(float));
      std::memcpy(note_.data() + at, points.note + k, together * sizeof(int));
    }
    count_ += to - from;
  }
  /// After the last one: what fills the last vector is nowhere near.
  void close() {
    for (std::size_t at = count_; at < count_ + together && at < x_.size(); ++at) x_[at] = 1e30f;
  }

  /// Writes the notes of those whose distance from a point is at most the root of `reach_squared`,
  /// but for the one whose note is `except`; up to 16 more ints behind them may be written. Returns
  /// how many there are.
  std::size_t near(float x, float y, float z, float reach_squared, int except, int* out) const;

 private:
  void grow(std::size_t count) {
    for (auto* of : {&x_, &y_, &z_}) of->resize(2 * count + 2 * together);
    note_.resize(x_.size());
  }

  std::vector<float, OnLines<float>> x_, y_, z_;
  std::vector<int, OnLines<int>> note_;
  std::size_t count_ = 0;
};

inline std::size_t Candidates::near(float x, float y, float z, float reach_squared, int except,
                                    int* out) const {
  const std::size_t all = count_;
  const float *const xs = x_.data(), *const ys = y_.data(), *const zs = z_.data();
  const int* const notes = note_.data();
  std::size_t count = 0;
#if defined(__AVX512F__)
  const __m512 px = _mm512_set1_ps(x), py = _mm512_set1_ps(y), pz = _mm512_set1_ps(z),
               reach = _mm512_set1_ps(reach_squared);
  const __m512i excepted = _mm512_set1_epi32(except);
  for (std::size_t k = 0; k < all; k += 16) {
    const __m512 dx = _mm512_loadu_ps(xs + k) - px, dy = _mm512_loadu_ps(ys + k) - py,
                 dz = _mm512_loadu_ps(zs + k) - pz;
    const __m512 squared = _mm512_fmadd_ps(dz, dz, _mm512_fmadd_ps(dy, dy, dx * dx));
    const __m512i note = _mm512_loadu_si512(notes + k);
    const __mmask16 close = _mm512_mask_cmpneq_epi32_mask(
        _mm512_cmp_ps_mask(squared, reach, _CMP_LE_OQ), note, excepted);
    // Compressed in a register: some processors are very slow at compressing to memory.
    _mm512_storeu_si512(out + count, _mm512_maskz_compress_epi32(close, note));
    count += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(close)));
  }
#elif defined(__AVX2__)
  const __m256 px = _mm256_set1_ps(x), py = _mm256_set1_ps(y), pz = _mm256_set1_ps(z),
               reach = _mm256_set1_ps(reach_squared);
  const __m256i excepted = _mm256_set1_epi32(except);
  for (std::size_t k = 0; k < all; k += 8) {
    const __m256 dx = _mm256_loadu_ps(xs + k) - px, dy = _mm256_loadu_ps(ys + k) - py,
                 dz = _mm256_loadu_ps(zs + k) - pz;
    const __m256 squared = _mm256_fmadd_ps(dz, dz, _mm256_fmadd_ps(dy, dy, dx * dx));
    const __m256i note = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(notes + k));
    const __m256 same = _mm256_castsi256_ps(_mm256_cmpeq_epi32(note, excepted));
    const auto close = static_cast<unsigned>(
        _mm256_movemask_ps(_mm256_andnot_ps(same, _mm256_cmp_ps(squared, reach, _CMP_LE_OQ))));
    const __m256i order = _mm256_cvtepu8_epi32(
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&members_first[close])));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + count),
                        _mm256_permutevar8x32_epi32(note, order));
    count += static_cast<std::size_t>(std::popcount(close));
  }
#else
  // Every candidate is written, and stays if it is near: no branch to mispredict.
  for (std::size_t k = 0; k < all; ++k) {
    const float dx = xs[k] - x, dy = ys[k] - y, dz = zs[k] - z;
    out[count] = notes[k];
    count += static_cast<std::size_t>((dx * dx + dy * dy + dz * dz <= reach_squared) &
                                      (notes[k] != except));
  }
#endif
  return count;
}

}  // namespace md
