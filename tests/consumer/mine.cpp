// What 'Versions and ABI' says: the versions of headers and library, and two components.

#include <halocline/more/async_exchange.hpp>
#include <halocline/more/replicated.hpp>
#include <halocline/version.hpp>

#include <cstdio>

static_assert(HALOCLINE_VERSION >= 200);  // 0.2.0

int main() {
  if (halocline::version() / 100 != HALOCLINE_VERSION / 100) {
    std::printf("made for Halocline %s, started with %s\n", HALOCLINE_VERSION_TEXT,
                halocline::version_text());
    return 1;
  }
  const halocline::ReplicatedOptions options;
  std::printf("Halocline %s: %zu asynchronous schemes\n", halocline::version_text(),
              halocline::known_async_schemes().size());
  return sizeof(options) == 0;
}
