#include "staged.hpp"

#include "exchange/core/inner.hpp"
#include "exchange/core/pattern_check.hpp"

namespace halocline::detail {

namespace {

/// One exchange after the other, all but the first in `finish`.
class Staged final : public Method {
 public:
  explicit Staged(Setup s) : Method(std::move(s)) {
    const Scheme each = scheme().without("corners");
    for (const Pattern& pattern : pattern().stages()) {
      Setup stage = setup().another(each, pattern);
      stage.halos = Halos::filled;  // the next stage sends what this one brings
      stage.two_way = check_pattern(stage);
      stages_.emplace_back(std::move(stage));
    }
    become(scheme().with("device", stages_.front().method().setup().scheme.option("device")));
  }

  void rebound() override {
    for (Inner& stage : stages_) stage.rebind(setup().fields);
  }
  std::size_t avoidable_bytes() const override {
    std::size_t sum = 0;
    for (const Inner& stage : stages_) sum += stage.method().avoidable_bytes();
    return sum;
  }

  void start() override { begin(stages_.front()); }

  void finish() override {
    end(stages_.front());
    for (std::size_t i = 1; i < stages_.size(); ++i) {
      begin(stages_[i]);
      end(stages_[i]);
    }
  }

 private:
  void begin(Inner& stage) const {
    stage.follow(stream);
    stage.start(measuring);
  }
  void end(Inner& stage) {
    stage.follow(stream);
    stage.finish(times);
    traffic += stage.take_traffic();
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

bool forwards(const model::Chosen& chosen, const model::Links& links) {
  return chosen.is("corners", "forwarded") && !links.stages.empty();
}

model::Step describe_staged(const model::Chosen& chosen, const model::Links& links) {
  model::Chosen each = chosen;
  each.options.erase("corners");
  model::Step all;
  for (const model::Links& stage : links.stages) {
    const model::Step one = describe(each, stage);
    model::Script(&stage == &links.stages.front() ? all.start : all.finish).then(one.start);
    model::Script(all.finish).then(one.finish);
    all.buffer_bytes += one.buffer_bytes;
    all.window_bytes += one.window_bytes;
  }
  return all;
}

}  // namespace halocline::detail
