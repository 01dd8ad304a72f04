#pragma once
// Schemes: a method together with its options, written as one string.

#include <halocline/island.hpp>
#include <halocline/memory_kind.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

/// `family[:operation][:synchronisation][+option=value]...`, checked and in canonical form.
/// The string is a scheme's only name: on the command line, in result files and in plots.
class Scheme {
 public:
  /// "p2p:nonblocking": what is used wherever nobody names a scheme. It runs with every MPI and on
  /// all memory, and neither measures nor writes a file, as "auto" does.
  Scheme() : Scheme(std::string_view("p2p:nonblocking")) {}
  /// Throws Error naming what does not fit and what would, also when this MPI lacks the method.
  Scheme(std::string_view text);  // NOLINT: a string is a scheme
  Scheme(const char* text) : Scheme(std::string_view(text)) {}
  Scheme(const std::string& text) : Scheme(std::string_view(text)) {}

  const std::string& method() const noexcept { return method_; }  ///< "rma:put:fence"
  /// The value given, or the method's default; throws Error if the method has no such option.
  const std::string& option(std::string_view name) const;
  bool has(std::string_view name) const { return options_.find(name) != options_.end(); }
  bool is(std::string_view name, std::string_view value) const { return option(name) == value; }
  /// "get" of "rma:get:fence"; empty when the method has no such part.
  std::string_view part(std::size_t index) const noexcept;
  /// Canonical: options in the method's order, defaults left out.
  std::string str() const;
  /// With every option spelled out, also those of the outer scheme.
  std::string full() const;
  /// Whether `glob` (with * and ?) fits str() or full(): `rma:*`, `*+alloc=allocate*`.
  bool matches(const std::string& glob) const;
  /// The kind of field memory this scheme works best on (it may be the only one).
  MemoryKind memory() const;
  /// Whether it may leave cells with the neighbour, for a caller that reads them there
  /// (ExchangeOptions::halos): `access=direct`, or `access=any` of `auto`.
  bool reads_in_place() const;
  /// The islands of its `island` option; whole nodes if it has none.
  IslandSpec islands() const;

  /// The same with another value of an option, or with its default. Throw Error where the method
  /// has no such option, or the value does not fit.
  Scheme with(std::string_view option, std::string_view value) const;
  Scheme without(std::string_view option) const;

  bool operator==(const Scheme& other) const { return str() == other.str(); }

 private:
  std::string method_;
  std::map<std::string, std::string, std::less<>> options_;
};

/// What `--list-schemes` prints.
struct SchemeFacts {
  std::string scheme{};
  std::string summary{};      ///< one line: what calls it makes
  std::string unavailable{};  ///< why this MPI cannot run it; empty if it can
};

/// Every method with its default options, available or not; without `auto`, which is a choice among
/// them.
std::vector<SchemeFacts> known_schemes();
/// Every method with every combination of its options that fit together (and are available).
std::vector<std::string> scheme_combinations();
/// The options of all methods as text, for `--list-schemes`.
std::string scheme_options_help();

}  // namespace halocline

#pragma GCC visibility pop
