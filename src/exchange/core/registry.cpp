#include "registry.hpp"

#include "exchange/routes/heads.hpp"
#include "exchange/routes/on_device.hpp"
#include "exchange/routes/staged.hpp"
#include "methods.hpp"

#include <algorithm>

namespace halocline::detail {

namespace {

/// What every method can that fills halos. The outer scheme comes last in a scheme's text.
std::vector<MethodFacts> with_routes(std::vector<MethodFacts> methods) {
  for (MethodFacts& method : methods) {
    std::vector<OptionFacts> routes{corners_option(), heads_option(), device_option()};
    if (method.chooses) routes.erase(routes.begin(), routes.end() - 1);
    const auto outer =
        std::find_if(method.options.begin(), method.options.end(),
                     [](const OptionFacts& option) { return option.name == "outer"; });
    method.options.insert(outer, routes.begin(), routes.end());
  }
  return methods;
}

/// Where the caller does not read in place, a scheme that would leave cells with the neighbour
/// copies them.
Scheme permitted(const Scheme& scheme, Halos halos) {
  const bool leaves = halos != Halos::in_place && scheme.reads_in_place();
  return leaves ? scheme.with("access", "copy") : scheme;
}

}  // namespace

const std::vector<MethodFacts>& registry() {
  // clang-format off
  static const std::vector<MethodFacts> methods = with_routes({
      p2p_sendrecv(),      p2p_nonblocking(),      p2p_persistent(),      p2p_partitioned(),
      neighbor_blocking(), neighbor_nonblocking(), neighbor_persistent(),
      rma_fence("put"),    rma_fence("get"),       rma_fence("accumulate"),
      rma_pscw("put"),     rma_pscw("get"),        rma_pscw("accumulate"),
      rma_lock("put"),     rma_lock("get"),        rma_lock("accumulate"),
      rma_flush("put"),    rma_flush("get"),       rma_flush("accumulate"),
      shm_fence(),         shm_pscw(),             shm_message(),         shm_signal(),
      shmem(),
      gaspi(),
      automatic(),
  });
  // clang-format on
  return methods;
}

const MethodFacts* find_method(std::string_view name) {
  const auto& methods = registry();
  const auto found = std::find_if(methods.begin(), methods.end(),
                                  [&](const MethodFacts& method) { return method.name == name; });
  return found == methods.end() ? nullptr : &*found;
}

const MethodFacts& facts(const Scheme& scheme) {
  return *find_method(scheme.method());
}

std::unique_ptr<Method> make_method(Setup setup) {
  setup.scheme = permitted(setup.scheme, setup.halos);
  if (forwards(setup)) return make_staged(std::move(setup));
  if (on_device(setup)) return make_on_device(std::move(setup));
  if (goes_by_heads(setup)) return make_by_heads(std::move(setup));
  const MethodFacts& method = facts(setup.scheme);
  return method.make(std::move(setup));
}

}  // namespace halocline::detail
