// Schemes: one string names a method and its options; what does not fit says what would.

#include "common/complaint.hpp"

#include <halocline/more/mpi.hpp>
#include <halocline/scheme.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace halocline;

namespace {

/// What the parser says to `text`; empty if it accepts it.
std::string refusal(const std::string& text) {
  return complaint([&] { const Scheme scheme(text); });
}

// ---- what there is -------------------------------------------------------------------------

TEST(KnownSchemes, AreThoseOfTheDocumentation) {
  const std::vector<std::string> expected{
      "p2p:sendrecv",         "p2p:nonblocking",     "p2p:persistent",
      "p2p:partitioned",      "neighbor:blocking",   "neighbor:nonblocking",
      "neighbor:persistent",  "rma:put:fence",       "rma:put:pscw",
      "rma:put:lock",         "rma:put:flush",       "rma:get:fence",
      "rma:get:pscw",         "rma:get:lock",        "rma:get:flush",
      "rma:accumulate:fence", "rma:accumulate:pscw", "rma:accumulate:lock",
      "rma:accumulate:flush", "shm:fence",           "shm:pscw",
      "shm:message",          "shm:signal",          "shmem"};
  std::set<std::string> known;
  for (const SchemeFacts& facts : known_schemes()) known.insert(facts.scheme);
  for (const std::string& scheme : expected) EXPECT_TRUE(known.count(scheme)) << scheme;
}

TEST(KnownSchemes, HaveASummaryAndAreAcceptedIfAvailable) {
  for (const SchemeFacts& facts : known_schemes()) {
    EXPECT_FALSE(facts.summary.empty()) << facts.scheme;
    EXPECT_EQ(facts.summary.find('\n'), std::string::npos) << facts.scheme;
    if (facts.unavailable.empty()) {
      EXPECT_EQ(refusal(facts.scheme), "");
    } else {
      EXPECT_EQ(refusal(facts.scheme), facts.scheme + ": " + facts.unavailable);
    }
  }
}

TEST(KnownSchemes, SayWhatThisMpiLacks) {
  for (const SchemeFacts& facts : known_schemes())
    if (!facts.unavailable.empty()) {
      EXPECT_EQ(facts.unavailable.rfind("this MPI (", 0), 0u) << facts.unavailable;
      const char* what = facts.scheme == "shmem" ? "has no OpenSHMEM" : "has no MPI_";
      EXPECT_NE(facts.unavailable.find(what), std::string::npos) << facts.unavailable;
    }
}

// ---- canonical form ------------------------------------------------------------------------

TEST(Scheme, EveryCombinationIsItsOwnCanonicalForm) {
  const auto all = scheme_combinations();
  EXPECT_GT(all.size(), 200u);
  for (const std::string& text : all) {
    EXPECT_EQ(Scheme(text).str(), text);
    EXPECT_EQ(Scheme(Scheme(text).str()), Scheme(text));
  }
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size()) << "no name twice";
}

TEST(Scheme, LeavesDefaultsOut) {
  EXPECT_EQ(Scheme("p2p:nonblocking+mode=standard+pack=on").str(), "p2p:nonblocking");
  EXPECT_EQ(Scheme("p2p:nonblocking+pack=off").str(), "p2p:nonblocking+pack=off");
}

TEST(Scheme, PutsOptionsInTheMethodsOrder) {
  EXPECT_EQ(Scheme("p2p:nonblocking+pack=off+mode=synchronous").str(),
            "p2p:nonblocking+mode=synchronous+pack=off");
  EXPECT_EQ(Scheme("p2p:nonblocking+pack=off+mode=synchronous"),
            Scheme("p2p:nonblocking+mode=synchronous+pack=off"));
}

TEST(Scheme, TakesAnotherValueOfAnOption) {
  const Scheme scheme("shm:signal+access=direct+outer=p2p:persistent+pack=off");
  EXPECT_EQ(scheme.with("device", "staged").str(),
            "shm:signal+access=direct+device=staged+outer=p2p:persistent+pack=off");
  EXPECT_EQ(scheme.with("device", "staged").without("device"), scheme);
  EXPECT_EQ(scheme.without("access").str(), "shm:signal+outer=p2p:persistent+pack=off");
  EXPECT_EQ(scheme.without("corners"), scheme);
  EXPECT_THROW(scheme.with("access", "any"), Error);
  EXPECT_THROW(scheme.with("pack", "off"), Error);
  EXPECT_THROW(scheme.without("pack"), Error);
}

TEST(Scheme, GivesItsPartsAndOptions) {
  const Scheme scheme("rma:get:fence+group=neighbors");
  EXPECT_EQ(scheme.method(), "rma:get:fence");
  EXPECT_EQ(scheme.part(0), "rma");
  EXPECT_EQ(scheme.part(1), "get");
  EXPECT_EQ(scheme.part(2), "fence");
  EXPECT_EQ(scheme.part(3), "");
  EXPECT_EQ(scheme.option("group"), "neighbors");
  EXPECT_TRUE(scheme.is("pack", "on"));
  EXPECT_THROW(scheme.option("colour"), Error);
}

TEST(Scheme, OuterTakesTheRestOfTheText) {
  const Scheme scheme("shm:signal+island=2+outer=rma:put:flush+notify=counter");
  EXPECT_EQ(scheme.option("island"), "2");
  EXPECT_EQ(Scheme(scheme.option("outer")), Scheme("rma:put:flush+notify=counter"));
  EXPECT_EQ(Scheme(scheme.str()), scheme);
}

TEST(Scheme, SpellsAllOptionsOut) {
  const Scheme flush("rma:put:flush+notify=flag");
  EXPECT_NE(flush.full().find("+alloc=allocate"), std::string::npos) << flush.full();
  EXPECT_EQ(Scheme(flush.full()), flush);
  EXPECT_TRUE(flush.matches("rma:put:flush*"));
  EXPECT_TRUE(flush.matches("*+alloc=allocate*"));
  EXPECT_FALSE(Scheme("rma:put:flush+alloc=create").matches("*+alloc=allocate*"));
  EXPECT_TRUE(Scheme("shm:signal+outer=rma:put:fence").matches("*+alloc=allocate*"));
  for (const std::string& text : scheme_combinations())
    EXPECT_EQ(Scheme(Scheme(text).full()).str(), text);
}

TEST(Scheme, TellsWhichMemoryItNeeds) {
  EXPECT_EQ(Scheme("p2p:nonblocking").memory(), MemoryKind::plain);
  EXPECT_EQ(Scheme("rma:put:fence+alloc=allocate+pack=off").memory(), MemoryKind::window);
  EXPECT_EQ(Scheme("rma:put:fence+alloc=shared+pack=off").memory(), MemoryKind::shared);
  EXPECT_EQ(Scheme("rma:put:fence+alloc=create+pack=off").memory(), MemoryKind::plain);
  EXPECT_EQ(Scheme("shm:signal").memory(), MemoryKind::plain);
  for (const char* reads_fields : {"shm:signal+access=copy", "shm:fence+access=direct"})
    EXPECT_EQ(Scheme(reads_fields).memory(), MemoryKind::shared) << reads_fields;
}

// ---- what does not fit ---------------------------------------------------------------------

struct Misfit {
  const char *scheme, *message;
};

class Refused : public testing::TestWithParam<Misfit> {};

TEST_P(Refused, SayingWhatWouldFit) {
  EXPECT_EQ(refusal(GetParam().scheme), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, Refused,
    testing::Values(
        Misfit{"", "the scheme is empty; for example p2p:nonblocking"},
        Misfit{"mpi:send",
               "mpi:send: a scheme begins with one of p2p, neighbor, rma, shm, shmem, auto"},
        Misfit{"p2p",
               "p2p: after 'p2p:' must come one of sendrecv, nonblocking, persistent, partitioned"},
        Misfit{"p2p:async",
               "p2p:async: after 'p2p:' must come one of sendrecv, nonblocking, persistent, "
               "partitioned"},
        Misfit{"neighbor:alltoall",
               "neighbor:alltoall: after 'neighbor:' must come one of blocking, nonblocking, "
               "persistent"},
        Misfit{"rma:fence", "rma:fence: after 'rma:' must come one of put, get, accumulate"},
        Misfit{"rma:put", "rma:put: after 'rma:put:' must come one of fence, pscw, lock, flush"},
        Misfit{"rma:put:fences",
               "rma:put:fences: after 'rma:put:' must come one of fence, pscw, lock, flush"},
        Misfit{"shm:flag",
               "shm:flag: after 'shm:' must come one of fence, pscw, message, signal"}));

INSTANTIATE_TEST_SUITE_P(
    Options, Refused,
    testing::Values(
        Misfit{"p2p:nonblocking+mode",
               "p2p:nonblocking+mode: option 'mode' must be written +option=value"},
        Misfit{"p2p:nonblocking+mode=fast",
               "p2p:nonblocking+mode=fast: mode=fast: must be one of standard, synchronous"},
        Misfit{
            "p2p:nonblocking+colour=red",
            "p2p:nonblocking+colour=red: no option 'colour'; there are mode, pack, corners, heads, "
            "device"},
        Misfit{"p2p:nonblocking+heads=0",
               "p2p:nonblocking+heads=0: island '0': must be node, numa or a number of ranks >= 1"},
        Misfit{"p2p:nonblocking+pack=on+pack=off",
               "p2p:nonblocking+pack=on+pack=off: option 'pack' is given twice"},
        Misfit{"shm:signal+island=0",
               "shm:signal+island=0: island '0': must be node, numa or a number of ranks >= 1"},
        Misfit{"shm:signal+outer=p2p:fast",
               "shm:signal+outer=p2p:fast: p2p:fast: after 'p2p:' must come one of sendrecv, "
               "nonblocking, "
               "persistent, partitioned"}));

INSTANTIATE_TEST_SUITE_P(
    Combinations, Refused,
    testing::Values(
        Misfit{"rma:put:fence+notify=flag",
               "rma:put:fence+notify=flag: fence already notifies the target; drop notify"},
        Misfit{"rma:get:fence+notify=message",
               "rma:get:fence+notify=message: fence already notifies the target; drop notify"},
        Misfit{"rma:put:pscw+notify=flag",
               "rma:put:pscw+notify=flag: complete already notifies the target; drop notify"},
        Misfit{"rma:accumulate:lock+pack=off",
               "rma:accumulate:lock+pack=off: it works on the fields where they lie; drop pack"},
        Misfit{"rma:accumulate:fence+group=neighbors+alloc=shared",
               "rma:accumulate:fence+group=neighbors+alloc=shared: a field's own window spans all "
               "ranks; use alloc=create, or group=all"},
        Misfit{"rma:put:pscw+group=neighbors",
               "rma:put:pscw+group=neighbors: post and start name neighbours only already; drop "
               "group"}));

}  // namespace
