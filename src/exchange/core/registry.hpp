#pragma once
// The registry: one line for each method. What a method is and can is looked up here.

#include "method.hpp"

#include <halocline/description.hpp>

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

/// How the ranks of a step wait for each other: a trace says it of each exchange, and its reader
/// knows by it whom a rank has waited for (docs/reference/trace-file.md).
namespace waits {
constexpr const char* for_messages = "messages";  ///< until a peer's message has come
constexpr const char* for_memory = "shared memory";
constexpr const char* for_memory_epochs = "shared memory by epochs";  ///< empty ones
constexpr const char* at_memory_fences = "shared memory by fences";   ///< of the ranks with links
constexpr const char* at_fences = "fences";                           ///< for all ranks
constexpr const char* at_near_fences = "near fences";                 ///< for those with links
constexpr const char* for_epochs = "epochs";  ///< post, start, complete, wait
constexpr const char* for_epochs_of_gets = "epochs of gets";
constexpr const char* for_targets = "passive targets";  ///< for notifications
constexpr const char* for_targets_of_gets = "passive targets of gets";
constexpr const char* for_nobody = "nobody";  ///< asynchronous
}  // namespace waits

/// All that others know of a method. Who asks what a method can asks here, never for its name.
struct MethodFacts {
  std::string name;     ///< "rma:put:fence"
  std::string summary;  ///< one line: what calls it makes
  std::vector<OptionFacts> options;
  std::unique_ptr<Method> (*make)(Setup);
  /// What it does in a step. Null: the model refuses it.
  model::Step (*describe)(const model::Chosen&, const model::Links&) = nullptr;
  /// Options that other methods have and this one cannot, with the reason and the remedy.
  std::vector<std::pair<std::string, std::string>> refusals{};
  /// Why these options do not fit together; empty if they do.
  std::string (*conflict)(const Scheme&) = [](const Scheme&) { return std::string(); };
  /// Why this MPI cannot run it; empty if it can.
  std::string (*missing)() = [] { return std::string(); };
  MemoryKind (*memory)(const Scheme&) = [](const Scheme&) { return MemoryKind::plain; };
  /// Whether a scheme leaves cells with the neighbour where the caller's code reads them there.
  /// Elsewhere its option `access` is `copy`.
  bool (*reads_in_place)(const Scheme&) = [](const Scheme&) { return false; };
  const char* (*waits)(const Scheme&) = [](const Scheme&) { return waits::for_messages; };

  /// No way of its own but a choice among the others; lists of schemes leave it out.
  bool chooses = false;
  /// Combines what arrives where it lands, in an order of its own; with the others the exchange
  /// does (framed.hpp).
  bool combines = false;
  /// The method that moves bytes between two buffers, where this one would combine them.
  std::string from_buffers{};
  /// With pack=off others reach the fields by windows that the exchange makes on them.
  bool one_sided = false;
  /// Within an island only; its option `outer` says what carries the links between islands.
  bool within_islands = false;
  /// MPI is given the addresses of the cells; so an MPI that takes those of a device can carry
  /// them.
  bool device_addresses = false;
  /// Whatever is in use of a frame, the whole of it travels: its size is settled at set-up.
  bool whole_frames = false;
  /// Both ends of a link can make it anew without the other ranks.
  bool made_alone = false;
  /// Any MPI gets it right: `auto` may choose it before the doctor has seen it.
  bool trusted = false;
};

const std::vector<MethodFacts>& registry();
/// Null if there is none of this name.
const MethodFacts* find_method(std::string_view name);
/// Those of a scheme's method.
const MethodFacts& facts(const Scheme& scheme);
/// What a method does in a step, with what stands in front of it (routes/). Throws Error if it has
/// no description.
model::Step describe(const model::Chosen& chosen, const model::Links& links);
model::Step describe(const Scheme& scheme, const model::Links& links);
/// A scheme as descriptions want it; `heads` only where it changes something.
model::Chosen chosen(const Scheme& scheme, const model::Links& links);
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
