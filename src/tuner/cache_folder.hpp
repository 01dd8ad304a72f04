#pragma once

#include <filesystem>

namespace halocline::detail {

/// $HALOCLINE_CACHE, or halocline in the user's cache folder; empty if there is none.
std::filesystem::path cache_folder();

}  // namespace halocline::detail
