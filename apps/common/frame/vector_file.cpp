#include "vector_file.hpp"

#include "shared_file.hpp"

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

}  // namespace

void read_vector(MPI_Comm comm, const std::string& option, const std::string& file,
                 std::int64_t all, Range mine, std::span<double> numbers) {
  const std::string name = option + " " + file;
  each(comm, [&] {
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
  replace_file(comm, option, file, [&](SharedFile& out) {
    const std::string head = formats::npy_header({all});
    if (mpi::rank(comm) == 0) out.put(0, head.data(), std::ssize(head));
    out.put(std::ssize(head) + number_bytes * mine.begin, numbers.data(),
            number_bytes * mine.size());
  });
}

}  // namespace frame
