#pragma once
// Files of particles of one kind, a line at a time.

#include "lines.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace formats {

using Vector = std::array<double, 3>;

/// What a file says of its box and of all its particles. Lengths, masses and energies have the
/// units of the file.
struct ParticleHead {
  std::int64_t particles = 0;
  Vector origin{}, edges{};
  std::array<bool, 3> open{};  ///< axes that are not periodic
  std::optional<double> mass{}, sigma{}, epsilon{}, cutoff{};
};

/// What a line says of a particle.
struct ParticleFact {
  enum class Kind : std::int64_t { position, velocity, momentum };
  std::int64_t line, id;
  Vector values;  ///< a position is as the file has it: in the box, or an image of one that is
  Kind kind;
};

class ParticleReader {
 public:
  virtual ~ParticleReader() = default;
  ParticleReader(const ParticleReader&) = delete;
  ParticleReader& operator=(const ParticleReader&) = delete;

  /// Appends what the next line of a particle says; false when all have been read, and the file has
  /// as many as it claims. Throws halocline::Error with file and line. Whether a particle is told
  /// of twice is for the caller to find out.
  virtual bool next(std::vector<ParticleFact>& facts) = 0;

  /// Whole when `next` has returned false: what concerns all particles may come last.
  const ParticleHead& head() const noexcept { return head_; }
  /// What the user should know, such as that a part of the file is not read. As whole as the head.
  const std::vector<std::string>& notes() const noexcept { return notes_; }

 protected:
  ParticleReader(const std::string& file, const std::string& named)
      : lines_(file, named), named_(named.empty() ? file : named) {}

  /// A number of a particle, from 0; identifies it among all of the file.
  void check_id(std::int64_t id) const;
  /// As if the file ended in the middle.
  [[noreturn]] void too_short(std::int64_t read, std::int64_t all, const std::string& what) const;

  Lines lines_;
  std::string named_;
  ParticleHead head_;
  std::vector<std::string> notes_;
};

/// Extended XYZ if the name or the file's second line says so, else LAMMPS' data file. `named` is
/// what messages call the file. Throws halocline::Error if it cannot be read, or is neither.
std::unique_ptr<ParticleReader> open_particles(const std::string& file, const std::string& named);

}  // namespace formats
