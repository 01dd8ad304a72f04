#pragma once
// The file of choices: JSON that people can read and edit (docs/explanation/auto.md). And a note,
// beside it, of what is being measured, for the run after one that did not survive it.

#include "candidates.hpp"
#include "json.hpp"
#include "situation.hpp"

#include <halocline/more/tuner.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)  // halocline::style has it, too

namespace halocline::detail {

/// Used by one rank. Several jobs may use the file at the same time.
class Choices {
 public:
  /// Reads the file, if there is one. Throws Error if it is damaged: then nobody writes it either.
  /// Without a path, or where the file is of a newer version, choices last as long as this process.
  explicit Choices(std::string path);

  const std::string& path() const noexcept { return path_; }
  const Json& content() const noexcept { return content_; }
  /// The entry of this situation; null if there is none.
  const Json& entry(const Situation& situation) const;
  /// One of the same job and pattern on another processor or under another MPI; null if none.
  const Json& elsewhere(const Situation& situation) const;
  /// The entry of the most similar pattern, if any is similar enough to tell something.
  const Json& nearest(const Situation& situation) const;
  /// Reads the file again, lets `change` edit its content, and writes it whole: what others have
  /// written meanwhile is kept. Returns why it could not be written; then the change lasts as long
  /// as this process.
  std::string edit(const std::function<void(Json& content)>& change);
  /// The same, unless somebody else is changing the file just now.
  std::string edit_at_once(const std::function<void(Json& content)>& change);
  /// The entry of this situation in `content`, a new one if there is none.
  static Json& entry_in(Json& content, const Situation& situation);

 private:
  std::string edit(const std::function<void(Json& content)>& change, bool waits);

  std::string path_;
  Json content_;
};

/// Says in a file beside the choices which scheme is being measured. Disappears with this object,
/// unless an error or the end of the process is the reason.
class Note {
 public:
  explicit Note(const std::string& choices);
  ~Note();
  Note(const Note&) = delete;
  Note& operator=(const Note&) = delete;
  void measuring(const Situation::Site& site, const std::string& scheme);
  /// It stays: what is being measured failed.
  void stay() noexcept;
  /// It disappears now, whatever is the reason.
  void go() noexcept;

  /// The notes that jobs no longer there have left: {machine, scheme, ...}. Takes them away.
  static std::vector<Json> left_behind(const std::string& choices);

 private:
  std::string path_;
  int file_ = -1;
  std::size_t bytes_ = 0;
};

/// A file's text; nothing if there is none. Throws Error if it cannot be read.
std::optional<std::string> read_file(const std::string& path);
/// What the doctor has found in these surroundings, and no others; nothing if its memory is damaged
/// or of another version (it complains itself).
Soundness doctors_word(const Surroundings& here);
/// The parts of an entry that say what it is about, and back.
Situation situation_in(const Json& entry);
Situation::Site site_in(const Json& entry);
Json as_json(const Situation& situation);
Json as_json(const Situation::Site& site);
/// Indented; what is short stays on one line.
std::string layout(const Json& value);
/// UTC, as 2026-11-22T07:00:00Z.
std::string utc_now();

}  // namespace halocline::detail

#pragma GCC visibility pop
