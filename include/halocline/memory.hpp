#pragma once
// Memory: bytes on which an exchange can work; their kind says which other ranks can reach them.

#include <halocline/island.hpp>
#include <halocline/memory_kind.hpp>

#include <mpi.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

#pragma GCC visibility push(default)

namespace halocline {

/// How the ranks' parts of shared memory lie to each other.
enum class SharedParts {
  apart,   ///< each may begin anywhere
  joined,  ///< one after the other in the order of the island's ranks, each rounded up to pages
};

/// Zeroed bytes of one rank, aligned for any number (plain memory: to a cache line), on huge pages
/// from 16 MiB on if Linux gives them on request. Arrays made one after the other begin at
/// different lines of a page; a sweep between arrays whose addresses end alike would be slower.
/// Collective to make.
///
/// If the island's shared memory is too small, all ranks get plain memory instead and `note()` says
/// how much was needed and how much there was; if even that is missing, all ranks throw Error
/// naming the node. This rank touches the pages first. Memory that is not plain has a window of its
/// own, of which MPI has few: an Error says so when there are no more.
///
/// Copies of the object share the bytes, which live as long as the last copy, and stay where they
/// are when MPI ends. (Windows end with it, and parts of peers are out of reach.) Each rank drops
/// its last copy when it likes; what is not plain stays until all have, and the ranks meet.
///
/// Device memory is on the device that open_device gives for this rank's number on its node; only
/// its kernels, copies and exchanges may access it.
class Memory {
 public:
  Memory() = default;
  /// `bytes` of this rank; the ranks of `comm` may ask for different numbers.
  Memory(MPI_Comm comm, std::size_t bytes, MemoryKind kind, const IslandSpec& islands = {},
         SharedParts parts = SharedParts::apart);

  std::byte* data() const noexcept;
  std::size_t bytes() const noexcept;
  MemoryKind kind() const noexcept;          ///< what it became, which may be plain
  const std::string& note() const noexcept;  ///< why it is not what was asked for; else empty

  /// The window over this memory: of the ranks of the communicator given (`window`) or of those of
  /// the island (`shared`); null for plain memory.
  MPI_Win win() const noexcept;
  /// Where my part of `win()` begins, which displacements count from, among the addresses of
  /// `data()`. MPI may have it at another address (MPI_WIN_BASE), which ends with MPI.
  std::byte* window_begin() const noexcept;
  /// The ranks of `win()`.
  MPI_Comm comm() const noexcept;
  /// Where the memory of `rank` of `other` begins in my address space; null if out of reach.
  std::byte* of_peer(MPI_Comm other, int rank) const;
  /// Keeps a passive epoch (lock_all) open on `win()` until the last holder lets go.
  std::shared_ptr<void> passive_epoch() const;

 private:
  struct State;
  std::shared_ptr<State> state_{};
};

/// What an element of a field is made of, for exchanges that add up what arrives. `float16` is
/// _Float16, `long_double` is long double where that is more than float64, and `complex64` is made
/// of two float32.
enum class Number {
  unknown,
  float32,
  float64,
  int32,
  int64,
  uint32,
  uint64,
  float16,
  long_double,
  complex64,
  complex128,
  boolean
};

#if defined(__FLT16_MANT_DIG__) && \
    (defined(__clang__) || __GNUC__ >= 13 || (__GNUC__ >= 12 && defined(__SSE2__)))
#define HALOCLINE_HAS_FLOAT16 1
#endif

namespace detail {
/// std::complex and its like.
template <class T>
concept Complex = requires(const T z) {
  typename T::value_type;
  z.real();
  z.imag();
}
&&sizeof(T) == 2 * sizeof(typename T::value_type);

template <class T>
constexpr bool is_float16() {
#ifdef HALOCLINE_HAS_FLOAT16
  return std::is_same_v<T, _Float16>;
#else
  return false;
#endif
}

/// Says so where a caller gives others.
template <class T>
consteval bool elements_are_bytes() {
  static_assert(std::is_trivially_copyable_v<T>,
                "halocline: elements travel as bytes, so their type must be trivially copyable");
  return true;
}
}  // namespace detail

/// The type of a number, or of the numbers in a std::array; `unknown` for all else.
template <class T>
constexpr Number number_of() {
  if constexpr (detail::is_float16<T>())
    return Number::float16;
  else if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4                   ? Number::float32
           : sizeof(T) == 8                 ? Number::float64
           : std::is_same_v<T, long double> ? Number::long_double
                                            : Number::unknown;
  else if constexpr (std::is_same_v<T, bool>)
    return Number::boolean;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 4)
    return std::is_signed_v<T> ? Number::int32 : Number::uint32;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
    return std::is_signed_v<T> ? Number::int64 : Number::uint64;
  else if constexpr (detail::Complex<T>)
    return number_of<typename T::value_type>() == Number::float32   ? Number::complex64
           : number_of<typename T::value_type>() == Number::float64 ? Number::complex128
                                                                    : Number::unknown;
  else if constexpr (requires(T array) { std::tuple_size<T>::value, array.data(); })
    return number_of<typename T::value_type>();
  else
    return Number::unknown;
}

}  // namespace halocline

#pragma GCC visibility pop
