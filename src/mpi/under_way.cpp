#include "under_way.hpp"

#include "comm_key.hpp"

#include <halocline/more/waiting.hpp>

#include <algorithm>
#include <chrono>
#include <list>
#include <mutex>

namespace halocline::detail {

namespace {

/// Requests that nobody waits for, and what they use.
struct Left {
  std::vector<MPI_Request> requests;
  std::shared_ptr<const void> uses;
};

/// Guards the tables below: threads may use exchanges of their own at the same time.
std::mutex& left_mutex() {
  static auto& one = *new std::mutex;
  return one;
}

/// Never destroyed, nor is what is kept: MPI may still use it when the process ends.
std::list<Left>& left() {
  static auto& all = *new std::list<Left>;
  return all;
}

/// Whether it is complete. A persistent one is freed then.
bool over(MPI_Request& request) noexcept {
  if (request == MPI_REQUEST_NULL) return true;
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  if (done != 0 && request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  return request == MPI_REQUEST_NULL;
}

/// Whether all are. Each test lets the others progress, too.
bool all_over(std::vector<MPI_Request>& requests) noexcept {
  std::erase_if(requests, over);
  return requests.empty();
}

template <class Done>
void wait_a_moment(std::chrono::milliseconds moment, Done&& done) noexcept {
  const auto begin = std::chrono::steady_clock::now();
  while (!done() && std::chrono::steady_clock::now() - begin < moment) {
  }
}

/// Until what is arriving has arrived, or for as long as one waits for peers at all.
void await_end(std::vector<MPI_Request>& requests) noexcept {
  try {
    wait_until("receives that are not wanted any more", [&] { return all_over(requests); });
  } catch (const Error&) {  // the peer is gone
  }
}

/// Forgets those that have ended.
bool none_left_over() noexcept {
  const std::lock_guard lock(left_mutex());
  std::erase_if(left(), [](Left& one) { return all_over(one.requests); });
  return left().empty();
}

/// MPI_Finalize begins with the attributes of MPI_COMM_SELF. (In a program of sessions alone
/// nothing of this happens: there every object ends before its session.)
std::vector<std::function<void()>>& acts_at_end() {
  static auto& acts = *new std::vector<std::function<void()>>;
  return acts;
}

int act_at_end(MPI_Comm, int, void*, void*) {
  for (;;) {
    std::unique_lock lock(left_mutex());
    if (acts_at_end().empty()) return MPI_SUCCESS;
    const auto act = std::move(acts_at_end().back());
    acts_at_end().pop_back();
    lock.unlock();
    act();
  }
}

}  // namespace

}  // namespace halocline::detail

namespace halocline::mpi {

UnderWay& UnderWay::operator=(UnderWay&& other) noexcept {
  std::swap(kind_, other.kind_);
  std::swap(borrows_, other.borrows_);
  std::swap(requests_, other.requests_);
  std::swap(uses_, other.uses_);
  return *this;
}

UnderWay::~UnderWay() {
  if (requests_.empty() || !mpi::running() || halocline::detail::all_over(requests_)) return;
  if (kind_ == receives)
    for (MPI_Request& request : requests_) MPI_Cancel(&request);
  if (halocline::detail::all_over(requests_)) return;
  if (borrows_ && kind_ == receives) halocline::detail::await_end(requests_);
  if (borrows_)
    halocline::detail::wait_a_moment(std::chrono::milliseconds(100),
                                     [&] { return halocline::detail::all_over(requests_); });
  if (requests_.empty()) return;
  static const bool registered =
      (halocline::detail::at_end_of_mpi([] {
         halocline::detail::wait_a_moment(std::chrono::milliseconds(100),
                                          [] { return halocline::detail::none_left_over(); });
       }),
       true);
  static_cast<void>(registered);
  const std::lock_guard lock(halocline::detail::left_mutex());
  halocline::detail::left().push_back({std::move(requests_), std::move(uses_)});
}

}  // namespace halocline::mpi

namespace halocline::detail {

void look_after_those_left() noexcept {
  none_left_over();
}

void keep(std::shared_ptr<const void> memory) {
  const std::lock_guard lock(left_mutex());
  static auto& kept = *new std::vector<std::shared_ptr<const void>>;
  kept.push_back(std::move(memory));
}

void at_end_of_mpi(std::function<void()> act) {
  {
    const std::lock_guard lock(left_mutex());
    acts_at_end().push_back(std::move(act));
  }
  if (!mpi::detail::world_is_there()) return;
  static const int key = mpi::comm_key(act_at_end);
  // Once: to set it again would call what is there.
  static const bool set = (HALOCLINE_MPI(MPI_Comm_set_attr, MPI_COMM_SELF, key, nullptr), true);
  static_cast<void>(set);
}

}  // namespace halocline::detail
