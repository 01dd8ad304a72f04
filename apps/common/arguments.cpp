#include "arguments.hpp"

#include <halocline/mpi.hpp>

namespace arguments {

using halocline::Error;

void parse(CLI::App& app, int argc, char** argv, Options& options) {
  bool help = false, list = false;
  std::string pin = "auto";
  app.set_help_flag();
  app.add_flag("-h,--help,-?", help);
  app.add_option("--pin", pin);
  app.add_option("--tuning", options.tuning);
  app.add_option("--json", options.json);
  app.add_option("--output", options.output);
  app.add_option("--image", options.image);
  app.add_flag("--progress", options.progress);
  app.add_flag("--list-schemes", list);
  app.add_flag("--all", options.all_schemes);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    throw Error(problem.what());
  }
  if (help || list) {
    options.wish = help ? Options::Wish::usage : Options::Wish::list_schemes;
    return;
  }
  if (pin != "auto" && pin != "off") throw Error("--pin " + pin + ": must be auto or off");
  options.pin = pin == "off" ? pinning::Wish::off : pinning::Wish::automatic;
}

}  // namespace arguments
