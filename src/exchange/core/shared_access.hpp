#pragma once
// Words in shared memory, with the pauses that tests ask for where a race would show.

#include "memory/shared_words.hpp"

#include <halocline/more/waiting.hpp>

namespace halocline::detail {

/// A pause before each store and fence that others' loads are ordered by.
struct SharedAccess : Processor {
  static void store(SharedWord* word, SharedWord value, std::memory_order order) {
    if (order != std::memory_order_relaxed) maybe_delay();
    Processor::store(word, value, order);
  }
  static void fence(std::memory_order order) {
    maybe_delay();
    Processor::fence(order);
  }
};

}  // namespace halocline::detail
