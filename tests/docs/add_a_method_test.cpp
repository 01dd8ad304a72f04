// The method of docs/how-to/add-a-method.md, as it stands there in tests/consumer/p2p_probed.cpp:
// registered by the program itself.

#include "common/complaint.hpp"

#include <halocline/exchange.hpp>
#include <halocline/more/async_method.hpp>
#include <halocline/more/method.hpp>
#include <halocline/more/model.hpp>

#include <gtest/gtest.h>

extern "C" void halocline_methods();

namespace halocline {

namespace {

const bool registered = (halocline_methods(), true);

std::string error_of(methods::MethodFacts facts) {
  return complaint([&] { register_method(std::move(facts)); });
}

TEST(AddAMethod, ExchangesARing) {
  EXPECT_TRUE(registered);
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  if (ranks < 2) return;
  Pattern ring;
  ring.send((me + 1) % ranks, {.offset = 0, .count = {1, 1, 3}});
  ring.receive((me + ranks - 1) % ranks, {.offset = 3, .count = {1, 1, 3}});
  std::vector<double> cells(6);
  Exchange exchange(world(), ring, {field(cells.data(), cells.size())}, "p2p:probed");
  EXPECT_EQ(exchange.scheme().str(), "p2p:probed");
  for (int step = 0; step < 3; ++step) {
    for (std::size_t i = 0; i < 3; ++i)
      cells[i] = 100.0 * step + 10.0 * me + static_cast<double>(i);
    exchange.start();
    exchange.finish();
    EXPECT_EQ(cells[5], 100.0 * step + 10.0 * ((me + ranks - 1) % ranks) + 2);
  }
}

TEST(AddAMethod, HasADescription) {
  const model::Links links{.ranks = 2, .sends = {{.peer = 1, .bytes = 8}}};
  EXPECT_EQ(model::describe("p2p:probed", links).start.size(), 2U);
}

TEST(AddAMethod, NamesThatAreTakenOrNoneAreRefused) {
  const auto named = [](const char* name) {
    return error_of({.name = name, .summary = "", .options = {}, .make = nullptr});
  };
  EXPECT_EQ(named("P2P:mine"),
            "method 'P2P:mine': its name must be words of a-z, 0-9 and _ with ':' between them");
  EXPECT_EQ(named("p2p:"),
            "method 'p2p:': its name must be words of a-z, 0-9 and _ with ':' between them");
  EXPECT_EQ(named("p2p:mine"), "method 'p2p:mine': nothing makes it");
}

TEST(AddAMethod, WhoIsLateIsRefused) {
  EXPECT_NE(error_of({.name = "p2p:late",
                      .summary = "",
                      .options = {},
                      .make = [](methods::Setup) { return std::unique_ptr<methods::Method>(); }})
                .find("schemes have been read already"),
            std::string::npos);
}

TEST(AddAMethod, AnAsynchronousOneHasTheNameOfAMethodAndIsRefusedAlike) {
  known_schemes();
  methods::AsyncMethodFacts facts{
      .name = "p2p:mine", .summary = "", .options = {}, .make = nullptr};
  const auto refused = [&] { return complaint([&] { register_async_method(facts); }); };
  EXPECT_EQ(refused(),
            "asynchronous method 'p2p:mine': there is no method of this name that is not "
            "asynchronous; register that one first, since it has the options");
  facts.name = "p2p:probed";
  EXPECT_EQ(refused(), "asynchronous method 'p2p:probed': nothing makes it");
  facts.make = [](methods::Setup, const AsyncOptions&) {
    return std::unique_ptr<methods::AsyncMethod>();
  };
  EXPECT_NE(refused().find("schemes have been read already"), std::string::npos);
}

}  // namespace

}  // namespace halocline
