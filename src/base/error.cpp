#include <halocline/error.hpp>

#include <new>

namespace halocline {

// Not in the header: callers may have no types at run time (-fno-rtti).
const char* words_of(const std::exception& problem) noexcept {
  const bool memory = dynamic_cast<const std::bad_alloc*>(&problem) != nullptr ||
                      dynamic_cast<const std::length_error*>(&problem) != nullptr;
  return memory ? "out of memory" : problem.what();
}

}  // namespace halocline
