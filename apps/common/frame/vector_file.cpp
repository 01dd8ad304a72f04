#include "vector_file.hpp"

#include "mpi_file.hpp"

#include <base/text.hpp>
#include <formats/npy.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace frame {

using namespace halocline;
using formats::NpyHeader;

namespace {

constexpr std::int64_t number_bytes = sizeof(double);

/// The header of a file of `all` doubles, at its beginning.
NpyHeader header_of(std::ifstream& in, const std::string& name, std::int64_t all) {
  NpyHeader header = formats::read_npy_header(in, name);
  const std::vector<std::int64_t>& lengths = header.shape;
  if (lengths != std::vector{all} && lengths != std::vector{all, std::int64_t{1}}) {
    const std::string shape = base::sizes(lengths);
    throw Error(name + ": must hold " + std::to_string(all) + " numbers, but has " +
                (shape.empty() ? "one without a shape" : shape));
  }
  return header;
}

void write_to(MPI_Comm comm, const std::string& file, std::int64_t all, Range mine,
              std::span<const double> numbers) {
  const std::string head = formats::npy_header({all});
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
  const std::string name = option + " " + file;
  mpi::together(comm, [&] {
    std::ifstream in(file, std::ios::binary);
    if (!in || std::filesystem::is_directory(file))
      throw Error(name + ": " + (in ? "is a folder" : std::strerror(errno)));
    const NpyHeader header = header_of(in, name, all);
    in.seekg(header.begin + number_bytes * mine.begin);
    in.read(reinterpret_cast<char*>(numbers.data()), number_bytes * mine.size());
    if (!in) throw Error(name + ": cannot be read");
    if (header.swapped) formats::swap_bytes(numbers.first(static_cast<std::size_t>(mine.size())));
  });
}

void check_vector_name(const std::string& option, const std::string& file) {
  if (!file.ends_with(".npy")) throw Error(option + " " + file + ": must end in .npy");
}

void write_vector(MPI_Comm comm, const std::string& option, const std::string& file,
                  std::int64_t all, Range mine, std::span<const double> numbers) {
  replace_file(comm, option, file, [&](const std::string& name) {
    // A rank that cannot write must not leave the others waiting.
    mpi::together(comm, [&] { write_to(comm, name, all, mine, numbers); });
  });
}

}  // namespace frame
