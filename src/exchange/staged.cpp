#include "staged.hpp"

#include "inner.hpp"
#include "pattern_check.hpp"

namespace halocline::detail {

namespace {

/// One exchange after the other, all but the first in `finish`.
class Staged final : public Method {
 public:
  explicit Staged(Setup s) : Method(std::move(s)) {
    const Scheme each = direct_corners(scheme());
    for (const Pattern& pattern : pattern().stages()) {
      Setup stage = setup().another(each, pattern);
      stage.two_way = check_pattern(stage.comm, pattern, stage.element_bytes());
      stages_.emplace_back(std::move(stage));
    }
  }

  void start() override { stages_.front().start(measuring); }

  void finish() override {
    stages_.front().finish(times);
    for (std::size_t i = 1; i < stages_.size(); ++i) {
      stages_[i].start(measuring);
      stages_[i].finish(times);
    }
  }

 private:
  static Scheme direct_corners(const Scheme& scheme) {
    std::string text = scheme.str();
    const std::string option = "+corners=forwarded";
    text.erase(text.find(option), option.size());
    return Scheme(text);
  }

  std::vector<Inner> stages_;
};

}  // namespace

OptionFacts corners_option() {
  return {"corners", {"direct", "forwarded"}};
}

bool forwards(const Setup& setup) {
  return setup.scheme.has("corners") && setup.scheme.is("corners", "forwarded") &&
         !setup.pattern.stages().empty();
}

std::unique_ptr<Method> make_staged(Setup setup) {
  return std::make_unique<Staged>(std::move(setup));
}

}  // namespace halocline::detail
