#pragma once
// The plain structures of the C interface, and what they are in C++.

#include "call.hpp"
#include "handles.hpp"

#include <cstddef>
#include <span>

namespace halocline::c {

/// The communicator whose value this is.
MPI_Comm comm_of(halocline_comm comm) noexcept;
halocline_comm comm_of(MPI_Comm comm) noexcept;

inline halocline_range range(const Range& range) {
  return {range.begin, range.end};
}
inline Range range(const halocline_range& range) {
  return {range.begin, range.end};
}
inline halocline_halo_width width(const HaloWidth& width) {
  return {width.below, width.above};
}
inline HaloWidth width(const halocline_halo_width& width) {
  return {width.below, width.above};
}

Block block(const halocline_block& block);
halocline_block block(const Block& block);

// An option that a later version adds must not lie where there was padding, which programs leave as
// it is: the last member ends with its structure.
#define HALOCLINE_ENDS_WITH(options, last) \
  static_assert(offsetof(options, last) + sizeof(options::last) == sizeof(options))
HALOCLINE_ENDS_WITH(halocline_grid_options, nodes);
HALOCLINE_ENDS_WITH(halocline_distribution_options, first);
HALOCLINE_ENDS_WITH(halocline_halo_options, own_arrays);
HALOCLINE_ENDS_WITH(halocline_exchange_options, capacity);
HALOCLINE_ENDS_WITH(halocline_gather_scatter_options, most_direct);
HALOCLINE_ENDS_WITH(halocline_async_options, racy);
HALOCLINE_ENDS_WITH(halocline_patience, stuck);
#undef HALOCLINE_ENDS_WITH

/// NULL: the default.
inline Scheme scheme(const char* text) {
  return text == nullptr ? Scheme() : Scheme(text);
}

GridOptions options(const halocline_grid_options* options, std::size_t axes);

/// What an element is made of, and how large it is.
struct Element {
  Number number;
  std::size_t bytes;
};
Element element(int number, std::int64_t numbers);

Field field(const halocline_field& field);
std::vector<Field> fields(const halocline_field* fields, int count, const char* name = "fields");
halocline_field field(const Field& field, const halocline_memory* memory);

Combine combine(const halocline_combine& combine);

/// A step on these arrays; mostly one, for which nothing is allocated.
template <class Step>
int step_on(const char* function, const halocline_field* fields, int count, Step&& step) {
  return call(function, [&] {
    if (count != 1) return step(std::span<const Field>(c::fields(fields, count)));
    const Field one = field(at(fields, "fields"));
    step(std::span(&one, 1));
  });
}

}  // namespace halocline::c
