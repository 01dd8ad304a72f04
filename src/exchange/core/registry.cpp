#include "registry.hpp"

#include "base/variable.hpp"
#include "exchange/routes/routes.hpp"

#include <dlfcn.h>
#include <algorithm>
#include <sstream>

namespace halocline::detail {

namespace {

/// Methods that have been registered before the registry is first looked into.
struct Registration {
  static std::vector<MethodFacts>& more() {
    static std::vector<MethodFacts> methods;
    return methods;
  }
  static inline bool closed = false;
};

bool has_name(const std::vector<MethodFacts>& methods, std::string_view name) {
  return std::any_of(methods.begin(), methods.end(),
                     [&](const MethodFacts& one) { return one.name == name; });
}

/// Words of lower case letters, digits and '_' with ':' between them.
bool is_name(std::string_view text) {
  const auto fits = [](char c) {
    return c == '_' || c == ':' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits) && text.front() != ':' &&
         text.back() != ':' && text.find("::") == std::string_view::npos;
}

/// Those that HALOCLINE_METHODS names register their methods. What they have is used until the
/// process ends.
void load_libraries() {
  std::istringstream paths(base::variable("HALOCLINE_METHODS"));
  for (std::string path; std::getline(paths, path, ':');) {
    if (path.empty()) continue;
    const auto fail = [](const std::string& why) { throw Error("HALOCLINE_METHODS: " + why); };
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) fail(dlerror());
    using Register = void (*)();
    const auto add = reinterpret_cast<Register>(dlsym(library, "halocline_methods"));
    if (add == nullptr) fail(path + ": has no function halocline_methods");
    add();
  }
}

}  // namespace

const std::vector<MethodFacts>& registry() {
  static const std::vector<MethodFacts> all = [] {
    load_libraries();
    Registration::closed = true;
    std::vector<MethodFacts> methods = built_in_methods();
    for (MethodFacts& one : Registration::more()) methods.push_back(std::move(one));
    for (MethodFacts& one : methods) add_routes(one);
    return methods;
  }();
  return all;
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

}  // namespace halocline::detail

namespace halocline {

void register_method(methods::MethodFacts facts) {
  using detail::Registration;
  const auto fail = [&](const char* why) -> Error {
    return Error("method '" + facts.name + "': " + why);
  };
  if (!detail::is_name(facts.name))
    throw fail("its name must be words of a-z, 0-9 and _ with ':' between them");
  if (facts.make == nullptr && facts.missing().empty()) throw fail("nothing makes it");
  if (Registration::closed)
    throw fail("schemes have been read already; register methods before the first scheme is named");
  if (detail::has_name(detail::built_in_methods(), facts.name) ||
      detail::has_name(Registration::more(), facts.name))
    throw fail("there is one of this name");
  Registration::more().push_back(std::move(facts));
}

}  // namespace halocline
