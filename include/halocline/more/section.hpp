#pragma once
// Sections: a part of a program's own step, which says by its time which schemes are the fastest.

#include <halocline/exchange.hpp>

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

namespace detail {
class Choosable;
struct SectionMembers;
}  // namespace detail

/// Exchanges made with `auto+when=running` choose their schemes while the program runs, by what its
/// own steps take. A section says what a step is: whatever the program does between the beginning
/// and the end of a lap, with as many exchanges as it likes. (An exchange without a section takes
/// the time from one start to the next.)
///
///     Section step(comm, {&halo_u, &halo_v});
///     for (...) {
///       const Section::Lap lap = step.lap();
///       halo_u.start(); inner(); halo_u.finish(); border(); halo_v.run();
///     }
///
/// Exchanges of the same work (messages, sizes, memory), such as those of two arrays in turn, use
/// the same scheme; others may come to use different ones.
///
/// Every lap is a real step: nothing is done twice or thrown away, and the bytes are the same
/// whatever is tried. Most laps use the best known so far; now and then another scheme makes a few
/// between two turns of it, and only neighbours in time are compared. Trying costs no more than a
/// share of all laps' time (HALOCLINE_TUNING_REGRET, 0.01 by default), so a short run tries little.
/// When it is decided, the time of laps is still watched; when it changes for long, there is
/// another contest.
///
/// The time of a lap is the slowest rank's. No rank waits for another because of it, but for
/// numbers that were due some laps ago. All ranks of `comm` make the same laps, and all are of one
/// kind, or say how much they had to do (`lap(work)`); laps of which every tenth is longer are told
/// from others that are alike.
class Section {
 public:
  /// The exchanges, on all ranks in the same order, stay where they are until this ends or they do.
  /// Collective. Throws Error if one of them was not made with `auto+when=running`, or is or
  /// was in another section. (A StyledExchange joins by itself: StyledExchange::join.)
  Section(MPI_Comm comm, std::initializer_list<Exchange*> exchanges)
      : Section(comm, std::span<Exchange* const>(exchanges.begin(), exchanges.size())) {}
  Section(MPI_Comm comm, std::span<Exchange* const> exchanges);
  ~Section();
  Section(Section&&) noexcept;
  Section& operator=(Section&&) noexcept;

  class Lap {
   public:
    Lap(const Lap&) = delete;
    Lap& operator=(const Lap&) = delete;
    /// It counts where an exception ends it, too: other ranks may know nothing of that. Nothing
    /// happens where the section has ended before it, or Section::end has ended the lap.
    ~Lap();

   private:
    friend class Section;
    struct State;
    explicit Lap(State& section, double work);
    mutable State* section_;  ///< null once it has nothing to end
    double work_;
  };

  /// One lap, until what this returns ends. `work`: how much it has to do, in any unit, on all
  /// ranks alike: what laps take is divided by it. Throws Error if a lap is under way, or a step of
  /// one of the exchanges, or if `work` is not above 0 and finite; then no lap begins.
  [[nodiscard]] Lap lap(double work = 1);
  /// The same where a scope does not fit: from C, Fortran and Python. A lap whose `end` throws
  /// Error goes on.
  void begin();
  void end(double work = 1);

  /// A choice of the program's own, which is tried as schemes are: what to use in this lap. The
  /// first value is in use until another has won. Called before or within each lap, with the same
  /// values each time, on all ranks alike; it changes only where laps begin. Throws Error if there
  /// are none, or others than before. Where ranks differ in their choices, a lap that begins later,
  /// mostly the third, throws the same Error on all of them.
  int choice(const std::string& name, std::span<const int> values);
  int choice(const std::string& name, std::initializer_list<int> values) {
    return choice(name, std::span<const int>(values.begin(), values.size()));
  }

  /// How many times as long a lap takes: the median and its interval, which holds with this
  /// confidence: 0.95, or less where few laps were compared. All 0: it was never timed.
  struct Times {
    double value = 0, low = 0, high = 0, confidence = 0;
  };
  /// A scheme, or a value of a choice of the program's own, as `depth=2`.
  struct Tried {
    std::string what{};
    long laps = 0;      ///< made with it
    Times times{};      ///< as one with what is chosen
    std::string why{};  ///< why it is not tried, or not any more; empty: it is
  };
  /// What one exchange, or one choice of the program's own, uses now.
  struct Chosen {
    std::string what{};
    /// What would be used had nothing been tried: p2p:nonblocking, or the first of the values; and
    /// how many times as long as with that a lap takes now.
    std::string yardstick{};
    Times times{};
    bool matters = false;  ///< by more than a hundredth
    std::vector<Tried> tried{};
  };
  struct Findings {
    long laps = 0;
    double seconds = 0;    ///< that laps took whose times are known, and setting candidates up
    double cost = 0;       ///< of these, what trying cost
    double preparing = 0;  ///< of this, setting them up
    bool decided = false;
    int contests = 0;  ///< more than one: laps took longer or shorter than they had
    std::vector<Chosen> chosen{};
  };

  /// Nothing is left to try.
  bool decided() const;
  /// Laps made so far.
  long laps() const;
  /// What was tried until now, what is chosen, by how much, and what trying cost; the same on all
  /// ranks.
  Findings findings() const;
  /// The findings of an exchange without a section. Throws Error unless it was made with
  /// `auto+when=running`, or if a section has it.
  static Findings findings(const Exchange& exchange);
  /// The same in lines of text.
  std::string report() const;

 private:
  friend struct detail::SectionMembers;
  /// What is chosen of it from now on by this section's laps; null if nothing is.
  static std::shared_ptr<detail::Choosable> choosable(const Exchange& exchange);
  void add(const std::shared_ptr<detail::Choosable>& choosable);
  std::shared_ptr<detail::Choosable> member(std::size_t number) const;

  std::unique_ptr<Lap::State> state_;
};

}  // namespace halocline

#pragma GCC visibility pop
