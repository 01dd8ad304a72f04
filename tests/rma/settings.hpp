#pragma once
// What the environment asks of the emulated windows.
//
//   EMULATED_MODEL    separate (also if nothing is said) or unified: what MPI_WIN_MODEL says; or
//                     coherent: unified, and messages make both copies equal, as on most machines
//   EMULATED_SEED     of all that is left to chance
//   EMULATED_FORGET   calls that do nothing, as if the programmer had left them out, with commas:
//                     NAME       every time
//                     NAME=n     the n-th time on each rank
//                     NAME=n%m   the n-th, and every m-th after it
//                     with @r    on rank r alone
//                     NAME may end with what the call is about (`about` below)

#include <string>

namespace emulated {

/// Whether windows have two copies that only synchronisation makes equal.
bool separate();
/// Whether messages do, too.
bool coherent();

/// 0 to sides - 1, by chance.
int roll(int sides);
inline bool one_in(int sides) {
  return roll(sides) == 0;
}

/// Whether the programmer has left out this call. `about` is what a call of this name is about,
/// such as "words" or "permit": EMULATED_FORGET=MPI_Win_flush/words means only those.
bool forgotten(const std::string& name, const std::string& about);

}  // namespace emulated
