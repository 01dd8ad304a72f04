#pragma once
// Vectors of doubles by the compilers' vector extension: they become the machine's registers where
// it has such wide ones, and several narrower ones where not.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace numerics {

#if defined(__AVX512F__)
constexpr int widest = 8;  ///< doubles in a register
constexpr int registers = 32;
#elif defined(__AVX__)
constexpr int widest = 4;
constexpr int registers = 16;
#else
constexpr int widest = 2;
constexpr int registers = 16;
#endif

namespace detail {
template <int L>
struct LanesOf {
  typedef double type __attribute__((vector_size(L * sizeof(double))));
};
template <>
struct LanesOf<1> {
  using type = double;
};
}  // namespace detail

template <int L>
using Lanes = typename detail::LanesOf<L>::type;

template <int L>
Lanes<L> broadcast(double value) {
  if constexpr (L == 1) {
    return value;
  } else {
    return [value]<std::size_t... lane>(std::index_sequence<lane...>) {
      return Lanes<L>{((void)lane, value)...};
    }
    (std::make_index_sequence<L>());
  }
}

template <int L>
Lanes<L> load(const double* from) {
  Lanes<L> lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

/// Only the lanes whose bits are set, counted from the least; zero in the others, whose memory is
/// not touched.
template <int L>
Lanes<L> load_chosen(const double* from, unsigned bits) {
#if defined(__AVX512F__)
  if constexpr (L == 8) return _mm512_maskz_loadu_pd(static_cast<__mmask8>(bits), from);
#endif
  if constexpr (L == 1) {
    return bits & 1 ? *from : 0;
  } else {
    return [=]<std::size_t... lane>(std::index_sequence<lane...>) {
      return Lanes<L>{(bits >> lane & 1 ? from[lane] : 0)...};
    }
    (std::make_index_sequence<L>());
  }
}

/// Whether an instruction gathers faster than loads of single numbers do, which shuffles put
/// together: on Intel's cores from Sapphire Rapids on. On those before, what keeps "Downfall" out
/// (CVE-2022-40982) slows it down, and AMD's make some forty micro-operations of it.
#if defined(__sapphirerapids__) || defined(__emeraldrapids__) || defined(__graniterapids__) || \
    defined(__graniterapids_d__) || defined(__diamondrapids__)
constexpr bool gathers_well = true;
#else
constexpr bool gathers_well = false;
#endif

namespace detail {
template <int L, std::size_t... lane>
[[gnu::always_inline]] inline Lanes<L> one_by_one(const double* from, const std::int32_t* indices,
                                                  std::index_sequence<lane...>) {
  return Lanes<L>{from[indices[lane]]...};
}
}  // namespace detail

/// The numbers at `L` indices. Not `lanes[lane] = ...` in a loop: GCC makes a vector of 512 bits so
/// in memory, half by half, and the load of the whole waits until both have reached the cache.
template <int L>
[[gnu::always_inline]] inline Lanes<L> gather(const double* from, const std::int32_t* indices) {
#if defined(__AVX512F__)
  if constexpr (L == 8 && gathers_well) {
    __m256i all;
    std::memcpy(&all, indices, sizeof all);
    // With lanes to begin from: GCC 12 warns of the plain one, which has none (its bug 105593).
    return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, all, from, sizeof(double));
  }
#endif
  if constexpr (L == 1)
    return from[*indices];
  else
    return detail::one_by_one<L>(from, indices, std::make_index_sequence<L>());
}

template <int L>
void store(double* to, Lanes<L> lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

/// Only the lanes from `first` to `last`; memory of the others is not touched.
template <int L>
void store_some(double* to, Lanes<L> lanes, std::ptrdiff_t first, std::ptrdiff_t last) {
#if defined(__AVX512F__)
  if constexpr (L == 8) {
    const unsigned up_to_last = 0xffu >> (7 - last);
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>(up_to_last & (0xffu << first)), lanes);
    return;
  }
#endif
  if constexpr (L == 1)
    store<1>(to, lanes);
  else
    for (std::ptrdiff_t lane = first; lane <= last; ++lane) to[lane] = lanes[lane];
}

/// Lanes `shift` to `shift` + L - 1 of those of `a` and then those of `b`.
template <int L, int shift>
Lanes<L> across(Lanes<L> a, Lanes<L> b) {
  if constexpr (L == 1) {
    return shift == 0 ? a : b;
  } else {
    return [&]<std::size_t... lane>(std::index_sequence<lane...>) {
      return __builtin_shufflevector(a, b, (static_cast<int>(lane) + shift)...);
    }
    (std::make_index_sequence<L>());
  }
}

/// `value`, and then all lanes but the last.
template <int L>
Lanes<L> push(double value, Lanes<L> lanes) {
  return across<L, L - 1>(broadcast<L>(value), lanes);
}

template <int L>
double last(Lanes<L> lanes) {
  if constexpr (L == 1)
    return lanes;
  else
    return lanes[L - 1];
}

/// a b + c in every lane, rounded once.
template <class V>
V fma(V a, V b, V c) {
  if constexpr (sizeof(V) == sizeof(double)) {
    return std::fma(a, b, c);
  } else {
#if defined(__AVX512F__)
    if constexpr (sizeof(V) == 64) return _mm512_fmadd_pd(a, b, c);
#endif
#if defined(__FMA__)
    if constexpr (sizeof(V) == 32) return _mm256_fmadd_pd(a, b, c);
#endif
    for (std::size_t lane = 0; lane < sizeof(V) / sizeof(double); ++lane)
      c[lane] = std::fma(a[lane], b[lane], c[lane]);
    return c;
  }
}

namespace detail {
/// All bits set in the lanes from `first` to `last`.
template <int L>
auto chosen(std::ptrdiff_t first, std::ptrdiff_t last) {
  return [=]<std::size_t... lane>(std::index_sequence<lane...>) {
    typedef long long Index __attribute__((vector_size(L * sizeof(long long))));
    const Index index{static_cast<long long>(lane)...};
    return (index >= static_cast<long long>(first)) & (index <= static_cast<long long>(last));
  }
  (std::make_index_sequence<L>());
}
}  // namespace detail

/// With another value in one lane, if there is such a lane.
template <int L>
Lanes<L> with(Lanes<L> lanes, std::ptrdiff_t lane, double value) {
  if constexpr (L == 1)
    return lane == 0 ? value : lanes;
  else
    return detail::chosen<L>(lane, lane) ? broadcast<L>(value) : lanes;
}

/// Zero in lanes outside [first, last].
template <int L>
Lanes<L> only(Lanes<L> lanes, std::ptrdiff_t first, std::ptrdiff_t last) {
  if constexpr (L == 1)
    return first <= 0 && last >= 0 ? lanes : 0;
  else
    return detail::chosen<L>(first, last) ? lanes : broadcast<L>(0);
}

/// The larger one in every lane; neither is a NaN. Compilers make a comparison and a choice of the
/// ternary operator, where there is one instruction.
template <int L>
Lanes<L> larger(Lanes<L> a, Lanes<L> b) {
#if defined(__AVX512F__)
  if constexpr (L == 8) return _mm512_mask_max_pd(a, 0xff, a, b);  // gcc 12 warns of the plain one
#endif
#if defined(__AVX__)
  if constexpr (L == 4) return _mm256_max_pd(a, b);
#endif
  return a < b ? b : a;
}

template <int L>
Lanes<L> magnitude(Lanes<L> value) {
  if constexpr (L == 1) {
    return std::fabs(value);
  } else {
    typedef long long Bits __attribute__((vector_size(L * sizeof(long long))));
    return (Lanes<L>)((Bits)value & std::numeric_limits<long long>::max());
  }
}

}  // namespace numerics
