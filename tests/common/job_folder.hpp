#pragma once
// A folder that all ranks of a test share, and files in it.

#include <halocline/environment.hpp>
#include <halocline/more/mpi.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

/// Made by all ranks together, and removed by them.
class JobFolder {
 public:
  JobFolder() {
    auto number = static_cast<std::int64_t>(std::random_device{}());
    HALOCLINE_MPI(MPI_Bcast, &number, 1, MPI_INT64_T, 0, halocline::world());
    path_ = std::filesystem::temp_directory_path() / ("job." + std::to_string(number));
    if (is_root()) std::filesystem::create_directory(path_);
    HALOCLINE_MPI(MPI_Barrier, halocline::world());
  }
  ~JobFolder() {
    HALOCLINE_MPI(MPI_Barrier, halocline::world());
    if (is_root()) std::filesystem::remove_all(path_);
  }
  JobFolder(const JobFolder&) = delete;
  JobFolder& operator=(const JobFolder&) = delete;
  std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  static bool is_root() { return halocline::mpi::rank(halocline::world()) == 0; }
  std::filesystem::path path_;
};

inline std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Rank 0 writes it, and all wait until it is there.
inline void put(const std::string& file, const std::string& content) {
  HALOCLINE_MPI(MPI_Barrier, halocline::world());
  if (halocline::mpi::rank(halocline::world()) == 0)
    std::ofstream(file, std::ios::binary) << content;
  HALOCLINE_MPI(MPI_Barrier, halocline::world());
}
