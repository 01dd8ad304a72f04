#pragma once
// The model: what any scheme does in one step (description.hpp), with what stands in front of its
// method. Pure data, no MPI call.

#include <halocline/more/activity.hpp>
#include <halocline/more/description.hpp>
#include <halocline/scheme.hpp>

#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline::model {

/// What else than cells that stay the same an exchange can carry.
enum class Kind : std::uint8_t {
  fixed,
  ragged,        ///< other elements in each step: messages begin with how many (ExchangeOptions)
  reversed,      ///< from halos to their owners, who combine; `sends` are the halos
  asynchronous,  ///< the newest that is there (AsyncExchange)
};
/// Throws Error on another name than those above.
Kind kind_of(std::string_view name);

/// What `scheme` does in one step with these links. Throws Error for `auto`, which is a choice, for
/// methods without a description, and for those that cannot be asynchronous, if that is asked for.
Step describe(const Scheme& scheme, const Links& links, Kind kind = Kind::fixed);
/// The same by a method's name with its default options, also where this MPI lacks it.
Step describe_method(std::string_view method, const Links& links, Kind kind = Kind::fixed);
/// All methods that have a description: those of the registry, without `auto`.
std::vector<std::string> described_methods();

/// How all ranks learn a sum: "allreduce", "chain" (each hands on to its successor) or "last" (all
/// notify the last rank). Throws Error on another name.
std::vector<Operation> describe_reduction(std::string_view kind, int rank, int ranks);

/// What a trace shows while a rank does this (activity.hpp). Calls that reach a whole group, such
/// as MPI_Win_post, are one event there; what is not seen by itself is a wait or a transfer.
Activity activity(const Operation& operation);

std::string_view name(Verb verb);
std::string_view name(Word word);
/// One line, as people read it: "put 4096 bytes to 3".
std::ostream& operator<<(std::ostream& out, const Operation& operation);

}  // namespace halocline::model

#pragma GCC visibility pop
