#pragma once
// Situations: what a choice depends on, and how alike two of them are.

#include "exchange/core/method.hpp"

#include <array>
#include <map>
#include <string>

#pragma GCC visibility push(default)  // halocline::style has it, too

namespace halocline::detail {

/// Two exchanges in equal situations share a choice.
struct Situation {
  /// Rank 0's processor and MPI; `machine` in the file.
  struct Site {
    std::string cpu{};
    int cores = 0;
    std::string mpi{};
    std::map<std::string, std::string> environment{};  ///< what users have set for MPI
    bool operator==(const Site&) const = default;
  };
  struct Job {
    int ranks = 0, nodes = 0;
    int ranks_per_island = 0;  ///< of the largest island
    bool yielding = false;     ///< ranks outnumber cores
    std::string asked{};       ///< the scheme
    bool operator==(const Job&) const = default;
  };
  /// Each size is the largest of any rank.
  struct Shape {
    static constexpr std::array size_names{"links",  "bytes",       "largest", "runs",
                                           "copied", "field_bytes", "away"};
    std::string memory{};
    int fields = 0;
    bool two_way = false;
    std::array<double, size_names.size()> sizes{};
    bool operator==(const Shape&) const = default;
  };

  Site site{};
  Job job{};
  Shape pattern{};
  bool operator==(const Situation&) const = default;
};

/// This one.
Situation::Site this_site();

/// The same on all ranks of the exchange. Collective.
Situation situation(const Setup& setup);

/// How many times the sizes of two patterns must be doubled or halved to get from one to the other;
/// negative if anything but sizes differs, so that neither says anything about the other.
double distance(const Situation& one, Situation other);

}  // namespace halocline::detail

#pragma GCC visibility pop
