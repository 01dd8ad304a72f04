#pragma once
// Checksums of solutions that do not depend on how the points are spread over ranks.

#include <bit>
#include <cstdint>

namespace numerics {

/// The finaliser of SplitMix64: every bit of the result depends on every bit of `x`.
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// What one point adds to the checksum. The sum does not depend on who adds what.
constexpr std::uint64_t point_checksum(std::int64_t index, double value) {
  return mix(std::bit_cast<std::uint64_t>(value) +
             mix(static_cast<std::uint64_t>(index) + 0x9e3779b97f4a7c15ULL));
}

}  // namespace numerics
