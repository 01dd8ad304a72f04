#pragma once
// The program md to its frame: what it is told, what came of it.

#include "dynamics.hpp"
#include "output/trajectory.hpp"
#include "settings.hpp"

#include <frame/checkpoints.hpp>
#include <frame/program.hpp>
#include <frame/progress.hpp>

#include <memory>
#include <string>
#include <vector>

namespace md {

class Run final : public frame::Program {
 public:
  static constexpr const char* name = "md";

  std::string usage() const override;
  void declare(frame::CommandLine& line) override;
  void settle(const frame::Options& options) override;
  std::vector<halocline::base::Planned> files() const override;
  frame::Checkpoints* checkpoints() override { return &checkpoints_; }
  int threads() const override { return settings_.threads; }
  frame::Step step(const frame::Options& options) const override;
  void set_up() override;
  std::string note() const override { return settings_.start.note; }
  frame::Repetition solve() override;
  std::string text() override;
  void describe(frame::Record& record) override;

 private:
  /// What all ranks did together.
  struct Summary {
    Totals end;
    double seconds = 0, felt = 0, open = 0;  ///< of an exchange of positions: in microseconds
    std::int64_t ghosts = 0, migrated = 0;   ///< the most of a rank; of all
    std::vector<double> imbalance;
  };
  /// This rank's share of the particles at first, wherever they are. Collective over `comm`.
  std::vector<Particle> start(MPI_Comm comm) const;
  Summary summarise();
  void note_totals(std::int64_t step);
  void write_log() const;
  bool save(std::int64_t step);
  void add_frame(std::int64_t step);
  std::string earlier_frames() const;
  void finish_trajectory();
  Moment moment(std::int64_t step) const;
  void declare_files(frame::CommandLine& line);

  /// Files that are written while the run goes on.
  struct Written {
    std::string trajectory, log;
    std::int64_t trajectory_every = 100;
  };

  Settings settings_;
  frame::Checkpoints checkpoints_{name, "step"};
  Written written_;
  frame::Progress progress_;
  Plan plan_;
  std::vector<Particle> start_;  ///< this rank's share of the particles at first
  std::unique_ptr<Dynamics> dynamics_;
  std::unique_ptr<Trajectory> trajectory_;
  Summary summary_;
  std::string log_;  ///< lines of the thermodynamic log; on rank 0
  double seconds_ = 0;
};

}  // namespace md
