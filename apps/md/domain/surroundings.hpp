#pragma once
// The subdomains of which one keeps copies, those that keep copies of its particles, and of which
// particles. Arithmetic only.

#include "decomposition.hpp"

#include <array>
#include <vector>

namespace md {

/// What one image keeps of a subdomain, or the subdomain of it.
struct Copies {
  int part;
  Vector away;                       ///< from where the owner has them
  Zone zone = anywhere;              ///< of those that I keep
  Region region{};                   ///< the image's, as I see it
  unsigned borders = 0;              ///< those of mine that lie towards it, a set of bits
  std::vector<int> chosen{};         ///< of my particles, for it
  std::size_t first = 0, count = 0;  ///< of my ghosts, from it
};

struct Surroundings {
  /// Copies of all that is no farther than `reach` from a part's subdomain, in that part of the
  /// surroundings that the shell keeps.
  Surroundings(const Decomposition& decomposition, int part, Shell shell, double reach);

  /// Chooses for each image those of the owned particles that it keeps.
  void select(const Particles& particles);
  /// How many of the owned particles have no image that I keep copies of within reach, as far as
  /// the borders tell. After `select`.
  std::size_t inner() const;

  // In the order of parts, then of shifts as those see them who keep the copies.
  std::vector<Copies> kept{}, given{};
  std::vector<int> sources{}, targets{};  ///< the parts that they are of and for, but for my own

 private:
  double reach_;
  Region mine_;
  std::array<std::vector<int>, 64> towards_;  ///< which of `given` may want what is near borders
  std::vector<int> near_{};                   ///< which of them each owned particle is near
};

}  // namespace md
