#include "rma_passive.hpp"

namespace halocline::detail {

PassiveMethod::PassiveMethod(Setup s)
    : Method(std::move(s)),
      rma_(setup(), bases(), what(), {.slots = 2}),
      handshake_(setup(), rma_.slots(), what()) {}

void PassiveMethod::start() {
  if (rma_.puts()) {
    pack();
    if (rma_.in_place()) {
      lend();
      handshake_.permit();  // my halos may be overwritten now
    }
    await_permits();
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
  open(access);
  rma_.move(access);
}

MethodFacts passive_method(const std::string& operation, const std::string& synchronisation,
                           const std::string& calls, std::unique_ptr<Method> (*make)(Setup)) {
  return rma_facts(operation, synchronisation, calls + ", and a notification", make,
                   {{"notify", {"message", "flag", "counter"}}},
                   {{"group", synchronisation + " reaches neighbours only already; drop group"}});
}

}  // namespace halocline::detail
