#pragma once
// The registry: one line for each method. A scheme's method and options are looked up here.

#include "method.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace halocline::detail {

struct OptionFacts {
  std::string name;
  std::vector<std::string> values;  ///< the first is the default
  /// For free text (`island`, `outer`): throws Error on bad text. `values` holds examples.
  std::function<void(const std::string&)> check{};
};

struct MethodFacts {
  std::string name;     ///< "rma:put:fence"
  std::string summary;  ///< one line: what calls it makes
  std::vector<OptionFacts> options;
  std::unique_ptr<Method> (*make)(Setup);
  /// Options that other methods have and this one cannot, with the reason and the remedy.
  std::vector<std::pair<std::string, std::string>> refusals{};
  /// Why these options do not fit together; empty if they do.
  std::string (*conflict)(const Scheme&) = [](const Scheme&) { return std::string(); };
  /// Why this MPI cannot run it; empty if it can.
  std::string (*missing)() = [] { return std::string(); };
  MemoryKind (*memory)(const Scheme&) = [](const Scheme&) { return MemoryKind::plain; };
  /// No way of its own but a choice among the others; lists of schemes leave it out.
  bool chooses = false;
  /// Combines what arrives where it lands, in an order of its own; with the others the exchange
  /// does (framed.hpp).
  bool combines = false;
};

const std::vector<MethodFacts>& registry();
/// Null if there is none of this name.
const MethodFacts* find_method(std::string_view name);
std::unique_ptr<Method> make_method(Setup setup);

template <class M>
std::unique_ptr<Method> make(Setup setup) {
  return std::make_unique<M>(std::move(setup));
}

inline OptionFacts on_off(std::string name, bool on = true) {
  return on ? OptionFacts{std::move(name), {"on", "off"}}
            : OptionFacts{std::move(name), {"off", "on"}};
}

}  // namespace halocline::detail
