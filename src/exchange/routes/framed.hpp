#pragma once
// Exchanges of cells in frames: those whose pattern changes, and those that combine what arrives.

#include "exchange/core/registry.hpp"

namespace halocline::detail {

/// Whether an exchange of this scheme does; `several`: of several parts.
bool goes_in_frames(const ExchangeOptions& options, const Scheme& scheme, bool several);
/// On the ranks of `comm`; the setup's pattern may have empty links. Collective.
std::unique_ptr<Method> make_framed(MPI_Comm comm, Setup setup, const ExchangeOptions& options);

/// A step of an exchange in frames; `combines`: what arrives is combined with what is there.
model::Step describe_framed(const model::Chosen& chosen, const model::Links& links, bool combines);

}  // namespace halocline::detail
