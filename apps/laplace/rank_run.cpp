// Runs whose workers are ranks, on any system.

#include "rank_run.hpp"
#include "in_step.hpp"
#include "kept_state.hpp"

#include <halocline/exchange.hpp>
#include <halocline/more/async_exchange.hpp>

namespace laplace {

using namespace halocline;

namespace {

class RankTraffic final : public HaloTraffic {
 public:
  RankTraffic(MPI_Comm comm, System& system, const Config& config)
      : system_(system),
        synchronous_(comm, system.pattern(), field(system.cells()),
                     config.mode == Mode::sync ? config.scheme : Scheme("p2p:nonblocking")) {
    if (config.mode != Mode::sync)
      asynchronous_.emplace(comm, system.pattern(), sizeof(double), config.scheme,
                            AsyncOptions{config.buffers, config.racy()});
  }

  std::size_t receive() override { return asynchronous_->receive(system_.cells(), system_.twin()); }
  void send(std::uint64_t iteration) override { asynchronous_->send(system_.cells(), iteration); }
  void drain() override { asynchronous_->drain(system_.cells(), system_.twin()); }
  void exchange() override {
    // Ranks that have done odd and even numbers of sweeps must not meet in different arrays.
    system_.settle();
    synchronous_.run();
    copy_halo(system_);
  }
  std::size_t links() const override { return system_.pattern().receives().size(); }
  std::uint64_t iteration_of(std::size_t link) const override {
    return asynchronous_->iteration_of(link);
  }
  AsyncCounts counts() const override {
    return asynchronous_ ? asynchronous_->counts() : AsyncCounts{};
  }
  std::string scheme() const {
    return asynchronous_ ? asynchronous_->scheme().str() : synchronous_.scheme().str();
  }

 private:
  System& system_;
  Exchange synchronous_;
  std::optional<AsyncExchange> asynchronous_;
};

class RankSum final : public GlobalSum {
 public:
  RankSum(MPI_Comm comm, AsyncSumKind kind)
      : comm_(mpi::Comm::duplicate(comm)), sum_(make_async_sum(comm, kind)) {}

  std::optional<double> advance(const std::function<double()>& mine) override {
    return sum_->advance(mine);
  }
  void drain() override { sum_->drain(); }
  double everywhere(double mine) override {
    double all = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    HALOCLINE_MPI(MPI_Iallreduce, &mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm_, &request);
    wait_one("laplace: sum over all ranks", request);
    return all;
  }

 private:
  mpi::Comm comm_;
  std::shared_ptr<AsyncSum> sum_;
};

class RankRun final : public Run {
 public:
  RankRun(MPI_Comm comm, const Config& config, Share share)
      : config_(config),
        rank_(mpi::rank(comm)),
        share_(std::move(share)),
        traffic_(comm, *share_.system, config),
        residuals_(comm, config.check),
        orders_(comm, config.check),
        kept_(comm, config.checkpoints, share_.extent) {}

  Report solve() override {
    System& system = *share_.system;
    const AsyncSettings settings = config_.asynchronous(rank_);
    AsyncOutcome outcome =
        config_.mode == Mode::sync
            ? iterate_in_step(system, traffic_, residuals_, settings, config_.check_every, &kept_)
            : iterate(system, traffic_, residuals_, orders_, settings);
    const Worker worker{outcome.iterations, traffic_.counts(), outcome.age};
    Report report = report_of(std::move(outcome));
    report.workers = {worker};
    return report;
  }

  std::vector<Part> parts() const override { return share_.system->parts(); }
  Extent extent() const override { return share_.extent; }
  std::string scheme() const override { return traffic_.scheme(); }
  std::vector<int> dims() const override { return share_.dims; }

 private:
  Config config_;
  int rank_;
  Share share_;
  RankTraffic traffic_;
  RankSum residuals_, orders_;
  KeptState kept_;
};

}  // namespace

std::unique_ptr<Run> make_rank_run(MPI_Comm comm, const Config& config, Share share) {
  return std::make_unique<RankRun>(comm, config, std::move(share));
}

}  // namespace laplace
