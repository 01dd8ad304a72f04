// partdiff: the Poisson equation by Jacobi or Gauss-Seidel, on any number of ranks and threads and
// through any communication scheme, with the result of the serial algorithm.

#include "options.hpp"

#include "output.hpp"
#include "solution_file.hpp"
#include "step.hpp"
#include "text.hpp"

#include <frame/checkpoints.hpp>
#include <frame/checksum.hpp>
#include <frame/image.hpp>
#include <frame/in_laps.hpp>

namespace {

using namespace partdiff;
using namespace halocline;

class Partdiff final : public frame::Program {
 public:
  static constexpr const char* name = "partdiff";

  std::string usage() const override { return partdiff::usage(); }

  void declare(frame::CommandLine& line) override {
    options_.declare(line);
    line.section(frame::results);
    line.output(
        "--output F.npy", "write all points as a NumPy array",
        [this](const std::string& file) { write_npy(world(), *solver_, file); }, {},
        base::Writing::shared);
    line.output(
        "--image F.png", "write a picture",
        [this](const std::string& file) { write_image(world(), *solver_, file); },
        frame::check_image);
  }

  void settle(const frame::Options& options) override {
    options_.settle(options);
    checkpoints_.settle(options, options_.problem());
    options_.settings.checkpoints = &checkpoints_;
  }
  frame::Checkpoints* checkpoints() override { return &checkpoints_; }
  int threads() const override { return settings().threads; }
  bool has_styles() const override { return true; }

  frame::Step step(const frame::Options& options) const override {
    return step_of(options_.method, {options_.interlines, options_.function}, settings(),
                   options.ranks);
  }

  void set_up() override {
    const Problem problem(options_.interlines, options_.function);
    solver_ = options_.method == Method::jacobi
                  ? make_jacobi_solver(world(), problem, settings())
                  : make_gauss_seidel_solver(world(), problem, settings());
  }

  std::string note() const override {
    const std::string note = solver_->note();
    return note.empty() ? note : settings().scheme.str() + ": " + note;
  }

  frame::Repetition solve() override {
    frame::Repetition mine;
    {
      const Stopwatch stopwatch(mine.seconds);
      outcome_ = solver_->solve();
    }
    seconds_ = mine.seconds;
    mine.steps = std::move(outcome_.steps);
    const Phases& phases = outcome_.phases;
    mine.phases = {phases.compute,       phases.exchange.pack, phases.exchange.transfer,
                   phases.exchange.wait, phases.reduce,        phases.exchange.copy};
    return mine;
  }

  std::string text() override {
    double slowest = seconds_, bytes = static_cast<double>(solver_->domain().grid().elements()) *
                                       sizeof(double) * solver_->grids();
    HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, world());
    HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, world());
    return report(world(), solver_->domain().problem(), options_.method, settings(),
                  options_.interlines, *solver_, outcome_, slowest, bytes);
  }

  void describe(frame::Record& record) override {
    const std::string checksum = frame::checksum(world(), checksum_of_mine(*solver_));
    record.parameters = {
        {"method", options_.method == Method::jacobi ? "jacobi" : "gauss-seidel"},
        {"interlines", options_.interlines},
        {"function", static_cast<int>(options_.function)},
        {"termination", settings().to_accuracy() ? "accuracy" : "iterations"},
        {"value", options_.value},
        {"decomposition", settings().decomposition == Decomposition::rows ? "rows" : "blocks"},
        {"dims", solver_->domain().grid().dims()},
        {"halo_depth", solver_->halo_depth()},
        {"style", settings().style ? settings().style->str() : "none"},
        {"reduction", halocline::name(settings().reduction)},
        {"on_accuracy", settings().exact ? "exact" : "catch-up"},
        {"schemes", solver_->schemes()},
        {"points", solver_->domain().problem().points()},
        {"repetitions", record.totals.size()}};
    record.style = solver_->style();
    record.running = frame::in_laps(solver_->findings());
    record.outcome = {{"iterations", outcome_.iterations},
                      {"residuum", outcome_.residuum},
                      {"checksum", checksum}};
    if (const auto use = solver_->device()) {
      record.scheme = use->way;
      record.outcome["device"] = {{"device", use->device},
                                  {"step", machine::name(*settings().device)},
                                  {"sweeps", use->sweeps},
                                  {"bytes_to_host", use->traffic.to_host},
                                  {"bytes_to_device", use->traffic.to_device},
                                  {"bytes_within", use->traffic.within},
                                  {"copies", use->traffic.copies},
                                  {"copying", use->times.copy}};
    }
  }

 private:
  const Settings& settings() const { return options_.settings; }

  Options options_;
  frame::Checkpoints checkpoints_{name, "sweep"};
  std::unique_ptr<Solver> solver_;
  Outcome outcome_;
  double seconds_ = 0;  ///< of this rank, in the last solution
};

}  // namespace

int main(int argc, char** argv) {
  return frame::start<Partdiff>(argc, argv);
}
