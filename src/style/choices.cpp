#include "choices.hpp"

#include <halocline/error.hpp>
#include <halocline/wait.hpp>

#include <algorithm>

namespace halocline::detail {

std::string StyleChoice::prepare(std::size_t number) {
  if (ready_[number]) return {};
  try {
    prepare_(styles_[number]);
  } catch (const Timeout&) {
    throw;  // the ranks are no longer together
  } catch (const Error& problem) {
    return std::string("refused: ") + problem.what();
  }
  ready_[number] = true;
  return {};
}

void StyleChoice::put_first(std::size_t number) {
  const auto to_front = [&](auto& all) {
    const auto one = all.begin() + static_cast<std::ptrdiff_t>(number);
    std::rotate(all.begin(), one, one + 1);
  };
  to_front(styles_), to_front(ready_);
}

}  // namespace halocline::detail
