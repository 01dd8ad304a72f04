#pragma once
// What the tuning file may hold below its first level: of one description follow the errors and the
// remarks (docs/reference/tuning-file.md). The command has the same (python/halocline/measure/
// tuning.py); both are tested against tests/common/tuning_files.json.

#include "json.hpp"

#include <string>
#include <vector>

namespace halocline::detail {

/// What is wrong with the file, so that nothing may go by it: the field, and what it must be. Empty
/// if nothing is. Wishes (`pin`, `forbid`) would be lost in silence if they were passed over.
std::string fault_in(const Json& file);

/// What is passed over, a sentence each: facts of other types than they should have, and fields
/// that nobody knows.
std::vector<std::string> remarks_on(const Json& file);

}  // namespace halocline::detail
