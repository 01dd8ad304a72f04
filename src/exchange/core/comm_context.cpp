#include "comm_context.hpp"

#include "mpi/under_way.hpp"

#include <halocline/wait.hpp>

#include <algorithm>

namespace halocline::detail {

namespace {

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
    : Channel(std::make_shared<detail::CommContext>(std::make_shared<detail::Own>(std::move(own)))
                  ->channel()) {}

Channel Channel::on(MPI_Comm comm) {
  mpi::expect_ranks(comm);
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

void Channel::keep() const noexcept {
  kept_ = true;
  mpi::leave_in_the_middle(comm_);
}

Channel::~Channel() {
  // A rank that breaks off may leave messages behind, which must not meet those of others.
  if (context_ && !kept_ && !mpi::abandoning()) context_->give_back(number_);
}

}  // namespace halocline::methods

namespace halocline::detail {

// ---- context -------------------------------------------------------------------------------

CommContext::CommContext(std::shared_ptr<Own> own)
    : own_(std::move(own)), each_(channels_on(own_->comm())) {
  given_back_.resize(each_, 0);
}

std::shared_ptr<CommContext> CommContext::of(MPI_Comm comm) {
  const std::shared_ptr<Own> own = Own::of(comm);
  if (!own->context) {
    Patience::detect(own->comm());
    own->context = std::make_shared<CommContext>(own);
  }
  return std::static_pointer_cast<CommContext>(own->context);
}

/// Collective, unless this rank breaks off. What some rank has left in the middle of a step, the
/// others cannot free without it.
CommContext::~CommContext() {
  const bool whole = own_->settle();
  const mpi::Abandoning all(!whole);
  if (mpi::running() && !whole)
    for (Thing& one : things_) keep(std::move(one.thing));
  while (!things_.empty()) things_.pop_back();  // the last one first
  further_.clear();
}

MPI_Comm CommContext::comm_of(std::size_t number) const noexcept {
  const std::size_t which = number / each_;
  return which == 0 ? own_->comm() : further_[which - 1].get();
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
  return {shared_from_this(), comm_of(number), number, block * Channel::tags};
}

/// What all ranks have given back, and a further communicator if that is not much.
void CommContext::find_more() {
  const auto by_all = mpi::reduced(own_->comm(), given_back_, MPI_MIN);
  for (std::size_t number = by_all.size(); number-- > 0;)
    if (by_all[number] != 0) {
      again_.push_back(number);
      given_back_[number] = 0;
    }
  if (again_.size() >= by_all.size() / 4) return;
  further_.push_back(mpi::Comm::duplicate(own_->comm()));
  mpi::share_made(own_->comm(), further_.back());
  given_back_.resize((1 + further_.size()) * each_, 0);
}

}  // namespace halocline::detail
