#pragma once
// What the methods of rma share besides windows: their options, and how data move in a description.

#include "exchange/core/registry.hpp"

namespace halocline::detail {

/// The facts of one of the family's methods. `calls` is what follows MPI_Put, MPI_Get or
/// MPI_Accumulate in its summary; `options` and `refusals` are those that not all methods have.
MethodFacts rma_facts(const std::string& operation, const std::string& synchronisation,
                      const std::string& calls, std::unique_ptr<Method> (*make)(Setup),
                      std::vector<OptionFacts> options,
                      std::vector<std::pair<std::string, std::string>> refusals);

/// Whether it accumulates into the fields.
bool of_accumulates(const Scheme& scheme);
/// Without messages.
bool lies_in_fields(const Scheme& scheme);
/// The fields that peers put into, accumulate into, or get from.
std::span<const Field> exposed_fields(const Setup& setup);

/// Windows in a description: who waits for whom before data move, and after, is the method's own.
/// With put a rank is origin of its sends and target of its receives; with get it is origin of its
/// receives and target of its sends.
class DescribedWindows {
 public:
  DescribedWindows(const model::Chosen& chosen, const model::Links& links, int slots,
                   model::Step& step)
      : gets_(chosen.part(1) == "get"),
        accumulates_(chosen.part(1) == "accumulate"),
        in_place_(accumulates_ || chosen.is("pack", "off")),
        slots_(slots),
        links_(links),
        outward(gets_ ? links.receives : links.sends),
        inward(gets_ ? links.sends : links.receives) {
    if (in_place_) return;
    for (const model::LinkSize& link : inward)
      step.window_bytes += static_cast<std::size_t>(slots_) * link.bytes;
    for (const model::LinkSize& link : outward)
      if (link.pieces > 1) step.buffer_bytes += link.bytes;
  }

  bool gets() const { return gets_; }
  bool in_place() const { return in_place_; }
  /// Messages under a link, in turn.
  int slots() const { return in_place_ ? 0 : slots_; }

  /// Fills what is sent: a message of more than one block, or a slot for others to get.
  void pack(model::Script& script) const {
    if (!in_place_)
      for (const model::LinkSize& link : links_.sends)
        if (gets_ || link.pieces > 1) script.pack(link);
    script.keep(links_);
  }
  void move(model::Script& script, const model::LinkSize& link) const {
    if (gets_)
      script.get(link, in_place_ ? "get:datatype" : "get");
    else
      script.put(link, accumulates_ ? "put:accumulate" : in_place_ ? "put:datatype" : "put");
  }
  /// A message got into one block is where it belongs.
  void unpack(model::Script& script) const {
    if (in_place_) return;
    for (const model::LinkSize& link : links_.receives)
      if (!gets_ || link.pieces > 1) script.unpack(link);
  }
  /// Inside MPI from now on: where it needs that, what others have put arrives.
  void describe_progress(model::Script& script) const {
    if (!gets_)
      for (const model::LinkSize& link : inward) script.progress(link);
  }

 private:
  bool gets_, accumulates_, in_place_;
  int slots_;
  const model::Links& links_;

 public:
  const std::vector<model::LinkSize>&outward, &inward;  ///< of which I am origin, and target
};

}  // namespace halocline::detail
