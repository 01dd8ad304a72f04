#include "comm_context.hpp"

#include "mpi/come_to_rest.hpp"
#include "mpi/under_way.hpp"
#include "mpi/windows.hpp"

#include <halocline/wait.hpp>

#include <algorithm>
#include <list>
#include <mutex>

namespace halocline::detail {

using mpi::abandoning;

namespace {

using Owner = std::shared_ptr<CommContext>;

/// What communicators hold, in the order of its making.
std::list<Owner>& held() {
  // Never destroyed: a program that exits without MPI_Finalize must not call MPI any more.
  static auto& owners = *new std::list<Owner>;
  return owners;
}

/// Of that list: threads may make exchanges on communicators of their own at the same time.
std::mutex& held_mutex() {
  static auto& one = *new std::mutex;
  return one;
}

/// The context's end is collective, so that no lock is held meanwhile.
void let_go_of(std::list<Owner>::iterator one) {
  const Owner last = std::move(*one);
  const std::lock_guard lock(held_mutex());
  held().erase(one);
}

int let_go(MPI_Comm, int, void* value, void*) {
  std::list<Owner>::iterator found;
  {
    const std::lock_guard lock(held_mutex());
    found =
        std::find_if(held().begin(), held().end(), [&](const Owner& one) { return &one == value; });
    if (found == held().end()) return MPI_SUCCESS;
  }
  let_go_of(found);
  return MPI_SUCCESS;
}

void let_all_go() {
  while (!held().empty()) let_go_of(std::prev(held().end()));
}

/// The tags that the standard promises are few; those below the first channel's are for set-up, but
/// for `nobodys_tag`.
std::size_t channels_on(MPI_Comm comm) {
  int* most = nullptr;
  int found = 0;
  HALOCLINE_MPI(MPI_Comm_get_attr, comm, MPI_TAG_UB, &most, &found);
  const auto tags = static_cast<std::size_t>(found != 0 ? *most : 32767) + 1;
  constexpr std::size_t enough = 1 << 14;
  return std::min(enough, tags / Channel::tags - 1);
}

}  // namespace

// ---- channels ------------------------------------------------------------------------------

}  // namespace halocline::detail

namespace halocline::methods {

Channel::Channel(std::shared_ptr<detail::CommContext> context, MPI_Comm comm, std::size_t number,
                 int first_tag)
    : context_(std::move(context)), comm_(comm), number_(number), first_tag_(first_tag) {}

Channel::Channel(mpi::Comm own)
    : Channel(std::make_shared<detail::CommContext>(std::move(own))->channel()) {}

Channel Channel::on(MPI_Comm comm) {
  return detail::CommContext::of(comm)->channel();
}

Channel Channel::another() const {
  return context_->channel();
}

Channel& Channel::operator=(Channel&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(comm_, other.comm_);
  std::swap(number_, other.number_);
  std::swap(first_tag_, other.first_tag_);
  std::swap(kept_, other.kept_);
  return *this;
}

Channel::~Channel() {
  // A rank that breaks off may leave messages behind, which must not meet those of others.
  if (!context_) return;
  if (mpi::abandoning() || kept_)
    context_->abandon();
  else
    context_->give_back(number_);
}

}  // namespace halocline::methods

namespace halocline::detail {

// ---- context -------------------------------------------------------------------------------

CommContext::CommContext(mpi::Comm comm) : each_(channels_on(comm)) {
  comms_.push_back(std::move(comm));
  given_back_.resize(each_, 0);
}

std::shared_ptr<CommContext> CommContext::of(MPI_Comm comm) {
  mpi::expect_ranks(comm);
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    HALOCLINE_MPI(MPI_Comm_create_keyval, MPI_COMM_NULL_COPY_FN, let_go, &made, nullptr);
    return made;
  }();
  Owner* owner = nullptr;
  int found = 0;
  HALOCLINE_MPI(MPI_Comm_get_attr, comm, key, &owner, &found);
  if (found != 0) return *owner;

  // What nobody uses goes first, the last ones with the windows of who lives on.
  static const bool registered = (prepare_end_of_windows(), at_end_of_mpi(let_all_go), true);
  static_cast<void>(registered);
  Patience::detect(comm);
  const auto made = std::make_shared<CommContext>(mpi::Comm::duplicate(comm));
  {
    const std::lock_guard lock(held_mutex());
    owner = &held().emplace_back(made);
  }
  HALOCLINE_MPI(MPI_Comm_set_attr, comm, key, owner);
  return made;
}

/// Collective, unless this rank breaks off. What some rank has left in the middle of a step, the
/// others cannot free without it.
CommContext::~CommContext() {
  bool whole = false;
  mpi::come_to_rest([&] { whole = mpi::all_of(comms_.front(), !abandoned_); });
  const mpi::Abandoning all(!whole);
  if (mpi::running() && !whole)
    for (Thing& one : things_) keep(std::move(one.thing));
  while (!things_.empty()) things_.pop_back();  // the last one first
  comms_.clear();
}

Channel CommContext::channel() {
  look_after_those_left();
  if (fresh_ == given_back_.size() && again_.empty()) find_more();
  std::size_t number = fresh_;
  if (again_.empty()) {
    ++fresh_;
  } else {
    number = again_.back();
    again_.pop_back();
  }
  const auto block = static_cast<int>(number % each_) + 1;
  return {shared_from_this(), comms_[number / each_], number, block * Channel::tags};
}

/// What all ranks have given back, and a further communicator if that is not much.
void CommContext::find_more() {
  const auto by_all = mpi::reduced(comms_.front(), given_back_, MPI_MIN);
  for (std::size_t number = by_all.size(); number-- > 0;)
    if (by_all[number] != 0) {
      again_.push_back(number);
      given_back_[number] = 0;
    }
  if (again_.size() >= by_all.size() / 4) return;
  comms_.push_back(mpi::Comm::duplicate(comms_.front()));
  given_back_.resize(comms_.size() * each_, 0);
}

}  // namespace halocline::detail
