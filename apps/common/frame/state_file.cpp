#include "state_file.hpp"

#include <base/lock_file.hpp>
#include <base/shown.hpp>
#include <base/text.hpp>
#include <base/whole_file.hpp>
#include <numerics/point_checksum.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>
#include <vector>

namespace frame {

using namespace halocline;
using nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t state_version = 2;
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

// ---- the file on rank 0 ----------------------------------------

std::string beside(const std::string& file, const char* ending) {
  std::error_code unknown;
  const fs::path place = fs::canonical(file, unknown);
  return (unknown ? file : place.string()) + ending;
}

bool on_disk(int file) {
  return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

/// States that come to a place, under names that say who writes them.
class ComingNames {
 public:
  explicit ComingNames(const fs::path& place)
      : folder_(place.parent_path()), begin_(place.filename().string()) {
    constexpr std::size_t longest = 255, added = 128;  // host, process, random, ending
    begin_.resize(std::min(begin_.size(), longest - added));
    begin_ += '.';
  }

  std::string mine() const {
    std::random_device dice;
    return folder_ / (begin_ + base::own_host().substr(0, 64) + "-" + std::to_string(getpid()) +
                      base::formatted("-%08x", static_cast<unsigned>(dice())) + ending.data());
  }
  /// Removes what others have left there that are gone; whether one of them is there and writes.
  bool others_write() const {
    bool written = false;
    std::error_code problem;
    for (const auto& found : fs::directory_iterator(folder_, problem)) {
      const std::string file = found.path().filename().string();
      if (!file.starts_with(begin_) || !file.ends_with(ending)) continue;
      // HOST-PROCESS-RANDOM
      const std::string who =
          file.substr(begin_.size(), file.size() - begin_.size() - ending.size());
      const std::size_t last = who.rfind('-'), first = last > 0 ? who.rfind('-', last - 1) : last;
      if (first == who.npos || last == who.npos || who.size() - last != sizeof "-01234567" - 1 ||
          who.find_first_not_of("0123456789abcdef", last + 1) != who.npos)
        continue;
      const auto process = base::number<pid_t>(who.substr(first + 1, last - first - 1));
      if (!process) continue;
      const base::Writer writer = base::writer_of(found.path(), who.substr(0, first), *process);
      written = written || writer == base::Writer::lives;
      if (writer == base::Writer::gone || (writer == base::Writer::unknown && old(found.path())))
        fs::remove(found.path(), problem);
    }
    return written;
  }

 private:
  static constexpr std::string_view ending = ".new";

  /// Nobody who writes leaves a file alone for so long.
  static bool old(const fs::path& file) {
    std::error_code unknown;
    const auto time = fs::last_write_time(file, unknown);
    return !unknown && fs::file_time_type::clock::now() - time > std::chrono::hours(2);
  }

  fs::path folder_;
  std::string begin_;
};

/// A state that comes, in a file that nobody else has.
class Coming {
 public:
  Coming(std::string option, const std::string& file, std::int64_t bytes)
      : planned_{std::move(option), file, base::Writing::shared},
        place_(base::Destination(planned_).place) {
    const ComingNames names(place_);
    if (names.others_write()) fail("another run is writing it");
    struct stat mine {};
    do {
      if (file_ >= 0) ::close(file_);
      name_ = names.mine();
      file_ = ::open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
      if (file_ < 0) fail();
      static_cast<void>(flock(file_, LOCK_EX | LOCK_NB));  // for others to see; not all systems can
      // Before it was locked somebody may have taken it for one that was left.
    } while (fstat(file_, &mine) == 0 && mine.st_nlink == 0);
    // All the room that it needs, before anything is written.
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
    // A network's answer may be lost: who asks again hears that there is no such file.
    if (std::rename(name_.c_str(), place_.c_str()) != 0 && !(errno == ENOENT && is_in_place()))
      fail();
    ::close(std::exchange(file_, -1));
    const int folder = ::open(place_.parent_path().c_str(), O_RDONLY | O_DIRECTORY);
    if (folder < 0) return;
    on_disk(folder);  // else the names are the old ones after a power failure, of whole files, too
    ::close(folder);
  }

 private:
  bool is_in_place() const {
    struct stat mine {
    }, there{};
    const bool same = fstat(file_, &mine) == 0 && stat(place_.c_str(), &there) == 0 &&
                      mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
    errno = ENOENT;
    return same;
  }
  /// The newest state so far gets another name, at once, but keeps its own, where a file can have
  /// two.
  void keep() const {
    const std::string previous = previous_state(place_), meanwhile = ComingNames(place_).mine();
    if (link(place_.c_str(), meanwhile.c_str()) != 0) {
      static_cast<void>(std::rename(place_.c_str(), previous.c_str()));
      return;
    }
    static_cast<void>(std::rename(meanwhile.c_str(), previous.c_str()));
    unlink(meanwhile.c_str());  // where both were names of one file, it is still there
  }
  /// What is not whole gives its room back.
  void discard() noexcept {
    if (file_ < 0) return;
    unlink(name_.c_str());
    ::close(std::exchange(file_, -1));
  }
  [[noreturn]] void fail() const { fail(std::strerror(errno)); }
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(planned_.option + " " + planned_.file + ": " + why);
  }

  base::Planned planned_;
  fs::path place_;
  std::string name_;
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

}  // namespace

std::string previous_state(const std::string& file) {
  return beside(file, ".previous");
}

std::string content_of_file(MPI_Comm comm, const std::string& option, const std::string& file) {
  const mpi::Unhurried others;
  std::error_code unknown;
  const bool regular = mpi::all_of(comm, fs::is_regular_file(file, unknown));
  if (!regular) return file;
  std::int64_t bytes = 0;
  std::uint64_t sum = 0;
  each(comm, [&] {
    try {
      const Descriptor in(file, O_RDONLY);
      bytes = in.bytes();
      const std::int64_t words = (bytes + word_bytes - 1) / word_bytes, ranks = mpi::size(comm),
                         me = mpi::rank(comm), end = words * (me + 1) / ranks;
      std::vector<double> piece(1 << 16);
      for (std::int64_t now, at = words * me / ranks; at < end; at += now) {
        now = std::min(std::ssize(piece), end - at);
        piece[static_cast<std::size_t>(now) - 1] = 0;  // behind the last byte of the file
        in.read(word_bytes * at, piece.data(), std::min(word_bytes * now, bytes - word_bytes * at));
        sum += checksum_of(at, piece.data(), now);
      }
    } catch (const Error& problem) {
      throw Error(option + " " + file + ": " + problem.what());
    }
  });
  return base::formatted("%lld bytes with the checksum %016llx", static_cast<long long>(bytes),
                         static_cast<unsigned long long>(over_ranks(comm, sum)));
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
  try {
    SharedFile arrays(comm, mpi::from_root(comm, coming ? coming->name() : ""));
    for (std::size_t i = 0; i < shares.size(); ++i)
      write_share(comm, arrays, word_bytes * firsts[i], shares[i]);
    arrays.finish();
  } catch (const Error& problem) {  // on all ranks
    throw Error(option + " " + file + ": " + problem.what());
  }
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

struct Beginning {
  Begin words{};
  std::string json{};
};

/// What a state of this program begins with. Throws NoState if it is missing or damaged, and Error
/// about what else is wrong with it. Local.
Beginning beginning_of(const std::string& option, const std::string& file,
                       const std::string& program) {
  const std::string name = option + " " + file + ": ";
  struct stat facts {};
  if (stat(file.c_str(), &facts) != 0) {
    if (errno == ENOENT) throw NoState(name + std::strerror(errno));
    throw Error(name + std::strerror(errno));
  }
  if (!S_ISREG(facts.st_mode))
    throw Error(name + (S_ISDIR(facts.st_mode) ? "is a folder" : "is no regular file"));
  Beginning begin;
  Begin& words = begin.words;
  std::int64_t bytes = 0;
  bool fits = false;
  try {
    const Descriptor in(file, O_RDONLY);
    bytes = in.bytes();
    in.read(0, &words, std::min<std::int64_t>(bytes, sizeof words));
    const std::int64_t rest = bytes / word_bytes - begin_words;
    fits = bytes % word_bytes == 0 && words.json_words >= 0 && words.json_words <= rest &&
           words.array_words == rest - words.json_words;
    begin.json.resize(fits ? static_cast<std::size_t>(word_bytes * words.json_words) : 0);
    in.read(sizeof words, begin.json.data(), std::ssize(begin.json));
  } catch (const Error& problem) {
    throw Error(name + problem.what());
  }
  const std::string_view first(words.magic.data(), words.magic.size());
  const std::string reads = ", this " + program + " reads version " + std::to_string(state_version);
  if (first.starts_with(first_magic)) throw Error(name + "it is of version 1" + reads);
  if (first != state_magic) {
    // Crashes of systems leave nothing or zeros where something has been.
    const bool blank = std::ranges::all_of(first, [](char byte) { return byte == 0; });
    const std::string what = name + "it is no checkpoint of " + program;
    if (blank || fits) throw NoState(what);
    throw Error(what);
  }
  if (words.version != state_version)
    throw Error(name + "it is of version " + std::to_string(words.version) + reads);
  if (!fits)
    throw NoState(name + "it has " + std::to_string(bytes) +
                  " bytes, which are not those that it should have: it is incomplete or damaged");
  return begin;
}

/// As mpi::together, but what is NoState on all ranks that complain stays one.
template <class Step>
void together(MPI_Comm comm, Step&& step) {
  bool refused = false;
  try {
    mpi::together(comm, [&] {
      try {
        step();
      } catch (const NoState&) {
        throw;
      } catch (...) {
        refused = true;
        throw;
      }
    });
  } catch (const Error& problem) {
    if (mpi::all_of(comm, !refused)) throw NoState(problem.what());
    throw;
  }
}

}  // namespace

namespace {

/// Whether a file is another user's in a folder such as /tmp.
bool others_alone_replace(const std::string& file) {
  std::error_code unknown;
  const fs::path place = fs::canonical(file, unknown);
  struct stat facts {
  }, folder{};
  if (unknown || stat(place.c_str(), &facts) != 0 ||
      stat(place.parent_path().c_str(), &folder) != 0)
    return false;
  const uid_t me = geteuid();
  return me != 0 && (folder.st_mode & S_ISVTX) != 0 && folder.st_uid != me && facts.st_uid != me;
}

}  // namespace

void check_replaceable(const std::string& option, const std::string& file,
                       const std::string& program) {
  if (std::error_code unknown; !fs::exists(file, unknown)) return;
  if (others_alone_replace(file))
    throw Error(option + " " + file +
                ": belongs to another user, and its folder lets only the "
                "owner of a file replace it; name another file");
  Beginning begin;
  try {
    begin = beginning_of(option, file, program);
  } catch (const NoState&) {
    throw;
  } catch (const Error& problem) {
    throw Error(std::string(problem.what()) + "; name another file");
  }
  ordered_json there;
  try {
    there = base::json_of<ordered_json>(begin.json).at("program");
  } catch (const std::exception&) {
    throw NoState(option + " " + file + ": it is damaged");
  }
  if (there != program)
    throw Error(option + " " + file + ": it is a checkpoint of " +
                base::shown(there.is_string() ? there.get<std::string>() : there.dump()) +
                ", not of " + program + "; name another file");
}

StateFile::StateFile(MPI_Comm comm, std::string option, std::string file,
                     const std::string& program)
    : option_(std::move(option)), file_(std::move(file)) {
  const mpi::Unhurried others;
  Beginning begin;
  together(comm, [&] {
    if (mpi::rank(comm) == 0) begin = beginning_of(option_, file_, program);
  });
  HALOCLINE_MPI(MPI_Bcast, &begin.words, sizeof begin.words, MPI_BYTE, 0, comm);
  const std::string json = mpi::from_root(comm, std::move(begin.json));

  std::uint64_t sum = 0;
  each(comm, [&] {
    const std::int64_t first = begin_words + begin.words.json_words, ranks = mpi::size(comm),
                       me = mpi::rank(comm), all = begin.words.array_words;
    if (me == 0)
      sum = checksum_of(0, &begin.words, checksum_word) +
            checksum_of(begin_words, json.data(), begin.words.json_words);
    const std::int64_t end = first + all * (me + 1) / ranks;
    try {
      const Descriptor in(file_, O_RDONLY);
      Begin there;
      in.read(0, &there, sizeof there);
      if (std::memcmp(&there, &begin.words, sizeof there) != 0)
        throw Error("is not the file that rank 0 sees");
      std::vector<double> piece(1 << 16);
      for (std::int64_t now, at = first + all * me / ranks; at < end; at += now) {
        now = std::min(std::ssize(piece), end - at);
        in.read(word_bytes * at, piece.data(), word_bytes * now);
        sum += checksum_of(at, piece.data(), now);
      }
    } catch (const Error& problem) {
      refuse(problem.what());
    }
  });
  sum = over_ranks(comm, sum);
  if (sum != begin.words.checksum)
    damaged("its checksum is not that of its content: it has been damaged");
  parse(json, begin.words.json_words, begin.words.array_words);
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
  each(comm, [&] {
    try {
      const Descriptor in(file_, O_RDONLY);
      for (std::size_t i = 0; i < shares.size(); ++i)
        read_share(in, word_bytes * firsts[i], shares[i]);
    } catch (const Error& problem) {
      refuse(problem.what());
    }
  });
}

void StateFile::damaged(const std::string& how) const {
  throw NoState(option_ + " " + file_ + ": " + how);
}

void StateFile::refuse(const std::string& why) const {
  throw Error(option_ + " " + file_ + ": " + why);
}

}  // namespace frame
