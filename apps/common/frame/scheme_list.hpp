#pragma once
#include <halocline/scheme.hpp>

#include <string>
#include <vector>

namespace frame {

/// What --list-schemes prints: of these schemes those that this MPI can run; with `all` the others,
/// too, and why it cannot.
std::string scheme_list(bool all, const std::vector<halocline::SchemeFacts>& schemes);
/// What --list-styles prints.
std::string style_list();

}  // namespace frame
