#pragma once
// Memory of this rank that the other ranks of its island read and write: one file without a name,
// so large that nobody needs to ask for more, of which only what has been touched takes memory.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace substitute {

class Commons {
 public:
  /// Once, within MPI_Init. Collective over MPI_COMM_WORLD.
  static void open();
  /// Null if the ranks of this island do not all reach each other's, or do not all mean the same.
  static Commons* get();

  /// Where the memory of a rank of MPI_COMM_WORLD begins; null if it is not of this island.
  std::byte* of(int world_rank) const;
  std::byte* mine() const { return mine_; }

  /// Some of this rank's own, by its place in it: on a line of its own, with anything in it that
  /// `give` has left there, or zeros. Throws halocline::Error when there is no more.
  std::uint64_t take(std::size_t bytes);
  void give(std::uint64_t place, std::size_t bytes);

 private:
  static std::size_t size_class(std::size_t bytes);

  struct Member {
    int world_rank;
    std::byte* memory;
  };
  std::vector<Member> members_;  // by rank
  std::byte* mine_ = nullptr;
  std::uint64_t used_ = 0;
  std::vector<std::vector<std::uint64_t>> given_;  // by the logarithm of their size
};

}  // namespace substitute
