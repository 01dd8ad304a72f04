// Asynchronous exchanges: the newest data that have arrived.

#include "converted.hpp"

#include <tuple>

using namespace halocline;
using c::call, c::create_on, c::give, c::in;

int halocline_async_exchange_create(halocline_comm comm, const halocline_pattern* pattern,
                                    int64_t element_bytes, const char* scheme,
                                    const halocline_async_options* options,
                                    halocline_async_exchange** exchange) {
  return create_on(
      __func__, c::comm_of(comm), exchange, "exchange",
      [&] {
        const halocline_async_options from = c::known(
            options, halocline_async_options HALOCLINE_ASYNC_OPTIONS, "HALOCLINE_ASYNC_OPTIONS");
        const AsyncOptions how{.buffers = from.buffers, .racy = from.racy != 0};
        return std::tuple(&in(pattern, "pattern"), c::size_above_0(element_bytes, "element_bytes"),
                          c::scheme(scheme), how);
      },
      [&](const auto& given) {
        const auto& [links, bytes, how, options_given] = given;
        return AsyncExchange(c::comm_of(comm), *links, bytes, how, options_given);
      });
}
int halocline_async_exchange_free(halocline_async_exchange** exchange) {
  return c::end(exchange);
}
int halocline_async_exchange_cells(const halocline_async_exchange* exchange,
                                   const halocline_field* field, void** cells) {
  return give(__func__, cells, "cells",
              [&] { return in(exchange, "exchange").cells_of(c::field(c::at(field, "field"))); });
}
int halocline_async_exchange_send(halocline_async_exchange* exchange, const void* cells,
                                  uint64_t iteration) {
  return call(__func__, [&] { in(exchange, "exchange").send(cells, iteration); });
}
int halocline_async_exchange_receive(halocline_async_exchange* exchange, void* cells, void* twin,
                                     int64_t* fresh) {
  return call(__func__, [&] {
    const std::size_t had = in(exchange, "exchange").receive(cells, twin);
    if (fresh != nullptr) *fresh = static_cast<std::int64_t>(had);
  });
}
int halocline_async_exchange_drain(halocline_async_exchange* exchange, void* cells, void* twin) {
  return call(__func__, [&] { in(exchange, "exchange").drain(cells, twin); });
}
int halocline_async_exchange_iteration_of(const halocline_async_exchange* exchange, int link,
                                          uint64_t* iteration) {
  return give(__func__, iteration, "iteration",
              [&] { return in(exchange, "exchange").iteration_of(c::size(link, "link")); });
}
int halocline_async_exchange_counts(const halocline_async_exchange* exchange,
                                    halocline_async_counts* counts) {
  return give(__func__, counts, "counts", [&] {
    const AsyncCounts now = in(exchange, "exchange").counts();
    return halocline_async_counts{now.sent, now.skipped, now.received, now.superseded};
  });
}
int halocline_async_exchange_scheme(const halocline_async_exchange* exchange, const char** scheme) {
  return give(__func__, scheme, "scheme",
              [&] { return c::at(exchange, "exchange").scheme.c_str(); });
}
int halocline_async_exchange_options(const halocline_async_exchange* exchange,
                                     halocline_async_options* options) {
  return call(__func__, [&] {
    const AsyncOptions& how = in(exchange, "exchange").options();
    const halocline_async_options all{sizeof all, how.buffers, how.racy};
    halocline_async_options& there = c::at(options, "options");
    c::write_options(&all, sizeof all, &there, there.size, "HALOCLINE_ASYNC_OPTIONS");
  });
}
