#pragma once
#include <string>
#include <vector>

namespace frame {

/// What --list-schemes prints: the schemes that this MPI can run; with `all` the others, too, and
/// why it cannot. If `only` names methods, only those.
std::string scheme_list(bool all, const std::vector<std::string>& only = {});
/// What --list-styles prints.
std::string style_list();

}  // namespace frame
