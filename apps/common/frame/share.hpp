#pragma once
// Arrays in files, of which each rank has a box in memory.

#include "shared_file.hpp"

#include <halocline/range.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

namespace frame {

constexpr std::int64_t word_bytes = 8;

/// A box of an array of words of 8 bytes with up to three axes, and where it lies in memory.
struct Share {
  std::string name;
  std::array<std::int64_t, 3> shape{1, 1, 1};  ///< of the whole array, slowest axis first
  std::array<halocline::Range, 3> mine{};      ///< empty on ranks that have nothing of it
  void* data = nullptr;                        ///< the first word of mine
  std::array<std::ptrdiff_t, 3> stride{};      ///< in words, along each axis

  /// Consecutive elements of a vector, of so many words each.
  static Share of_vector(std::string name, std::int64_t all, halocline::Range mine, void* data,
                         std::int64_t words = 1) {
    return {std::move(name), {all, 1, words}, {mine, {0, 1}, {0, words}}, data, {words, words, 1}};
  }
  std::int64_t words() const noexcept { return mine[0].size() * mine[1].size() * mine[2].size(); }
};

/// Writes the shares of all ranks, which have each word of the array once, from this byte of the
/// file on. Collective.
void write_share(MPI_Comm comm, SharedFile& file, std::int64_t first, const Share& share);

/// Fills a share, which may overlap those of others, from the array at this byte. Local; what it
/// throws is the reason alone.
void read_share(const Descriptor& file, std::int64_t first, const Share& share);

}  // namespace frame
