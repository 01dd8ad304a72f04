#pragma once
// The substitute's own communicators, on which ranks agree; the program's see none of it.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace substitute {

class Carrier;

class Talk {
 public:
  /// The ranks of a communicator, or of a group, in their order. Collective over them. Throws
  /// halocline::Error if MPI has none left.
  static std::shared_ptr<Talk> among(MPI_Comm comm);
  static std::shared_ptr<Talk> among_group(MPI_Group group);

  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// The largest that any rank says.
  std::uint64_t largest(std::uint64_t mine) const;
  void largest(std::vector<std::uint64_t>& values) const;
  bool all(bool mine) const { return largest(mine ? 0 : 1) == 0; }

  /// Ends it where nothing has been made on it. Collective.
  void end();

 private:
  explicit Talk(MPI_Comm comm);
  MPI_Comm comm_;
  int rank_ = 0, size_ = 0;
};

/// The periods that all ranks have seen, if they have the same settings. Collective over a
/// communicator, of the program's or ours.
std::uint64_t common_periods(MPI_Comm comm, std::uint64_t mine);

/// Whether all ranks of a group are ranks of MPI_COMM_WORLD, all of which have this library. Local,
/// and the same for all of them.
bool is_of_world(MPI_Group group);

// What has been made stays until MPI ends: a program may free its communicators and windows in
// whatever order it likes, and nobody waits for anybody there.

/// Whether there is room for more.
bool can_keep_more();
void keep(std::shared_ptr<Carrier> carrier);
/// Before MPI ends, in the order in which they were made, which is the same on all ranks that share
/// some. Collective.
void end_all();

}  // namespace substitute
