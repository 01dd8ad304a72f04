// halocline-preload: runs a program with the recorder of its MPI in front of that MPI, or with the
// substitute.
//
//     mpiexec -n 4 halocline-preload --output app.recording ./app args
//     mpiexec -n 4 halocline-preload --substitute --report app.jsonl ./app args
//
// Only the program has the library in it, never the launcher.

#include "executable.hpp"
#include "interface.hpp"
#include "launched.hpp"
#include "names.hpp"
#include "speaker.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <sstream>

namespace {

constexpr const char* kHelp =
    "usage: mpiexec -n RANKS halocline-preload [--output FOLDER] [--interface INTERFACE] PROGRAM "
    "ARGUMENTS...\n"
    "       mpiexec -n RANKS halocline-preload --substitute [--report FILE] ... PROGRAM "
    "ARGUMENTS...\n"
    "\n"
    "Runs a program with what it does in MPI written to FOLDER, one file for each rank; or with\n"
    "exchanges that repeat carried by a scheme of Halocline.\n"
    "\n"
    "  --output FOLDER        PROGRAM.recording by default\n"
    "  --interface INTERFACE  mpich, openmpi or mpi_abi: for programs that open their MPI by "
    "themselves;\n"
    "                         otherwise the libmpi that PROGRAM loads tells\n"
    "  --substitute           not the recorder but the substitute; its variables say which scheme\n"
    "  --report FILE          what has become of each pattern; by default on the standard error\n"
    "  --version              of Halocline\n";

struct Request {
  std::string output;
  std::string interface;
  bool substitute = false;
  std::string report;
  std::vector<std::string> command;
};

// The value of an option: the next word, or behind its `=`.
bool option(const std::string& name, int argc, char** argv, int& at, std::string& value) {
  std::string word = argv[at];
  if (word == name) {
    if (at + 1 == argc) throw preload::Refusal{name + " needs a value"};
    value = argv[++at];
    return true;
  }
  if (!word.starts_with(name + "=")) return false;
  value = word.substr(name.size() + 1);
  return true;
}

Request read(int argc, char** argv) {
  Request request;
  int at = 1;
  for (; at < argc; ++at) {
    std::string word = argv[at];
    if (word == "--") {
      ++at;
      break;
    }
    if (word == "--help" || word == "-h") {
      std::cout << kHelp;
      std::exit(EXIT_SUCCESS);
    }
    if (word == "--version") {
      std::cout << HALOCLINE_VERSION << '\n';
      std::exit(EXIT_SUCCESS);
    }
    if (option("--output", argc, argv, at, request.output)) continue;
    if (option("--interface", argc, argv, at, request.interface)) continue;
    if (option("--report", argc, argv, at, request.report)) continue;
    if (word == "--substitute") {
      request.substitute = true;
      continue;
    }
    if (word.starts_with('-'))
      throw preload::Refusal{"there is no option " + word + "; see --help"};
    break;
  }
  if (request.substitute && !request.output.empty())
    throw preload::Refusal{"--output is for recordings; with --substitute say --report FILE"};
  if (!request.substitute && !request.report.empty())
    throw preload::Refusal{"--report is for --substitute; recordings go to --output FOLDER"};
  request.command.assign(argv + at, argv + argc);
  if (request.command.empty()) throw preload::Refusal{"say which program to run; see --help"};
  if (!request.interface.empty() &&
      std::ranges::count(preload::kInterfaces, request.interface) == 0) {
    throw preload::Refusal{"there is no interface " + request.interface +
                           "; use mpich, openmpi or mpi_abi"};
  }
  return request;
}

void say_where_to_record(const Request& request) {
  namespace fs = std::filesystem;
  fs::path output = request.output.empty()
                        ? fs::path(request.command.front()).filename().string() + ".recording"
                        : request.output;
  std::error_code ignored;
  if (fs::exists(output, ignored) && !fs::is_directory(output, ignored)) {
    throw preload::Refusal{"--output " + output.string() + " is not a folder"};
  }
  setenv("HALOCLINE_RECORDING", fs::absolute(output).c_str(), 1);
  // The recording will be that of what this process becomes, started by this launcher.
  setenv("HALOCLINE_RECORDING_NAMED", std::to_string(getpid()).c_str(), 1);
  setenv("HALOCLINE_RECORDING_LAUNCHED", std::to_string(preload::launched()).c_str(), 1);
  unsetenv("HALOCLINE_RECORDING_WITHIN");
}

void say_where_to_report(const Request& request) {
  if (!request.report.empty()) {
    setenv("HALOCLINE_APPLY_REPORT", std::filesystem::absolute(request.report).c_str(), 1);
  }
}

// Other tools and libraries keep their place before the program, and go before ours: what they call
// is PMPI, which is ours, too. Only an MPI comes behind.
void put_in_front(const std::string& library, const std::vector<std::string>& tools) {
  if (library.find_first_of(" \t\n:") != std::string::npos) {
    throw preload::Refusal{"LD_PRELOAD takes no name with a blank or a colon in it, as " + library +
                           " has; install Halocline in a folder without them"};
  }
  std::string words = std::getenv("LD_PRELOAD") ? std::getenv("LD_PRELOAD") : "";
  std::ranges::replace(words, ':', ' ');
  std::istringstream others(words);
  std::string before, behind;
  for (std::string other; others >> other;) {
    const bool follows = !behind.empty() || preload::is_of_mpi(other);
    (follows ? behind : before) += other + ":";
  }
  for (const std::string& tool : tools) before += tool + ":";
  if (!behind.empty()) behind.pop_back();
  setenv("LD_PRELOAD", (before + library + (behind.empty() ? "" : ":") + behind).c_str(), 1);
}

void prepare(const Request& request) {
  std::string interface =
      request.interface.empty() ? preload::interface_of(request.command) : request.interface;
  std::string library = preload::library_for(
      request.substitute ? preload::kSubstitute : preload::kRecorder, interface);
  preload::find_program(request.command.front());
  if (request.substitute) {
    say_where_to_report(request);
  } else {
    say_where_to_record(request);
  }
  put_in_front(library, preload::tools_of(request.command));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Request request = read(argc, argv);
    prepare(request);
    std::vector<char*> words;
    for (std::string& word : request.command) words.push_back(word.data());
    words.push_back(nullptr);
    execvp(words.front(), words.data());
    throw preload::Refusal{"cannot run " + request.command.front() + ": " + std::strerror(errno),
                           126};
  } catch (const preload::Refusal& refusal) {
    const preload::Speaker speaker("halocline-preload: " + refusal.words + '\n');
    return refusal.status;
  } catch (const std::exception& problem) {
    std::cerr << "halocline-preload: " << problem.what() << '\n';
    return EXIT_FAILURE;
  }
}
