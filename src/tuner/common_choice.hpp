#pragma once
// One choice for exchanges that take turns in the same work.

#include "laps.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)  // halocline::style has it, too

namespace halocline::detail {

/// The same choice for several exchanges: those of fields in turn, and of pieces of messages. What
/// one lap shows of one of them holds for all.
class CommonChoice final : public Choosable {
 public:
  /// `overlap`: a step may begin in the lap before; it ends as it has begun.
  explicit CommonChoice(std::vector<std::shared_ptr<Choosable>> all, bool overlap = false);
  ~CommonChoice() override;

  std::size_t options() const override { return first().options(); }
  std::string option(std::size_t number) const override { return first().option(number); }
  double set_up() const override;
  std::string prepare(std::size_t number) override;
  void use(std::size_t number) override;
  bool dismiss(std::size_t number) override;
  void begins() override;
  void settle() override;
  bool busy() const noexcept override;
  std::size_t more(std::size_t number) override;
  // What earlier runs know of the first is known of all, and it alone is kept for later ones.
  std::optional<std::size_t> yardstick() const override { return first().yardstick(); }
  std::vector<Section::Tried> left_out() const override { return first().left_out(); }
  Prior prior(std::size_t number) const override { return first().prior(number); }
  void survived(std::size_t number) override;
  void conclude(const Section::Findings& laps, const Section::Chosen& mine, bool end) override {
    first().conclude(laps, mine, end);
  }

 private:
  Choosable& first() const { return *all_.front(); }
  /// Where another one has this option of the first; options() if it has not.
  std::size_t place(const Choosable& other, std::size_t number) const;

  std::vector<std::shared_ptr<Choosable>> all_;
  bool overlap_;
};

}  // namespace halocline::detail

#pragma GCC visibility pop
