// Extended XYZ.

#include "particles.hpp"

namespace {

const fuzz::Target target("xyz", [](std::string_view text) { fuzz::read_particles(text, ".xyz"); });

}  // namespace
