#pragma once
// Text of a file in a message.

#include <base/shown.hpp>

namespace formats {

using halocline::base::quoted;
using halocline::base::shown;

}  // namespace formats
