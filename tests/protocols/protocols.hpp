#pragma once
// The protocols that are searched, and what can be taken away from some of them without harm.

#include "search.hpp"

#include <set>
#include <string>
#include <vector>

namespace protocols {

struct Searchable {
  Protocol protocol;
  std::string family;                  ///< a row of the table
  std::set<std::string> not_needed{};  ///< faults that are none
  bool plants = true;                  ///< faults; else it is only searched as it is
};

/// `more`: times as many steps.
std::vector<Searchable> all_protocols(bool more);

}  // namespace protocols
