#pragma once
// A plan: what is to be replayed. Its file is described in docs/reference/replay.md.

#include <halocline/pattern.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace haloreplay {

/// Where the bytes of a message lie, in message order: blocks whose elements are bytes.
using Blocks = std::vector<halocline::Block>;

enum class Kind { send, receive, put, get };

/// A message as one rank's plan has it.
struct PlannedLink {
  Kind kind = Kind::send;
  int peer = 0;
  int tag = 0;
  std::size_t least = 0, most = 0;  ///< bytes
  Blocks blocks;                    ///< from where the link begins
  Blocks remote{};                  ///< of a put or get
  bool synchronous = false;
  bool blocking = false;
  int with = -1;  ///< the link that a Sendrecv receives
};

/// How requests are completed.
enum class How { waitall, wait, waitany, waitsome, test, unlock, flush };

/// One thing that a rank does in a step.
struct Action {
  enum What { start, block, sendrecv, compute, wait } what = start;
  std::vector<int> links{};
  double seconds = 0;  ///< of computing
  How how = How::waitall;
};

struct PlannedRank {
  std::vector<PlannedLink> links;
  std::vector<Action> order;  ///< whole, also where the plan leaves it to way and finish
  std::vector<double> before{0};
  double between = 0;
  std::size_t touch = 0;
};

enum class Family { messages, persistent, partitioned, neighbor, alltoall, fence, pscw, lock };

struct PlannedPattern {
  std::string name;
  double weight = 1;
  Family family = Family::messages;
  enum Calls { blocking, nonblocking, persistent } calls = blocking;  ///< of a collective
  How finish = How::waitall;
  bool allocate = true;                   ///< windows by MPI_Win_allocate, not MPI_Win_create
  bool exclusive = false;                 ///< locks
  bool recorded = true, balanced = true;  ///< how long ranks compute: as they did, all alike
  std::vector<std::string> schemes, alternatives;
  std::vector<PlannedRank> ranks;

  bool one_sided() const noexcept { return family >= Family::fence; }
  bool varies() const noexcept;  ///< whether any link's bytes do
};

struct Plan {
  int ranks = 1;
  double budget = 60, limit = 10, width = 0.05, longest = 0.005;
  std::size_t rounds = 500;
  std::uint64_t seed = 1;
  std::vector<PlannedPattern> patterns;
};

/// Names of plain MPI's ways, but for the present one.
inline constexpr std::string_view plain_ways[] = {
    "mpi:nonblocking", "mpi:waitany", "mpi:persistent", "mpi:neighbor", "mpi:neighbor:persistent"};
inline constexpr const char* present = "mpi:present";

/// From the text of `file`. Throws Error, which begins with the file's name, names the place, and
/// says what would be right.
Plan read_plan(const std::string& text, const std::string& file);

/// `visit(offset, bytes)` of every row, in message order.
template <class Visit>
void each_row(const Blocks& blocks, Visit&& visit) {
  for (const halocline::Block& block : blocks)
    for (std::size_t plane = 0; plane < block.count[0]; ++plane)
      for (std::size_t row = 0; row < block.count[1]; ++row)
        visit(block.offset + static_cast<std::ptrdiff_t>(plane) * block.stride[0] +
                  static_cast<std::ptrdiff_t>(row) * block.stride[1],
              block.count[2]);
}

/// Whether they lie together, in order.
bool contiguous(const Blocks& blocks);

}  // namespace haloreplay
