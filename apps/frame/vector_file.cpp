#include "vector_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace frame {

using namespace halocline;

namespace {

constexpr std::int64_t number_bytes = sizeof(double);

std::string header(std::int64_t numbers) {
  std::string text =
      "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(numbers) + ",), }";
  // Magic, version 1.0, length; the data begin at a multiple of 64.
  constexpr std::size_t before = 10;
  text.resize((before + text.size() + 1 + 63) / 64 * 64 - before - 1, ' ');
  text += '\n';
  const auto length = static_cast<unsigned>(text.size());
  std::string all = "\x93NUMPY";
  all += {1, 0, static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  return all + text;
}

/// Where the numbers of a .npy file begin; throws Error unless they are `all` doubles.
std::int64_t begin_of(std::ifstream& in, const std::string& file, std::int64_t all) {
  char fixed[12] = {};
  in.read(fixed, sizeof fixed);
  if (!in || std::memcmp(fixed, "\x93NUMPY", 6) != 0) throw Error("is no .npy file");
  const auto byte = [&](std::size_t at) {
    return std::int64_t{static_cast<unsigned char>(fixed[at])};
  };
  // From version 2 on, the length has four bytes.
  const bool wide = byte(6) > 1;
  const std::int64_t length = byte(8) | byte(9) << 8 | (wide ? byte(10) << 16 | byte(11) << 24 : 0);
  const std::int64_t from = wide ? 12 : 10;
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(file));
  if (from + length > bytes) throw Error("is cut short in its header");
  std::string text(static_cast<std::size_t>(length), '\0');
  in.seekg(from);
  in.read(text.data(), length);
  std::erase(text, ' ');
  const std::string wanted = std::to_string(all);
  if (text.find("'descr':'<f8'") == text.npos) throw Error("must hold doubles, '<f8'");
  if (text.find("'shape':(" + wanted + ",)") == text.npos &&
      text.find("'shape':(" + wanted + ",1)") == text.npos) {
    const std::size_t at = text.find("'shape':");
    throw Error(
        "must hold " + wanted + " numbers, but says " +
        (at == text.npos ? "nothing of its shape" : text.substr(at, text.find(')') + 1 - at)));
  }
  if (bytes != from + length + number_bytes * all)
    throw Error("has " + std::to_string(bytes) + " bytes; " + wanted + " numbers need " +
                std::to_string(from + length + number_bytes * all));
  return from + length;
}

struct FileTraits {
  using Raw = MPI_File;
  static Raw null() noexcept { return MPI_FILE_NULL; }
  static void free(Raw* raw) noexcept { MPI_File_close(raw); }
};
using File = mpi::Handle<FileTraits>;

void write_to(MPI_Comm comm, const std::string& file, std::int64_t all, Range mine,
              std::span<const double> numbers) {
  const std::string head = header(all);
  const auto begin = static_cast<std::int64_t>(head.size());
  File out;
  HALOCLINE_MPI(MPI_File_open, comm, file.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                out.address());
  HALOCLINE_MPI(MPI_File_set_size, out, begin + number_bytes * all);  // also of one left behind
  if (mpi::rank(comm) == 0)
    HALOCLINE_MPI(MPI_File_write_at, out, 0, head.data(), static_cast<int>(begin), MPI_CHAR,
                  MPI_STATUS_IGNORE);
  constexpr std::int64_t most = 1 << 24;
  for (std::int64_t done = 0; done < mine.size(); done += most)
    HALOCLINE_MPI(MPI_File_write_at, out, begin + number_bytes * (mine.begin + done),
                  numbers.data() + done, static_cast<int>(std::min(most, mine.size() - done)),
                  MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File raw = out.get();
  *out.address() = MPI_FILE_NULL;
  HALOCLINE_MPI(MPI_File_close, &raw);
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
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
  const std::string partial = file + ".partial";
  // Who cannot write must not leave the others waiting.
  const auto refuse = [&](const std::exception& problem) {
    std::error_code gone;
    std::filesystem::remove(partial, gone);
    return Error(option + " " + file + ": " + one_line(problem.what()));
  };
  try {
    mpi::together(comm, [&] { write_to(comm, partial, all, mine, numbers); });
  } catch (const std::exception& problem) {
    throw refuse(problem);
  }
  mpi::together(comm, [&] {
    if (mpi::rank(comm) == 0) std::filesystem::rename(partial, file);
  });
}

}  // namespace frame
