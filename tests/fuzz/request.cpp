// What halosim is asked to simulate. A request may ask for as many ranks and steps as a machine
// can simulate; those for more than a few are none for a test.

#include "fuzz.hpp"

#include <job.hpp>

#include <base/json.hpp>
#include <nlohmann/json.hpp>

#include <cmath>

namespace {

using nlohmann::json;

/// Whether all numbers but those of the machine are small.
bool is_small(const json& value) {
  if (value.is_number()) return std::abs(value.get<double>()) <= 40;
  if (!value.is_structured()) return true;
  for (const auto& [name, one] : value.items())
    if (name != "machine" && !is_small(one)) return false;
  return value.size() <= 24;
}

void read(std::string_view text) {
  try {
    const json request = halocline::base::json_of<json>(text);
    if (!is_small(request)) throw halocline::Error("too large for a test");
    bool answered = false;
    for (const json& answer : halosim::answers(request))
      answered = answered || !answer.contains("error");
    if (!answered) throw halocline::Error("no answer");
  } catch (const json::exception&) {  // the command says so
    throw halocline::Error("another request");
  }
}

const fuzz::Target target("request", read);

}  // namespace
