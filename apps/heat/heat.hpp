#pragma once
#include "plate.hpp"

#include <frame/program.hpp>
#include <frame/progress.hpp>

#include <halocline/exchange.hpp>
#include <halocline/more/section.hpp>

#include <memory>
#include <optional>

namespace heat {

/// Each point needs those above, below, to the left and to the right of it.
inline const halocline::GridOptions halo{.corners = false};

class Heat final : public frame::Program {
 public:
  static constexpr const char* name = "heat";

  std::string usage() const override;
  void declare(frame::CommandLine& line) override;
  void settle(const frame::Options& options) override;
  frame::Step step(const frame::Options& options) const override;
  void set_up() override;
  frame::Repetition solve() override;
  std::string text() override;
  void describe(frame::Record& record) override;

 private:
  /// The plate at one time: this rank's points with a halo around them.
  struct State {
    State(const halocline::Grid& grid, const halocline::Scheme& scheme)
        : points(grid, scheme), exchange(grid.halo(), points, scheme) {}
    halocline::Array<double> points;
    halocline::Exchange exchange;
  };

  /// Calls `act(i, j, place in the local array)` for each point of this rank.
  template <class Act>
  void for_each(Act&& act) const;
  /// Where a point is in the local array, or would be.
  std::size_t place(std::int64_t i, std::int64_t j) const;
  /// How the plate is cut.
  std::vector<std::int64_t> cells() const { return {plate_.points, plate_.points}; }
  void write_image(const std::string& file) const;

  Plate plate_;
  std::int64_t steps_ = 1000;
  halocline::Scheme scheme_{"p2p:nonblocking"};
  frame::Progress progress_;

  std::optional<halocline::Grid> grid_;
  halocline::Range rows_, columns_;  ///< those of this rank
  std::unique_ptr<State> now_, next_;
  std::optional<halocline::Section> section_;  ///< where the scheme is chosen in its steps
  double seconds_ = 0, hottest_ = 0;
};

}  // namespace heat
