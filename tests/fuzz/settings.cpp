// Settings in TOML.

#include "fuzz.hpp"

#include <frame/settings_file.hpp>

namespace {

void read(std::string_view text) {
  for (const frame::Setting& setting : frame::settings_of("f.toml", text)) {
    fuzz::must(setting.place.starts_with("f.toml:"));
    fuzz::must(!setting.text.empty() || setting.quoted || setting.text.empty());
  }
}

const fuzz::Target target("settings", read);

}  // namespace
