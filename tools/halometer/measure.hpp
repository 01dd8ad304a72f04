#pragma once
// The measurement loop, once for all kinds.

#include "statistics.hpp"
#include "work.hpp"

#include <halocline/more/global_clock.hpp>

#include <cstdint>
#include <optional>
#include <random>

namespace halometer {

/// How ranks begin a repetition together.
enum class Start {
  automatic,  ///< by the clock, unless ranks outnumber cores or the clocks are too coarse
  window,     ///< at an agreed time; a rank that is late spoils the sample, which is dropped
  barrier,    ///< as they leave a barrier; each takes its own time
};

struct Limits {
  double width = 0.05;             ///< of the median's 95 % interval, as a share of the median
  double budget_s = 60;            ///< for all groups together
  int least = 20, most = 100'000;  ///< samples
  Start start = Start::automatic;
  std::uint64_t seed = 1;
};

/// What several contenders together say of one, as a share.
struct Share {
  std::string name;
  Interval value;
};

/// What an exchange adds to a step of the loop that it is part of: in each sample both loops run,
/// one after the other, and their difference counts, so that what happens on the machine concerns
/// both.
struct Felt {
  std::size_t steps = 1;                  ///< of each loop in a sample
  std::vector<double> with{}, without{};  ///< seconds of a step, the maximum over ranks
  Interval added{};                       ///< the median of the differences
};

/// A contender's samples and what they say; the same on all ranks but for `own`.
struct Measured {
  std::string scheme;
  nlohmann::ordered_json parameters;
  double bytes = 0;
  nlohmann::ordered_json result{};  ///< of the work, what it has computed
  std::string left_out{};           ///< why it was not measured; empty if it was

  std::size_t batch = 1;          ///< steps of a repetition
  std::vector<double> samples{};  ///< seconds of a step, the maximum over ranks, in their order
  std::vector<double> own{};      ///< the same steps as this rank saw them; each rank its own
  std::vector<std::size_t>
      disturbed{};       ///< samples in which some rank was made to give up its core
  std::size_t late = 0;  ///< samples dropped because a rank missed the agreed time
  bool by_clock = true;  ///< started at an agreed time; else after a barrier

  std::optional<Felt> felt{};  ///< of work that has a loop; as many samples

  std::size_t warm_up = 0;  ///< samples at the beginning that the following leave out
  Interval median{};
  double p5 = 0, p95 = 0;
  bool narrow = false;                 ///< the intervals are as narrow as asked for
  std::vector<double> rank_medians{};  ///< seconds of a step as each rank saw it
  std::vector<Share> shares{};         ///< what the kind adds

  bool measured() const noexcept { return left_out.empty(); }
  /// Those samples that do not warm up.
  std::span<const double> counted(const std::vector<double>& all) const {
    return std::span(all).subspan(warm_up);
  }
};

/// Measures groups of contenders on all ranks of a communicator, which all do the same.
class Measurement {
 public:
  Measurement(MPI_Comm comm, Limits limits);

  /// Makes, checks and measures a group, when `groups_left` are still to come, this one included.
  std::vector<Measured> run(const Group& group, std::size_t groups_left);
  /// What the ranks know of their clocks. Collective.
  nlohmann::ordered_json clock() const;

 private:
  struct Runner;
  struct Sample {
    double slowest, mine;  // seconds in all
    bool late, disturbed;
  };
  std::vector<Runner> make(const Group& group, std::vector<Measured>& results);
  void prepare(std::vector<Runner>& runners);
  bool sample(Runner& runner);
  Sample step(Runner& runner);
  Sample loop(Runner& runner, bool exchanging);
  template <class Body>
  Sample timed(bool counts, Body&& body);
  void find_batch(Runner& runner);
  void look(Runner& runner);
  void conclude(Runner& runner);

  MPI_Comm comm_;
  Limits limits_;
  halocline::GlobalClock clock_;
  std::mt19937_64 draw_;
  double began_, now_;    // agreed among all ranks
  double margin_;         // between the last rank's being ready and the start
  bool by_clock_ = true;  // the same for all of a group, which are to be compared
  int late_in_turn_ = 0;
};

}  // namespace halometer
