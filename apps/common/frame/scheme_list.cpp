#include "scheme_list.hpp"

#include <halocline/scheme.hpp>
#include <halocline/style.hpp>

#include <algorithm>

namespace frame {

using namespace halocline;

std::string scheme_list(bool all, const std::vector<std::string>& only) {
  std::string text;
  for (const SchemeFacts& known : known_schemes()) {
    if (!only.empty() && std::find(only.begin(), only.end(), known.scheme) == only.end()) continue;
    if (known.unavailable.empty())
      text += known.scheme + "\n    " + known.summary + '\n';
    else if (all)
      text += known.scheme + "\n    not here: " + known.unavailable + '\n';
  }
  return text + '\n' + scheme_options_help();
}

std::string style_list() {
  std::string text;
  for (const StyleFacts& known : known_styles())
    text += known.style + "\n    " + known.summary + "\n    needs " +
            (known.thread_level == MPI_THREAD_FUNNELED     ? "MPI_THREAD_FUNNELED"
             : known.thread_level == MPI_THREAD_SERIALIZED ? "MPI_THREAD_SERIALIZED"
                                                           : "MPI_THREAD_MULTIPLE") +
            '\n';
  return text;
}

}  // namespace frame
