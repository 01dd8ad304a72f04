// MPI_Init, MPI_Finalize and their like: where a recording begins and where it ends.

#include "ending.hpp"
#include "machine.hpp"
#include "offsets.hpp"
#include "wrapper.hpp"
#include "writing.hpp"

#include <unistd.h>

#include <cstdio>
#include <new>

namespace recorder {

namespace {

const char* thread_words(int level) {
  if (level == MPI_THREAD_MULTIPLE) return "multiple";
  if (level == MPI_THREAD_SERIALIZED) return "serialized";
  return level == MPI_THREAD_FUNNELED ? "funneled" : "single";
}

// Between a call of the program and what the library calls in it.
struct Inside {
  Inside() { ++depth; }
  ~Inside() { --depth; }
  bool outermost() const { return depth == 1; }
};

[[maybe_unused]] int sessions = 0;

// The largest number of any rank.
int agreed(int number, MPI_Comm world) {
  int most = number;
  PMPI(Allreduce)(&number, &most, 1, MPI_INT, MPI_MAX, world);
  return most;
}

// Tables for a recording, alike on all ranks, that leave the program most of the memory that it may
// still ask for. Null: some rank has no room for them.
Recording* made_within_limits(MPI_Comm world) {
  constexpr int kSmallest = 8;
  constexpr std::size_t kUsual = 80 << 20, kLeast = 1 << 20;  // bytes of all tables, by smaller_by
  const std::size_t left = memory_left();
  int by = 0;
  while (by < kSmallest && kUsual >> by > left / 4) ++by;
  smaller_by = agreed(by, world);
  const bool nothing = agreed((kUsual >> smaller_by) + kLeast > left / 2 ? 1 : 0, world) != 0;
  int rank = 0;
  PMPI(Comm_rank)(world, &rank);
  if (rank == 0 && (nothing || smaller_by > 0)) {
    char line[256];
    const int size =
        nothing ? std::snprintf(line, sizeof(line),
                                "halocline-preload: the limits of memory (ulimit -v) leave no room "
                                "for a recording: the program runs without one\n")
                : std::snprintf(line, sizeof(line),
                                "halocline-preload: memory is limited (ulimit -v): the recording "
                                "has room for one part in %d of what is usual\n",
                                1 << smaller_by);
    (void)!write(STDERR_FILENO, line, static_cast<std::size_t>(size));
  }
  if (nothing) return nullptr;
  void* room = reserve(sizeof(Recording));
  auto* run = room ? new (room) Recording : nullptr;
  if (run) new_thread(*run);
  return agreed(no_room ? 1 : 0, world) != 0 ? nullptr : run;
}

// `world`: all ranks; that of MPI, or the first communicator of a session.
void begin(int level, MPI_Comm world, bool of_session) {
  if (seen_mpi) return;
  seen_mpi = true;
  Recording* run = made_within_limits(world);
  if (!run) return;
  run->of_session = of_session;
  run->threads_word = thread_words(level);
  run->several_threads = level == MPI_THREAD_MULTIPLE;
  PMPI(Comm_rank)(world, &run->rank);
  PMPI(Comm_size)(world, &run->ranks);
  if (!of_session) {
    MPI_Comm parent = MPI_COMM_NULL;
    PMPI(Comm_get_parent)(&parent);
    run->spawned = parent != MPI_COMM_NULL;
  }
  choose_file(*run, world);
  run->communicators.begin(world, of_session);
  meet_machine(world);
  measure_first_offset(*run, world);
  watch_for_end();
  calibrate_clock();
  run->begin = now();
  recording = run;
  if (Thread* thread = this_thread(*run)) thread->left = run->begin;
}

void end(const char* how) {
  Recording* run = recording;
  if (!run) return;
  run->end = now();
  measure_last_offset(*run);
  end_recording(how, false);
}

__attribute__((constructor)) void loaded() {
  start_clock();
}

}  // namespace

}  // namespace recorder

using namespace recorder;

RECORDER_EXPORT int WRAPPED(Init) {
  RECORDER_REAL(Init);
  Inside inside;
  int result = real(ARGUMENTS(Init));
  if (result == MPI_SUCCESS && inside.outermost()) {
    int level = MPI_THREAD_SINGLE;
    PMPI(Query_thread)(&level);
    begin(level, MPI_COMM_WORLD, false);
  }
  return result;
}
RECORDER_ALIAS(Init)

RECORDER_EXPORT int WRAPPED(Init_thread) {
  RECORDER_REAL(Init_thread);
  Inside inside;
  int result = real(ARGUMENTS(Init_thread));
  if (result == MPI_SUCCESS && inside.outermost()) begin(*provided, MPI_COMM_WORLD, false);
  return result;
}
RECORDER_ALIAS(Init_thread)

RECORDER_EXPORT int WRAPPED(Finalize) {
  RECORDER_REAL(Finalize);
  Inside inside;
  if (inside.outermost()) end("finalized");
  return real(ARGUMENTS(Finalize));
}
RECORDER_ALIAS(Finalize)

RECORDER_EXPORT int WRAPPED(Abort) {
  RECORDER_REAL(Abort);
  Inside inside;
  if (recording) {
    end_recording("aborted", false);
    have_others_write();
  }
  return real(ARGUMENTS(Abort));
}
RECORDER_ALIAS(Abort)

#ifdef HAS_MPI_Session_init
RECORDER_EXPORT int WRAPPED(Session_init) {
  RECORDER_REAL(Session_init);
  Inside inside;
  int result = real(ARGUMENTS(Session_init));
  if (result == MPI_SUCCESS && inside.outermost()) ++sessions;
  return result;
}
RECORDER_ALIAS(Session_init)

RECORDER_EXPORT int WRAPPED(Session_finalize) {
  RECORDER_REAL(Session_finalize);
  Inside inside;
  if (inside.outermost() && --sessions == 0 && recording && recording->of_session) end("finalized");
  return real(ARGUMENTS(Session_finalize));
}
RECORDER_ALIAS(Session_finalize)

RECORDER_EXPORT int WRAPPED(Comm_create_from_group) {
  RECORDER_REAL(Comm_create_from_group);
  bool first = depth == 0 && !recording && !seen_mpi;
  Call call(Function::Comm_create_from_group, RECORDER_CALLER);
  if (!call) {
    int result = real(ARGUMENTS(Comm_create_from_group));
    // A program without MPI_Init: its first communicator stands for the world.
    if (first && result == MPI_SUCCESS && *newcomm != MPI_COMM_NULL)
      begin(MPI_THREAD_MULTIPLE, *newcomm, true);
    return result;
  }
  call.enter();
  int result = real(ARGUMENTS(Comm_create_from_group));
  call.leave();
  call.count();
  if (result == MPI_SUCCESS) comm_made_alone(call, stringtag, *newcomm);
  return result;
}
RECORDER_ALIAS(Comm_create_from_group)
#endif
