#pragma once
// What a rank can be doing: the words of traces, wait states and models.

#include <cstdint>
#include <string_view>

#pragma GCC visibility push(default)

namespace halocline {

/// Moving data, and synchronising by the standard's own words. Numbers are those of trace files:
/// new ones go to the end.
enum class Activity : std::uint8_t {
  none,
  compute,   ///< the application's own work
  pack,      ///< from fields into a message, and what stays on this rank
  unpack,    ///< from a message into the halo
  copy,      ///< loads and stores between the memories of two ranks
  transfer,  ///< the calls that start communication, all of a step
  send,      ///< one message
  receive,   ///< one message
  put,
  get,
  accumulate,
  wait,  ///< until what others do has come here, by polling or in the calls below
  fence,
  post,  ///< my memory is ready for others: MPI_Win_post, or a permission without MPI's help
  start,
  complete,
  lock,
  unlock,
  flush,
  barrier,
  signal,      ///< telling a peer that its data are there
  reduce,      ///< a collective that combines a value of every rank
  begin_step,  ///< Exchange::start, around what happens there
  end_step,    ///< Exchange::finish
  region,      ///< the user's own
};
inline constexpr int activities = 25;

inline constexpr std::string_view activity_names[activities] = {
    "none",    "compute",    "pack",     "unpack",     "copy",  "transfer", "send",
    "receive", "put",        "get",      "accumulate", "wait",  "fence",    "post",
    "start",   "complete",   "lock",     "unlock",     "flush", "barrier",  "signal",
    "reduce",  "begin step", "end step", "region"};

constexpr std::string_view name(Activity activity) noexcept {
  return activity_names[static_cast<int>(activity)];
}

/// What an MPI function is, for those that a trace tells from the rest; else none.
constexpr Activity activity_of(std::string_view function) noexcept {
  constexpr struct {
    std::string_view function;
    Activity activity;
  } known[] = {{"MPI_Win_fence", Activity::fence},       {"MPI_Win_post", Activity::post},
               {"MPI_Win_start", Activity::start},       {"MPI_Win_complete", Activity::complete},
               {"MPI_Win_lock", Activity::lock},         {"MPI_Win_unlock", Activity::unlock},
               {"MPI_Win_flush", Activity::flush},       {"MPI_Win_lock_all", Activity::lock},
               {"MPI_Win_unlock_all", Activity::unlock}, {"MPI_Barrier", Activity::barrier}};
  for (const auto& one : known)
    if (one.function == function) return one.activity;
  return Activity::none;
}

}  // namespace halocline

#pragma GCC visibility pop
