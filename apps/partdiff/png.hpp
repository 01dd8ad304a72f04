#pragma once
// A PNG file with a palette, stored without compression: small pictures need no library.

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace partdiff {

using Palette = std::array<std::array<std::uint8_t, 3>, 256>;

/// The bytes of the file; `pixels` row by row.
std::string png(std::uint32_t width, std::uint32_t height, std::span<const std::uint8_t> pixels,
                const Palette& palette);

}  // namespace partdiff
