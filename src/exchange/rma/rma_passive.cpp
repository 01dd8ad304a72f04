#include "rma_passive.hpp"

namespace halocline::detail {

PassiveMethod::PassiveMethod(Setup s)
    : Method(std::move(s)),
      rma_(setup(), bases(), what(), {.slots = 2}),
      handshake_(setup(), rma_.slots(), what()) {}

void PassiveMethod::rebound() {
  rma_.rebind(bases());
}

void PassiveMethod::start() {
  if (rma_.puts()) {
    pack();
    if (rma_.in_place()) {
      lend();
      handshake_.permit();  // my halos may be overwritten now
    }
    await_permits();
    maybe_delay();
    const auto time = transferring();
    for (const RmaAccess& access : rma_.accesses()) open_and_move(access);
  } else {
    if (!rma_.in_place()) await_permits();  // my slot of two steps ago has been read
    store([&] { pack(); });
    const auto time = transferring();
    handshake_.all_arrived();
  }
}

void PassiveMethod::finish() {
  if (rma_.puts()) {
    {
      const auto time = waiting();
      for (std::size_t send = 0; send < rma_.accesses().size(); ++send) {
        complete_one(rma_.accesses()[send]);
        maybe_delay();
        handshake_.arrived(send);
      }
      handshake_.await_arrivals();
    }
    maybe_delay();
    load([&] { unpack(); });
  } else {
    {
      const auto time = waiting();
      handshake_.await_arrivals();
      for (const RmaAccess& access : rma_.accesses()) open_and_move(access);
      for (const RmaAccess& access : rma_.accesses()) complete_one(access);
    }
    maybe_delay();
    unpack();
  }
  if (!(rma_.puts() && rma_.in_place())) handshake_.permit();
  if (!rma_.puts() && rma_.in_place()) await_permits();  // then my cells may be written again
}

void PassiveMethod::pack() {
  const auto time = packing();
  rma_.pack();
  copy_local();
}

void PassiveMethod::unpack() {
  const auto time = packing();
  rma_.unpack();
}

void PassiveMethod::await_permits() {
  const auto time = waiting();
  handshake_.await_permits();
}

void PassiveMethod::complete_one(const RmaAccess& access) const {
  const trace::Towards towards(access.peer);
  complete(access);
}

void PassiveMethod::open_and_move(const RmaAccess& access) const {
  const trace::Towards towards(access.peer);
  open_target(access);
  rma_.move(access);
}

namespace {

/// Passive target: a notification follows every message, and a permission every use of a slot,
/// unless two slots and links both ways make that superfluous.
model::Step describe_passive(const model::Chosen& chosen, const model::Links& links) {
  model::Step step;
  model::Script start(step.start), finish(step.finish);
  const DescribedWindows windows(chosen, links, 2, step);
  const bool locks = chosen.part(2) == "lock";
  const std::string_view notify = chosen.is("notify", "flag")      ? "notify:flag"
                                  : chosen.is("notify", "counter") ? "notify:counter"
                                                                   : "notify";
  const bool permits = windows.slots() < 2 || !links.two_way;
  const auto complete = [&](model::Script& script, const model::LinkSize& link) {
    locks ? script.unlock(link) : script.flush(link);
  };
  const auto own = [&](model::Script& script) {  // the standard's separate memory model wants it
    if (locks) script.call("lock:own");
  };
  const auto permit = [&](model::Script& script) {
    if (permits)
      for (const model::LinkSize& link : links.receives)
        script.notify(link.peer, model::Word::permit, notify);
  };
  const auto await_permits = [&](model::Script& script) {
    if (permits)
      for (const model::LinkSize& link : links.sends)
        script.await(link.peer, model::Word::permit, "notified", windows.slots());
  };
  const auto await_arrivals = [&] {
    for (const model::LinkSize& link : links.receives)
      finish.await(link.peer, model::Word::arrived, "notified");
  };

  if (!windows.gets()) {
    windows.pack(start);
    if (windows.in_place()) {
      own(start);
      permit(start);
    }
    await_permits(start);
    for (const model::LinkSize& link : links.sends) {
      if (locks) start.lock(link);
      windows.move(start, link);
    }
    windows.describe_progress(finish);
    for (const model::LinkSize& link : links.sends) {
      complete(finish, link);
      finish.notify(link.peer, model::Word::arrived, notify);
    }
    await_arrivals();
    own(finish);
    windows.unpack(finish);
    if (!windows.in_place()) permit(finish);
  } else {
    if (!windows.in_place()) await_permits(start);
    own(start);
    windows.pack(start);
    for (const model::LinkSize& link : links.sends)
      start.notify(link.peer, model::Word::arrived, notify);
    await_arrivals();
    for (const model::LinkSize& link : links.receives) {
      if (locks) finish.lock(link);
      windows.move(finish, link);
    }
    for (const model::LinkSize& link : links.receives) complete(finish, link);
    windows.unpack(finish);
    permit(finish);
    if (windows.in_place()) await_permits(finish);
  }
  return step;
}

}  // namespace

MethodFacts passive_method(const std::string& operation, const std::string& synchronisation,
                           const std::string& calls, std::unique_ptr<Method> (*make)(Setup)) {
  MethodFacts facts =
      rma_facts(operation, synchronisation, calls + ", and a notification", make,
                {{"notify", {"message", "flag", "counter"}}},
                {{"group", synchronisation + " reaches neighbours only already; drop group"}});
  facts.describe = describe_passive;
  facts.waits = [](const Scheme& scheme) {
    return scheme.part(1) == "get" ? waits::for_targets_of_gets : waits::for_targets;
  };
  return facts;
}

}  // namespace halocline::detail
