#include "png.hpp"

#include <algorithm>
#include <cmath>

namespace png {

namespace {

void big_endian(std::string& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
}

std::uint32_t crc(std::string_view bytes) {
  std::uint32_t value = 0xffffffff;
  for (const char byte : bytes) {
    value ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0xedb88320 : 0);
  }
  return ~value;
}

std::uint32_t adler(std::string_view bytes) {
  std::uint32_t a = 1, b = 0;
  for (const char byte : bytes) {
    a = (a + static_cast<std::uint8_t>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

void chunk(std::string& file, const std::string& kind, const std::string& data) {
  big_endian(file, static_cast<std::uint32_t>(data.size()));
  file += kind + data;
  big_endian(file, crc(kind + data));
}

/// A zlib stream of stored blocks.
std::string stored(const std::string& data) {
  constexpr std::size_t block = 65535;
  std::string stream = "\x78\x01";
  for (std::size_t begin = 0; begin < data.size(); begin += block) {
    const std::size_t size = std::min(block, data.size() - begin);
    const bool last = begin + size == data.size();
    const auto low = static_cast<char>(size & 0xff), high = static_cast<char>(size >> 8);
    stream +=
        {static_cast<char>(last), low, high, static_cast<char>(~low), static_cast<char>(~high)};
    stream.append(data, begin, size);
  }
  big_endian(stream, adler(data));
  return stream;
}

}  // namespace

Palette palette() {
  constexpr double anchors[][3] = {{68, 1, 84},    {71, 44, 122},  {59, 81, 139},
                                   {44, 113, 142}, {33, 144, 141}, {39, 173, 129},
                                   {92, 200, 99},  {170, 220, 50}, {253, 231, 37}};
  constexpr int steps = std::size(anchors) - 1;
  Palette colours;
  for (int i = 0; i < 256; ++i) {
    const double at = i * steps / 255.0;
    const int below = std::min(static_cast<int>(at), steps - 1);
    for (int c = 0; c < 3; ++c)
      colours[i][c] = static_cast<std::uint8_t>(
          std::lround(std::lerp(anchors[below][c], anchors[below + 1][c], at - below)));
  }
  return colours;
}

std::string encode(std::uint32_t width, std::uint32_t height, std::span<const std::uint8_t> pixels,
                   const Palette& palette) {
  std::string header, colours, rows;
  big_endian(header, width);
  big_endian(header, height);
  header += {8, 3, 0, 0, 0};  // 8 bits, palette
  for (const auto& colour : palette) colours.append(colour.begin(), colour.end());
  for (std::uint32_t y = 0; y < height; ++y) {
    rows += '\0';  // no filter
    const auto row = pixels.subspan(std::size_t{y} * width, width);
    rows.append(row.begin(), row.end());
  }
  std::string file = "\x89PNG\r\n\x1a\n";
  chunk(file, "IHDR", header);
  chunk(file, "PLTE", colours);
  chunk(file, "IDAT", stored(rows));
  chunk(file, "IEND", "");
  return file;
}

}  // namespace png
