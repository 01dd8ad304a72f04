#pragma once
// Integers of 128 bits, and their pieces of 32, whose sums over ranks do not overflow.

#include <cstdint>

namespace md {

__extension__ typedef __int128 Wide;

/// The lowest 32 bits first; the last piece has all that is left, and the sign.
inline void split(Wide number, std::int64_t* pieces, int count) {
  for (int piece = 0; piece < count; ++piece) {
    const bool last = piece == count - 1;
    pieces[piece] = static_cast<std::int64_t>(last ? number : number & 0xffffffff);
    number >>= 32;
  }
}

inline Wide joined(const std::int64_t* pieces, int count) {
  Wide number = 0;
  for (int piece = count; piece-- > 0;) number = number * (Wide{1} << 32) + pieces[piece];
  return number;
}

}  // namespace md
