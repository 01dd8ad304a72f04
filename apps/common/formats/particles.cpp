#include "particles.hpp"

#include "extended_xyz.hpp"
#include "lammps_data.hpp"

#include <halocline/error.hpp>

#include <algorithm>
#include <filesystem>

namespace formats {

using halocline::Error;

namespace {

/// Refuses what has another name and is no text.
void check_kind(const std::string& file, const std::string& named) {
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(file, unknown);
  const bool there = std::filesystem::exists(status);
  if (there && !is_directory(status) && !is_regular_file(status))
    throw Error(named + ": must be a regular file, as it is read twice");
  std::ifstream in(file, std::ios::binary);
  char begin[16] = {};
  in.read(begin, sizeof begin);
  const std::string_view first(begin, static_cast<std::size_t>(in.gcount()));
  for (const auto& [magic, what] :
       {std::pair<std::string_view, const char*>{"halocline state\n", "a checkpoint (--restart)"},
        {"\x89HDF\r\n", "an HDF5 file"},
        {"\xdf\x65\xdf\x65\xdf\x65\xdf\x65", "a GSD file"}})
    if (first.starts_with(magic))
      throw Error(named + ": is " + what + "; extended XYZ and LAMMPS' data files are read");
}

bool is_xyz(const std::string& file, const std::string& named) {
  std::string name = file;
  std::ranges::transform(name, name.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  if (name.ends_with(".xyz") || name.ends_with(".extxyz")) return true;
  if (name.ends_with(".data") || name.ends_with(".lmp")) return false;
  Lines lines(file, named);
  return lines.next() && lines.words().size() == 1 && number<std::int64_t>(lines.words()[0]) &&
         lines.next() && lines.text().find("Lattice") != std::string_view::npos;
}

}  // namespace

void ParticleReader::check_id(std::int64_t id) const {
  if (id < 0) lines_.refuse("number " + std::to_string(id) + " of a particle is negative");
  constexpr std::int64_t most = std::int64_t{1} << 60;
  if (id > most)
    lines_.refuse("number " + std::to_string(id) + " of a particle is above " +
                  std::to_string(most));
}

void ParticleReader::too_short(std::int64_t read, std::int64_t all, const std::string& what) const {
  throw Error(named_ + ": ends after line " + std::to_string(lines_.number()) + " with " +
              std::to_string(read) + " of its " + std::to_string(all) + " " + what);
}

std::unique_ptr<ParticleReader> open_particles(const std::string& file, const std::string& named) {
  check_kind(file, named);
  return is_xyz(file, named) ? extended_xyz(file, named) : lammps_data(file, named);
}

}  // namespace formats
