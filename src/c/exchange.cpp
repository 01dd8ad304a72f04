// Exchanges: a pattern bound to memory and to a scheme.

#include "converted.hpp"

#include <algorithm>
#include <utility>

using namespace halocline;
using c::call, c::create, c::give, c::in;

namespace {

ExchangeOptions exchange_options(const halocline_exchange_options* options) {
  const halocline_exchange_options from = c::known(
      options, halocline_exchange_options HALOCLINE_EXCHANGE_OPTIONS, "HALOCLINE_EXCHANGE_OPTIONS");
  return {.combine = c::combine(from.combine),
          .changes = from.changes != 0,
          .capacity = c::size(from.capacity, "capacity"),
          .halos = c::kind(from.halos, 2, "halos") == HALOCLINE_IN_PLACE ? Halos::in_place
                                                                         : Halos::filled,
          .any_order = from.any_order != 0};
}

/// How an exchange is carried out.
struct How {
  Scheme scheme;
  ExchangeOptions options;
  How(const char* text, const halocline_exchange_options* given)
      : scheme(c::scheme(text)), options(exchange_options(given)) {}
};

/// `prepare(how)` takes the arguments, and returns what makes the exchange of them.
template <class Prepare>
int make(const char* function, halocline_comm comm, const char* scheme,
         const halocline_exchange_options* options, halocline_exchange** exchange,
         Prepare&& prepare) {
  return c::create_on(
      function, c::comm_of(comm), exchange, "exchange",
      [&] { return prepare(How(scheme, options)); }, [](auto& made) { return made(); });
}

/// Fields part by part.
std::vector<std::vector<Field>> by_part(const halocline_field* fields, const int* counts,
                                        int parts) {
  std::vector<std::vector<Field>> all;
  for (const int count : c::list<int>(counts, c::size(parts, "parts"), "counts")) {
    all.push_back(c::fields(fields, count));
    fields += count;
  }
  return all;
}

}  // namespace

int halocline_exchange_create(halocline_comm comm, const halocline_pattern* pattern,
                              const halocline_field* fields, int count, const char* scheme,
                              const halocline_exchange_options* options,
                              halocline_exchange** exchange) {
  return make(__func__, comm, scheme, options, exchange, [&](const How& how) {
    return [&, how, links = &in(pattern, "pattern"), all = c::fields(fields, count)] {
      return Exchange(c::comm_of(comm), *links, all, how.scheme, how.options);
    };
  });
}

int halocline_exchange_create_between(halocline_comm comm, const halocline_pattern* pattern,
                                      const halocline_field* from, const halocline_field* to,
                                      int count, const char* scheme,
                                      const halocline_exchange_options* options,
                                      halocline_exchange** exchange) {
  return make(__func__, comm, scheme, options, exchange, [&](const How& how) {
    return [&, how, links = &in(pattern, "pattern"), sent = c::fields(from, count, "from"),
            received = c::fields(to, count, "to")] {
      return Exchange(c::comm_of(comm), *links, sent, received, how.scheme, how.options);
    };
  });
}

int halocline_exchange_create_parts(halocline_comm comm, const halocline_exchange_part* parts,
                                    int count, const char* scheme,
                                    const halocline_exchange_options* options,
                                    halocline_exchange** exchange) {
  return make(__func__, comm, scheme, options, exchange, [&](const How& how) {
    std::vector<ExchangePart> all;
    for (std::size_t i = 0; i < c::size(count, "count"); ++i) {
      const halocline_exchange_part& part = (&c::at(parts, "parts"))[i];
      all.push_back({in(part.pattern, "pattern"), c::fields(part.fields, part.count)});
      if (part.to != nullptr) all.back().to = c::fields(part.to, part.count, "to");
    }
    return [&, how, all = std::move(all)]() mutable {
      return Exchange(c::comm_of(comm), std::move(all), how.scheme, how.options);
    };
  });
}

int halocline_exchange_create_united(halocline_comm comm, const halocline_pattern* pattern,
                                     const halocline_field* fields, const int* counts, int parts,
                                     const char* scheme, const halocline_exchange_options* options,
                                     halocline_exchange** exchange) {
  return make(__func__, comm, scheme, options, exchange, [&](const How& how) {
    return [&, how, links = &in(pattern, "pattern"), all = by_part(fields, counts, parts)] {
      return Exchange(c::comm_of(comm), *links, all, how.scheme, how.options);
    };
  });
}

int halocline_exchange_free(halocline_exchange** exchange) {
  return c::end(exchange);
}

int halocline_exchange_start(halocline_exchange* exchange) {
  return call(__func__, [&] { in(exchange, "exchange").start(); });
}
int halocline_exchange_finish(halocline_exchange* exchange) {
  return call(__func__, [&] { in(exchange, "exchange").finish(); });
}
int halocline_exchange_run(halocline_exchange* exchange) {
  return call(__func__, [&] { in(exchange, "exchange").run(); });
}
int halocline_exchange_start_fields(halocline_exchange* exchange, const halocline_field* fields,
                                    int count) {
  return c::step_on(__func__, fields, count,
                    [&](std::span<const Field> all) { in(exchange, "exchange").start(all); });
}
int halocline_exchange_run_fields(halocline_exchange* exchange, const halocline_field* fields,
                                  int count) {
  return c::step_on(__func__, fields, count,
                    [&](std::span<const Field> all) { in(exchange, "exchange").run(all); });
}
int halocline_exchange_start_stream(halocline_exchange* exchange, void* stream) {
  return call(__func__, [&] { in(exchange, "exchange").start(DeviceStream(stream)); });
}
int halocline_exchange_finish_stream(halocline_exchange* exchange, void* stream) {
  return call(__func__, [&] { in(exchange, "exchange").finish(DeviceStream(stream)); });
}

int halocline_exchange_open(halocline_exchange* exchange) {
  return call(__func__, [&] { in(exchange, "exchange").open(); });
}
int halocline_exchange_open_fields(halocline_exchange* exchange, const halocline_field* fields,
                                   int count) {
  return c::step_on(__func__, fields, count,
                    [&](std::span<const Field> all) { in(exchange, "exchange").open(all); });
}
int halocline_exchange_ready(halocline_exchange* exchange, int link, int64_t first, int64_t count) {
  return call(__func__, [&] {
    in(exchange, "exchange")
        .ready(c::size(link, "link"), c::size(first, "first"), c::size(count, "count"));
  });
}
int halocline_exchange_await(halocline_exchange* exchange, int link, int64_t first, int64_t count,
                             int* there) {
  return give(__func__, there, "there", [&] {
    return in(exchange, "exchange")
        .await(c::size(link, "link"), c::size(first, "first"), c::size(count, "count"));
  });
}

int halocline_exchange_change(halocline_exchange* exchange, halocline_pattern* pattern,
                              const halocline_field* fields, int count) {
  return call(__func__, [&] {
    Exchange& it = in(exchange, "exchange");
    std::vector<Field> moved = c::fields(fields, count);
    Pattern links = std::exchange(in(pattern, "pattern"), Pattern());
    pattern->it =
        moved.empty() ? it.change(std::move(links)) : it.change(std::move(links), std::move(moved));
  });
}

int halocline_exchange_comm(const halocline_exchange* exchange, halocline_comm* comm) {
  return give(__func__, comm, "comm", [&] { return c::comm_of(in(exchange, "exchange").comm()); });
}
int halocline_exchange_pattern(const halocline_exchange* exchange, halocline_pattern** pattern) {
  return create(__func__, pattern, "pattern", [&] { return in(exchange, "exchange").pattern(); });
}
int halocline_exchange_fields(halocline_exchange* exchange, int room, halocline_field* fields,
                              int* count) {
  return call(__func__, [&] {
    const std::span<const Field> all = in(exchange, "exchange").fields();
    c::at(count, "count") = static_cast<int>(all.size());
    const std::size_t some = std::min(all.size(), c::size(room, "room"));
    if (some > 0) c::at(fields, "fields");
    exchange->memories.clear();
    exchange->memories.reserve(some);
    for (std::size_t i = 0; i < some; ++i) {
      const halocline_memory* memory = nullptr;
      if (all[i].memory.data() != nullptr)
        memory = &exchange->memories.emplace_back(halocline_memory{all[i].memory});
      fields[i] = c::field(all[i], memory);
    }
  });
}
int halocline_exchange_scheme(const halocline_exchange* exchange, const char** scheme) {
  return give(__func__, scheme, "scheme", [&] {
    const std::string now = in(exchange, "exchange").scheme().str();
    return exchange->schemes.insert(now).first->c_str();
  });
}
int halocline_exchange_memory_hint(halocline_exchange* exchange, const char** text) {
  return give(__func__, text, "text", [&] {
    exchange->memory_hint = in(exchange, "exchange").memory_hint();
    return exchange->memory_hint.c_str();
  });
}
int halocline_exchange_bytes_sent(const halocline_exchange* exchange, int64_t* bytes) {
  return give(__func__, bytes, "bytes", [&] { return in(exchange, "exchange").bytes_sent(); });
}

int halocline_exchange_direct(const halocline_exchange* exchange, int* direct) {
  return give(__func__, direct, "direct", [&] { return in(exchange, "exchange").direct(); });
}
int halocline_exchange_view(const halocline_exchange* exchange, int link, int64_t block, int field,
                            halocline_halo_view* view) {
  return give(__func__, view, "view", [&] {
    const HaloView there =
        in(exchange, "exchange")
            .view(c::size(link, "link"), c::size(block, "block"), c::size(field, "field"));
    return halocline_halo_view{there.data, {there.stride[0], there.stride[1], there.stride[2]}};
  });
}
int halocline_exchange_fill_halos(halocline_exchange* exchange) {
  return call(__func__, [&] { in(exchange, "exchange").fill_halos(); });
}

int halocline_exchange_measure(halocline_exchange* exchange, int on) {
  return call(__func__, [&] { in(exchange, "exchange").measure(on != 0); });
}
int halocline_exchange_get_times(const halocline_exchange* exchange,
                                 halocline_exchange_times* times) {
  return give(__func__, times, "times", [&] {
    const ExchangeTimes& sum = in(exchange, "exchange").times();
    return halocline_exchange_times{sum.pack, sum.transfer, sum.wait, sum.copy};
  });
}
int halocline_exchange_get_device_traffic(const halocline_exchange* exchange,
                                          halocline_device_traffic* traffic) {
  return give(__func__, traffic, "traffic", [&] {
    const DeviceTraffic& sum = in(exchange, "exchange").device_traffic();
    return halocline_device_traffic{sum.to_host, sum.to_device, sum.within, sum.copies};
  });
}
int halocline_exchange_reset_times(halocline_exchange* exchange) {
  return call(__func__, [&] { in(exchange, "exchange").reset_times(); });
}
