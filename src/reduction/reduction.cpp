#include "kinds.hpp"
#include "mpi/made_together.hpp"
#include "mpi/refusal.hpp"
#include "mpi/under_way.hpp"

#include <halocline/more/trace.hpp>
#include <halocline/more/waiting.hpp>

#include <string>

namespace halocline {

const char* name(ReductionKind kind) noexcept {
  switch (kind) {
    case ReductionKind::allreduce: return "allreduce";
    case ReductionKind::iallreduce: return "iallreduce";
    case ReductionKind::chain: return "chain";
    case ReductionKind::last: return "last";
    case ReductionKind::accumulate: return "accumulate";
  }
  return "?";
}

ReductionKind reduction_kind(std::string_view text) {
  std::string choices;
  for (ReductionKind kind : reduction_kinds) {
    if (text == name(kind)) return kind;
    choices += (choices.empty() ? "" : ", ") + std::string(name(kind));
  }
  throw Error("reduction '" + std::string(text) + "': must be one of " + choices);
}

double MaxReduction::everywhere() {
  // Rank 0 learns it first; the others drive the reduction until rank 0's message is there.
  const trace::Together together(comm_, "reduction");
  detail::Pending<double> maximum;
  const auto known = [&] {
    const auto value = next();
    if (value) *maximum = *value;
    return value.has_value();
  };
  const bool root = mpi::rank(comm_) == 0;
  if (root) wait_until("reduction: maximum of all ranks", known);
  HALOCLINE_MPI(MPI_Ibcast, &*maximum, 1, MPI_DOUBLE, 0, comm_, &maximum.request());
  wait_until("reduction: decision of rank 0", [&] {
    if (!root) next();
    int done = 0;
    HALOCLINE_MPI(MPI_Test, &maximum.request(), &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
  return *maximum;
}

namespace {
std::unique_ptr<MaxReduction> make(MPI_Comm comm, ReductionKind kind, int capacity) {
  switch (kind) {
    case ReductionKind::allreduce: return detail::make_allreduce(comm);
    case ReductionKind::iallreduce: return detail::make_iallreduce(comm);
    case ReductionKind::chain: return detail::make_chain(comm);
    case ReductionKind::last: return detail::make_last(comm);
    case ReductionKind::accumulate: return detail::make_accumulate(comm, capacity);
  }
  throw Error("unknown reduction");
}
}  // namespace

std::shared_ptr<MaxReduction> make_max_reduction(MPI_Comm comm, ReductionKind kind, int capacity) {
  const mpi::Making making(comm);
  return mpi::ended_together(comm, std::shared_ptr<MaxReduction>(make(comm, kind, capacity)));
}

}  // namespace halocline
