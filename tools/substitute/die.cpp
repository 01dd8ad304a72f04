#include "die.hpp"

#include <halocline/environment.hpp>
#include <halocline/error.hpp>

namespace substitute {

void die(const std::exception& problem) noexcept {
  halocline::end_job("halocline-substitute", halocline::words_of(problem));
}

}  // namespace substitute
