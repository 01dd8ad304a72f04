#pragma once
// What programs say of a command line that they refuse.

#include <string>
#include <string_view>
#include <vector>

namespace frame {

/// One line, which names the program, what is wrong, and where help is.
std::string refusal(std::string_view program, std::string_view why);

/// The known word that is meant by one that is not known; empty if none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

}  // namespace frame
