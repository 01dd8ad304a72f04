#pragma once
// What repeats: the last steps of a pattern, and when ranks meet to compare what they have seen.

#include <array>
#include <cstddef>
#include <cstdint>

namespace substitute {

/// The last steps, each of which a `Step` describes, that can be compared.
template <class Step>
class Watched {
 public:
  /// Periods looked for, in steps, and how often one must have come.
  static constexpr std::size_t longest = 8, times = 3;

  /// To be filled in with the step that comes now; what is there is an old one, for its memory.
  Step& next() { return steps_[count_++ % steps_.size()]; }
  /// So many steps ago; 0: the newest.
  const Step& ago(std::size_t steps) const { return steps_[(count_ - 1 - steps) % steps_.size()]; }

  /// Bit p - 1: the newest steps have the period p.
  std::uint64_t periods() const {
    std::uint64_t found = 0;
    for (std::size_t period = 1; period <= longest && times * period <= count_; ++period) {
      bool repeats = true;
      for (std::size_t i = 0; repeats && i < (times - 1) * period; ++i)
        repeats = ago(i) == ago(i + period);
      if (repeats) found |= std::uint64_t{1} << (period - 1);
    }
    return found;
  }

 private:
  std::array<Step, longest * times> steps_{};
  std::size_t count_ = 0;
};

/// The shortest of the periods in such a word; 0: none.
constexpr std::size_t shortest(std::uint64_t periods) {
  for (std::size_t period = 1; period <= 64; ++period)
    if ((periods >> (period - 1)) & 1) return period;
  return 0;
}

/// Steps after which all ranks compare what repeats: few in the end, so that a pattern that never
/// repeats costs nothing.
constexpr bool meets_after(std::uint64_t step) {
  return step >= 4 && (step & (step - 1)) == 0 && step <= (1U << 16);
}
constexpr bool is_last_meeting(std::uint64_t step) {
  return step == (1U << 16);
}

/// Steps after the take-over in which all ranks say whether anything surprised them.
constexpr bool looks_back_after(std::uint64_t carried) {
  return carried % (carried < 256 ? 16 : 256) == 0;
}

}  // namespace substitute
