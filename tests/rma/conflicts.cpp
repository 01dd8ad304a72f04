#include "conflicts.hpp"

#include "watch.hpp"

#include <algorithm>
#include <cstring>
#include <list>

namespace emulated {

namespace {

std::list<Use>& uses() {
  static auto& all = *new std::list<Use>;
  return all;
}

std::byte* at(const Run& run) {
  return reinterpret_cast<std::byte*>(run.offset);
}

std::ptrdiff_t end_of(const Run& run) {
  return run.offset + static_cast<std::ptrdiff_t>(run.bytes);
}

/// Where two lists have a byte in common that `matters`: the beginning of what they have.
template <class Matters>
bool meet(const std::vector<Run>& some, const std::vector<Run>& others, Matters&& matters) {
  for (const Run& a : some)
    for (const Run& b : others)
      if (a.offset < end_of(b) && b.offset < end_of(a) && matters(a, b)) return true;
  return false;
}
bool meet(const std::vector<Run>& some, const std::vector<Run>& others) {
  return meet(some, others, [](const Run&, const Run&) { return true; });
}

[[noreturn]] void conflict(const Use& first, const Use& second, const std::string& where) {
  end("race", std::string(second.call) + ": it works on the same " + where + " as " + first.call +
                  " of this rank before it, which is not complete");
}

void must_not_meet(const Use& first, const Use& second) {
  const bool changed = first.access.writes || second.access.writes;
  if (changed && first.window == second.window && first.target == second.target &&
      first.post == second.post && meet(first.there, second.there, [&](const Run& a, const Run& b) {
        return !first.access.together(second.access, a.offset - b.offset);
      }))
    conflict(first, second, "bytes of rank " + std::to_string(second.target));
  for (const Use::Memory& a : first.here)
    for (const Use::Memory& b : second.here)
      if ((a.written || b.written) && meet(a.runs, b.runs))
        conflict(first, second, "memory of the origin");
}

/// The program has left its memory alone.
void must_hold(const std::byte* memory, const std::byte* holds, std::size_t bytes,
               const char* call) {
  if (std::memcmp(memory, holds, bytes) != 0)
    end("race", std::string(call) +
                    ": the program stored to memory of the origin before the operation was "
                    "complete");
}

void must_be_untouched(const Use& use) {
  for (const Use::Memory& memory : use.here) {
    const std::byte* holds = memory.holds.data();
    for (const Run& run : memory.runs) {
      must_hold(at(run), holds, run.bytes, use.call);
      holds += run.bytes;
    }
  }
}

}  // namespace

Use::Memory& Use::add(void* address, std::vector<Run> runs, bool written) {
  Memory memory{std::move(runs), written, {}};
  for (Run& run : memory.runs) {
    run.offset += reinterpret_cast<std::ptrdiff_t>(address);
    memory.holds.insert(memory.holds.end(), at(run), at(run) + run.bytes);
  }
  return here.emplace_back(std::move(memory));
}

void Use::bring(std::byte* to, const std::byte* from, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::ptrdiff_t>(to);
  for (Memory& memory : here) {
    std::byte* holds = memory.holds.data();
    for (const Run& run : memory.runs) {
      if (memory.written && run.offset <= begin && begin < end_of(run)) {
        std::byte* const held = holds + (begin - run.offset);
        must_hold(to, held, bytes, call);
        std::memcpy(held, from, bytes);
      }
      holds += run.bytes;
    }
  }
  std::memcpy(to, from, bytes);
}

Use& begin_use(Use use) {
  for (const Use& before : uses()) must_not_meet(before, use);
  return uses().emplace_back(std::move(use));
}

void end_use_here(const Uses& which) {
  for (Use& use : uses()) {
    if (!which(use)) continue;
    must_be_untouched(use);
    // What has come may be a flag.
    if (std::ranges::any_of(use.here, &Use::Memory::written)) listen();
    use.here.clear();
  }
}

void end_use(const Uses& which) {
  end_use_here(which);
  std::erase_if(uses(), [&](const Use& use) {
    if (!which(use)) return false;
    use.window->completed(use.target, use.there, use.access);
    return true;
  });
}

}  // namespace emulated
