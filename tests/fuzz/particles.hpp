#pragma once
// Files of particles, to their end.

#include "fuzz.hpp"

#include <formats/particles.hpp>

#include <cmath>

namespace fuzz {

inline void read_particles(std::string_view text, const char* ending) {
  const auto reader = formats::open_particles(file_of(text, ending), "f");
  std::vector<formats::ParticleFact> facts;
  while (reader->next(facts)) {
  }
  std::int64_t positions = 0;
  for (const formats::ParticleFact& fact : facts) {
    must(fact.id >= 0 && fact.line > 0);
    positions += fact.kind == formats::ParticleFact::Kind::position;
    for (const double value : fact.values) must(std::isfinite(value));
  }
  const formats::ParticleHead& head = reader->head();
  must(positions == head.particles);
  for (const double edge : head.edges) must(edge > 0 && std::isfinite(edge));
}

}  // namespace fuzz
