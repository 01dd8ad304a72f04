#include "candidates.hpp"

#include "exchange/core/registry.hpp"

#include <halocline/error.hpp>
#include <halocline/more/tuner.hpp>

#include <fnmatch.h>
#include <algorithm>
#include <array>

namespace halocline::detail {

namespace {

const std::vector<OptionFacts>& options(const Scheme& scheme) {
  return find_method(scheme.method())->options;
}

bool has_option(const Scheme& scheme, std::string_view name) {
  const auto& all = options(scheme);
  return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
}

/// The text of a scheme with some options changed; the text may mean nothing.
std::string with(const Scheme& scheme, const std::map<std::string, std::string>& changes) {
  std::string text = scheme.method();
  for (const OptionFacts& option : options(scheme)) {
    const auto changed = changes.find(option.name);
    text += "+" + option.name + "=" +
            (changed == changes.end() ? scheme.option(option.name) : changed->second);
  }
  return text;
}

void add(std::vector<Scheme>& list, const std::string& text) {
  try {
    const Scheme scheme(text);
    if (std::find(list.begin(), list.end(), scheme) == list.end()) list.push_back(scheme);
  } catch (const Error&) {
    // These options do not fit together.
  }
}

}  // namespace

std::vector<Scheme> methods_for(const Scheme& asked) {
  std::vector<Scheme> list;
  // What polls goes before what blocks in MPI, which takes long where ranks outnumber cores.
  for (const char* first :
       {"p2p:nonblocking", "shm:signal", "shm:signal+access=copy", "shm:message", "p2p:persistent",
        "neighbor:nonblocking", "rma:put:flush", "rma:get:flush"})
    add(list, first);
  // Accumulates are puts that ask more of MPI: they never win.
  for (const MethodFacts& method : registry())
    if (!method.chooses && !method.combines && method.missing().empty()) add(list, method.name);
  for (Scheme& scheme : list)
    if (has_option(scheme, "island"))
      scheme = Scheme(with(scheme, {{"island", asked.option("island")}}));
  if (asked.is("access", "any"))
    for (const Scheme& scheme : std::vector<Scheme>(list))
      if (has_option(scheme, "access")) add(list, with(scheme, {{"access", "direct"}}));
  return list;
}

std::vector<Scheme> variants(const Scheme& scheme, const Scheme& asked, bool several_islands,
                             bool has_stages, bool on_device) {
  std::vector<Scheme> list;
  for (const OptionFacts& option : options(scheme)) {
    if (option.name == "corners" && !has_stages) continue;
    // Elsewhere what carries messages decides it for itself.
    if (option.name == "device" && !on_device) continue;
    if (option.name == "island" || (option.name == "outer" && !several_islands)) continue;
    const bool by_heads = option.name == "heads";
    if (by_heads && !several_islands) continue;
    for (const std::string& value :
         by_heads ? std::vector<std::string>{"off", asked.option("island")} : option.values) {
      if (value == "direct" && !asked.is("access", "any")) continue;
      std::map<std::string, std::string> changes{{option.name, value}};
      const auto after = [&](const char* name) {
        return changes.count(name)        ? changes[name]
               : has_option(scheme, name) ? scheme.option(name)
                                          : std::string();
      };
      const bool of_field = after("alloc") == "allocate" || after("alloc") == "shared";
      if (after("pack") == "off" && of_field) {
        if (option.name != "pack") continue;
        changes["alloc"] = "create";
      }
      add(list, with(scheme, changes));
    }
  }
  std::erase(list, scheme);
  return list;
}

void Soundness::learn(const std::string& scheme, const std::string& outcome) {
  const auto is = [&](const auto& words) {
    return std::find(words.begin(), words.end(), outcome) != words.end();
  };
  if (is(std::array{"sound", "refused"}))
    sound_[scheme] = true;
  else if (is(std::array{"wrong", "error", "crash", "hang"}))
    broken_[scheme] = outcome;
}

namespace {

/// Whether the scheme is that method with those options, and perhaps others.
bool is_variant(const Scheme& scheme, const std::string& general) {
  const std::string options = scheme.full() + "+";
  std::size_t end = std::min(general.find('+'), general.size());
  if (general.substr(0, end) != scheme.method()) return false;
  while (end < general.size()) {
    const std::size_t next = std::min(general.find('+', end + 1), general.size());
    if (options.find(general.substr(end, next - end) + "+") == std::string::npos) return false;
    end = next;
  }
  return true;
}

}  // namespace

std::string Soundness::objection(const Scheme& scheme) const {
  for (const auto& [glob, why] : forbidden_)
    if (scheme.matches(glob)) return why;
  for (const auto& [ended, why] : unfinished_)
    if (is_variant(scheme, ended)) return why;
  if (!pinned_.empty()) return scheme.matches(pinned_) ? "" : "the choice is pinned to " + pinned_;
  const std::string name = scheme.str();
  if (const auto found = broken_.find(name); found != broken_.end())
    return "the doctor found: " + found->second;
  if (sound_.count(name)) return {};
  // A verdict on the method, or on some options of it, says something about its variants.
  for (const auto& [variant, outcome] : broken_)
    if (is_variant(scheme, variant))
      return "the doctor found, with " +
             (variant == scheme.method() ? "default options" : variant) + ": " + outcome;
  if (facts(scheme).trusted || sound_.count(scheme.method())) return {};
  return not_checked;
}

}  // namespace halocline::detail

namespace halocline {

bool matches_any_scheme(const std::string& glob) {
  const std::string of_methods = glob.substr(0, glob.find('+'));
  const bool has_options = of_methods.size() < glob.size();
  for (const detail::MethodFacts& method : detail::registry()) {
    if (fnmatch(glob.c_str(), method.name.c_str(), 0) == 0) return true;
    if (!has_options || fnmatch(of_methods.c_str(), method.name.c_str(), 0) != 0) continue;
    // Below are neither the methods that are missing here nor options that change nothing in
    // others.
    const auto in_glob = [&](const detail::OptionFacts& option) {
      return glob.find("+" + option.name + "=") != glob.npos;
    };
    constexpr std::array apart{"island", "outer", "heads", "device", "corners"};
    for (const detail::OptionFacts& option : method.options)
      if (in_glob(option) && (!method.missing().empty() ||
                              std::find(apart.begin(), apart.end(), option.name) != apart.end()))
        return true;
  }
  const std::vector<std::string> all = scheme_combinations();
  return std::any_of(all.begin(), all.end(),
                     [&](const std::string& one) { return Scheme(one).matches(glob); });
}

}  // namespace halocline
