// The program: its beginning and end, its patience, and the version of the library.

#include "converted.hpp"

#include <cstdlib>

using namespace halocline;
using c::call, c::give;

namespace {

constexpr int thread_levels_of_c[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                                      MPI_THREAD_MULTIPLE};

}  // namespace

int halocline_version(void) {
  return version();
}
const char* halocline_version_text(void) {
  return version_text();
}

int halocline_environment_create(int* argc, char*** argv, int thread_level,
                                 halocline_environment** environment) {
  return c::create(__func__, environment, "environment", [&] {
    const int level = thread_levels_of_c[c::kind(thread_level, 4, "thread_level")];
    int no_words = 0;
    char** none = nullptr;
    return std::make_unique<Environment>(argc == nullptr ? no_words : *argc,
                                         argv == nullptr ? none : *argv, level);
  });
}
int halocline_environment_free(halocline_environment** environment) {
  return c::end(environment);
}

void halocline_end_job(const char* program, const char* text) {
  end_job(program == nullptr ? "" : program, text == nullptr ? "" : text);
}
void halocline_end_process(const char* message) {
  end_process(message);
}

namespace {
halocline_patience current_patience() {
  const Patience& now = Patience::current();
  return {sizeof(halocline_patience), now.timeout.count(), now.yield,
          now.spin.count(),           now.remedy,          now.stuck};
}
}  // namespace

int halocline_patience_get(halocline_patience* patience) {
  return call(__func__, [&] {
    halocline_patience& there = c::at(patience, "patience");
    const halocline_patience now = current_patience();
    c::write_options(&now, sizeof now, &there, there.size, "HALOCLINE_PATIENCE");
  });
}

int halocline_patience_set(const halocline_patience* patience) {
  return call(__func__, [&] {
    const halocline_patience wanted =
        c::known(&c::at(patience, "patience"), current_patience(), "HALOCLINE_PATIENCE");
    if (!(wanted.timeout > 0))
      throw c::ArgumentError("the timeout is " + std::to_string(wanted.timeout) +
                             " s, must be above 0");
    if (!(wanted.spin >= 0))
      throw c::ArgumentError("the spin is " + std::to_string(wanted.spin) +
                             " s, must not be below 0");
    Patience& now = Patience::current();
    now.timeout = std::chrono::duration<double>(wanted.timeout);
    now.yield = wanted.yield != 0;
    now.spin = std::chrono::duration<double>(wanted.spin);
    now.remedy = &c::at(wanted.remedy, "remedy");
    // Only its type says in C that it may throw, which nothing in C does.
    now.stuck = reinterpret_cast<void (*)(const char*) noexcept>(wanted.stuck);
  });
}

int halocline_patience_detect(halocline_comm comm) {
  return call(__func__, [&] { Patience::detect(c::comm_of(comm)); });
}
int halocline_patience_heed_environment(void) {
  return call(__func__, [] { Patience::heed_environment(); });
}
int halocline_crowded(halocline_comm comm, int* really) {
  return give(__func__, really, "crowded", [&] { return crowded(c::comm_of(comm)); });
}
int halocline_make_collectives_yield(halocline_comm comm) {
  return call(__func__, [&] { make_collectives_yield(c::comm_of(comm)); });
}
