#pragma once
// What ranks make together, and can only end together.
//
// To free a window or a communicator is collective, and so is to wait until nothing is under way.
// But each rank destroys an object when it likes. So an object that a rank has let go of stays
// until the ranks of its communicator meet next to agree on something (mpi::agree), as they do
// whenever they make something. What all of them have let go of they end then, the last one first.
// That some have is told by a number in the reduction that they meet for.
//
// What is left ends when the communicator is freed, or when MPI ends (own.hpp).

#include <halocline/more/mpi.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)  // halocline::style and Python's module have it, too

namespace halocline::mpi {

class MadeTogether : public std::enable_shared_from_this<MadeTogether> {
 public:
  /// A rank's part in an object that all have made.
  class Thing {
   public:
    Thing(std::shared_ptr<void> object, std::weak_ptr<MadeTogether> all)
        : object_(std::move(object)), all_(std::move(all)) {}
    Thing(const Thing&) = delete;
    Thing& operator=(const Thing&) = delete;
    ~Thing() = default;
    /// Local.
    void let_go() noexcept;

   private:
    friend MadeTogether;
    enum State : std::uint8_t {
      in_use,
      left,  ///< in the middle of a step: the others end it without this rank
      let_go_of
    };
    std::shared_ptr<void> object_;
    std::weak_ptr<MadeTogether> all_;
    std::atomic<std::uint8_t> state_{in_use};
  };

  /// `own`: a communicator of the library's.
  explicit MadeTogether(MPI_Comm own) : own_(own), alone_(size(own) == 1) {}
  MadeTogether(const MadeTogether&) = delete;
  MadeTogether& operator=(const MadeTogether&) = delete;
  ~MadeTogether();

  std::shared_ptr<Thing> add(std::shared_ptr<void> object);
  /// How many things this rank has let go of.
  std::int64_t let_go_of() const noexcept { return let_go_of_; }
  /// Ends those that all ranks have let go of; returns how many. Collective.
  std::size_t end();
  /// The ranks meet no more, not even at the end of MPI, in a program of sessions alone: from now
  /// on they let go of things in the same order.
  void close() noexcept { closed_ = true; }
  MPI_Comm own() const noexcept { return own_; }

 private:
  MPI_Comm own_;
  bool alone_;  // one rank: what it lets go of ends there, unless an exception passes
  bool closed_ = false, ending_ = false;
  std::atomic<std::int64_t> let_go_of_{0};
  std::mutex mutex_;                            // of the list
  std::vector<std::shared_ptr<Thing>> things_;  // the same on all ranks, in the order of making
};

/// Whether an Abandoning lives in this thread: what ends leaves as it is what others may still use.
bool within_abandoning() noexcept;

/// A part in what the ranks of `comm` make together. Collective, as making is.
std::shared_ptr<MadeTogether::Thing> add_made_together(MPI_Comm comm, std::shared_ptr<void> made);

/// The same object, which ends when all ranks have dropped what this returns, and meet. Collective.
template <class T>
std::shared_ptr<T> ended_together(MPI_Comm comm, std::shared_ptr<T> made) {
  T* const object = made.get();
  return {object, [thing = add_made_together(comm, std::move(made))](T*) { thing->let_go(); }};
}

/// What has been made on a communicator of the library's; null: nothing.
std::shared_ptr<MadeTogether> made_on(MPI_Comm own);
/// What is made on `other`, of the same ranks, is as if it were made on `own`.
void share_made(MPI_Comm own, MPI_Comm other);
/// Before a communicator of the library's is freed. Collective.
void end_all_made_on(MPI_Comm own) noexcept;

}  // namespace halocline::mpi

#pragma GCC visibility pop
