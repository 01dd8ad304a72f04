// The method of docs/how-to/add-a-method.md, as it stands there in p2p_probed.cpp: beside the
// registry, which does not know it.

#include "exchange/core/methods.hpp"

#include <gtest/gtest.h>

namespace halocline::detail {

MethodFacts p2p_probed();

namespace {

TEST(AddAMethod, ExchangesARing) {
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  if (ranks < 2) return;
  Pattern ring;
  ring.send((me + 1) % ranks, {.offset = 0, .count = {1, 1, 3}});
  ring.receive((me + ranks - 1) % ranks, {.offset = 3, .count = {1, 1, 3}});
  std::vector<double> cells(6);
  // What the parser makes of a scheme that it knows: `pack` is the only option of both.
  const std::unique_ptr<Method> method = p2p_probed().make(
      {Channel::on(world()), ring, {field(cells.data(), cells.size())}, Scheme("p2p:persistent")});
  for (int step = 0; step < 3; ++step) {
    for (std::size_t i = 0; i < 3; ++i)
      cells[i] = 100.0 * step + 10.0 * me + static_cast<double>(i);
    method->start();
    method->finish();
    EXPECT_EQ(cells[5], 100.0 * step + 10.0 * ((me + ranks - 1) % ranks) + 2);
  }
}

}  // namespace

}  // namespace halocline::detail
