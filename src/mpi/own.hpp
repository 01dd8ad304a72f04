#pragma once
// The library's own communicators: it talks on no other.
//
// A communicator of the caller's sees one call of the library's, which duplicates it. So what a
// rank leaves in the middle, because a peer has not come within the time limit, meets none of the
// caller's calls. Nor does it meet the library's: where the peer is in what has been left, nobody
// knows; so a rank that has given up begins nothing on that communicator any more, nor on those
// that the library has made of it, but throws Error. Only whether all ranks free what they share is
// still settled, by messages, which no collective meets.

#include <halocline/more/mpi.hpp>

#include <memory>
#include <optional>

namespace halocline::detail {

/// A duplicate for the library alone. It lives until the communicator that it is of is freed, or
/// MPI ends, and as long as it is used.
class Own {
 public:
  /// That of `comm`, made when it is first asked for, which is collective. Throws Error if the
  /// ranks of `comm` cannot meet, and if this rank has given up there.
  static std::shared_ptr<Own> of(MPI_Comm comm);
  explicit Own(mpi::Comm comm) : comm_(std::move(comm)) {}
  ~Own();
  Own(const Own&) = delete;
  Own& operator=(const Own&) = delete;

  MPI_Comm comm() const noexcept { return comm_; }
  /// Whether no rank has left anything in the middle, which is asked once; otherwise nobody frees
  /// what is shared.
  bool settle() noexcept;
  /// Ends what all ranks have let go of; whether some rank uses it even so. Collective.
  bool is_used() noexcept;
  /// Nobody frees what is shared.
  void leave() noexcept { whole_ = false; }

  /// What is kept with it until the communicator that it is of is freed, or MPI ends.
  std::shared_ptr<void> context;

 private:
  mpi::Comm comm_;
  std::optional<bool> whole_;
};

/// Tags on the library's own communicators that no channel has (nor `nobodys_tag`).
enum SetupTag : int { tag_of_numbers = 1, tag_of_layouts, tag_of_clocks, tag_of_moved, tag_of_end };

}  // namespace halocline::detail

#pragma GCC visibility push(default)  // halocline::style has it, too

namespace halocline::mpi {

/// Where the library talks of what it makes on `comm`: there, if the library has made it, otherwise
/// on its own duplicate. Collective; throws as Own::of.
MPI_Comm talks_on(MPI_Comm comm);

/// This rank has left in the middle what the ranks of `comm` do together.
void give_up(MPI_Comm comm) noexcept;

/// This rank has left a step of an exchange on `comm` in the middle. More can be made there.
void leave_in_the_middle(MPI_Comm comm) noexcept;
bool has_left_in_the_middle(MPI_Comm comm) noexcept;

}  // namespace halocline::mpi

#pragma GCC visibility pop

namespace halocline::mpi {

/// Runs `say` with the communicator to talk on. An exception leaves a talk in the middle.
template <class Say>
auto talk(MPI_Comm comm, Say&& say) {
  const MPI_Comm own = talks_on(comm);
  try {
    return say(own);
  } catch (...) {
    give_up(own);
    throw;
  }
}

/// Takes ownership of `made`, which the ranks of `from`, or some of them, have made of it.
Comm made_of(MPI_Comm from, MPI_Comm made);

/// The ranks of `comm` that can share memory with this one, in order. Collective.
Comm node_of(MPI_Comm comm);

/// Logical and over all ranks, by messages alone: ranks that have given up take part.
bool all_at_end(MPI_Comm own, bool mine);

}  // namespace halocline::mpi
