#pragma once

#include <string>

namespace halocline::base {

/// The processor's name in the text of Linux's /proc/cpuinfo, without blanks around it; empty where
/// the text has none, as on ARM.
std::string processor_in(const std::string& cpuinfo);

}  // namespace halocline::base
