#include "async_kinds.hpp"
#include "mpi/come_to_rest.hpp"
#include "mpi/made_together.hpp"
#include "mpi/under_way.hpp"

#include <halocline/more/waiting.hpp>

#include <string>

namespace halocline {

namespace detail {

std::optional<double> RoundedSum::advance(const std::function<double()>& mine) {
  maybe_delay();
  if (begun_ == delivered_ && begin(mine)) ++begun_;
  return deliver();
}

std::optional<double> RoundedSum::deliver() {
  if (begun_ == delivered_) return std::nullopt;
  const auto sum = total();
  if (sum) ++delivered_;
  return sum;
}

void RoundedSum::drain() {
  // Some ranks may have begun one round more than others. These still need totals from me.
  Pending<std::uint64_t> most(begun_);
  HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, &*most, 1, MPI_UINT64_T, MPI_MAX, end_,
                &most.request());
  wait_until("asynchronous sum: its end", [&] {
    deliver();
    int done = 0;
    HALOCLINE_MPI(MPI_Test, &most.request(), &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
  const std::uint64_t last = *most;
  wait_until("asynchronous sum: its last round", [&] {
    if (delivered_ < last) advance([] { return 0.0; });
    return delivered_ == last && quiet();
  });
}

void RoundedSum::come_to_rest() noexcept {
  mpi::come_to_rest([this] { drain(); });
}

}  // namespace detail

const char* name(AsyncSumKind kind) noexcept {
  return kind == AsyncSumKind::tree ? "tree" : "iallreduce";
}

AsyncSumKind async_sum_kind(std::string_view text) {
  std::string choices;
  for (AsyncSumKind kind : async_sum_kinds) {
    if (text == name(kind)) return kind;
    choices += (choices.empty() ? "" : ", ") + std::string(name(kind));
  }
  throw Error("asynchronous sum '" + std::string(text) + "': must be one of " + choices);
}

std::shared_ptr<AsyncSum> make_async_sum(MPI_Comm comm, AsyncSumKind kind) {
  return mpi::ended_together(
      comm,
      std::shared_ptr<AsyncSum>(kind == AsyncSumKind::tree ? detail::make_sum_tree(comm)
                                                           : detail::make_sum_iallreduce(comm)));
}

}  // namespace halocline
