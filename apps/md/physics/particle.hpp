#pragma once
// One particle as everybody knows it: in files, on its way to another rank, in a checksum.

#include <array>
#include <cstdint>

namespace md {

using Vector = std::array<double, 3>;

struct Particle {
  std::int64_t id = 0;  ///< its number, which it keeps
  Vector position{};    ///< a length, a multiple of Box::quantum(), within the box
  Vector velocity{};    ///< a multiple of LennardJones::velocity_quantum()

  bool operator==(const Particle&) const = default;
};
static_assert(sizeof(Particle) == 56);

}  // namespace md
