// What is refused to a part of an exchange's ranks alone: those of a neighbourhood, of an island,
// or one of them. All ranks throw the same, nobody waits, what has been made by then is gone, and
// the same can be made when nothing is refused any more.

#include "common/complaint.hpp"
#include "common/ranks.hpp"

#include <halocline/exchange.hpp>
#include <halocline/memory.hpp>
#include <halocline/more/async_exchange.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/reduction.hpp>
#include <halocline/more/replicated.hpp>

#include <gtest/gtest.h>
#include <mpi_calls/calls.hpp>

#include <functional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

using namespace halocline;

namespace {

/// What MPI refuses: a call that all these ranks of the world make, and no others, to some of them.
struct Refused {
  std::string call;
  std::set<int> members, to;
  int after = 0;  ///< so many others like it
};
Refused refused;
/// What has been made by a call that was refused to others: the test's to end.
std::vector<MPI_Win> windows_left;
std::vector<MPI_Comm> communicators_left;
int living = 0;  ///< communicators and windows that the library has

std::set<int> members_of(MPI_Group group) {
  MPI_Group all = MPI_GROUP_NULL;
  int size = 0;
  PMPI_Comm_group(MPI_COMM_WORLD, &all);
  PMPI_Group_size(group, &size);
  std::vector<int> mine(static_cast<std::size_t>(size)), there(mine.size());
  for (int i = 0; i < size; ++i) mine[static_cast<std::size_t>(i)] = i;
  PMPI_Group_translate_ranks(group, size, mine.data(), all, there.data());
  PMPI_Group_free(&all);
  return {there.begin(), there.end()};
}
std::set<int> ranks_of(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  std::set<int> members = members_of(group);
  PMPI_Group_free(&group);
  return members;
}

/// Carries out a call of these ranks, unless it is refused to all of them. Of one that is refused
/// to some the others have what it makes.
template <class Made, class Call>
int make(const char* name, const std::set<int>& members, Made* made, Made none,
         std::vector<Made>& left, Call&& call) {
  const bool planned = refused.call == name && refused.members == members && refused.after-- == 0;
  if (planned && refused.to == members) return MPI_ERR_OTHER;
  const int result = call();
  if (result != MPI_SUCCESS || *made == none) return result;
  if (planned) left.push_back(*made);
  if (planned && refused.to.contains(me())) {
    *made = none;
    return MPI_ERR_OTHER;
  }
  ++living;
  return result;
}

}  // namespace

// Calls of the library come here first (MPI's profiling interface).
#define MAKES(name, members, made, none, left)                                          \
  int WRAPPED(name) {                                                                   \
    return make("MPI_" #name, members, made, none, left, [&] { return NATIVE(name); }); \
  }
#define COMMUNICATOR(name, members) MAKES(name, members, newcomm, MPI_COMM_NULL, communicators_left)
#define WINDOW(name) MAKES(name, ranks_of(comm), win, MPI_WIN_NULL, windows_left)

COMMUNICATOR(Comm_dup, ranks_of(comm))
COMMUNICATOR(Comm_split, ranks_of(comm))
COMMUNICATOR(Comm_split_type, ranks_of(comm))
COMMUNICATOR(Comm_create_group, members_of(group))
BEFORE(Comm_free, --living)
WINDOW(Win_allocate)
WINDOW(Win_allocate_shared)
WINDOW(Win_create)
WINDOW(Win_create_dynamic)
BEFORE(Win_attach,
       if (refused.call == "MPI_Win_attach" && refused.to.contains(me())) return MPI_ERR_OTHER)
BEFORE(Win_free, --living)

namespace {

constexpr std::size_t cells = 100;

/// From each rank to the next, and not back: with puts and gets the neighbourhoods are two ranks
/// each.
void run_chain(MPI_Comm comm, const std::string& scheme) {
  Pattern chain;
  if (me() + 1 < ranks()) chain.send(me() + 1, {.offset = 0, .count = {1, 1, cells}});
  if (me() > 0) chain.receive(me() - 1, {.offset = cells, .count = {1, 1, cells}});
  std::vector<double> x(2 * cells, 10.0 + me());
  Exchange exchange(comm, chain, {field(x.data(), x.size())}, scheme);
  exchange.run();
  EXPECT_EQ(x.back(), me() > 0 ? 9.0 + me() : 10.0);
}

void run_asynchronous(MPI_Comm comm, const std::string& scheme) {
  Pattern chain;
  if (me() + 1 < ranks()) chain.send(me() + 1, {.offset = 0, .count = {1, 1, cells}});
  if (me() > 0) chain.receive(me() - 1, {.offset = cells, .count = {1, 1, cells}});
  AsyncExchange(comm, chain, sizeof(double), scheme);
}

struct Case {
  std::string who;  ///< begins what is said
  Refused refused;
  std::function<void(MPI_Comm)> make;
};
std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.who << " without " << one.refused.call;
}

Case chain(const std::string& scheme, const Refused& refused) {
  return {Scheme(scheme).str(), refused, [=](MPI_Comm comm) { run_chain(comm, scheme); }};
}

const std::set<int> all{0, 1, 2, 3}, last_two{2, 3}, last{3};

std::vector<Case> cases_of_neighbourhoods() {
  std::vector<Case> cases;
  const std::string fence = "rma:put:fence+group=neighbors";
  for (const std::set<int>& to : {last_two, last}) {
    for (const char* call : {"MPI_Comm_create_group", "MPI_Comm_dup", "MPI_Win_allocate"})
      cases.push_back(chain(fence, {call, last_two, to}));
    cases.push_back(chain(fence + "+alloc=create", {"MPI_Win_create", last_two, to}));
    cases.push_back(chain(fence + "+alloc=shared", {"MPI_Win_allocate_shared", last_two, to}));
    cases.push_back(chain("rma:get:fence+group=neighbors+alloc=dynamic+pack=off",
                          {"MPI_Win_create_dynamic", last_two, to}));
  }
  cases.push_back(chain(fence + "+alloc=dynamic", {"MPI_Win_attach", last_two, last}));
  return cases;
}

std::vector<Case> cases_of_all_ranks() {
  return {
      chain("rma:put:fence+windows=per-link", {"MPI_Win_allocate", all, last}),
      chain("rma:put:pscw+alloc=dynamic", {"MPI_Win_attach", all, last}),
      // Its windows are there when the words are refused.
      {"words that ranks share",
       {"MPI_Win_allocate", all, last, 1},
       [](MPI_Comm comm) { run_chain(comm, "rma:put:flush+notify=flag"); }},
      {"words that ranks share",
       {"MPI_Win_allocate", all, all, 1},
       [](MPI_Comm comm) { run_asynchronous(comm, "rma:put:flush"); }},
      {"reduction accumulate",
       {"MPI_Win_allocate", all, last},
       [](MPI_Comm comm) { make_max_reduction(comm, ReductionKind::accumulate, 2); }},
  };
}

std::vector<Case> cases_of_islands() {
  const std::string shared = "memory of kind shared";
  std::vector<Case> cases;
  for (const std::set<int>& to : {last_two, last}) {
    for (const char* call : {"MPI_Comm_dup", "MPI_Win_allocate_shared"})
      cases.push_back({shared, {call, last_two, to}, [](MPI_Comm comm) {
                         const Memory one(comm, 1000, MemoryKind::shared, IslandSpec{"2"});
                         EXPECT_EQ(one.kind(), MemoryKind::shared);
                       }});
    cases.push_back({shared, {"MPI_Win_allocate_shared", last_two, to, 1}, [](MPI_Comm comm) {
                       const Replicated<double> one(comm, 1000, {.island = IslandSpec{"2"}});
                       EXPECT_TRUE(one.shared());
                     }});
    // The first window is that of the messages.
    for (const char* scheme : {"shm:fence+island=2", "shm:pscw+island=2"})
      cases.push_back(chain(scheme, {"MPI_Win_allocate_shared", last_two, to, 1}));
    cases.push_back(chain("shm:fence+island=2", {"MPI_Comm_split", last_two, to}));
    // The windows of the links between islands are there already.
    cases.push_back({shared, {"MPI_Win_allocate_shared", last_two, to}, [](MPI_Comm comm) {
                       run_chain(comm, "shm:signal+island=2+outer=rma:put:fence");
                     }});
    cases.push_back({shared, {"MPI_Comm_dup", last_two, to}, [](MPI_Comm comm) {
                       run_asynchronous(comm, "shm:signal+island=2");
                     }});
  }
  cases.push_back({"islands", {"MPI_Comm_split", all, last}, [](MPI_Comm comm) {
                     run_chain(comm, "shm:signal+island=2");
                   }});
  return cases;
}

/// Each rank frees its own of what the others have been refused, too.
void end_those_left() {
  for (MPI_Win& window : windows_left) PMPI_Win_free(&window);
  for (MPI_Comm& comm : communicators_left)
    if (refused.to.contains(me())) PMPI_Comm_free(&comm);
  windows_left.clear();
  communicators_left.clear();
}

}  // namespace

class Refusal : public testing::TestWithParam<Case> {};

TEST_P(Refusal, IsOfAllRanks) {
  if (ranks() != 4) GTEST_SKIP() << "of 4 ranks";
  const Case& one = GetParam();
  const int before = living;
  {
    const mpi::Comm comm = mpi::Comm::duplicate(world());
    refused = one.refused;
    const std::string said = complaint([&] { one.make(comm); });
    refused.call.clear();
    EXPECT_EQ(mpi::from_root(world(), said), said);
    EXPECT_TRUE(said.starts_with(one.who)) << said;
    EXPECT_NE(said.find(one.refused.call), said.npos) << said;
    living -= static_cast<int>(refused.to.contains(me()) ? 0 : windows_left.size());
    end_those_left();
    one.make(comm);
  }
  EXPECT_EQ(living, before);
}

INSTANTIATE_TEST_SUITE_P(Neighbourhoods, Refusal, testing::ValuesIn(cases_of_neighbourhoods()));
INSTANTIATE_TEST_SUITE_P(AllRanks, Refusal, testing::ValuesIn(cases_of_all_ranks()));
INSTANTIATE_TEST_SUITE_P(Islands, Refusal, testing::ValuesIn(cases_of_islands()));
