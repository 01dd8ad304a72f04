#pragma once
// LAMMPS' data files (https://docs.lammps.org/read_data.html) of particles of one kind. What is
// read and what is refused: docs/reference/file-formats.md.

#include "particles.hpp"

namespace formats {

std::unique_ptr<ParticleReader> lammps_data(const std::string& file, const std::string& named = {});

}  // namespace formats
