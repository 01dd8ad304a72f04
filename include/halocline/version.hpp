#pragma once
// The version of the headers, for the preprocessor (C's as well), and that of the library that
// runs.

#define HALOCLINE_VERSION_MAJOR 0
#define HALOCLINE_VERSION_MINOR 2
#define HALOCLINE_VERSION_PATCH 0
#define HALOCLINE_VERSION_TEXT "0.2.0"
/// To compare with: 200 of version 0.2.0.
#define HALOCLINE_VERSION \
  (HALOCLINE_VERSION_MAJOR * 10000 + HALOCLINE_VERSION_MINOR * 100 + HALOCLINE_VERSION_PATCH)

#ifdef __cplusplus
#pragma GCC visibility push(default)

namespace halocline {

/// The version of the library that runs, compared like HALOCLINE_VERSION. All libraries of one
/// minor version fit headers of that version.
int version() noexcept;
/// The same for people: "0.2.0".
const char* version_text() noexcept;

}  // namespace halocline

#pragma GCC visibility pop
#endif
