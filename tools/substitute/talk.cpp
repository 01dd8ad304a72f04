#include "talk.hpp"

#include "carrier.hpp"
#include "settings.hpp"

#include <halocline/more/mpi.hpp>
#include <halocline/more/waiting.hpp>

#include <mutex>

namespace substitute {

namespace {

/// The tag with which a communicator is made of a group; no second one is needed.
constexpr int group_tag = 20561;
/// Communicators and windows are few.
constexpr std::size_t most_kept = 64;

std::mutex keeping;
std::vector<std::shared_ptr<Carrier>>& carriers() {
  static auto* const all = new std::vector<std::shared_ptr<Carrier>>;
  return *all;
}
std::vector<std::shared_ptr<Talk>>& talks() {
  static auto* const all = new std::vector<std::shared_ptr<Talk>>;
  return *all;
}

/// Where ranks have to share cores, a blocking one may keep the core that another rank needs.
void reduce(MPI_Comm comm, std::uint64_t* values, int count, MPI_Op op) {
  if (!halocline::Patience::yields()) {
    HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, values, count, MPI_UINT64_T, op, comm);
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, values, count, MPI_UINT64_T, op, comm, &request);
  halocline::wait_one("the substitute's agreement", request);
}

std::shared_ptr<Talk> kept(std::shared_ptr<Talk> talk) {
  const std::lock_guard lock(keeping);
  talks().push_back(talk);
  return talk;
}

}  // namespace

Talk::Talk(MPI_Comm comm) : comm_(comm) {
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &size_);
}

/// Not a duplicate: that would call what the program has attached to its communicator.
std::shared_ptr<Talk> Talk::among(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_group, comm, &group);
  HALOCLINE_MPI(MPI_Comm_create, comm, group, &made);
  MPI_Group_free(&group);
  return kept(std::shared_ptr<Talk>(new Talk(made)));
}

std::shared_ptr<Talk> Talk::among_group(MPI_Group group) {
  MPI_Comm made = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_create_group, MPI_COMM_WORLD, group, group_tag, &made);
  return kept(std::shared_ptr<Talk>(new Talk(made)));
}

std::uint64_t Talk::largest(std::uint64_t mine) const {
  reduce(comm_, &mine, 1, MPI_MAX);
  return mine;
}

void Talk::largest(std::vector<std::uint64_t>& values) const {
  reduce(comm_, values.data(), static_cast<int>(values.size()), MPI_MAX);
}

void Talk::end() {
  const std::lock_guard lock(keeping);
  std::erase_if(talks(), [this](const auto& one) { return one.get() == this; });
  MPI_Comm_free(&comm_);
}

std::uint64_t common_periods(MPI_Comm comm, std::uint64_t mine) {
  const std::uint64_t settings = Settings::get().hash();
  std::uint64_t words[] = {mine, settings, ~settings};
  reduce(comm, words, 3, MPI_BAND);
  return words[1] == settings && words[2] == ~settings ? words[0] : 0;
}

bool is_of_world(MPI_Group group) {
  int size = 0;
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group_size(group, &size);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  std::vector<int> ranks(static_cast<std::size_t>(size)), there(ranks.size());
  for (int i = 0; i < size; ++i) ranks[static_cast<std::size_t>(i)] = i;
  MPI_Group_translate_ranks(group, size, ranks.data(), world, there.data());
  MPI_Group_free(&world);
  for (const int rank : there)
    if (rank == MPI_UNDEFINED) return false;
  return true;
}

bool can_keep_more() {
  const std::lock_guard lock(keeping);
  return carriers().size() < most_kept;
}

void keep(std::shared_ptr<Carrier> carrier) {
  const std::lock_guard lock(keeping);
  carriers().push_back(std::move(carrier));
}

void end_all() {
  const std::lock_guard lock(keeping);
  for (auto& carrier : carriers()) carrier->end();
  for (auto& talk : talks()) {
    MPI_Comm comm = talk->comm();
    MPI_Comm_free(&comm);
  }
  carriers().clear();
  talks().clear();
}

}  // namespace substitute
