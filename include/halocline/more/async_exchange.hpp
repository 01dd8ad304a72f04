#pragma once
// Asynchronous exchanges: no rank waits; a halo holds the newest data that have arrived.
//
// For asynchronous iterations (Chazan and Miranker, Chaotic relaxation, 1969; Baudet, Asynchronous
// iterative methods for multiprocessors, 1978), in the two kinds of Bethune, Bull, Dingle and
// Higham, Performance analysis of asynchronous Jacobi's method implemented in MPI, SHMEM and
// OpenMP, 2012: complete ("async") and racy.

#include <halocline/field.hpp>
#include <halocline/pattern.hpp>
#include <halocline/scheme.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

struct AsyncOptions {
  /// R: messages of one link for which each side has a buffer. With `p2p` and `rma:put` the
  /// receiver must make room: a send finds a free buffer or is skipped. With `rma:get` and `shm`
  /// the sender overwrites its oldest message: more buffers give a reader more time.
  int buffers = 1;
  /// False: a link's cells in my halo are always those of one iteration of its source, complete.
  /// True: it holds the cells that have arrived so far, perhaps of several iterations, but no
  /// element is torn. Elements must have 8 bytes.
  bool racy = false;
};

/// Messages of one rank since construction. When all ranks have drained, the sum of `sent` over
/// all ranks is that of `received` and `superseded`. (`p2p`, racy: a message is part of a link.)
struct AsyncCounts {
  std::uint64_t sent = 0;        ///< by me
  std::uint64_t skipped = 0;     ///< not sent, as all buffers were under way
  std::uint64_t received = 0;    ///< put into my halo
  std::uint64_t superseded = 0;  ///< never put there: a newer one was there as well
};

/// A pattern bound to a scheme that can deliver without waiting, with buffers of its own.
///
///     AsyncExchange exchange(comm, pattern, sizeof(double), "p2p:nonblocking");
///     for (std::uint64_t iteration = 1; !converged; ++iteration) {
///       sweep(u);                       // reads the halo, whatever it holds
///       exchange.send(u, iteration);    // goes out if there is room for it
///       exchange.receive(u);            // takes what is there
///     }
///     exchange.drain(u);                // all that was sent has arrived
///
/// All ranks of `comm` construct and drain exchanges in the same order; each may call `send` and
/// `receive` as often and whenever it likes, and destroy its exchange when it likes. Construction
/// checks the pattern across ranks and throws the same Error on all of them if anything does not
/// fit: a scheme that cannot be asynchronous (the message names those that can), fewer than one
/// buffer, racy elements that do not have 8 bytes, a racy exchange by a method that cannot be racy.
/// `cells` is the array that the pattern describes, aligned for its elements. Thousands may be
/// alive at once, as of Exchange: only those by rma that are not racy have a window of their own.
class AsyncExchange {
 public:
  AsyncExchange(MPI_Comm comm, const Pattern& pattern, std::size_t element_bytes,
                const Scheme& scheme = {}, const AsyncOptions& options = {});
  /// Does not wait. Messages that are still under way are received and discarded when all ranks
  /// have destroyed theirs.
  ~AsyncExchange();
  AsyncExchange(AsyncExchange&&) noexcept;
  AsyncExchange& operator=(AsyncExchange&&) noexcept;

  /// The address of an array, for the calls below. Throws Error unless it is of such elements,
  /// which follow each other, and has the extents in which the pattern counts.
  void* cells_of(const Field& field) const;
  /// Sends this iteration's cells to every target for which there is a free buffer; skips the
  /// others. The caller may overwrite the cells at once. Iterations count from 1 and never fall.
  void send(const void* cells, std::uint64_t iteration);
  /// Puts the newest data of every source that has news into my halo; returns how many had. Other
  /// halo cells stay as they are. If you use two arrays in turn, give the other one as `twin`; it
  /// gets the same cells.
  std::size_t receive(void* cells, void* twin = nullptr);
  /// Collective: receives all messages that have been sent, newest last; afterwards none is under
  /// way. `send` and `receive` may follow.
  void drain(void* cells, void* twin = nullptr);

  /// The iteration of its source whose cells of link `link` (as in `Pattern::receives()`) my halo
  /// holds; 0 before anything has come. Racy: every cell is of this iteration or a later one.
  std::uint64_t iteration_of(std::size_t link) const;
  AsyncCounts counts() const;
  const Scheme& scheme() const;
  const AsyncOptions& options() const;

 private:
  struct State;
  State& state() const;
  std::shared_ptr<State> state_;
};

/// Every method that can be asynchronous (or, if asked for, racy), available or not.
std::vector<SchemeFacts> known_async_schemes(bool racy = false);
/// The names of those that this MPI can run: "p2p:nonblocking", ...
std::vector<std::string> async_schemes(bool racy = false);

}  // namespace halocline

#pragma GCC visibility pop
