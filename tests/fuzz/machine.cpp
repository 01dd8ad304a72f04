// Machine files, as halosim reads them.

#include "fuzz.hpp"

#include <machine_costs.hpp>

#include <base/json.hpp>
#include <nlohmann/json.hpp>

namespace {

using namespace halosim;

void read(std::string_view text) {
  nlohmann::json file;
  try {
    file = halocline::base::json_of<nlohmann::json>(text);
  } catch (const nlohmann::json::exception& problem) {  // the command says so
    throw halocline::Error("no JSON");
  }
  const MachineCosts machine(file);
  for (const Level level : {Level::socket, Level::node, Level::network}) {
    for (const char* const name : {"message", "send", "signal:line", "fence"})
      machine.cost(name, level, 4096);
    machine.gap("message", level, 4096, 4);
    machine.rate(level);
    fuzz::must(machine.injection(level) > 0 && machine.rendezvous_bytes(level) > 0);
  }
}

const fuzz::Target target("machine", read);

}  // namespace
