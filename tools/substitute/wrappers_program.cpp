// The beginning and the end of a program.

#include "left.hpp"
#include "report.hpp"
#include "talk.hpp"
#include "wrappers.hpp"

namespace {

using substitute::Inside;

/// Whether there is a world that ends with all of its ranks.
bool ends_together() {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return begun && !ended;
}

}  // namespace

SUBSTITUTE_EXPORT int MPI_Init(int* argc, char*** argv) {
  const Inside inside;
  const int result = PMPI(Init)(argc, argv);
  substitute::Settings::get();
  return result;
}

SUBSTITUTE_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const Inside inside;
  const int result = PMPI(Init_thread)(argc, argv, required, provided);
  substitute::Settings::get();
  return result;
}

SUBSTITUTE_EXPORT int MPI_Finalize() {
  const bool outside = Inside::is_outside();
  const Inside inside;
  if (outside && ends_together()) {
    substitute::report_what_is_left();
    substitute::write_report();
    substitute::end_all();
  }
  return PMPI(Finalize)();
}
