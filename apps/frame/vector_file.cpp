#include "vector_file.hpp"

#include "mpi_file.hpp"
#include "npy.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace frame {

using namespace halocline;

namespace {

constexpr std::int64_t number_bytes = sizeof(double);

/// Where the numbers of a .npy file begin; throws Error unless they are `all` doubles.
std::int64_t begin_of(std::ifstream& in, const std::string& file, std::int64_t all) {
  std::string head(longest_npy_header, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  in.clear();
  if (!is_npy(head)) throw Error("is no .npy file");
  const NpyHeader header = read_npy_header(head);
  const std::string wanted = std::to_string(all);
  if (header.type != "'<f8'") throw Error("must hold doubles, '<f8'");
  if (header.shape != std::vector{all} && header.shape != std::vector{all, std::int64_t{1}}) {
    std::string shape;
    for (const std::int64_t length : header.shape)
      shape += (shape.empty() ? "" : " x ") + std::to_string(length);
    throw Error("must hold " + wanted + " numbers, but has " +
                (shape.empty() ? "no shape" : shape));
  }
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(file));
  const std::int64_t needed = header.begin + number_bytes * all;
  if (bytes != needed)
    throw Error("has " + std::to_string(bytes) + " bytes; " + wanted + " numbers need " +
                std::to_string(needed));
  return header.begin;
}

void write_to(MPI_Comm comm, const std::string& file, std::int64_t all, Range mine,
              std::span<const double> numbers) {
  const std::string head = npy_header({all});
  const auto begin = static_cast<std::int64_t>(head.size());
  File out = create_file(comm, file, begin + number_bytes * all, head);
  constexpr std::int64_t most = 1 << 24;
  for (std::int64_t done = 0; done < mine.size(); done += most)
    HALOCLINE_MPI(MPI_File_write_at, out, begin + number_bytes * (mine.begin + done),
                  numbers.data() + done, static_cast<int>(std::min(most, mine.size() - done)),
                  MPI_DOUBLE, MPI_STATUS_IGNORE);
  close_file(out);
}

}  // namespace

void read_vector(MPI_Comm comm, const std::string& option, const std::string& file,
                 std::int64_t all, Range mine, std::span<double> numbers) {
  mpi::together(comm, [&] {
    try {
      std::ifstream in(file, std::ios::binary);
      if (!in || std::filesystem::is_directory(file))
        throw Error(in ? "is a folder" : std::strerror(errno));
      in.seekg(begin_of(in, file, all) + number_bytes * mine.begin);
      in.read(reinterpret_cast<char*>(numbers.data()), number_bytes * mine.size());
      if (!in) throw Error("cannot be read");
    } catch (const std::exception& problem) {
      throw Error(option + " " + file + ": " + problem.what());
    }
  });
}

void check_vector_name(const std::string& option, const std::string& file) {
  if (!file.ends_with(".npy")) throw Error(option + " " + file + ": must end in .npy");
}

void write_vector(MPI_Comm comm, const std::string& option, const std::string& file,
                  std::int64_t all, Range mine, std::span<const double> numbers) {
  replace_file(comm, option, file, [&](const std::string& name) {
    // Who cannot write must not leave the others waiting.
    mpi::together(comm, [&] { write_to(comm, name, all, mine, numbers); });
  });
}

}  // namespace frame
