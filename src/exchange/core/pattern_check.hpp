#pragma once
// Do the parts of a pattern that the ranks hold fit each other?

#include "method.hpp"

#include <halocline/field.hpp>
#include <halocline/pattern.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace halocline::detail {

/// Throws the same Error on every rank if any brings a complaint, or unless each send has its
/// receive with the same size.
/// Returns whether each peer that a rank sends to sends to it, and the other way round, on all
/// ranks. `element_bytes`: of all fields together. Collective.
bool check_pattern(const Channel& comm, const Pattern& pattern, std::size_t element_bytes,
                   std::string complaint = {});
/// The same of what an exchange is built from, with the bytes of its links. `told`: numbers that
/// become the least of all ranks', in the same reduction.
bool check_pattern(const Setup& setup, std::string complaint = {},
                   std::vector<std::int64_t>* told = nullptr);

/// A cell that is received, and that is sent, or received once more, in the same step.
struct Clash {
  std::ptrdiff_t element;
  int from;   ///< the rank that it comes from; negative: this one
  bool sent;  ///< else something else is received there, too
  int other;  ///< the rank to which it is sent, or from which it is received once more
  int part;   ///< of an exchange of parts; negative: there is one
  std::string text() const;
};

/// The first of them, if there is one. `apart`: cells are sent from other arrays. A cell may be
/// received several times where `combines`. Local.
std::optional<Clash> find_clash(const Pattern& pattern, bool apart, bool combines = false);

/// Which bytes of the fields would be received twice, or sent and received, because fields lie on
/// one another; empty if none. Local.
std::string find_overlap(const Setup& setup);

/// Throws the same Error on every rank unless what a link's two ends combine are the same numbers,
/// field by field. Of a pattern that has been checked. Collective.
void check_numbers(const Setup& setup);

}  // namespace halocline::detail
