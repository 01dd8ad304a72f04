// All that is known of this rank's run, and the threads that bring it.
#pragma once

#include "calls.hpp"
#include "communicators.hpp"
#include "layouts.hpp"
#include "messages.hpp"
#include "probed.hpp"
#include "requests.hpp"
#include "sequence.hpp"
#include "shapes.hpp"
#include "sites.hpp"
#include "windows.hpp"

#include <pthread.h>

namespace recorder {

// What a call that completes needs while it runs.
struct Scratch {
  static constexpr std::uint32_t kMost = 1 << 18;
  Bounded<MPI_Request> requests{kMost};
  Bounded<MPI_Status> statuses{kMost};
  Bounded<Link> links{1 << 14};
};

struct Recording;
class Call;

struct Thread {
  std::int32_t number = 0;
  Recording* run = nullptr;
  Ticks left = 0;               // when its last call ended
  const Call* call = nullptr;   // that it is in now
  std::int64_t last_call = -1;  // the number of its last one; -1: none yet
  Ticks outside = 0;            // of MPI, so far
  Ticks inside = 0;             // of MPI, so far
  Ticks outside_at_shape = 0;   // when its last exchange ended
  // How long the long times outside of MPI took, and how much of that it had a processor.
  Ticks timed = 0;
  std::int64_t processor = 0;  // ns
  Ticks timed_at_shape = 0;
  std::int64_t processor_at_shape = 0;
  std::int64_t processor_left = -1;    // when its last call ended; -1: nobody looked
  std::int64_t processor_in_gap = -1;  // since then
  Ticks own = 0;                       // of the recorder: finding names, taking datatypes apart
  std::uint32_t until_look = 1;        // calls, until the recorder's own time is looked at again
  std::uint32_t next_look = 1;
  std::uint32_t look_stands_for = 1;  // so many calls
  std::uint32_t looks = 0;
  std::uint32_t uneven = 1;
  Sequence* sequence = nullptr;
  Episode* episode = nullptr;  // of messages
  Episode* whole = nullptr;    // of what begins and ends in one call
  Scratch* scratch = nullptr;
  Probed::Found found{};  // what its call receives
};

struct Recording {
  static constexpr std::uint32_t kThreads = 64;

  Calls calls;
  Sites sites;
  Layouts layouts;
  Communicators communicators;
  Windows windows;
  Requests requests;
  Shapes shapes;
  Messages messages;
  Meetings meetings;
  Bodies bodies;
  Probed probed;

  Thread* threads[kThreads] = {};
  std::uint32_t thread_count = 0;
  std::uint32_t serials = 0;  // of episodes
  std::uint64_t call_count = 0;

  std::int32_t rank = 0;
  std::int32_t ranks = 1;
  bool spawned = false;
  bool of_session = false;  // the program has no MPI_Init
  const char* threads_word = "single";
  bool several_threads = false;  // MPI_THREAD_MULTIPLE: take turns
  Ticks begin = 0;
  Ticks end = 0;
  std::int64_t offsets[2][2] = {};  // a time here, and what to add to it: nanoseconds
  int offset_count = 0;
  std::int64_t offset_within = 0;
  std::uint64_t shared_windows = 0;
  std::uint64_t spawned_processes = 0;
};

// Null before MPI is initialised, and when the recording is done.
extern Recording* recording;

// Has this process come to MPI_Init through here?
extern bool seen_mpi;

// The calling thread's own.
extern constinit thread_local int depth __attribute__((tls_model("initial-exec")));
extern constinit thread_local Thread* own_thread __attribute__((tls_model("initial-exec")));

// Null: there is no room.
Thread* new_thread(Recording& run);
inline Thread* this_thread(Recording& run) {
  Thread* thread = own_thread;
  return __builtin_expect(thread != nullptr, true) ? thread : new_thread(run);
}

extern pthread_mutex_t turn;

}  // namespace recorder
