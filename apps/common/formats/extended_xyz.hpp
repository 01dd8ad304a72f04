#pragma once
// The first frame of a file of extended XYZ (https://github.com/libAtoms/extxyz): a line with the
// number of particles, one of key=value pairs, one for each particle, with the columns that
// Properties=name:type:number:... tells. What is read and what is refused:
// docs/reference/file-formats.md.

#include "particles.hpp"

namespace formats {

std::unique_ptr<ParticleReader> extended_xyz(const std::string& file,
                                             const std::string& named = {});

}  // namespace formats
