#pragma once
// Which of several styles is the fastest, found on steps that are made anyway. Knows neither MPI
// nor clocks: all ranks give theirs the same seconds, and so come to the same end.

#include <halocline/more/style.hpp>

#include <random>
#include <vector>

namespace halocline::detail {

/// Sequential halving (Z. Karnin, T. Koren, O. Somekh, "Almost optimal exploration in multi-armed
/// bandits", ICML 2013): in each round all are visited several times, in random order, and the
/// slower half of them is out, by the median. All begin with one step each, which tells how many
/// make a visit that clocks can measure.
class Contest {
 public:
  struct Entrant {
    Style style;
    std::vector<double> seconds{};  ///< of a step, by visits of its last round
    double median() const;
  };

  /// Of equals the first stays.
  explicit Contest(const std::vector<Style>& styles);

  bool decided() const noexcept { return running_.size() == 1; }
  /// Whose step is next; once it is decided, the winner.
  const Style& style() const noexcept { return all_[visits_[visit_]].style; }
  bool begins() const noexcept { return step_ == 0; }  ///< a visit, with the next step
  /// A step is done. True if that was the last of a visit, whose seconds `took` is to be given.
  bool step() noexcept { return ++step_ == steps_; }
  void took(double seconds);

  const std::vector<Entrant>& all() const noexcept { return all_; }

 private:
  void plan();
  void halve();

  std::vector<Entrant> all_;
  std::vector<std::size_t> running_, visits_;
  std::size_t visit_ = 0;
  int step_ = 0, steps_ = 1;
  bool warm_ = false;
  double longest_ = 0;
  std::minstd_rand dice_;
};

}  // namespace halocline::detail
