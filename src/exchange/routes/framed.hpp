#pragma once
// Exchanges of cells in frames: those whose pattern changes, and those of several parts that
// combine what arrives.

#include "exchange/core/registry.hpp"

namespace halocline::detail {

/// Whether an exchange does; `several`: of several parts.
bool goes_in_frames(const ExchangeOptions& options, bool several);
/// On the ranks of `comm`; the setup's pattern may have empty links. Collective.
std::unique_ptr<Method> make_framed(MPI_Comm comm, Setup setup, const ExchangeOptions& options);
/// What carries the frames; null if `method` has none.
Method* behind_frames(Method& method);

/// A step of an exchange in frames.
model::Step describe_framed(const model::Chosen& chosen, const model::Links& links);

}  // namespace halocline::detail
