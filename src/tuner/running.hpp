#pragma once
// auto+when=running: the choice is made by what the program's own steps take.

#include "exchange/core/method.hpp"
#include "laps.hpp"

#include <halocline/more/section.hpp>

#include <memory>

namespace halocline::detail {

std::unique_ptr<Method> make_running(Setup setup);

/// For those who hold laps of their own, or join a section's with more than an exchange.
struct SectionMembers {
  static std::shared_ptr<Choosable> of(const Exchange& exchange) {
    return Section::choosable(exchange);
  }
  static std::shared_ptr<Choosable> of(const Section& section, std::size_t number) {
    return section.member(number);
  }
  static void add(Section& section, const std::shared_ptr<Choosable>& choosable) {
    section.add(choosable);
  }
};

/// What a section chooses of it; null if `method` chooses nothing while it runs. From then on
/// laps are the section's.
std::shared_ptr<Choosable> join(Method& method);
/// Whether it chooses while it runs, in a section or not.
bool chooses_while_running(Method& method);
/// The laps of a method that chooses while it runs and is in no section; else null.
const Laps* laps_of(Method& method);
#pragma GCC visibility push(default)  // halocline::style has it, too
/// By HALOCLINE_TUNING_REGRET of rank 0. Collective.
LapContest::Rules lap_rules(MPI_Comm comm);
#pragma GCC visibility pop

}  // namespace halocline::detail
