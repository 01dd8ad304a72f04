#pragma once
// Exchanges of cells in frames: those whose pattern changes, and those that combine what arrives.

#include "exchange/core/registry.hpp"

namespace halocline::detail {

/// Whether an exchange of this scheme does.
bool goes_in_frames(const ExchangeOptions& options, const Scheme& scheme);
/// Collective. `pattern` may have empty links; `apart` as in Setup.
std::unique_ptr<Method> make_framed(MPI_Comm comm, const Pattern& pattern,
                                    std::vector<Field> fields, bool apart, const Scheme& scheme,
                                    const ExchangeOptions& options);

/// A step of an exchange in frames; `combines`: what arrives is combined with what is there.
model::Step describe_framed(const model::Chosen& chosen, const model::Links& links, bool combines);

}  // namespace halocline::detail
