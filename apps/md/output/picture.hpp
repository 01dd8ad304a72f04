#pragma once
// What a box of particles looks like.

#include "../physics/box.hpp"

#include <halocline/more/mpi.hpp>

#include <span>
#include <string>

namespace md {

/// Writes a PNG of all particles seen along z, x to the right and y upwards, 512 points along the
/// longer of both: each is a spot that fades out over `radius`, and spots add up. The same bytes on
/// any ranks. Collective; throws Error on all ranks.
void write_picture(MPI_Comm comm, const std::string& file, const Box& box, double radius,
                   std::span<const Particle> mine);

}  // namespace md
