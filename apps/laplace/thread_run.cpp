// Runs whose workers are the threads of one process, on any system.

#include "thread_run.hpp"

#include "in_step.hpp"
#include "threads.hpp"

#include <algorithm>
#include <exception>
#include <optional>

#include <omp.h>

namespace laplace {

using namespace halocline;

namespace {

/// A thread's part and what became of it.
struct Result {
  Share share;
  AsyncOutcome outcome;
  AsyncCounts counts;
};

class ThreadRun final : public Run {
 public:
  ThreadRun(const Config& config, const Cut& cut, int threads)
      : config_(config), cut_(cut), threads_(static_cast<std::size_t>(threads)) {}

  Report solve() override {
    const int threads = static_cast<int>(threads_.size());
    ThreadBoard board(threads, config_.racy());
#pragma omp parallel num_threads(threads)
    {
      const int thread = omp_get_thread_num();
      try {
        work(board, thread, threads);
      } catch (...) {
        board.fail(std::current_exception());
      }
    }
    board.rethrow();

    Report report = report_of(std::move(threads_.front().outcome));
    for (const Result& thread : threads_)
      report.workers.push_back({thread.outcome.iterations, thread.counts, thread.outcome.age});
    return report;
  }

  std::vector<Part> parts() const override {
    std::vector<Part> all;
    for (const Result& thread : threads_)
      for (const Part& part : thread.share.system->parts()) all.push_back(part);
    return all;
  }
  Extent extent() const override {
    return threads_.front().share.extent;
  }
  std::string scheme() const override {
    return config_.racy() ? "threads:atomic" : "threads:lock";
  }
  std::vector<int> dims() const override {
    return threads_.front().share.dims;
  }

 private:
  void work(ThreadBoard& board, int thread, int threads) {
    Result& result = threads_[static_cast<std::size_t>(thread)];
    // Made by the thread that sweeps, so that its pages are near it.
    result.share = cut_(thread, threads);
    System& system = *result.share.system;
    ThreadTraffic traffic(board, thread, system);
    ThreadSum residuals(board, thread, 0), orders(board, thread, 1);
    const AsyncSettings settings = config_.asynchronous(thread);
    result.outcome =
        config_.mode == Mode::sync
            ? iterate_in_step(system, traffic, residuals, settings, config_.check_every, nullptr)
            : iterate(system, traffic, residuals, orders, settings);
    result.counts = traffic.counts();
  }

  Config config_;
  Cut cut_;
  std::vector<Result> threads_;
};

}  // namespace

std::unique_ptr<Run> make_thread_run(const Config& config, const Cut& cut, std::int64_t most) {
  return std::make_unique<ThreadRun>(
      config, cut, static_cast<int>(std::clamp<std::int64_t>(most, 1, config.threads)));
}

}  // namespace laplace
