#pragma once
// A program's command line: options with their help, in sections, and the files that it can write.

#include "values.hpp"

#include <base/whole_file.hpp>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace frame {

// Sections that every program has.
constexpr const char* how = "How";
constexpr const char* results = "Results";

class CommandLine {
 public:
  CommandLine();
  ~CommandLine();

  /// What is declared from here on belongs to this section of the help.
  void section(const char* title) { section_ = title; }

  /// An option as the help spells it, such as "--halo-depth K". What it is given is left in `text`.
  void option(const std::string& spelled, std::string help, std::string& text);
  /// The same for an option whose value needs no other option to be judged: calls `take` with it,
  /// if it is given and help is not wanted.
  void option(const std::string& spelled, std::string help, std::function<void(const Value&)> take);
  void flag(const std::string& name, std::string help, bool& given);
  /// The words that belong to no option.
  void words(std::vector<std::string>& words);
  /// The word that belongs to no option names a file of settings.
  void take_settings_file();
  /// Its name, once parsed; empty: there is none.
  const std::string& settings_file() const noexcept { return file_; }

  /// A file that is written when everything is solved. `write` is collective and throws Error on
  /// all ranks; `check` throws Error if there cannot be such a file, before anything is computed.
  void output(const std::string& spelled, std::string help,
              std::function<void(const std::string& file)> write,
              std::function<void(const std::string& file)> check = {},
              halocline::base::Writing how = halocline::base::Writing::in_sequence);
  void write_outputs() const;
  /// Those that have been asked for.
  std::vector<halocline::base::Planned> outputs() const;

  /// Reads the words; false if it is help that they ask for. Throws Error about one that is
  /// unknown; values are looked at in `take`.
  bool parse(int argc, char** argv);
  /// Settings of a file (see settings_file.hpp), each for an option that the words leave open.
  /// Throws Error, which names file and line, about a key that is none.
  void read(const std::string& file, std::string_view content);
  /// Hands over the values, in the order in which the options were declared.
  void take() const;

  /// The options by sections, `results` last, for people.
  std::string help() const;

 private:
  /// What is wrong with a word that is left over.
  std::string unknown(const std::string& word) const;

  struct Entry {
    std::string section, spelled, help;
  };
  struct Taker {
    Value value;
    std::function<void(const Value&)> take;
    std::string place{};  ///< in a file, if that is where the value is from
  };
  struct Output {
    halocline::base::Planned planned;
    std::function<void(const std::string&)> write;
  };

  std::unique_ptr<CLI::App> app_;  ///< whose header takes longer to compile than most programs
  std::string file_;
  std::string section_ = "Options";
  std::vector<Entry> entries_;
  // The parser writes into these: they must stay where they are.
  std::deque<Taker> takers_;
  std::deque<Output> outputs_;
  std::map<std::string, std::string*> texts_;  ///< of options without a taker, by name
  std::map<std::string, bool*> flags_;
};

}  // namespace frame
