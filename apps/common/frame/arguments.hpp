#pragma once
// The command line of an instrument: typed options with their checks, and commands with options of
// their own. It is CLI11's, which takes longer to compile than an instrument, and is compiled once.

#include <halocline/error.hpp>

#include <list>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace frame {

/// What is wrong with the words of a command line.
class WrongArguments : public halocline::Error {
 public:
  WrongArguments(const std::string& what, bool missing) : Error(what), missing(missing) {}
  bool missing;  ///< something that must be there is not
};

/// An option as it is declared. What its checks refuse, `Arguments::parse` throws.
class DeclaredOption {
 public:
  explicit DeclaredOption(CLI::Option* option) : option_(option) {}
  DeclaredOption& range(int least, int most);
  DeclaredOption& range(double least, double most);
  DeclaredOption& positive();
  DeclaredOption& not_negative();
  DeclaredOption& one_of(const std::vector<std::string>& words);
  DeclaredOption& one_number_of(const std::vector<int>& numbers);
  /// Numbers of bytes, also as 64K or 1M.
  DeclaredOption& bytes();
  /// A list in one word, with commas.
  DeclaredOption& with_commas();
  DeclaredOption& expected(int values);
  DeclaredOption& required();
  /// The help tells the value that the variable has.
  DeclaredOption& shows_default();

 private:
  CLI::Option* option_;
};

class Arguments {
 public:
  explicit Arguments(const std::string& summary);
  Arguments(Arguments&&) noexcept;
  ~Arguments();

  /// What it is given is left in `value`: a string, an int, an unsigned, a 64-bit integer, a
  /// double, a vector of one of these but unsigned, or an optional int. A name without dashes is a
  /// word's place.
  template <class T>
  DeclaredOption option(const std::string& name, T& value, const std::string& help);
  void flag(const std::string& name, bool& given, const std::string& help);

  /// A command, one of which must be named.
  Arguments& command(const std::string& name, const std::string& summary);
  /// Options of all commands may stand behind one, too.
  void options_anywhere();

  /// Reads the words. Returns the help if they ask for it, else nothing; throws WrongArguments.
  std::string parse(int argc, char** argv);
  /// Whether this command has been named.
  bool named(const std::string& command) const;

 private:
  explicit Arguments(CLI::App* command);

  std::unique_ptr<CLI::App> own_;
  CLI::App* app_;
  std::list<Arguments> commands_;
};

}  // namespace frame
