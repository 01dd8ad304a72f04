#pragma once
// What a program is to its frame. The frame reads the options that every program has, places
// threads, repeats the solution, and writes text, files and the result file; a program brings its
// physics, and says what it can be told. docs/how-to/add-a-program.md walks through a small one.

#include "command_line.hpp"
#include "record.hpp"
#include "step.hpp"

#include <machine/pinning.hpp>

#include <halocline/environment.hpp>
#include <halocline/more/style.hpp>
#include <halocline/scheme.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace frame {

class Checkpoints;

/// What every program can be told.
struct Options {
  halocline::Scheme scheme{"p2p:nonblocking"};
  bool scheme_named = false;                ///< by the user
  std::optional<halocline::Style> style{};  ///< if the program has styles and is told one
  std::vector<std::string> in_turn{};       ///< schemes (scheme@style); empty: `scheme` alone
  int repetitions = 1;
  double timeout = 60;  ///< seconds without progress
  machine::Pin pin = machine::Pin::automatic;
  bool progress = false;
  int ranks = 1;  ///< of the job; or for which a step is described, which need not be there
  std::string tuning, json, trace;

  bool recorded() const noexcept { return !json.empty(); }
};

/// One solution, as this rank saw it.
struct Repetition {
  double seconds = 0;
  std::vector<double> steps{};  ///< seconds of each, where the program takes them
  Phases phases{};
};

/// All from `set_up` on are collective over halocline::world(), and throw the same
/// Error on all ranks or end the job.
class Program {
 public:
  virtual ~Program() = default;

  /// The help's first lines, which begin with "Usage: " and the program's name.
  virtual std::string usage() const = 0;
  /// Declares the options of its own.
  virtual void declare(CommandLine& line) = 0;
  /// What is listed by --list-schemes.
  virtual std::vector<halocline::SchemeFacts> schemes() const { return halocline::known_schemes(); }
  /// Called when all values have been taken. Throws Error, the same on all ranks, where they do not
  /// go together.
  virtual void settle(const Options& options) = 0;
  /// Files that it will write besides the outputs it has declared, once settled.
  virtual std::vector<halocline::base::Planned> files() const { return {}; }
  /// Threads of a rank, once settled.
  virtual int threads() const { return 1; }
  /// Whether it can be told how threads share sweeping and communicating.
  virtual bool has_styles() const { return false; }

  /// Null unless the program can keep its state and go on from one; its options come with it.
  virtual Checkpoints* checkpoints() { return nullptr; }

  /// What a step does on `options.ranks` ranks, once settled, from the code that cuts the problem;
  /// needs none of these ranks. Throws Error where the program, or what it is told, has no step
  /// that says for all of them.
  virtual Step step(const Options& options) const;

  /// Memory and exchanges. Threads have their places, so that what each touches first is near it.
  virtual void set_up() = 0;
  /// What the user should hear once it is set up; empty: nothing.
  virtual std::string note() const { return {}; }
  /// From the initial state, as often as the user wants.
  virtual Repetition solve() = 0;
  /// The last solution for people. On rank 0.
  virtual std::string text() = 0;
  /// Fills in parameters, outcome and style, and the scheme if it is not the one asked for. On
  /// rank 0.
  virtual void describe(Record& record) = 0;
};

/// A program that has not been told anything yet.
using Make = std::function<std::unique_ptr<Program>()>;

/// Carries out what the command line wants; returns the exit code, which is `goes_on_later` where a
/// signal has ended the run and its state is kept. Collective.
int run(const Make& make, const char* name, int argc, char** argv);

/// That the words of a command line need of MPI, which begins before they are read.
int thread_level(int argc, char** argv);

/// The limit of --timeout holds from the beginning on, before all words are read.
void heed_timeout(int argc, char** argv);

/// Words that only ask (--help, --list-schemes, ...) are answered whoever has started the program:
/// each process may be alone. Before MPI begins.
void heed_questions(int argc, char** argv);

/// The main function of program `P`, whose `name` it has.
template <class P>
int start(int argc, char** argv) {
  heed_timeout(argc, argv);
  heed_questions(argc, argv);
  return halocline::guarded_main(
      argc, argv, P::name,
      [](int count, char** words) {
        return run([] { return std::make_unique<P>(); }, P::name, count, words);
      },
      thread_level(argc, argv));
}

}  // namespace frame
