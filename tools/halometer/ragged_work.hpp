#pragma once
// The links of a pattern as a ragged exchange has them: as many doubles on average, but another
// number at each step.

#include "work.hpp"

#include <halocline/pattern.hpp>
#include <halocline/scheme.hpp>

namespace halometer {

/// Elements that a link carries at most which has `usual` on average: it has from half as many to
/// half as many again.
constexpr std::size_t most_elements(std::size_t usual) {
  return usual + usual / 2;
}

/// `pattern` says who sends how much to whom. With `fresh` every line that is sent is written
/// before, and there is a loop.
std::unique_ptr<Work> make_ragged(MPI_Comm comm, const halocline::Pattern& pattern,
                                  const halocline::Scheme& scheme, bool fresh);

}  // namespace halometer
