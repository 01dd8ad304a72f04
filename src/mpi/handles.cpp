#include <halocline/more/mpi.hpp>

#include "collectives.hpp"
#include "made_together.hpp"
#include "refusal.hpp"

#include <pthread.h>
#include <atomic>
#include <climits>
#include <cstdint>
#include <exception>
#include <memory>
#include <sstream>
#include <utility>

namespace halocline::mpi {

namespace {

std::string error_text(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) return "error " + std::to_string(code);
  return std::string(text, static_cast<std::size_t>(length));
}

}  // namespace

CallFailed::CallFailed(const char* call, int code)
    : Error(std::string(call) + ": " + error_text(code)), code_(code) {}

namespace {

enum class World { not_begun, there, ended, parents };

/// This process was forked off one in which MPI ran.
std::atomic<bool> forked_off{false};
[[maybe_unused]] const int watching_forks =
    pthread_atfork(nullptr, nullptr, [] { forked_off = running(); });

World world_now() noexcept {
  if (forked_off.load(std::memory_order_relaxed)) return World::parents;
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return ended != 0 ? World::ended : begun != 0 ? World::there : World::not_begun;
}

/// Objects have been made on a communicator of a session, in a program without a world.
std::atomic<bool> by_session{false};

thread_local int abandoned = 0;

/// How many ranks make something (Making), the innermost; null if none do.
thread_local const int* making = nullptr;
/// How many throw the same, while that is on its way.
thread_local std::weak_ptr<const int> refusing;

class Refused : public Error {
 public:
  Refused(const std::string& what, std::shared_ptr<const int> ranks)
      : Error(what), ranks_(std::move(ranks)) {}

 private:
  std::shared_ptr<const int> ranks_;
};

/// Whether the exception on its way is one that all ranks throw which have made what ends by it.
bool refused_by_all() noexcept {
  if (making == nullptr) return false;
  const auto ranks = refusing.lock();
  return ranks && *ranks == *making;
}

}  // namespace

bool detail::world_is_there() noexcept {
  return world_now() == World::there;
}

bool running() noexcept {
  const World world = world_now();
  return world == World::there ||
         (world == World::not_begun && by_session.load(std::memory_order_relaxed));
}

bool abandoning() noexcept {
  const int exceptions = std::uncaught_exceptions();
  return exceptions > 1 || (exceptions == 1 && !refused_by_all()) || abandoned > 0 || !running();
}

bool within_abandoning() noexcept {
  return abandoned > 0;
}

Making::Making(MPI_Comm comm) : ranks_(size(comm)), outer_(std::exchange(making, &ranks_)) {}
Making::~Making() {
  making = outer_;
}

void refuse(MPI_Comm comm, const std::string& complaint) {
  const auto ranks = std::make_shared<const int>(size(comm));
  refusing = ranks;
  throw Refused(complaint, ranks);
}

Abandoning::Abandoning(bool really) noexcept : really_(really) {
  if (really_) ++abandoned;
}
Abandoning::~Abandoning() {
  if (really_) --abandoned;
}

Info::Info(std::initializer_list<std::pair<const char*, const char*>> hints) {
  HALOCLINE_MPI(MPI_Info_create, address());
  for (const auto& [key, value] : hints) HALOCLINE_MPI(MPI_Info_set, get(), key, value);
}

void expect_ranks(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL)
    throw Error(
        "MPI_COMM_NULL has no ranks that could meet: this rank is in no communicator here; leave "
        "it out, or pass one that it belongs to");
  const World world = world_now();
  if (world == World::ended)
    throw Error("MPI has ended; nothing can be made of its ranks any more");
  if (world == World::parents)
    throw Error(
        "this process was forked off one in which MPI runs, and is no rank: what ranks do together "
        "is its parent's; do here what needs no MPI");
  if (world == World::not_begun) {
    if (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF)
      throw Error(
          "MPI has not begun: call MPI_Init or make a halocline::Environment first; where there "
          "are "
          "only sessions, pass a communicator made from one");
    by_session = true;
  }
  int inter = 0;
  try {
    HALOCLINE_MPI(MPI_Comm_test_inter, comm, &inter);
  } catch (const CallFailed&) {
    throw Error(
        "this communicator is none that MPI knows: it has been freed, or is no handle of one; pass "
        "one that is in use");
  }
  if (inter != 0)
    throw Error(
        "an intercommunicator has two groups of ranks, which do not meet as those of one do; merge "
        "it first (MPI_Intercomm_merge)");
}

int rank(MPI_Comm comm) {
  expect_ranks(comm);
  int value = 0;
  HALOCLINE_MPI(MPI_Comm_rank, comm, &value);
  return value;
}

int size(MPI_Comm comm) {
  expect_ranks(comm);
  int value = 0;
  HALOCLINE_MPI(MPI_Comm_size, comm, &value);
  return value;
}

Group group(MPI_Comm comm) {
  expect_ranks(comm);
  Group all;
  HALOCLINE_MPI(MPI_Comm_group, comm, all.address());
  return all;
}

Group subgroup(MPI_Comm comm, std::span<const int> ranks) {
  const Group all = group(comm);
  Group some;
  HALOCLINE_MPI(MPI_Group_incl, all, static_cast<int>(ranks.size()), ranks.data(), some.address());
  // MPI_GROUP_EMPTY is predefined: it must not be freed.
  if (some.get() == MPI_GROUP_EMPTY) *some.address() = MPI_GROUP_NULL;
  return some;
}

std::vector<int> translate(MPI_Comm from, std::span<const int> ranks, MPI_Comm to) {
  std::vector<int> result(ranks.size(), MPI_UNDEFINED);
  if (ranks.empty()) return result;
  const Group source = group(from);
  const Group target = group(to);
  HALOCLINE_MPI(MPI_Group_translate_ranks, source, static_cast<int>(ranks.size()), ranks.data(),
                target, result.data());
  return result;
}

Bytes::Bytes(std::size_t number, MPI_Datatype of) : of_(of) {
  if (number <= INT_MAX) {
    count_ = static_cast<int>(number);
    return;
  }
  // One element that is `chunks` chunks of 2^30 and a rest.
  constexpr std::size_t chunk = std::size_t{1} << 30;
  const auto chunks = static_cast<int>(number / chunk);
  const auto rest = static_cast<int>(number % chunk);
  int size = 0;
  HALOCLINE_MPI(MPI_Type_size, of, &size);
  Datatype chunk_type, chunks_type;
  HALOCLINE_MPI(MPI_Type_contiguous, static_cast<int>(chunk), of, chunk_type.address());
  HALOCLINE_MPI(MPI_Type_contiguous, chunks, chunk_type, chunks_type.address());
  const int lengths[] = {1, rest};
  const MPI_Aint offsets[] = {0, static_cast<MPI_Aint>(number - number % chunk) * size};
  const MPI_Datatype types[] = {chunks_type, of};
  HALOCLINE_MPI(MPI_Type_create_struct, 2, lengths, offsets, types, large_.address());
  HALOCLINE_MPI(MPI_Type_commit, large_.address());
  count_ = 1;
}

bool all_of(MPI_Comm comm, bool mine) {
  return reduced(comm, mine ? 1 : 0, MPI_LAND) != 0;
}

void agree(MPI_Comm comm, const std::string& complaint) {
  agree(comm, complaint, {});
}

namespace {
/// The complaint of the lowest rank that has one; `values` become their minima over the ranks. As
/// the ranks have met, they end what all of them have let go of.
std::string complaint_of_all(MPI_Comm comm, const std::string& complaint,
                             std::vector<std::int64_t>& values) {
  comm = talks_on(comm);
  const std::shared_ptr<MadeTogether> made = made_on(comm);
  values.push_back(complaint.empty() ? INT_MAX : rank(comm));
  values.push_back(made ? made->let_go_of() : 0);
  values = reduced(comm, std::move(values), MPI_MIN);
  const bool any_let_go_of = values.back() > 0;
  values.pop_back();
  const auto speaker = static_cast<int>(values.back());
  values.pop_back();
  if (any_let_go_of) made->end();
  if (speaker == INT_MAX) return {};
  std::vector<char> text(complaint.begin(), complaint.end());
  text.resize(from_rank(comm, speaker, std::uint64_t{text.size()}));
  text = from_rank(comm, speaker, std::move(text));
  return std::string(text.begin(), text.end());
}
}  // namespace

std::string complaint_of_all(MPI_Comm comm, const std::string& mine) {
  std::vector<std::int64_t> none;
  return complaint_of_all(comm, mine, none);
}

std::vector<std::int64_t> agree(MPI_Comm comm, const std::string& complaint,
                                std::vector<std::int64_t> values) {
  const std::string said = complaint_of_all(comm, complaint, values);
  if (!said.empty()) refuse(comm, said);
  return values;
}

std::string from_root(MPI_Comm comm, std::string text) {
  text.resize(from_rank(comm, 0, std::uint64_t{text.size()}));
  return talk("a broadcast, to which all ranks have to come", comm, std::move(text),
              [](std::string& all, MPI_Comm own, MPI_Request* request) {
                const Bytes bytes(all.size());
                HALOCLINE_MPI(MPI_Ibcast, all.data(), bytes.count(), bytes.type(), 0, own, request);
              });
}

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  HALOCLINE_MPI(MPI_Get_library_version, text, &length);
  std::istringstream lines(std::string(text, static_cast<std::size_t>(length)));
  std::string line;
  std::getline(lines, line, '\n');
  while (!line.empty() && (line.back() == '\0' || line.back() == ' ' || line.back() == '\r'))
    line.pop_back();
  for (char& c : line)
    if (c == '\t') c = ' ';
  return line;
}

std::string standard_version() {
  int version = 0, subversion = 0;
  HALOCLINE_MPI(MPI_Get_version, &version, &subversion);
  return std::to_string(version) + "." + std::to_string(subversion);
}

}  // namespace halocline::mpi
