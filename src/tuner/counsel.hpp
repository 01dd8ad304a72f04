#pragma once
// What rank 0 knows of schemes, on all ranks.

#include "adviser.hpp"

#include <string>
#include <vector>

namespace halocline::detail {

struct Counsel {
  Scheme scheme;
  std::string objection;  ///< empty: it may be tried
};

/// Counsel on `wanted`, rank 0's list; `adviser` is null on the others. Collective.
std::vector<Counsel> counsel(MPI_Comm comm, const Adviser* adviser,
                             const std::vector<Scheme>& wanted);

/// What laps have found before: what the first laps use, and what is known of others; and what may
/// be tried first. Collective.
struct Lore {
  std::string favourite;
  std::vector<Section::Tried> others;
  std::vector<Counsel> first;
};
Lore lore(MPI_Comm comm, const Adviser* adviser);

/// Rank 0's words on all ranks. Collective.
std::string broadcast(MPI_Comm comm, std::string words);

}  // namespace halocline::detail
