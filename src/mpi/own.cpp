#include "own.hpp"

#include "come_to_rest.hpp"
#include "comm_key.hpp"
#include "made_together.hpp"
#include "under_way.hpp"
#include "windows.hpp"

#include <halocline/more/waiting.hpp>

#include <algorithm>
#include <atomic>
#include <list>
#include <mutex>

namespace halocline::mpi {

namespace {

/// Communicators that the library has made of one another.
struct Family {
  // By this rank:
  std::atomic<bool> given_up{false};
  std::atomic<bool> in_the_middle{false};  ///< a step has been left there
};
using Member = std::shared_ptr<Family>;

/// What communicators of the library's hold.
struct Held {
  Member family;
  std::shared_ptr<MadeTogether> made{};  ///< by their ranks; null at first
};

int let_go_of_held(MPI_Comm, int, void* held, void*) {
  delete static_cast<Held*>(held);
  return MPI_SUCCESS;
}

int held_key() {
  static const int key = comm_key(let_go_of_held);
  return key;
}

/// Null on the caller's.
Held* held_of(MPI_Comm comm) {
  return held_by<Held>(comm, held_key());
}

/// Null on the caller's.
Member family_of(MPI_Comm comm) {
  const Held* const held = held_of(comm);
  return held != nullptr ? held->family : nullptr;
}

void set_family(MPI_Comm comm, Member family) {
  if (Held* const held = held_of(comm)) {
    held->family = std::move(family);
    return;
  }
  auto held = std::make_unique<Held>(std::move(family));
  HALOCLINE_MPI(MPI_Comm_set_attr, comm, held_key(), held.get());
  static_cast<void>(held.release());
}

void expect_in_step(const Member& family) {
  if (family && family->given_up)
    throw Error(
        "a time limit passed while ranks of this communicator were making something together, so "
        "that they may be in the middle of it by now; nothing more can be made here: end the "
        "program, or go on with what is there, or with a communicator made before");
}

}  // namespace

Comm::Comm(MPI_Comm raw) : Handle(raw) {
  if (raw == MPI_COMM_NULL) return;
  HALOCLINE_MPI(MPI_Comm_set_errhandler, raw, MPI_ERRORS_RETURN);
  set_family(raw, std::make_shared<Family>());
}

void CommTraits::free(Raw* raw) noexcept {
  end_all_made_on(*raw);
  MPI_Comm_free(raw);
}

Comm made_of(MPI_Comm from, MPI_Comm made) {
  Comm comm(made);
  if (made == MPI_COMM_NULL) return comm;
  if (Member family = family_of(from)) set_family(made, std::move(family));
  return comm;
}

Comm Comm::duplicate(MPI_Comm other) {
  const MPI_Comm from = talks_on(other);
  MPI_Comm raw = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_dup, from, &raw);
  return made_of(from, raw);
}

Comm Comm::split(MPI_Comm other, int color) {
  const MPI_Comm from = talks_on(other);
  MPI_Comm raw = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_split, from, color, mpi::rank(from), &raw);
  return made_of(from, raw);
}

Comm Comm::of_group(MPI_Comm other, MPI_Group group, int tag) {
  expect_in_step(family_of(other));
  MPI_Comm raw = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_create_group, other, group, tag, &raw);
  return made_of(other, raw);
}

Comm node_of(MPI_Comm comm) {
  const MPI_Comm from = talks_on(comm);
  MPI_Comm raw = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_split_type, from, MPI_COMM_TYPE_SHARED, mpi::rank(from), MPI_INFO_NULL,
                &raw);
  return made_of(from, raw);
}

bool all_at_end(MPI_Comm own, bool mine) {
  constexpr const char* what = "the end of what ranks share";
  const int ranks = size(own), me = rank(own);
  auto all = static_cast<char>(mine);
  // From the one before, then the two before that, and so on.
  for (int far = 1; far < ranks; far *= 2) {
    const auto theirs = std::make_shared<char>(0);
    UnderWay receive(UnderWay::receives, 1, theirs);
    Pending<char> sent(all);
    HALOCLINE_MPI(MPI_Irecv, theirs.get(), 1, MPI_CHAR, (me + ranks - far) % ranks,
                  halocline::detail::tag_of_end, own, &receive[0]);
    HALOCLINE_MPI(MPI_Isend, &*sent, 1, MPI_CHAR, (me + far) % ranks, halocline::detail::tag_of_end,
                  own, &sent.request());
    wait_one(what, receive[0]);
    wait_one(what, sent.request());
    all = static_cast<char>(all != 0 && *theirs != 0);
  }
  return all != 0;
}

}  // namespace halocline::mpi

namespace halocline::detail {

namespace {

using Owner = std::shared_ptr<Own>;

/// What communicators of the caller's hold, in the order of its making.
std::list<Owner>& held() {
  // Never destroyed: a program that exits without MPI_Finalize must not call MPI any more.
  static auto& owners = *new std::list<Owner>;
  return owners;
}

/// Guards that list: threads may make exchanges on communicators of their own at the same time.
std::mutex& held_mutex() {
  static auto& one = *new std::mutex;
  return one;
}

/// The end is collective, so that no lock is held meanwhile. What some rank uses after the
/// communicator has been freed stays until MPI ends, where its ranks meet once more.
void let_go_of(std::list<Owner>::iterator one, bool mpi_ends) {
  if ((*one)->is_used()) {
    if (!mpi_ends && mpi::detail::world_is_there()) return;
    if (mpi_ends)
      (*one)->leave();
    else if (const auto made = mpi::made_on((*one)->comm()))
      made->close();
  }
  const Owner last = std::move(*one);
  {
    const std::lock_guard lock(held_mutex());
    held().erase(one);
  }
  last->context.reset();
}

int let_go(MPI_Comm, int, void* value, void*) {
  std::list<Owner>::iterator found;
  {
    const std::lock_guard lock(held_mutex());
    found =
        std::find_if(held().begin(), held().end(), [&](const Owner& one) { return &one == value; });
    if (found == held().end()) return MPI_SUCCESS;
  }
  let_go_of(found, false);
  return MPI_SUCCESS;
}

void let_all_go() {
  while (!held().empty()) let_go_of(std::prev(held().end()), true);
}

/// What communicators of the caller's hold: an Owner in the list.
int owner_key() {
  static const int key = mpi::comm_key(let_go);
  return key;
}

/// Null if it has none yet.
Owner owner_of(MPI_Comm comm) {
  const Owner* const owner = mpi::held_by<Owner>(comm, owner_key());
  return owner != nullptr ? *owner : nullptr;
}

}  // namespace

std::shared_ptr<Own> Own::of(MPI_Comm comm) {
  mpi::expect_ranks(comm);
  if (Owner known = owner_of(comm)) {
    mpi::expect_in_step(mpi::family_of(known->comm()));
    return known;
  }
  // What nobody uses goes first, the last ones with the windows of who lives on.
  static const bool registered = (prepare_end_of_windows(), at_end_of_mpi(let_all_go), true);
  static_cast<void>(registered);
  mpi::expect_in_step(mpi::family_of(comm));
  MPI_Comm raw = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_dup, comm, &raw);
  const auto made = std::make_shared<Own>(mpi::made_of(comm, raw));
  Owner* owner = nullptr;
  {
    const std::lock_guard lock(held_mutex());
    owner = &held().emplace_back(made);
  }
  HALOCLINE_MPI(MPI_Comm_set_attr, comm, owner_key(), owner);
  return made;
}

bool Own::settle() noexcept {
  if (whole_) return *whole_;
  whole_ = false;  // unless it comes to an end
  bool whole = false;
  if (mpi::come_to_rest([&] {
        const mpi::Member family = mpi::family_of(comm_);
        whole = mpi::all_at_end(comm_, !family->given_up && !family->in_the_middle);
      }))
    whole_ = whole;
  return *whole_;
}

bool Own::is_used() noexcept {
  whole_.reset();  // what was so when the communicator was freed need not be when MPI ends
  if (!settle()) return false;
  mpi::end_all_made_on(comm_);
  bool unused = false;
  mpi::come_to_rest(
      [&] { unused = mpi::all_at_end(comm_, context == nullptr || context.use_count() == 1); });
  if (!unused) whole_.reset();
  return !unused;
}

/// Collective, unless this rank breaks off. What some rank has left in the middle, the others
/// cannot free without it.
Own::~Own() {
  const mpi::Abandoning left(!settle());
  mpi::Comm(std::move(comm_));
}

}  // namespace halocline::detail

namespace halocline::mpi {

std::shared_ptr<MadeTogether> made_on(MPI_Comm own) {
  const Held* const held = held_of(own);
  return held != nullptr ? held->made : nullptr;
}

namespace {
const std::shared_ptr<MadeTogether>& all_made_on(MPI_Comm own) {
  std::shared_ptr<MadeTogether>& all = held_of(own)->made;
  if (!all) all = std::make_shared<MadeTogether>(own);
  return all;
}
}  // namespace

std::shared_ptr<MadeTogether::Thing> add_made_together(MPI_Comm comm, std::shared_ptr<void> made) {
  return all_made_on(talks_on(comm))->add(std::move(made));
}

void share_made(MPI_Comm own, MPI_Comm other) {
  held_of(other)->made = all_made_on(own);
}

void end_all_made_on(MPI_Comm own) noexcept {
  come_to_rest([own] {
    const std::shared_ptr<MadeTogether> all = made_on(own);
    while (all && all->own() == own && all->end() > 0) {
    }
  });
}

MPI_Comm talks_on(MPI_Comm comm) {
  expect_ranks(comm);
  const Member family = family_of(comm);
  if (!family) return halocline::detail::Own::of(comm)->comm();
  expect_in_step(family);
  return comm;
}

namespace {
/// That of `comm` or of the duplicate of it. Null if there is none, and when MPI has ended.
Member family_at(MPI_Comm comm) noexcept try {
  if (!running()) return nullptr;
  if (Member family = family_of(comm)) return family;
  const auto owner = halocline::detail::owner_of(comm);
  return owner ? family_of(owner->comm()) : nullptr;
} catch (const Error&) {
  return nullptr;
}
}  // namespace

void give_up(MPI_Comm comm) noexcept {
  if (const Member family = family_at(comm)) family->given_up = true;
}

void leave_in_the_middle(MPI_Comm comm) noexcept {
  if (const Member family = family_at(comm)) family->in_the_middle = true;
}

bool has_left_in_the_middle(MPI_Comm comm) noexcept {
  const Member family = family_at(comm);
  return family && family->in_the_middle;
}

}  // namespace halocline::mpi
