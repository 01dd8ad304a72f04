#pragma once
// What laps choose of styled steps: the style, and the scheme of all exchanges.

#include "tuner/common_choice.hpp"

#include <halocline/more/style.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace halocline::detail {

/// One of several styles.
class StyleChoice final : public Choosable {
 public:
  /// `prepare` is called once with a style before its first step; it throws Error if that is
  /// impossible, on all ranks alike.
  StyleChoice(std::vector<Style> styles, std::function<void(const Style&)> prepare)
      : styles_(std::move(styles)), ready_(styles_.size()), prepare_(std::move(prepare)) {}

  std::size_t options() const override { return styles_.size(); }
  std::string option(std::size_t number) const override { return "style=" + styles_[number].str(); }
  std::string prepare(std::size_t number) override;
  void use(std::size_t number) override { now_ = number; }

  const std::vector<Style>& styles() const noexcept { return styles_; }
  /// The style of the next step.
  const Style& style() const { return styles_[now_]; }
  /// Before the first step: what is to be in use when laps begin.
  void put_first(std::size_t number);

 private:
  std::vector<Style> styles_;
  std::vector<bool> ready_;
  std::function<void(const Style&)> prepare_;
  std::size_t now_ = 0;
};

}  // namespace halocline::detail
