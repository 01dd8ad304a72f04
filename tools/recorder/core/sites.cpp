#include "sites.hpp"

#include "clock.hpp"

#include <preload/behind.hpp>

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <climits>
#include <cstdlib>

namespace recorder {

namespace {

struct Walk {
  void* addresses[32];
  std::uint64_t frames[32];
  std::uint32_t count = 0;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  if (walk.count == 32) return _URC_END_OF_STACK;
  // Where the stack was before this frame called: on x86 the return address stands just below.
  walk.addresses[walk.count] = reinterpret_cast<void*>(_Unwind_GetIP(context));
  walk.frames[walk.count] = _Unwind_GetCFA(context);
  ++walk.count;
  return walk.addresses[walk.count - 1] ? _URC_NO_REASON : _URC_END_OF_STACK;
}

bool in_recorder(const void* address) {
  static void* own = [] {
    Dl_info info;
    return dladdr(reinterpret_cast<void*>(&step), &info) ? info.dli_fbase : nullptr;
  }();
  Dl_info info;
  return dladdr(address, &info) && info.dli_fbase == own;
}

}  // namespace

bool Sites::name(char* call, Frame& frame) {
  if (std::int32_t known = names_.find(number_of(call)); known >= 0) {
    frame = named_[static_cast<std::uint32_t>(known)];
    return true;
  }
  Dl_info info;
  link_map* map = nullptr;
  if (!dladdr1(call, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP)) return false;
  frame = {reinterpret_cast<std::uintptr_t>(call), 0, 0};
  if (map) frame.address -= map->l_addr;
  char path[PATH_MAX];
  // The program itself has the name that it was called by, seen from a folder it may leave.
  bool whole = info.dli_fname && info.dli_fname[0] != '/' && realpath(info.dli_fname, path);
  frame.object = texts_.place(whole ? path : info.dli_fname);
  frame.symbol = texts_.place(info.dli_sname);
  if (named_.add(frame)) names_.set(number_of(call), named_.size() - 1);
  return true;
}

std::int32_t Sites::add(void* address, void* const* addresses, std::uint32_t count) {
  Site site{frames_.size(), 0};
  for (std::uint32_t at = 0; at < count && at < 16; ++at) {
    Frame frame;
    // A return address is behind the call, maybe already in the next line or function.
    if (!name(static_cast<char*>(addresses[at]) - 1, frame) || !frames_.add(frame)) break;
    ++site.frames;
  }
  std::uint32_t number = sites_.size();
  if (!sites_.add(site)) {
    ++left_out_;
    return -1;
  }
  known_.set(number_of(address), number);
  return static_cast<std::int32_t>(number);
}

// The first frame that is neither the recorder's nor MPI's: its site, and where it stands.
std::int32_t Sites::unwound(void** frame, std::int64_t* offset) {
  OwnTime own;
  Walk walk;
  _Unwind_Backtrace(step, &walk);
  std::uint32_t at = 0;
  while (at < walk.count &&
         (in_recorder(walk.addresses[at]) || preload::in_binding(walk.addresses[at])))
    ++at;
  if (at == walk.count) return -1;
  *offset = 0;
#if defined(__x86_64__)
  auto* place = reinterpret_cast<void**>(walk.frames[at]) - 1;
  if (*place == walk.addresses[at]) {
    *offset = reinterpret_cast<char*>(place) - reinterpret_cast<char*>(frame);
  }
#endif
  std::int32_t found = known_.find(number_of(walk.addresses[at]));
  if (found >= 0) return found;
  return add(walk.addresses[at], walk.addresses + at, walk.count - at);
}

std::int32_t Sites::behind_binding(std::uint32_t number, void** frame) {
  Binding& binding = bindings_[number];
  if (binding.offset != 0) {
    void* caller = *reinterpret_cast<void**>(reinterpret_cast<char*>(frame) + binding.offset);
    std::int32_t found = known_.find(number_of(caller));
    if (found >= 0) return found;
  }
  std::int64_t offset = 0;
  std::int32_t site = unwound(frame, &offset);
  binding.offset = offset;
  return site;
}

std::int32_t Sites::look_up(void* caller, void** frame) {
  std::int32_t found = known_.find(number_of(caller));
  if (found < 0) {
    std::int32_t binding = binding_.find(number_of(caller));
    if (binding >= 0) return behind_binding(static_cast<std::uint32_t>(binding), frame);
    if (preload::in_binding(caller)) {
      if (bindings_.add({0}) && binding_.set(number_of(caller), bindings_.size() - 1)) {
        return behind_binding(bindings_.size() - 1, frame);
      }
      std::int64_t offset;
      return unwound(frame, &offset);
    }
    OwnTime own;
    Walk walk;
    _Unwind_Backtrace(step, &walk);
    std::uint32_t at = 0;
    while (at < walk.count && walk.addresses[at] != caller) ++at;
    found = at < walk.count ? add(caller, walk.addresses + at, walk.count - at)
                            : add(caller, &caller, 1);
    if (found < 0) return -1;
  }
  last_caller_ = caller;
  last_site_ = found;
  return found;
}

}  // namespace recorder
