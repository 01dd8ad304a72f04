#include "scheme_list.hpp"

#include <halocline/more/style.hpp>

namespace frame {

using namespace halocline;

std::string scheme_list(bool all, const std::vector<SchemeFacts>& schemes) {
  std::string text;
  for (const SchemeFacts& known : schemes) {
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
