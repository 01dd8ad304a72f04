#include "registry.hpp"

#include "base/variable.hpp"
#include "exchange/routes/routes.hpp"

#include <dlfcn.h>
#include <algorithm>
#include <sstream>

namespace halocline::detail {

namespace {

/// Schemes have been read: what they name stays as it is.
bool closed = false;

/// Words of lower case letters, digits and '_' with ':' between them.
bool is_name(std::string_view text) {
  const auto fits = [](char c) {
    return c == '_' || c == ':' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits) && text.front() != ':' &&
         text.back() != ':' && text.find("::") == std::string_view::npos;
}

/// Lets libraries that are loaded from here on find this one, also where it was loaded for somebody
/// alone, as Python loads its modules.
void be_found() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<void*>(&register_method), &here) != 0)
    dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

/// Those that HALOCLINE_METHODS names register their methods. What they have is used until the
/// process ends.
void load_libraries() {
  std::istringstream paths(base::variable("HALOCLINE_METHODS"));
  for (std::string path; std::getline(paths, path, ':');) {
    if (path.empty()) continue;
    be_found();
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

void may_register(const std::string& what, std::string_view name, bool made, bool taken) {
  if (!is_name(name))
    throw Error(what + "its name must be words of a-z, 0-9 and _ with ':' between them");
  if (!made) throw Error(what + "nothing makes it");
  if (closed)
    throw Error(what +
                "schemes have been read already; register methods before the first scheme is "
                "named");
  if (taken) throw Error(what + "there is one of this name");
}

const std::vector<MethodFacts>& registry() {
  static const std::vector<MethodFacts> all = [] {
    load_libraries();
    closed = true;
    std::vector<MethodFacts> methods = built_in_methods();
    for (const MethodFacts& one : registered<MethodFacts>()) methods.push_back(one);
    for (MethodFacts& one : methods) add_routes(one);
    return methods;
  }();
  return all;
}

const MethodFacts* find_method(std::string_view name) {
  return find_named(registry(), name);
}

const MethodFacts& facts(const Scheme& scheme) {
  return *find_method(scheme.method());
}

bool chosen_while_running(const Scheme& scheme) {
  return facts(scheme).chooses && scheme.has("when") && scheme.is("when", "running");
}

}  // namespace halocline::detail

namespace halocline {

void register_method(methods::MethodFacts facts) {
  const std::string what = "method '" + facts.name + "': ";
  const bool made = facts.make != nullptr || !facts.missing().empty();
  detail::add_registered(what, std::move(facts), made, detail::built_in_methods());
}

}  // namespace halocline

namespace halocline {

double prepare(const Scheme& scheme) {
  const auto act = detail::facts(scheme).prepare;
  const double seconds = act == nullptr ? 0 : act();
  return scheme.has("outer") ? seconds + prepare(scheme.option("outer")) : seconds;
}

}  // namespace halocline
