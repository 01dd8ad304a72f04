// Settings in TOML.

#include "fuzz.hpp"

#include <frame/settings_file.hpp>

namespace {

void read(std::string_view text) {
  for (const frame::Setting& setting : frame::settings_of("f.toml", text))
    fuzz::must(setting.place.starts_with("f.toml:"));
}

const fuzz::Target target("settings", read);

}  // namespace
