#pragma once
#include <string>

namespace halocline {

/// What --list-schemes prints: the schemes that this MPI can run; with `all` the others, too, and
/// why it cannot.
std::string scheme_list(bool all);

}  // namespace halocline
