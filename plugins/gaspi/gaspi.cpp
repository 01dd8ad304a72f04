// The methods of GASPI, as a library of their own that HALOCLINE_METHODS names. Without GPI-2 there
// are descriptions alone: what a step would take is predicted all the same.

#if HALOCLINE_HAVE_GASPI
#include "links.hpp"
#else
#include <halocline/more/async_method.hpp>
#endif

namespace {

using namespace halocline;
using namespace halocline::methods;

#if HALOCLINE_HAVE_GASPI
using halocline_gaspi::make_asynchronous;
using halocline_gaspi::make_gaspi;
using halocline_gaspi::start;
constexpr const char* missing = "";
#else
constexpr const char* missing =
    "the plug-in was built without GASPI; give CMake the prefix of GPI-2 by -DGPI2_ROOT=PREFIX";
std::unique_ptr<Method> make_gaspi(Setup) {
  throw Error(missing);
}
std::unique_ptr<AsyncMethod> make_asynchronous(Setup, const AsyncOptions&) {
  throw Error(missing);
}
double start() {
  throw Error(missing);
}
#endif

/// From field to field, where the receiver has said that it may be.
model::Step describe_in_place(const model::Links& links) {
  model::Step step;
  model::Script start(step.start), finish(step.finish);
  for (const model::LinkSize& link : links.receives)
    start.notify(link.peer, model::Word::permit, "signal:gaspi");
  for (const model::LinkSize& link : links.sends) {
    start.await(link.peer, model::Word::permit, "seen");
    start.send(link, "put:gaspi");
  }
  start.keep(links);
  finish.whichever_first(links.receives,
                         [&](const model::LinkSize& link) { finish.receive(link, "seen"); });
  return step;
}

model::Step describe_gaspi(const model::Chosen& chosen, const model::Links& links) {
  if (chosen.is("pack", "off")) return describe_in_place(links);
  model::Step step;
  model::Script start(step.start), finish(step.finish);
  for (const model::LinkSize& link : links.sends) {
    if (!links.two_way) start.await(link.peer, model::Word::permit, "seen", 2);
    start.pack(link);
    start.send(link, "put:gaspi");
    step.window_bytes += 2 * link.bytes;  // GASPI writes from a segment, too
  }
  start.keep(links);
  finish.whichever_first(links.receives, [&](const model::LinkSize& link) {
    finish.receive(link, "seen");
    finish.unpack(link);
  });
  for (const model::LinkSize& link : links.receives) {
    if (!links.two_way) finish.notify(link.peer, model::Word::permit, "signal:gaspi");
    step.window_bytes += 2 * link.bytes;
  }
  return step;
}

}  // namespace

extern "C" void halocline_methods() {
  register_method(
      {.name = "gaspi",
       .summary = "GASPI: gaspi_write_notify, whose notification its receiver looks for",
       .options = {on_off("pack")},
       .make = make_gaspi,
       .describe = describe_gaspi,
       .missing = [] { return std::string(missing); },
       .prepare = start,
       .rebinds = [](const Scheme& scheme) { return scheme.is("pack", "on"); }});
  register_async_method(
      {.name = "gaspi",
       .summary = "R slots at the receiver (racy: of each part), by gaspi_write_notify",
       .options = {},
       .make = make_asynchronous,
       .describe =
           [](const model::Chosen&, const model::Links& links, model::Script& send,
              model::Script& receive) {
             describe_offers(links, send, receive, "put:gaspi", "seen");
           },
       .unread_racy = Unread::kept});
}
