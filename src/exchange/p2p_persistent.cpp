// p2p:persistent: MPI_Send_init and MPI_Recv_init once, MPI_Startall each step.

#include "messages.hpp"
#include "methods.hpp"

namespace halocline::detail {

namespace {

class Persistent final : public Method {
 public:
  explicit Persistent(Setup s)
      : Method(std::move(s)), messages_(setup(), bases(), scheme().is("pack", "on")) {
    const auto& receives = messages_.receives;
    const auto& sends = messages_.sends;
    requests_.resize(receives.size() + sends.size(), MPI_REQUEST_NULL);
    auto request = requests_.begin();
    for (const auto& [peer, data, count, type] : receives)
      HALOCLINE_MPI(MPI_Recv_init, data, count, type, peer, tag(), comm(), &*request++);
    for (const auto& [peer, data, count, type] : sends)
      HALOCLINE_MPI(MPI_Send_init, data, count, type, peer, tag(), comm(), &*request++);
    for (MPI_Request raw : requests_) owned_.emplace_back(raw);
  }

  void start() override {
    {
      const auto time = packing();
      messages_.pack();
      copy_local();
    }
    const auto time = transferring();
    if (!requests_.empty())  // Open MPI refuses to start none
      HALOCLINE_MPI(MPI_Startall, static_cast<int>(requests_.size()), requests_.data());
  }

  void finish() override {
    {
      const auto time = waiting();
      wait_all(what(), requests_);
    }
    const auto time = packing();
    messages_.unpack();
  }

 private:
  Messages messages_;
  std::vector<MPI_Request> requests_;  // persistent: they keep their value
  std::vector<mpi::Request> owned_;
};

}  // namespace

MethodFacts p2p_persistent() {
  return {.name = "p2p:persistent",
          .summary = "MPI_Send_init and MPI_Recv_init once, MPI_Startall each step",
          .options = {on_off("pack")},
          .make = make<Persistent>};
}

}  // namespace halocline::detail
