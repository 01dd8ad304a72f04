// A rank that waits for halos lets go on what its peer waits for before it sends them: here a
// message of the caller's (docs/atlas/programs/win_test.c).

#include "common/ranks.hpp"
#include "common/tested_schemes.hpp"

#include <halocline/exchange.hpp>

#include <gtest/gtest.h>
#include <array>
#include <chrono>
#include <thread>

using namespace halocline;

namespace {

class Meanwhile : public testing::TestWithParam<std::string> {};

TEST_P(Meanwhile, MessagesArrive) {
  std::array<double, 2> x{1.0 + me(), 0};
  Pattern swap;
  swap.send(1 - me(), {.offset = 0});
  swap.receive(1 - me(), {.offset = 1});
  Exchange exchange(swap, field(x.data(), x.size()), GetParam());
  MPI_Request request = MPI_REQUEST_NULL;
  if (me() == 1) MPI_Irecv(nullptr, 0, MPI_BYTE, 0, 0, world(), &request);
  exchange.start();
  if (me() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until the other one waits
    MPI_Ssend(nullptr, 0, MPI_BYTE, 1, 0, world());
  }
  exchange.finish();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(x[1], 2.0 - me());
}

INSTANTIATE_TEST_SUITE_P(
    Schemes, Meanwhile,
    testing::ValuesIn(without_broken({"p2p:nonblocking", "rma:put:fence", "rma:put:pscw",
                                      "rma:get:pscw", "rma:put:flush", "shm:message", "shm:pscw"})),
    name_of_scheme);

}  // namespace
