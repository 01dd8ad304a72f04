// Exchanges by windows that end while what their last step was sent in has still to come back to
// MPI, behind that of many messages of the caller's (docs/atlas/programs/early_free.c).

#include "common/ranks.hpp"
#include "common/tested_schemes.hpp"

#include <halocline/exchange.hpp>

#include <gtest/gtest.h>
#include <array>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

using namespace halocline;

namespace {

class EarlyFree : public testing::TestWithParam<std::string> {};

TEST_P(EarlyFree, LeavesNothingThatMpiStillNeeds) {
  constexpr std::size_t messages = 100, bytes = 2048;
  const bool sends = me() == 0;
  // Until the other one is where it waits for this one.
  const auto look_away = [&] {
    if (sends) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  };
  std::vector<std::array<char, bytes>> room(messages);
  for (int round = 0; round < 3; ++round) {
    std::array<double, 2> x{sends ? 1.0 + round : 0, 0};
    Pattern one_way;
    sends ? one_way.send(1, {.offset = 0}) : one_way.receive(0, {.offset = 1});
    auto exchange = std::make_unique<Exchange>(one_way, field(x.data(), x.size()), GetParam());
    std::vector<MPI_Request> requests(messages);
    for (std::size_t i = 0; i < messages; ++i)
      sends ? MPI_Isend(room[i].data(), bytes, MPI_BYTE, 1, 0, world(), &requests[i])
            : MPI_Irecv(room[i].data(), bytes, MPI_BYTE, 0, 0, world(), &requests[i]);
    exchange->start();
    look_away();
    exchange->finish();
    look_away();
    exchange.reset();
    // What has been freed is overwritten: 96 bytes in Open MPI 5.
    const std::vector<std::vector<char>> others(50, std::vector<char>(96, 0x7f));
    MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
    EXPECT_EQ(x[1], sends ? 0 : 1.0 + round);
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, EarlyFree,
                         testing::ValuesIn(without_broken({"rma:accumulate:lock",
                                                           "rma:put:fence+alloc=create"})),
                         name_of_scheme);

}  // namespace
