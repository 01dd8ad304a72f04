// main() of GoogleTest programs that run on several ranks: MPI is initialised around the tests,
// rank 0 reports what passes, every rank reports its own failures, and one failure fails all.

#include <gtest/gtest.h>
#include <halocline/more/mpi.hpp>
#include <halocline/wait.hpp>

#include <chrono>
#include <cstdio>

namespace {

// The failures of one rank, each with its place and its rank.
class RankFailures : public testing::EmptyTestEventListener {
 public:
  explicit RankFailures(int rank) : rank_(rank) {}

  void OnTestStart(const testing::TestInfo& info) override { test_ = &info; }

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const char* file = result.file_name() ? result.file_name() : "?";
    std::fprintf(stderr, "[rank %d] %s.%s failed at %s:%d\n%s\n", rank_,
                 test_ ? test_->test_suite_name() : "", test_ ? test_->name() : "", file,
                 result.line_number(), result.message());
    std::fflush(stderr);
  }

 private:
  int rank_;
  const testing::TestInfo* test_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  halocline::Environment mpi(argc, argv);
  // Tests call collectives of their own, on more ranks than cores; and none may hang.
  halocline::make_collectives_yield(halocline::world());
  if (halocline::Patience::current().timeout == halocline::Patience::forever)
    halocline::Patience::current().timeout = std::chrono::seconds(60);
  halocline::Patience::current().stuck = &halocline::end_process;
  testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new RankFailures(rank));
  }
  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return failed;
}
