// Gather-scatter: sums over shared nodes.

#include "converted.hpp"

#include <tuple>

using namespace halocline;
using c::call, c::create_on, c::give, c::in;

int halocline_gather_scatter_create(halocline_comm comm, int64_t elements, const int64_t* numbers,
                                    const halocline_field* fields, int count, const char* scheme,
                                    const halocline_gather_scatter_options* options,
                                    halocline_gather_scatter** sums) {
  return create_on(
      __func__, c::comm_of(comm), sums, "sums",
      [&] {
        std::span<const std::int64_t> all;
        if (c::size(elements, "elements") > 0)
          all = {&c::at(numbers, "numbers"), static_cast<std::size_t>(elements)};
        const halocline_gather_scatter_options from =
            c::known(options, halocline_gather_scatter_options HALOCLINE_GATHER_SCATTER_OPTIONS,
                     "HALOCLINE_GATHER_SCATTER_OPTIONS");
        const GatherScatterOptions how{c::combine(from.combine),
                                       c::size(from.most_direct, "most_direct")};
        return std::tuple(all, c::fields(fields, count), c::scheme(scheme), how);
      },
      [&](const auto& given) {
        return std::apply(
            [&](const auto&... all) { return GatherScatter(c::comm_of(comm), all...); }, given);
      });
}
int halocline_gather_scatter_free(halocline_gather_scatter** sums) {
  return c::end(sums);
}
int halocline_gather_scatter_start(halocline_gather_scatter* sums) {
  return call(__func__, [&] { in(sums, "sums").start(); });
}
int halocline_gather_scatter_finish(halocline_gather_scatter* sums) {
  return call(__func__, [&] { in(sums, "sums").finish(); });
}
int halocline_gather_scatter_run(halocline_gather_scatter* sums) {
  return call(__func__, [&] { in(sums, "sums").run(); });
}
int halocline_gather_scatter_start_fields(halocline_gather_scatter* sums,
                                          const halocline_field* fields, int count) {
  return c::step_on(__func__, fields, count,
                    [&](std::span<const Field> all) { in(sums, "sums").start(all); });
}
int halocline_gather_scatter_run_fields(halocline_gather_scatter* sums,
                                        const halocline_field* fields, int count) {
  return c::step_on(__func__, fields, count,
                    [&](std::span<const Field> all) { in(sums, "sums").run(all); });
}
int halocline_gather_scatter_comm(const halocline_gather_scatter* sums, halocline_comm* comm) {
  return give(__func__, comm, "comm", [&] { return c::comm_of(in(sums, "sums").comm()); });
}
int halocline_gather_scatter_scheme(const halocline_gather_scatter* sums, const char** scheme) {
  return give(__func__, scheme, "scheme", [&] { return c::at(sums, "sums").scheme.c_str(); });
}
int halocline_gather_scatter_bytes_sent(const halocline_gather_scatter* sums, int64_t* bytes) {
  return give(__func__, bytes, "bytes", [&] { return in(sums, "sums").bytes_sent(); });
}
