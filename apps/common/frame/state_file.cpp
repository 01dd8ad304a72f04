#include "state_file.hpp"

#include "mpi_file.hpp"

#include <base/json.hpp>
#include <base/shown.hpp>
#include <base/whole_file.hpp>
#include <numerics/point_checksum.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

namespace frame {

using namespace halocline;
using nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t word_bytes = 8, state_version = 2;
constexpr std::string_view state_magic = "halocline state\n", first_magic = "halocline md\n";

/// What a file begins with. JSON follows, then the arrays, both in whole words.
struct Begin {
  std::array<char, 16> magic;
  std::int64_t version, json_words, array_words;
  std::uint64_t checksum;  ///< of all other words
};
static_assert(sizeof(Begin) == 48);
constexpr std::int64_t begin_words = sizeof(Begin) / word_bytes, checksum_word = begin_words - 1;

/// What the words of a piece add to the checksum, of which the first is the file's word `first`.
std::uint64_t checksum_of(std::int64_t first, const void* data, std::int64_t words) {
  std::uint64_t sum = 0;
  const auto* bytes = static_cast<const char*>(data);
  for (std::int64_t i = 0; i < words; ++i) {
    double value;
    std::memcpy(&value, bytes + word_bytes * i, sizeof value);
    sum += numerics::point_checksum(first + i, value);
  }
  return sum;
}

std::uint64_t checksum_of(std::int64_t first, const Share& share) {
  const auto [planes, rows, points] = share.mine;
  const auto* const data = static_cast<const double*>(share.data);
  std::uint64_t sum = 0;
  for (std::int64_t k = 0; k < planes.size(); ++k)
    for (std::int64_t j = 0; j < rows.size(); ++j) {
      const std::int64_t begin =
          ((planes.begin + k) * share.shape[1] + rows.begin + j) * share.shape[2] + points.begin;
      const double* const row = data + k * share.stride[0] + j * share.stride[1];
      if (share.stride[2] == 1) {
        sum += checksum_of(first + begin, row, points.size());
        continue;
      }
      for (std::int64_t i = 0; i < points.size(); ++i)
        sum += numerics::point_checksum(first + begin + i, row[i * share.stride[2]]);
    }
  return sum;
}

std::uint64_t over_ranks(MPI_Comm comm, std::uint64_t sum) {
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, comm);
  return sum;
}

// ---- all ranks at once ----------------------------------------

/// Words at these distances, as a type.
mpi::Datatype box_of(const std::array<std::int64_t, 3>& counts,
                     const std::array<std::ptrdiff_t, 3>& stride) {
  std::int64_t run = 1;
  std::size_t axis = 3;
  while (axis > 0 && (counts[axis - 1] == 1 || stride[axis - 1] == run)) run *= counts[--axis];
  mpi::Datatype type;
  HALOCLINE_MPI(MPI_Type_contiguous, static_cast<int>(run), MPI_UINT64_T, type.address());
  while (axis-- > 0) {
    mpi::Datatype outer;
    HALOCLINE_MPI(MPI_Type_create_hvector, static_cast<int>(counts[axis]), 1,
                  static_cast<MPI_Aint>(word_bytes * stride[axis]), type, outer.address());
    type = std::move(outer);
  }
  HALOCLINE_MPI(MPI_Type_commit, type.address());
  return type;
}

/// Calls that all ranks must make, whatever has failed on one: keeps the first failure.
class Failure {
 public:
  void note(int code, const char* call) {
    if (code != MPI_SUCCESS && text_.empty()) text_ = one_line(mpi::CallFailed(call, code).what());
  }
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

enum class Way { write, read };

/// Moves shares between memory and an array that begins at this word of the file.
void move(MPI_Comm comm, Way way, MPI_File file, std::int64_t first, const Share& share,
          Failure& failure) {
  // Some planes at a time: far below 2^31 words, and the library's buffers stay small.
  constexpr std::int64_t most = 1 << 22;
  const auto [planes, rows, points] = share.mine;
  const std::int64_t plane = rows.size() * points.size();
  const std::int64_t slab = std::max<std::int64_t>(1, most / std::max<std::int64_t>(1, plane));
  const std::int64_t mine = share.words() > 0 ? planes.size() : 0;
  std::int64_t rounds = (mine + slab - 1) / slab;
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &rounds, 1, MPI_INT64_T, MPI_MAX, comm);
  for (std::int64_t done = 0; rounds > 0; --rounds, done += slab) {
    const std::int64_t now = std::clamp<std::int64_t>(mine - done, 0, slab);
    mpi::Datatype here, there;
    void* data = nullptr;
    std::int64_t begin = 0;
    if (now > 0) {
      const std::array counts{now, rows.size(), points.size()};
      here = box_of(counts, share.stride);
      there = box_of(counts, {share.shape[1] * share.shape[2], share.shape[2], 1});
      data = static_cast<double*>(share.data) + done * share.stride[0];
      begin = first + ((planes.begin + done) * share.shape[1] + rows.begin) * share.shape[2] +
              points.begin;
    }
    const MPI_Datatype in_memory = now > 0 ? here.get() : MPI_UINT64_T;
    failure.note(MPI_File_set_view(file, word_bytes * begin, MPI_UINT64_T,
                                   now > 0 ? there.get() : MPI_UINT64_T, "native", MPI_INFO_NULL),
                 "MPI_File_set_view");
    const int count = now > 0 ? 1 : 0;
    if (way == Way::write)
      failure.note(MPI_File_write_at_all(file, 0, data, count, in_memory, MPI_STATUS_IGNORE),
                   "MPI_File_write_at_all");
    else
      failure.note(MPI_File_read_at_all(file, 0, data, count, in_memory, MPI_STATUS_IGNORE),
                   "MPI_File_read_at_all");
  }
}

std::string move_all(MPI_Comm comm, Way way, const std::string& name,
                     const std::vector<std::int64_t>& firsts, std::span<const Share> shares) {
  Failure failure;
  File file;
  try {
    file = open_file(comm, name, way == Way::write ? MPI_MODE_WRONLY : MPI_MODE_RDONLY);
  } catch (const Error& problem) {  // on all ranks
    return one_line(problem.what());
  }
  for (std::size_t i = 0; i < shares.size(); ++i)
    move(comm, way, file, firsts[i], shares[i], failure);
  if (way == Way::write) failure.note(MPI_File_sync(file), "MPI_File_sync");
  MPI_File raw = file.get();
  *file.address() = MPI_FILE_NULL;
  failure.note(MPI_File_close(&raw), "MPI_File_close");
  return failure.text();
}

// ---- the file on rank 0 ----------------------------------------

/// A state that comes, which nobody else writes.
class Coming {
 public:
  Coming(std::string option, const std::string& file, std::int64_t bytes)
      : planned_{std::move(option), file, base::Writing::shared},
        place_(base::Destination(planned_).place.string()),
        name_(coming_state(place_)) {
    open();
    // All the room that it needs, before anything is written: MPI often knows only that there was
    // an error.
    const bool room = ftruncate(file_, bytes) == 0 && (fallocate(file_, 0, 0, bytes) == 0 ||
                                                       errno == EOPNOTSUPP || errno == ENOSYS);
    if (room) return;
    const int why = errno;
    discard();
    fail(std::strerror(why));
  }
  ~Coming() { discard(); }
  Coming(const Coming&) = delete;
  Coming& operator=(const Coming&) = delete;

  const std::string& name() const noexcept { return name_; }

  /// The arrays are in it.
  void finish(std::string_view head, bool keeps) {
    for (std::size_t done = 0; done < head.size();) {
      const ssize_t now =
          pwrite(file_, head.data() + done, head.size() - done, static_cast<off_t>(done));
      if (now < 0 && errno == EINTR) continue;
      if (now <= 0) fail();
      done += static_cast<std::size_t>(now);
    }
    if (!on_disk(file_)) fail();
    struct stat old {};
    const bool there = stat(place_.c_str(), &old) == 0;
    if (there) static_cast<void>(fchmod(file_, old.st_mode & 0777));
    if (there && keeps) keep();
    if (std::rename(name_.c_str(), place_.c_str()) != 0) fail();
    ::close(std::exchange(file_, -1));
    const int folder = ::open(fs::path(place_).parent_path().c_str(), O_RDONLY | O_DIRECTORY);
    if (folder < 0) return;
    on_disk(folder);  // else the names are the old ones after a power failure, of whole files, too
    ::close(folder);
  }

 private:
  void open() {
    for (int tries = 0; tries < 100; ++tries) {
      file_ = ::open(name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
      if (file_ < 0) fail();
      if (flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        ::close(std::exchange(file_, -1));
        fail("another run is writing it");
      }
      // It may have got its final name before it was locked.
      struct stat mine {
      }, named{};
      if (fstat(file_, &mine) == 0 && stat(name_.c_str(), &named) == 0 &&
          mine.st_ino == named.st_ino && mine.st_dev == named.st_dev)
        return;
      ::close(std::exchange(file_, -1));
    }
    fail("another run is writing it");
  }
  /// The newest state so far gets another name, but keeps its own, where a file can have two.
  void keep() const {
    const std::string previous = previous_state(place_);
    unlink(previous.c_str());
    if (link(place_.c_str(), previous.c_str()) != 0)
      static_cast<void>(std::rename(place_.c_str(), previous.c_str()));
  }
  /// What is not whole gives its room back.
  void discard() noexcept {
    if (file_ < 0) return;
    unlink(name_.c_str());
    ::close(std::exchange(file_, -1));
  }
  static bool on_disk(int file) {
    return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
  }
  [[noreturn]] void fail() const { fail(std::strerror(errno)); }
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(planned_.option + " " + planned_.file + ": " + why);
  }

  base::Planned planned_;
  std::string place_, name_;
  int file_ = -1;
};

std::string text_of(const StateHead& head, std::span<const Share> shares) {
  ordered_json arrays = ordered_json::array();
  for (const Share& share : shares)
    arrays.push_back({{"name", share.name}, {"shape", share.shape}});
  std::string text = ordered_json{{"program", head.program},
                                  {"settings", head.settings},
                                  {"progress", head.progress},
                                  {"arrays", std::move(arrays)}}
                         .dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  text.resize((text.size() + word_bytes) / word_bytes * word_bytes, ' ');
  text.back() = '\n';
  return text;
}

std::string beside(const std::string& file, const char* ending) {
  std::error_code unknown;
  const fs::path place = fs::canonical(file, unknown);
  return (unknown ? file : place.string()) + ending;
}

}  // namespace

std::string previous_state(const std::string& file) {
  return beside(file, ".previous");
}
std::string coming_state(const std::string& file) {
  return beside(file, ".new");
}

void write_state(MPI_Comm comm, const std::string& option, const std::string& file,
                 const StateHead& head, std::span<const Share> shares, bool keeps) {
  const mpi::Unhurried others;
  const bool root = mpi::rank(comm) == 0;
  // Rank 0 knows best what the state says; the others need to know how long that is.
  std::string json = root ? text_of(head, shares) : "";
  auto json_words = static_cast<std::int64_t>(json.size()) / word_bytes;
  HALOCLINE_MPI(MPI_Bcast, &json_words, 1, MPI_INT64_T, 0, comm);
  const std::int64_t first = begin_words + json_words;
  std::vector<std::int64_t> firsts;
  std::int64_t end = first;
  std::uint64_t sum = 0;
  for (const Share& share : shares) {
    firsts.push_back(end);
    sum += checksum_of(end, share);
    end += share.shape[0] * share.shape[1] * share.shape[2];
  }
  sum = over_ranks(comm, sum);

  std::optional<Coming> coming;  // on rank 0
  mpi::together(comm, [&] {
    if (root) coming.emplace(option, file, word_bytes * end);
  });
  const std::string name = mpi::from_root(comm, coming ? coming->name() : "");
  const std::string problem = move_all(comm, Way::write, name, firsts, shares);
  mpi::agree(comm, problem.empty() ? "" : option + " " + file + ": " + problem);
  mpi::together(comm, [&] {
    if (!root) return;
    Begin begin{.magic = {},
                .version = state_version,
                .json_words = json_words,
                .array_words = end - first,
                .checksum = 0};
    std::ranges::copy(state_magic, begin.magic.begin());
    begin.checksum = sum + checksum_of(0, &begin, checksum_word) +
                     checksum_of(begin_words, json.data(), json_words);
    coming->finish(std::string(reinterpret_cast<const char*>(&begin), sizeof begin) + json, keeps);
  });
}

// ---- reading ----------------------------------------

namespace {

/// The words of an array, and its shape; nothing if the text is no shape, or none that a number can
/// count the words of.
std::optional<std::int64_t> words_of(const ordered_json& text, std::array<std::int64_t, 3>& shape) {
  if (!text.is_array() || text.size() != shape.size()) return std::nullopt;
  std::int64_t words = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (!text[axis].is_number_integer()) return std::nullopt;
    shape[axis] = text[axis];
    // An array may have no planes, but each plane has words.
    if (shape[axis] < (axis > 0 ? 1 : 0) || __builtin_mul_overflow(words, shape[axis], &words))
      return std::nullopt;
  }
  return words;
}

}  // namespace

StateFile::StateFile(MPI_Comm comm, std::string option, std::string file,
                     const std::string& program)
    : option_(std::move(option)), file_(std::move(file)) {
  const mpi::Unhurried others;
  Begin begin{};
  std::string json;
  mpi::together(comm, [&] {
    if (mpi::rank(comm) != 0) return;
    std::ifstream in(file_, std::ios::binary);
    if (!in) refuse(std::strerror(errno));
    if (fs::is_directory(file_)) refuse("is a folder");
    in.read(reinterpret_cast<char*>(&begin), sizeof begin);
    const std::string_view first(begin.magic.data(), begin.magic.size());
    if (first.starts_with(first_magic))
      refuse("it is of version 1, this " + program + " reads version " +
             std::to_string(state_version));
    if (!in || first != state_magic) refuse("it is no checkpoint of " + program);
    if (begin.version != state_version)
      refuse("it is of version " + std::to_string(begin.version) + ", this " + program +
             " reads version " + std::to_string(state_version));
    const auto bytes = static_cast<std::int64_t>(fs::file_size(file_));
    const std::int64_t rest = bytes / word_bytes - begin_words;
    if (bytes % word_bytes != 0 || begin.json_words < 0 || begin.json_words > rest ||
        begin.array_words != rest - begin.json_words)
      refuse("it has " + std::to_string(bytes) +
             " bytes, which are not those that it should have: it is incomplete or damaged");
    json.resize(static_cast<std::size_t>(word_bytes * begin.json_words));
    if (!in.read(json.data(), std::ssize(json))) refuse("it cannot be read");
  });
  HALOCLINE_MPI(MPI_Bcast, &begin, sizeof begin, MPI_BYTE, 0, comm);
  json = mpi::from_root(comm, std::move(json));

  std::uint64_t sum = 0;
  mpi::together(comm, [&] {
    const bool root = mpi::rank(comm) == 0;
    if (root)
      sum = checksum_of(0, &begin, checksum_word) +
            checksum_of(begin_words, json.data(), begin.json_words);
    const std::int64_t first = begin_words + begin.json_words, ranks = mpi::size(comm),
                       me = mpi::rank(comm);
    const std::int64_t end = first + begin.array_words * (me + 1) / ranks;
    std::int64_t at = first + begin.array_words * me / ranks;
    std::ifstream in(file_, std::ios::binary);
    in.seekg(word_bytes * at);
    for (std::vector<double> piece(1 << 16); at < end;) {
      const std::int64_t now = std::min(std::ssize(piece), end - at);
      if (!in.read(reinterpret_cast<char*>(piece.data()), word_bytes * now))
        refuse("it cannot be read");
      sum += checksum_of(at, piece.data(), now);
      at += now;
    }
  });
  sum = over_ranks(comm, sum);
  if (sum != begin.checksum) refuse("its checksum is not that of its content: it has been damaged");
  parse(json, begin.json_words, begin.array_words);
  if (head_.program != program)
    refuse("it is a checkpoint of " + base::shown(head_.program) + ", not of " + program);
}

void StateFile::parse(const std::string& json, std::int64_t json_words, std::int64_t words) {
  ordered_json content;
  try {
    content = base::json_of<ordered_json>(json);
  } catch (const std::exception& problem) {
    refuse(one_line(problem.what()));
  }
  try {
    head_ = {content.at("program"), content.at("settings"), content.at("progress")};
    std::int64_t first = begin_words + json_words;
    const std::int64_t end = first + words;
    for (const ordered_json& one : content.at("arrays")) {
      Array array{one.at("name"), {}, first};
      const auto size = words_of(one.at("shape"), array.shape);
      if (!size || *size > end - first)
        refuse("its array " + base::shown(array.name) + " has a shape that does not fit in it");
      first += *size;
      arrays_.push_back(std::move(array));
    }
    if (first != end) refuse("its arrays have other sizes");
  } catch (const nlohmann::json::exception& problem) {
    refuse(one_line(problem.what()));
  }
}

const StateFile::Array& StateFile::array(const std::string& name) const {
  const auto found = std::ranges::find(arrays_, name, &Array::name);
  if (found == arrays_.end()) refuse("it has no array " + name);
  return *found;
}

std::int64_t StateFile::length(const std::string& name) const {
  return array(name).shape[0];
}

void StateFile::read(MPI_Comm comm, std::span<const Share> shares) const {
  const mpi::Unhurried others;
  std::vector<std::int64_t> firsts;
  for (const Share& share : shares) {
    const Array& there = array(share.name);
    if (there.shape != share.shape) refuse("its array " + share.name + " has another shape");
    firsts.push_back(there.first);
  }
  const std::string problem = move_all(comm, Way::read, file_, firsts, shares);
  mpi::agree(comm, problem.empty() ? "" : option_ + " " + file_ + ": " + problem);
}

void StateFile::refuse(const std::string& why) const {
  throw Error(option_ + " " + file_ + ": " + why);
}

}  // namespace frame
