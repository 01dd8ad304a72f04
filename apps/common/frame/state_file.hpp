#pragma once
// A run's state in a file that all ranks write and read at once: JSON for what it says, and whole
// arrays, wherever their parts are. The format is in docs/reference/checkpoints.md.

#include "json.hpp"
#include "share.hpp"

#include <halocline/more/mpi.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace frame {

/// What a file says beside its arrays.
struct StateHead {
  std::string program;
  nlohmann::ordered_json settings;  ///< those that a run must have that goes on from it
  nlohmann::ordered_json progress;  ///< how far it is, and the numbers of its own
};

/// The name under which the state before the newest is kept.
std::string previous_state(const std::string& file);

/// That a state is missing or damaged: another may stand in for it. Whatever else is wrong with a
/// file, such as that it is another program's, is an Error of another kind.
class NoState : public halocline::Error {
 public:
  using Error::Error;
};

/// What a file holds, in words that another name does not change, and another content does: for
/// the settings of a state. What is no regular file is only named. Collective; throws Error on all
/// ranks.
std::string content_of_file(MPI_Comm comm, const std::string& option, const std::string& file);

/// Throws Error unless a state of this program may take the place of what is there: nothing, a
/// state of this program, or a NoState, which is thrown, too. Local.
void check_replaceable(const std::string& option, const std::string& file,
                       const std::string& program);

/// Writes a state, of whose arrays each word is in one rank's share, and gives it the file's name
/// when it is on the disk. Whenever the run ends, and whoever else writes one of this name, a whole
/// state has this name: until then it is in a file beside it, `FILE.HOST-PROCESS-RANDOM.new`, that
/// only these ranks have. What others have left there goes if they are gone. The state that had the
/// name is kept as previous_state if `keeps`. Collective; throws Error on all ranks, which begins
/// with `option` and the file's name; then the old state stays.
void write_state(MPI_Comm comm, const std::string& option, const std::string& file,
                 const StateHead& head, std::span<const Share> shares, bool keeps);

/// A state in a file, whole.
class StateFile {
 public:
  /// Reads all of it once. Throws Error on all ranks, which begins with `option` and the file's
  /// name, about a file that is none or of another program, and NoState if it is missing or
  /// damaged. Collective.
  StateFile(MPI_Comm comm, std::string option, std::string file, const std::string& program);

  const std::string& file() const noexcept { return file_; }
  const StateHead& head() const noexcept { return head_; }
  /// One entry of what the head says of progress. Throws Error if there is none of this name and
  /// type.
  template <class T>
  T progress(const char* name) const {
    try {
      return head_.progress.at(name).get<T>();
    } catch (const nlohmann::json::exception&) {
      refuse(std::string("it does not say ") + name + " as this program reads it");
    }
  }
  /// Elements along the first axis of an array. Throws Error if there is none of this name.
  std::int64_t length(const std::string& array) const;
  /// Fills shares, which may overlap those of other ranks and leave gaps, and must be of the
  /// shape that the file has. Collective; throws Error on all ranks.
  void read(MPI_Comm comm, std::span<const Share> shares) const;

 private:
  struct Array {
    std::string name;
    std::array<std::int64_t, 3> shape;
    std::int64_t first;  ///< word of the file
  };
  void parse(const std::string& json, std::int64_t json_words, std::int64_t words);
  [[noreturn]] void damaged(const std::string& how) const;
  const Array& array(const std::string& name) const;
  [[noreturn]] void refuse(const std::string& why) const;

  std::string option_, file_;
  StateHead head_;
  std::vector<Array> arrays_;
};

}  // namespace frame
