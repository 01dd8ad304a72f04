#pragma once
// auto+when=running: the choice is made by what the program's own steps take.

#include "exchange/core/method.hpp"
#include "laps.hpp"

#include <memory>

namespace halocline::detail {

std::unique_ptr<Method> make_running(Setup setup);

/// What a section chooses of it; null if `method` chooses nothing while it runs. From then on
/// laps are the section's.
std::shared_ptr<Choosable> join(Method& method);
/// From HALOCLINE_TUNING_REGRET.
LapContest::Rules lap_rules();

}  // namespace halocline::detail
