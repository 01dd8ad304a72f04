// laplace: Laplace's equation on the unit cube by Jacobi's method, in step or asynchronously,
// through any means of communication.

#include "options.hpp"
#include "output.hpp"
#include "step.hpp"
#include "text.hpp"

#include <frame/checkpoints.hpp>
#include <frame/checksum.hpp>
#include <frame/image.hpp>
#include <frame/in_laps.hpp>

#include <cmath>

namespace {

using namespace laplace;
using namespace halocline;

class Laplace final : public frame::Program {
 public:
  static constexpr const char* name = "laplace";

  std::string usage() const override { return laplace::usage(); }

  void declare(frame::CommandLine& line) override {
    options_.declare(line);
    line.section(frame::results);
    line.output(
        "--output F.h5", "all points (HDF5), and F.xmf beside it for ParaView",
        [this](const std::string& file) { write_solution(world(), solution(), file); },
        [this](const std::string& file) {
          check_output(file);
          output_ = file;
        },
        base::Writing::by_name);
    line.output(
        "--image F.png", "the plane y = 1/2",
        [this](const std::string& file) { write_slice(world(), solution(), file); },
        [this](const std::string& file) {
          frame::only_with(config().matrix.empty(), "--image", "the grid, not --matrix");
          frame::check_image(file);
        });
  }

  std::vector<SchemeFacts> schemes() const override { return options_.schemes(); }
  void settle(const frame::Options& options) override {
    options_.settle(options, options.ranks);
    checkpoints_.settle(
        options, checkpoints_.given().empty() ? nlohmann::ordered_json() : options_.problem());
    const std::string given = checkpoints_.given();
    frame::only_with(given.empty() || config().mode == Mode::sync, given,
                     "--mode sync; the bits of asynchronous iterations are new in every run");
    frame::only_with(given.empty() || config().matrix.empty() || config().model != Model::threads,
                     given, "the ranks of --matrix, not --model threads");
    options_.config.checkpoints = &checkpoints_;
  }
  frame::Checkpoints* checkpoints() override { return &checkpoints_; }
  frame::Step step(const frame::Options& options) const override {
    return step_of(config(), options.ranks);
  }
  std::vector<base::Planned> files() const override {
    if (output_.empty() || !config().matrix.empty()) return {};
    return {{"--output", xdmf_beside(output_)}};
  }
  int threads() const override { return config().threads; }
  bool has_styles() const override { return true; }

  void set_up() override { run_ = make_run(world(), config()); }
  std::string note() const override { return run_->note(); }

  frame::Repetition solve() override {
    if (solved_) {
      // Anew, so that the messages counted are those of one solution.
      run_.reset();
      set_up();
    }
    solved_ = true;
    report_ = run_->solve();
    if (!std::isfinite(report_.residual))
      throw Error(
          config().matrix.empty()
              ? "the residual is not a number: --offset is so large that squares overflow"
              : "the residual is not a number any more: the system has elements that are none or "
                "whose squares are too large for one, or these iterations do not converge for it; "
                "its matrix should have diagonal elements that outweigh the others of their rows");
    return {.seconds = report_.seconds, .phases = report_.times};
  }

  std::string text() override {
    workers_ = gather_workers(world(), report_);
    return mpi::rank(world()) == 0 ? laplace::text(config(), *run_, report_, workers_) : "";
  }

  void describe(frame::Record& record) override {
    record.scheme = run_->scheme();
    record.style = run_->style();
    record.running = frame::in_laps(run_->findings());
    // The bytes are the same for all schemes only in step.
    const std::string sum = frame::checksum(world(), checksum_of_mine(solution()));
    if (mpi::rank(world()) != 0) return;
    record.parameters = parameters(config(), *run_);
    record.outcome = outcome(config(), report_, workers_);
    if (config().mode == Mode::sync) record.outcome["checksum"] = sum;
  }

 private:
  const Config& config() const { return options_.config; }

  Solution solution() const {
    Solution solution{run_->extent(), run_->parts(), config().tolerance, report_.residual};
    if (config().matrix.empty()) solution.problem = config().problem;
    return solution;
  }

  Options options_;
  frame::Checkpoints checkpoints_{name, "iteration"};
  std::string output_;  ///< for all points; empty: none is wanted
  std::unique_ptr<Run> run_;
  bool solved_ = false;
  Report report_;
  nlohmann::json workers_;
};

}  // namespace

int main(int argc, char** argv) {
  return frame::start<Laplace>(argc, argv);
}
