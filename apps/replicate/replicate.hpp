#pragma once
#include <frame/program.hpp>
#include <frame/progress.hpp>

#include <halocline/more/replicated.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace replicate {

/// The exercise 'MPI_Bcast into shared memory' of the course on hybrid programming: in each step
/// rank 0 stores numbers into an array, everybody gets it, and adds it up.
class Replicate final : public frame::Program {
 public:
  static constexpr const char* name = "replicate";

  std::string usage() const override;
  void declare(frame::CommandLine& line) override;
  void settle(const frame::Options& options) override;
  frame::Step step(const frame::Options& options) const override;
  void set_up() override;
  frame::Repetition solve() override;
  std::string text() override;
  void describe(frame::Record& record) override;

 private:
  /// What one way of holding the array costs.
  struct Cost {
    int copies = 0;                  ///< that there are of the array
    std::optional<double> memory{};  ///< bytes that it takes of the node where it takes most
    double storing = 0;              ///< seconds a step, of rank 0
    double passing = 0;              ///< seconds a step from then until the last rank has it
    double adding = 0;               ///< seconds a step, of the slowest rank
  };

  /// `hold()` makes the array; of what it returns, `pass_on(fill)` makes what rank 0 fills in
  /// everybody's, and `read()` gives that.
  template <class Hold>
  Cost run(Hold&& hold);
  /// Throws Error on all ranks if what any has added up in a step is wrong.
  void check(std::int64_t step, std::int64_t sum) const;
  /// The exercise's lines, of the ranks that it shows. On rank 0. Collective.
  std::string lines() const;

  std::int64_t elements_ = 10'000'000, steps_ = 3;
  halocline::IslandSpec island_;
  bool each_ = true, island_too_ = true;  ///< which ways
  halocline::Scheme scheme_{"p2p:nonblocking"};
  frame::Progress progress_;

  std::vector<std::int64_t> sums_;  ///< of the last solution's steps, on this rank
  std::string note_;                ///< why copies are not shared
  std::optional<Cost> of_ranks_, of_islands_;
  double seconds_ = 0;
};

}  // namespace replicate
