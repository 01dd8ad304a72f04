#pragma once
// Situations: what a choice depends on, and how alike two of them are.

#include "exchange/method.hpp"
#include "json.hpp"

namespace halocline::detail {

/// {machine: {cpu, cores, mpi}, job: {...}, pattern: {...}}, the same on all ranks of the exchange:
/// of sizes the largest of any rank. Two exchanges with equal situations share a choice.
/// Collective.
Json situation(const Setup& setup);

/// The parts of `entry` that are its situation.
Json situation_of(const Json& entry);

/// How many times the sizes of two patterns must be doubled or halved to get from one to the other;
/// negative if anything but sizes differs, so that neither says anything about the other.
double distance(const Json& one, const Json& other);

}  // namespace halocline::detail
