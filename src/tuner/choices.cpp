#include "choices.hpp"

#include "file_shape.hpp"

#include "base/folders.hpp"
#include "base/json.hpp"
#include "base/lock_file.hpp"
#include "base/text.hpp"
#include "base/whole_file.hpp"
#include "mpi/under_way.hpp"

#include <halocline/error.hpp>
#include <halocline/more/tuner.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace halocline::detail {

namespace fs = std::filesystem;

namespace {

constexpr const char* format = "halocline-tuning";
constexpr int version = 1;
constexpr double similar = 8;            // doublings, all sizes together
constexpr std::size_t short_line = 200;  // longer values are broken up

std::string reason() {
  return std::strerror(errno);
}

/// Whether a later Halocline has written it, which may mean something else.
bool is_newer(const Json& file) {
  return number(member(file, "version")) > version;
}

/// Throws Error unless the text is a file of choices, of this version or a newer one.
Json checked(const std::string& content, const std::string& path) {
  const auto damaged = [&](const std::string& why) {
    return Error(path + ": " + why + "; correct this file of choices or delete it");
  };
  Json read;
  try {
    read = base::json_of<Json>(content);
  } catch (const Json::exception& problem) {
    // The library's own number of the error stands in brackets before.
    const std::string said = problem.what();
    throw damaged(said.substr(said.find("] ") + 2));
  } catch (const Error& problem) {
    throw damaged(problem.what());
  }
  if (text(member(read, "format")) != format)
    throw damaged(std::string("\"format\" must be \"") + format + "\"");
  if (is_newer(read)) return read;
  if (number(member(read, "version")) != version)
    throw damaged("\"version\" must be " + std::to_string(version));
  const Json& choices = member(read, "choices");
  if (!choices.is_array()) throw damaged("\"choices\" must be a list");
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (!choices[i].is_object())
      throw damaged("\"choices[" + std::to_string(i) + "]\" must be an object");
  if (const std::string fault = fault_in(read); !fault.empty()) throw damaged(fault);
  return read;
}

Json nothing_known() {
  return {{"format", format},
          {"version", version},
          {"forbid", Json::array()},
          {"choices", Json::array()}};
}

/// What this process could not write, by path.
std::vector<std::pair<std::string, Json>>& unwritten() {
  static std::vector<std::pair<std::string, Json>> all;
  return all;
}

bool& told_of_lock() {
  static bool told = false;
  return told;
}

/// What the file holds, or what could not be written into it.
Json load(const std::string& path) {
  for (const auto& [name, content] : unwritten())
    if (name == path) return content;
  if (path.empty()) return nothing_known();
  const auto content = read_file(path);
  return content ? checked(*content, path) : nothing_known();
}

/// Returns why it could not be written, beginning with the path.
std::string write(const std::string& path, const std::string& text) {
  try {
    base::write_whole("", path, text);
    return {};
  } catch (const Error& problem) {
    return problem.what();
  }
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

namespace {

std::map<std::string, std::string> texts(const Json& of) {
  std::map<std::string, std::string> found;
  if (of.is_object())
    for (const auto& [name, value] : of.items()) found[name] = text(value);
  return found;
}

Surroundings surroundings_in(const Json& entry) {
  return {.host = text(member(entry, "host")),
          .mpi = text(member(entry, "mpi")),
          .environment = texts(member(entry, "environment")),
          .build = text(member(entry, "build"))};
}

}  // namespace

Soundness doctors_word(const Surroundings& here) {
  Soundness soundness;
  const fs::path folder = base::cache_folder();
  if (folder.empty()) return soundness;
  Json memory;
  try {
    memory = base::json_of<Json>(read_file(folder / "doctor.json").value_or("null"));
  } catch (const std::exception&) {
    return soundness;
  }
  if (text(member(memory, "format")) != "halocline-doctor" ||
      number(member(memory, "version")) != 1)
    return soundness;
  for (const Json& entry : list(member(memory, "entries"))) {
    if (surroundings_in(entry) != here) continue;
    const Json& schemes = member(entry, "schemes");
    if (!schemes.is_object()) continue;
    for (const auto& [scheme, verdict] : schemes.items())
      soundness.learn(scheme, text(member(verdict, "outcome")));
  }
  return soundness;
}

Json as_json(const Situation::Site& site) {
  Json all = {{"cpu", site.cpu}, {"cores", site.cores}, {"mpi", site.mpi}};
  if (!site.environment.empty()) all["environment"] = site.environment;
  return all;
}

Json as_json(const Situation& situation) {
  Json pattern = {{"memory", situation.pattern.memory},
                  {"fields", situation.pattern.fields},
                  {"two_way", situation.pattern.two_way}};
  for (std::size_t i = 0; i < situation.pattern.sizes.size(); ++i)
    pattern[Situation::Shape::size_names[i]] =
        static_cast<std::int64_t>(situation.pattern.sizes[i]);
  return {{"machine", as_json(situation.site)},
          {"job",
           {{"ranks", situation.job.ranks},
            {"nodes", situation.job.nodes},
            {"ranks_per_island", situation.job.ranks_per_island},
            {"yielding", situation.job.yielding},
            {"asked", situation.job.asked}}},
          {"pattern", std::move(pattern)}};
}

Situation::Site site_in(const Json& entry) {
  const Json& machine = member(entry, "machine");
  return {.cpu = text(member(machine, "cpu")),
          .cores = whole(member(machine, "cores")),
          .mpi = text(member(machine, "mpi")),
          .environment = texts(member(machine, "environment"))};
}

Situation situation_in(const Json& entry) {
  const Json &job = member(entry, "job"), &pattern = member(entry, "pattern");
  Situation situation{.site = site_in(entry),
                      .job = {.ranks = whole(member(job, "ranks")),
                              .nodes = whole(member(job, "nodes")),
                              .ranks_per_island = whole(member(job, "ranks_per_island")),
                              .yielding = member(job, "yielding") == true,
                              .asked = text(member(job, "asked"))},
                      .pattern = {.memory = text(member(pattern, "memory")),
                                  .fields = whole(member(pattern, "fields")),
                                  .two_way = member(pattern, "two_way") == true}};
  for (std::size_t i = 0; i < situation.pattern.sizes.size(); ++i)
    situation.pattern.sizes[i] = number(member(pattern, Situation::Shape::size_names[i]));
  // Older files do not say it: one island is one node.
  if (member(job, "nodes").is_null() && situation.job.ranks == situation.job.ranks_per_island)
    situation.job.nodes = 1;
  return situation;
}

namespace {

std::string laid_out(const Json& value, std::size_t indent) {
  // Bytes that are no text must not keep the rest from being written.
  const auto plain = [](const Json& one) { return base::json_text(one); };
  if (!value.is_structured()) return plain(value);
  std::vector<std::string> parts;
  std::size_t length = 0;
  for (const auto& [name, inside] : value.items()) {
    parts.push_back((value.is_object() ? plain(name) + ": " : "") + laid_out(inside, indent + 1));
    length += parts.back().size() + 2;
  }
  const bool broken = length > short_line;
  const auto new_line = [&](std::string& to, std::size_t blanks) {
    if (broken) to.append(1, '\n').append(blanks, ' ');
  };
  std::string all = value.is_array() ? "[" : "{";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) all += broken ? "," : ", ";
    new_line(all, indent + 1);
    all += parts[i];
  }
  new_line(all, indent);
  return all += value.is_array() ? "]" : "}";
}

}  // namespace

std::string layout(const Json& value) {
  return laid_out(value, 0) + "\n";
}

std::string utc_now() {
  const std::time_t time = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
  return text;
}

Choices::Choices(std::string path) : path_(std::move(path)), content_(load(path_)) {
  if (is_newer(content_)) content_ = nothing_known();
}

const Json& Choices::entry(const Situation& situation) const {
  static const Json none;
  for (const Json& entry : list(member(content_, "choices")))
    if (situation_in(entry) == situation) return entry;
  return none;
}

const Json& Choices::elsewhere(const Situation& situation) const {
  static const Json none;
  for (const Json& entry : list(member(content_, "choices"))) {
    const Situation there = situation_in(entry);
    if (there.job == situation.job && there.pattern == situation.pattern &&
        there.site != situation.site)
      return entry;
  }
  return none;
}

const Json& Choices::nearest(const Situation& situation) const {
  static const Json none;
  const Json* best = &none;
  double least = similar;
  for (const Json& entry : list(member(content_, "choices"))) {
    const double away = distance(situation, situation_in(entry));
    if (away < 0 || away > least || list(member(entry, "candidates")).empty()) continue;
    least = away;
    best = &entry;
  }
  return *best;
}

Json& Choices::entry_in(Json& content, const Situation& situation) {
  for (Json& entry : content["choices"])
    if (situation_in(entry) == situation) return entry;
  return content["choices"].emplace_back(as_json(situation));
}

std::string Choices::edit(const std::function<void(Json&)>& change) {
  return edit(change, true);
}

std::string Choices::edit_at_once(const std::function<void(Json&)>& change) {
  return edit(change, false);
}

std::string Choices::edit(const std::function<void(Json&)>& change, bool waits) {
  std::error_code ignored;
  if (!path_.empty()) fs::create_directories(fs::path(path_).parent_path(), ignored);
  std::optional<base::LockFile> lock;
  if (!path_.empty()) lock.emplace(path_, waits);
  if (lock && !waits && !lock->problem().empty()) return path_ + ": no lock: " + lock->problem();

  content_ = load(path_);
  std::string problem = path_.empty() ? "no folder is known for it" : "";
  if (is_newer(content_)) {
    problem =
        path_ + ": its version is newer than " + std::to_string(version) + ", so it is left alone";
    content_ = nothing_known();
  }
  change(content_);
  if (problem.empty()) problem = write(path_, layout(content_));
  if (problem.empty()) {
    if (!lock->problem().empty() && !std::exchange(told_of_lock(), true))
      Tuning::tell("auto: " + path_ + ": no lock (" + lock->problem() +
                   "); it is changed without one");
    return {};
  }
  auto& all = unwritten();
  const auto same = [this](const auto& one) { return one.first == path_; };
  if (const auto known = std::find_if(all.begin(), all.end(), same); known != all.end())
    known->second = content_;
  else
    all.emplace_back(path_, content_);
  return problem;
}

namespace {

/// Those that there are. When MPI ends, what they are about has been survived, even where the
/// program never ends the object whose they are.
std::set<Note*>& held_notes() {
  static auto& all = *new std::set<Note*>;
  return all;
}

void let_notes_go() {
  for (Note* const note : std::set(held_notes())) note->go();
}

}  // namespace

Note::Note(const std::string& choices) {
  if (choices.empty()) return;
  std::error_code ignored;
  fs::create_directories(fs::path(choices).parent_path(), ignored);
  static int notes = 0;
  path_ = choices + ".measuring-" + base::own_host() + "-" + std::to_string(getpid()) + "-" +
          std::to_string(++notes);
  file_ = open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  if (file_ < 0) return;
  flock(file_, LOCK_EX);  // others hold it for as long as a look takes
  static const bool registered = (at_end_of_mpi(let_notes_go), true);
  static_cast<void>(registered);
  held_notes().insert(this);
}

Note::~Note() {
  if (std::uncaught_exceptions() == 0)
    go();
  else
    stay();
}

void Note::stay() noexcept {
  held_notes().erase(this);
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

void Note::go() noexcept {
  if (file_ >= 0) unlink(path_.c_str());
  stay();
}

void Note::measuring(const Situation::Site& site, const std::string& scheme) {
  if (file_ < 0) return;
  const Json note = {{"host", base::own_host()},
                     {"process", getpid()},
                     {"scheme", scheme},
                     {"machine", as_json(site)}};
  std::string line = base::json_text(note);
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
      note = base::json_of<Json>(read_file(found.path()).value_or("null"));
    } catch (const std::exception&) {
      continue;  // being written
    }
    const auto process = static_cast<pid_t>(whole(member(note, "process")));
    // Nobody is taken for dead of whom that is not known.
    if (base::writer_of(found.path(), text(member(note, "host")), process) != base::Writer::gone)
      continue;
    if (fs::remove(found.path(), problem)) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace halocline::detail
