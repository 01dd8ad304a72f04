// Ragged exchanges: links that carry another number of elements at each step.

#include "converted.hpp"

#include <tuple>

using namespace halocline;
using c::call, c::give, c::in;

int halocline_ragged_exchange_create(halocline_comm comm, int target_count, const int* targets,
                                     int source_count, const int* sources, int64_t element_bytes,
                                     int64_t capacity, const char* scheme,
                                     halocline_ragged_exchange** exchange) {
  const char* const function = __func__;  // not that of the lambda
  return call(function, [&] {
    const auto given = c::agreed(function, c::comm_of(comm), [&] {
      c::at(exchange, "exchange") = nullptr;
      return std::tuple(c::list<int>(targets, c::size(target_count, "target_count"), "targets"),
                        c::list<int>(sources, c::size(source_count, "source_count"), "sources"),
                        c::size_above_0(element_bytes, "element_bytes"),
                        c::size(capacity, "capacity"), c::scheme(scheme));
    });
    *exchange = std::apply(
        [&](const auto&... all) {
          return new halocline_ragged_exchange{RaggedExchange(c::comm_of(comm), all...),
                                               std::get<2>(given)};
        },
        given);
  });
}
int halocline_ragged_exchange_free(halocline_ragged_exchange** exchange) {
  return c::end(exchange);
}

int halocline_ragged_exchange_outgoing(halocline_ragged_exchange* exchange, int link, int64_t count,
                                       void** elements) {
  return give(__func__, elements, "elements", [&] {
    return in(exchange, "exchange").outgoing_bytes(c::size(link, "link"), c::size(count, "count"));
  });
}
int halocline_ragged_exchange_send(halocline_ragged_exchange* exchange, int link,
                                   const void* elements, int64_t count) {
  return call(__func__, [&] {
    RaggedExchange& it = in(exchange, "exchange");
    const std::size_t bytes = c::product(c::size(count, "count"), exchange->element_bytes);
    if (bytes > 0 && elements == nullptr) c::is_null("elements");
    it.send_bytes(c::size(link, "link"), {static_cast<const std::byte*>(elements), bytes});
  });
}
int halocline_ragged_exchange_start(halocline_ragged_exchange* exchange) {
  return call(__func__, [&] { in(exchange, "exchange").start(); });
}
int halocline_ragged_exchange_finish(halocline_ragged_exchange* exchange) {
  return call(__func__, [&] { in(exchange, "exchange").finish(); });
}
int halocline_ragged_exchange_run(halocline_ragged_exchange* exchange) {
  return call(__func__, [&] { in(exchange, "exchange").run(); });
}
int halocline_ragged_exchange_received(const halocline_ragged_exchange* exchange, int link,
                                       const void** elements, int64_t* count) {
  return call(__func__, [&] {
    const std::span<const std::byte> came =
        in(exchange, "exchange").received_bytes(c::size(link, "link"));
    c::at(elements, "elements") = came.data();
    c::at(count, "count") = static_cast<std::int64_t>(came.size() / exchange->element_bytes);
  });
}
int halocline_ragged_exchange_comm(const halocline_ragged_exchange* exchange,
                                   halocline_comm* comm) {
  return give(__func__, comm, "comm", [&] { return c::comm_of(in(exchange, "exchange").comm()); });
}
int halocline_ragged_exchange_scheme(const halocline_ragged_exchange* exchange,
                                     const char** scheme) {
  return give(__func__, scheme, "scheme",
              [&] { return c::at(exchange, "exchange").scheme.c_str(); });
}
