#pragma once
// Formats of files of particles, on one rank.

#include "lines.hpp"
#include "particle_file.hpp"

#include <memory>

namespace md {

/// What a line says about a particle.
struct Said {
  std::int64_t line, id;
  Vector values;
  std::int64_t velocity;  ///< 1: of it; 0: its position, as the file has it
};

class ParticleFormat {
 public:
  virtual ~ParticleFormat() = default;
  const FileHead& head() const noexcept { return head_; }
  /// Adds what the next line of particles says; false when all have been read. Throws Error about a
  /// line that cannot be, or is missing.
  virtual bool next(std::vector<Said>& said) = 0;

 protected:
  explicit ParticleFormat(const std::string& file) : lines_(file) {}

  /// As if the file ended in the middle.
  [[noreturn]] void too_short(std::int64_t read) const {
    throw halocline::Error("--input " + lines_.file() + ": ends after line " +
                           std::to_string(lines_.number()) + " with " + std::to_string(read) +
                           " of its " + std::to_string(head_.particles) + " particles");
  }

  Lines lines_;
  FileHead head_;
};

std::unique_ptr<ParticleFormat> xyz_format(const std::string& file);
std::unique_ptr<ParticleFormat> lammps_format(const std::string& file);

}  // namespace md
