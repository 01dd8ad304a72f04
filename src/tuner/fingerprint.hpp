#pragma once

#include <string>

namespace halocline::detail {

/// A hash of the library's sources, public headers and compiler: another build has another one.
/// CMake writes its definition (cmake/Fingerprint.cmake).
std::string fingerprint();

}  // namespace halocline::detail
