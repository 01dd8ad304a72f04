#include "choices.hpp"

#include "situation.hpp"

#include <halocline/mpi.hpp>
#include <halocline/tuner.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace halocline {

namespace fs = std::filesystem;

namespace {

/// $HALOCLINE_CACHE, or halocline in the user's cache folder; empty if there is none.
fs::path cache_folder() {
  const auto given = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value ? value : "";
  };
  if (const std::string folder = given("HALOCLINE_CACHE"); !folder.empty()) return folder;
  if (const std::string cache = given("XDG_CACHE_HOME"); !cache.empty())
    return fs::path(cache) / "halocline";
  if (const std::string home = given("HOME"); !home.empty())
    return fs::path(home) / ".cache" / "halocline";
  return {};
}

Tuning from_environment() {
  Tuning tuning;
  if (const char* seconds = std::getenv("HALOCLINE_TUNING_BUDGET")) {
    char* end = nullptr;
    tuning.budget = std::strtod(seconds, &end);
    if (end == seconds || *end != '\0' || !(tuning.budget > 0))
      throw Error(std::string("HALOCLINE_TUNING_BUDGET=") + seconds +
                  ": must be a number of seconds above 0");
  }
  if (const char* fresh = std::getenv("HALOCLINE_TUNING_FRESH"))
    tuning.fresh = std::string_view(fresh) == "1";
  if (const char* log = std::getenv("HALOCLINE_TUNING_LOG")) tuning.log = log;
  return tuning;
}

}  // namespace

Tuning& Tuning::current() {
  static Tuning tuning = from_environment();
  return tuning;
}

std::string Tuning::path() const {
  if (!file.empty()) return file;
  if (const char* named = std::getenv("HALOCLINE_TUNING"); named && *named) return named;
  const fs::path folder = cache_folder();
  return folder.empty() ? std::string() : (folder / "tuning.json").string();
}

namespace detail {

namespace {

constexpr const char* format = "halocline-tuning";
constexpr double similar = 8;  // doublings, all sizes together

std::string reason() {
  return std::strerror(errno);
}

std::string host() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

/// Throws Error unless the text is a file of choices.
Json checked(const std::string& text, const std::string& path) {
  const auto damaged = [&](const std::string& why) {
    return Error(path + ": " + why + "; correct this file of choices or delete it");
  };
  Json content;
  try {
    content = Json::parse(text);
  } catch (const Error& problem) {
    throw damaged(problem.what());
  }
  const Json& read = content;
  if (read["format"].string() != format)
    throw damaged(std::string("\"format\" must be \"") + format + "\"");
  if (read["version"].number() != 1) throw damaged("\"version\" must be 1");
  if (!read["choices"].is_list()) throw damaged("\"choices\" must be a list");
  for (const Json& entry : read["choices"].list())
    if (!entry.is_object()) throw damaged("each of \"choices\" must be in braces");
  return content;
}

Json nothing_known() {
  Json content;
  content["format"] = format;
  content["version"] = 1;
  content["forbid"] = Json::List{};
  content["choices"] = Json::List{};
  return content;
}

/// What this process could not write, by path.
std::vector<std::pair<std::string, Json>>& unwritten() {
  static std::vector<std::pair<std::string, Json>> all;
  return all;
}

Json load(const std::string& path) {
  for (const auto& [name, content] : unwritten())
    if (name == path) return content;
  if (path.empty()) return nothing_known();
  const auto text = read_file(path);
  return text ? checked(*text, path) : nothing_known();
}

/// An exclusive lock on a file beside the choices, or none if that cannot be had.
class Lock {
 public:
  explicit Lock(const std::string& path) : file_(open(path.c_str(), O_CREAT | O_RDWR, 0666)) {
    if (file_ < 0) return;
    // Others hold it for milliseconds. A file system without locks must not stop anybody.
    for (int tries = 0; tries < 500; ++tries) {
      if (flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  ~Lock() {
    if (file_ >= 0) close(file_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

/// Nobody ever reads half of it. Returns why it could not be written.
std::string write_whole(const std::string& path, const std::string& text) {
  const std::string fresh = path + "." + host() + "-" + std::to_string(getpid());
  {
    std::ofstream file(fresh, std::ios::binary);
    file << text;
    file.close();
    if (!file) {
      const std::string why = reason();
      unlink(fresh.c_str());
      return why;
    }
  }
  if (std::rename(fresh.c_str(), path.c_str()) == 0) return {};
  const std::string why = reason();
  unlink(fresh.c_str());
  return why;
}

/// Whether the process that writes this note is still there: it holds a lock, which ends with it
/// whatever its end is. Where there are no locks nobody is taken for dead.
bool alive(const fs::path& note) {
  const int file = open(note.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return true;
  const bool free = flock(file, LOCK_EX | LOCK_NB) == 0;
  close(file);
  return !free;
}

}  // namespace

std::optional<std::string> read_file(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    throw Error(path + ": " + reason());
  }
  if (!S_ISREG(facts.st_mode)) throw Error(path + " is not a regular file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(path + ": " + reason());
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Json doctors_memory() {
  const fs::path folder = cache_folder();
  if (folder.empty()) return {};
  try {
    const auto text = read_file(folder / "doctor.json");
    return text ? Json::parse(*text) : Json{};
  } catch (const Error&) {
    return {};
  }
}

std::string utc_now() {
  const std::time_t time = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
  return text;
}

Choices::Choices(std::string path) : path_(std::move(path)), content_(load(path_)) {}

const Json& Choices::entry(const Json& situation) const {
  static const Json none;
  for (const Json& entry : content_["choices"].list())
    if (situation_of(entry) == situation) return entry;
  return none;
}

const Json& Choices::elsewhere(const Json& situation) const {
  static const Json none;
  for (const Json& entry : content_["choices"].list())
    if (entry["job"] == situation["job"] && entry["pattern"] == situation["pattern"] &&
        entry["machine"] != situation["machine"])
      return entry;
  return none;
}

const Json& Choices::nearest(const Json& situation) const {
  static const Json none;
  const Json* best = &none;
  double least = similar;
  for (const Json& entry : content_["choices"].list()) {
    const double away = distance(situation, entry);
    if (away < 0 || away > least || entry["candidates"].list().empty()) continue;
    least = away;
    best = &entry;
  }
  return *best;
}

Json& Choices::entry_in(Json& content, const Json& situation) {
  Json::List& entries = content["choices"].list();
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Json& entry) {
    return situation_of(entry) == situation;
  });
  return found == entries.end() ? entries.emplace_back(situation) : *found;
}

std::string Choices::edit(const std::function<void(Json&)>& change) {
  std::error_code ignored;
  if (!path_.empty()) fs::create_directories(fs::path(path_).parent_path(), ignored);
  std::optional<Lock> lock;
  if (!path_.empty()) lock.emplace(path_ + ".lock");

  content_ = load(path_);
  change(content_);

  std::string problem = "no folder is known for it";
  if (!path_.empty()) problem = write_whole(path_, content_.text());
  if (!problem.empty()) {
    if (!path_.empty()) problem = path_ + ": " + problem;
    auto& all = unwritten();
    const auto same = [this](const auto& one) { return one.first == path_; };
    if (const auto known = std::find_if(all.begin(), all.end(), same); known != all.end())
      known->second = content_;
    else
      all.emplace_back(path_, content_);
  }
  return problem;
}

Note::Note(const std::string& choices) {
  if (choices.empty()) return;
  std::error_code ignored;
  fs::create_directories(fs::path(choices).parent_path(), ignored);
  path_ = choices + ".measuring-" + host() + "-" + std::to_string(getpid());
  file_ = open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  if (file_ >= 0) flock(file_, LOCK_EX);  // others hold it for as long as a look takes
}

Note::~Note() {
  if (file_ < 0) return;
  close(file_);
  if (std::uncaught_exceptions() == 0) unlink(path_.c_str());
}

void Note::measuring(const Json& machine, const std::string& scheme) {
  if (file_ < 0) return;
  Json note;
  note["host"] = host();
  note["process"] = static_cast<double>(getpid());
  note["scheme"] = scheme;
  note["machine"] = machine;
  std::string line = note.line();
  // Over what was there before: blanks hide the rest of a longer line.
  bytes_ = std::max(bytes_, line.size());
  line.resize(bytes_, ' ');
  [[maybe_unused]] const auto written = pwrite(file_, line.data(), line.size(), 0);
}

std::vector<Json> Note::left_behind(const std::string& choices) {
  std::vector<Json> notes;
  if (choices.empty()) return notes;
  const fs::path file(choices);
  const std::string prefix = file.filename().string() + ".measuring-";
  std::error_code problem;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (const auto& found : fs::directory_iterator(folder, problem)) {
    if (!found.path().filename().string().starts_with(prefix)) continue;
    Json note;
    try {
      note = Json::parse(read_file(found.path()).value_or("null"));
    } catch (const Error&) {
      continue;  // being written
    }
    if (alive(found.path())) continue;
    notes.push_back(std::move(note));
    fs::remove(found.path(), problem);
  }
  return notes;
}

}  // namespace detail
}  // namespace halocline
