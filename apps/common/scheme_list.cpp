#include "scheme_list.hpp"

#include <halocline/scheme.hpp>

namespace halocline {

std::string scheme_list(bool all) {
  std::string text;
  for (const SchemeFacts& known : known_schemes()) {
    if (known.unavailable.empty())
      text += known.scheme + "\n    " + known.summary + '\n';
    else if (all)
      text += known.scheme + "\n    not here: " + known.unavailable + '\n';
  }
  return text + '\n' + scheme_options_help();
}

}  // namespace halocline
