// The beginning and the end of a program.

#include "commons.hpp"
#include "die.hpp"
#include "left.hpp"
#include "report.hpp"
#include "requests.hpp"
#include "talk.hpp"
#include "wrappers.hpp"

namespace {

using substitute::Inside;

/// MPI has begun: a place where all ranks meet.
int begun(bool outside, int result) {
  if (!outside) return result;
  substitute::Settings::get();
  if (result != MPI_SUCCESS) return result;
  try {
    substitute::Commons::open();
    substitute::Requests::begin();
  } catch (const std::exception& problem) {  // of MPI, where memory is limited
    substitute::die(problem);
  }
  return result;
}

/// Whether there is a world that ends with all of its ranks.
bool ends_together() {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return begun && !ended;
}

}  // namespace

SUBSTITUTE(Init) {
  const bool outside = Inside::is_outside();
  const Inside inside;
  return begun(outside, BEHIND(Init));
}

SUBSTITUTE(Init_thread) {
  const bool outside = Inside::is_outside();
  const Inside inside;
  return begun(outside, BEHIND(Init_thread));
}

SUBSTITUTE(Finalize) {
  const bool outside = Inside::is_outside();
  const Inside inside;
  if (outside && ends_together()) {
    substitute::Requests::end();
    substitute::report_what_is_left();
    substitute::write_report();
    substitute::end_all();
  }
  return BEHIND(Finalize);
}
