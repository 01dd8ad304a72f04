#include "rma_facts.hpp"

namespace halocline::detail {

bool of_accumulates(const Scheme& scheme) {
  return scheme.part(1) == "accumulate";
}

/// Without messages.
bool lies_in_fields(const Scheme& scheme) {
  return of_accumulates(scheme) || scheme.is("pack", "off");
}

std::span<const Field> exposed_fields(const Setup& setup) {
  return setup.scheme.part(1) == "get" ? setup.send_fields() : setup.receive_fields();
}

namespace {

std::string rma_conflict(const Scheme& scheme) {
  const bool neighbours = scheme.part(2) == "fence" && scheme.is("group", "neighbors");
  const bool per_link = scheme.has("windows") && scheme.is("windows", "per-link");
  if (neighbours && per_link)
    return "each neighbourhood has a window of its own already; drop windows, or use group=all";
  if (!lies_in_fields(scheme)) return {};
  if (per_link)
    return "every window would cover the whole field, and the standard leaves concurrent accesses "
           "through "
           "overlapping windows undefined; use windows=one, or pack=on";
  if (neighbours && (scheme.is("alloc", "allocate") || scheme.is("alloc", "shared")))
    return "a field's own window spans all ranks; use alloc=create, or group=all";
  return {};
}

MemoryKind rma_memory(const Scheme& scheme) {
  if (!lies_in_fields(scheme)) return MemoryKind::plain;
  if (scheme.is("alloc", "allocate")) return MemoryKind::window;
  if (scheme.is("alloc", "shared")) return MemoryKind::shared;
  return MemoryKind::plain;
}

/// Whether the fields bring windows of the exchange's ranks, or, where it makes its own, lie in
/// memory that stays as long as these: until all ranks have let go of them.
bool reaches_fields(const Setup& setup) {
  const MemoryKind kind = setup.scheme.memory();
  return std::ranges::all_of(exposed_fields(setup), [&](const Field& field) {
    if (kind == MemoryKind::plain)
      return setup.memory != nullptr || field.memory.data() != nullptr || field.data == nullptr;
    if (field.memory.kind() != kind) return false;
    int same = MPI_UNEQUAL;
    HALOCLINE_MPI(MPI_Comm_compare, setup.comm, field.memory.comm(), &same);
    return same != MPI_UNEQUAL;
  });
}

}  // namespace

MethodFacts rma_facts(const std::string& operation, const std::string& synchronisation,
                      const std::string& calls, std::unique_ptr<Method> (*make)(Setup),
                      std::vector<OptionFacts> more,
                      std::vector<std::pair<std::string, std::string>> refusals) {
  const bool accumulates = operation == "accumulate";
  std::vector<OptionFacts> options;
  if (accumulates) {
    // First what takes fields that lie anywhere.
    options.push_back({"alloc", {"create", "allocate", "dynamic", "shared"}});
    for (const char* name : {"pack", "windows"})
      refusals.emplace_back(name,
                            std::string("it works on the fields where they lie; drop ") + name);
  } else {
    options = {{"alloc", {"allocate", "create", "dynamic", "shared"}},
               {"windows", {"one", "per-link"}}};
  }
  options.insert(options.end(), more.begin(), more.end());
  options.push_back(on_off("asserts", false));
  if (!accumulates) options.push_back(on_off("pack"));
  const std::string call = accumulates          ? "MPI_Accumulate (sums in MPI's order) "
                           : operation == "put" ? "MPI_Put "
                                                : "MPI_Get ";
  return {.name = "rma:" + operation + ":" + synchronisation,
          .summary = call + calls,
          .options = std::move(options),
          .make = make,
          .refusals = std::move(refusals),
          .conflict = rma_conflict,
          .memory = rma_memory,
          .rebinds = [](const Scheme& scheme) { return !lies_in_fields(scheme); },
          .reaches = reaches_fields,
          .combines = accumulates,
          .from_buffers = accumulates ? "rma:put:" + synchronisation : "",
          .one_sided = true,
          .frames = {.whole = operation == "get"}};
}

}  // namespace halocline::detail
