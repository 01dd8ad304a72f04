// LAMMPS' data files.

#include "particles.hpp"

namespace {

const fuzz::Target target("lammps",
                          [](std::string_view text) { fuzz::read_particles(text, ".data"); });

}  // namespace
