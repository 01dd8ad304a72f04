#include <halocline/version.hpp>

namespace halocline {

int version() noexcept {
  return HALOCLINE_VERSION;
}

const char* version_text() noexcept {
  return HALOCLINE_VERSION_TEXT;
}

}  // namespace halocline
