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
  const auto one = styles_.begin() + static_cast<std::ptrdiff_t>(number);
  std::rotate(styles_.begin(), one, one + 1);
}

std::size_t CommonChoice::place(const Choosable& other, std::size_t number) const {
  std::size_t found = 0;
  while (found < other.options() && other.option(found) != option(number)) ++found;
  return found;
}

std::string CommonChoice::prepare(std::size_t number) {
  for (const auto& one : all_) {
    const std::size_t there = place(*one, number);
    if (there == one->options()) return "refused: it is no candidate for all fields";
    if (std::string why = one->prepare(there); !why.empty()) return why;
  }
  return {};
}

void CommonChoice::use(std::size_t number) {
  for (const auto& one : all_)
    if (const std::size_t there = place(*one, number); there < one->options()) one->use(there);
}

std::size_t CommonChoice::more(std::size_t number) {
  std::size_t added = 0;
  for (const auto& one : all_) {
    const std::size_t there = place(*one, number);
    const std::size_t here = there < one->options() ? one->more(there) : 0;
    if (one == all_.front()) added = here;
  }
  return added;
}

}  // namespace halocline::detail
