#pragma once
// PNG files with a palette, stored without compression: small pictures need no library.

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace png {

using Palette = std::array<std::array<std::uint8_t, 3>, 256>;

/// Dark blue through green to yellow, of even brightness steps.
Palette palette();

/// The bytes of the file; `pixels` row by row.
std::string encode(std::uint32_t width, std::uint32_t height, std::span<const std::uint8_t> pixels,
                   const Palette& palette);

}  // namespace png
