#include "common_choice.hpp"

#include <algorithm>
#include <numeric>

namespace halocline::detail {

/// With the first of them that ends it ends, too.
CommonChoice::CommonChoice(std::vector<std::shared_ptr<Choosable>> all, bool overlap)
    : all_(std::move(all)), overlap_(overlap) {
  for (const auto& one : all_) one->on_leaving([this] { leaves(); });
}

CommonChoice::~CommonChoice() {
  for (const auto& one : all_) one->on_leaving({});
}

void CommonChoice::survived(std::size_t number) {
  for (const auto& one : all_)
    if (const std::size_t there = place(*one, number); there < one->options()) one->survived(there);
}

std::size_t CommonChoice::place(const Choosable& other, std::size_t number) const {
  std::size_t found = 0;
  while (found < other.options() && other.option(found) != option(number)) ++found;
  return found;
}

double CommonChoice::set_up() const {
  return std::accumulate(all_.begin(), all_.end(), 0.0,
                         [](double sum, const auto& one) { return sum + one->set_up(); });
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

bool CommonChoice::dismiss(std::size_t number) {
  bool all = true;
  for (const auto& one : all_)
    if (const std::size_t there = place(*one, number); there < one->options())
      all = one->dismiss(there) && all;
  return all;
}

void CommonChoice::begins() {
  for (const auto& one : all_) one->begins();
}

void CommonChoice::settle() {
  for (const auto& one : all_) one->settle();
}

bool CommonChoice::busy() const noexcept {
  return !overlap_ && std::ranges::any_of(all_, &Choosable::busy);
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
