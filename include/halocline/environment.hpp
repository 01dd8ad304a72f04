#pragma once
// The beginning and the end of a program with MPI.

#include <mpi.h>

#include <string_view>

#pragma GCC visibility push(default)

namespace halocline {

namespace mpi {
int rank(MPI_Comm comm);  ///< mine
int size(MPI_Comm comm);  ///< number of ranks
}  // namespace mpi

/// Initialises MPI (MPI_THREAD_FUNNELED unless asked for more) and finalises it at scope end. If
/// the scope is left by an exception, use `guarded_main` to end the job instead.
///
/// If MPI has begun already, it joins: it leaves the program's error handler alone and does not
/// finalise MPI. Throws Error if the thread level is lower than the one asked for, a variable of
/// the environment says nothing that can be, the launcher is another MPI's, or MPI has ended; if it
/// has begun MPI, on all ranks, and MPI goes on, so that `end_job` can say why. Collective over
/// MPI_COMM_WORLD.
class Environment {
 public:
  Environment(int& argc, char**& argv, int thread_level = MPI_THREAD_FUNNELED);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  bool began_ = true;  ///< MPI
};

/// MPI_COMM_WORLD.
inline MPI_Comm world() noexcept {
  return MPI_COMM_WORLD;
}

/// Ends the whole job after one message: "program: rank R: text". Does not return. If all ranks
/// call it within a second, one prints and MPI ends in order; otherwise it aborts the job.
[[noreturn]] void end_job(std::string_view program, std::string_view text) noexcept;

namespace detail {
/// What guarded_main does: `call(body, argc, argv)`.
int run_guarded(int argc, char** argv, std::string_view program, int thread_level, void* body,
                int (*call)(void* body, int argc, char** argv));
}  // namespace detail

/// A program's main: initialises MPI, runs `body(argc, argv)`, and turns an exception into one
/// message and a non-zero exit of every rank. Returns `body`'s result, or 1 if the standard output
/// could not be written.
template <class Body>
int guarded_main(int argc, char** argv, std::string_view program, Body&& body,
                 int thread_level = MPI_THREAD_FUNNELED) {
  auto run = [&body](int count, char** words) -> int { return body(count, words); };
  return detail::run_guarded(argc, argv, program, thread_level, &run,
                             [](void* runs, int count, char** words) {
                               return (*static_cast<decltype(run)*>(runs))(count, words);
                             });
}

}  // namespace halocline

#pragma GCC visibility pop
