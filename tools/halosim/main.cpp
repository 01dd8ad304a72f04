// halosim: the time that schemes take on machines that need not be here. No MPI is started.
// `halocline predict` and `halocline model` show what this prints.

#include "job.hpp"

#include <base/text.hpp>
#include <frame/arguments.hpp>
#include <frame/json.hpp>
#include <frame/refusal.hpp>

#include <halocline/error.hpp>
#include <halocline/more/model.hpp>
#include <halocline/more/standard_output.hpp>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

namespace {

using halocline::base::json_text;

nlohmann::json read(const std::string& file) {
  try {
    std::ifstream in;
    if (file != "-") in.open(file);
    std::istream& from = file == "-" ? std::cin : in;
    if (!from) throw halocline::Error("cannot be read");
    return halocline::base::json_of<nlohmann::json>(
        std::string(std::istreambuf_iterator<char>(from), std::istreambuf_iterator<char>()));
  } catch (const std::exception& problem) {
    throw halocline::Error((file == "-" ? "standard input" : file) + ": " + problem.what());
  }
}

/// Not where this MPI lacks it: a program then sends messages. What is no scheme at all, a
/// simulation of it says.
bool reads_in_place(const std::string& scheme) {
  try {
    return halocline::Scheme(scheme).reads_in_place();
  } catch (const halocline::Error&) {
    return false;
  }
}

int answer(int argc, char** argv) {
  frame::Arguments app("Simulates what schemes do, step by step, on ranks that need not be here.");
  std::string file = "-", scheme;
  frame::Arguments& run = app.command("run", "cases of a request (JSON) and their times");
  run.option("request", file, "a file, or - for standard input").shows_default();
  frame::Arguments& describe = app.command("describe", "what a scheme does in a step, as JSON");
  describe.option("scheme", scheme, "a scheme, or a method").required();
  describe.option("--request", file, "ranks and pattern (JSON); a pair of ranks by default");
  app.command("methods", "all methods that are described, a line for each");
  std::vector<std::string> schemes;
  frame::Arguments& in_place = app.command(
      "in-place", "those of these schemes whose halos are read in the neighbour's memory");
  in_place.option("schemes", schemes, "names, also of methods that this MPI lacks");
  try {
    if (const std::string help = app.parse(argc, argv); !help.empty()) {
      std::cout << help;
    } else if (app.named("run")) {
      std::cout << json_text(halosim::answers(read(file))) << '\n';
    } else if (app.named("describe")) {
      const nlohmann::json pair = {
          {"ranks", 2}, {"pattern", {{"kind", "pair"}, {"bytes", 4096}, {"pieces", 64}}}};
      std::cout << json_text(halosim::described(scheme, file == "-" ? pair : read(file))) << '\n';
    } else if (app.named("in-place")) {
      for (const std::string& name : schemes)
        if (reads_in_place(name)) std::cout << name << '\n';
    } else {
      for (const std::string& name : halocline::model::described_methods())
        std::cout << name << '\n';
    }
    return EXIT_SUCCESS;
  } catch (const frame::WrongArguments& problem) {
    std::cerr << frame::refusal("halosim", problem.what()) << '\n';
    return EXIT_FAILURE;
  } catch (const nlohmann::json::exception& problem) {
    std::cerr << "halosim: the request: " << problem.what() << '\n';
  } catch (const std::exception& problem) {
    std::cerr << "halosim: " << halocline::words_of(problem) << '\n';
  }
  return EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  halocline::StandardOutput output("halosim");
  return output.end(answer(argc, argv));
}
