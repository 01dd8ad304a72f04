#include "packed.hpp"

#include "exchange/core/inner.hpp"
#include "link_memory.hpp"
#include "memory/shared_room.hpp"

namespace halocline::detail {

namespace {

class Packed final : public Method {
 public:
  explicit Packed(Setup s) : Method(std::move(s)) {
    for (const Link& link : pattern().sends()) {
      sends_.push_back(setup().send_layout(link));
      memory_.send(link.peer, sends_.back().bytes());
    }
    for (const Link& link : pattern().receives()) {
      receives_.push_back(setup().receive_layout(link));
      memory_.receive(link.peer, receives_.back().bytes());
    }
    Setup bytes = setup().another(scheme(), {});
    memory_.provide(bytes);
    if (out_of_reach(bytes)) refuse(bytes.fields.front().memory.note());
    inner_ = Inner(std::move(bytes));
  }

  void start() override {
    {
      const auto time = packing();
      for (std::size_t i = 0; i < sends_.size(); ++i) sends_[i].pack(bases(), memory_.sent(i));
    }
    inner_.start(measuring);
    const auto time = packing();
    copy_local();
  }

  void finish() override {
    inner_.finish(times);
    const auto time = packing();
    for (std::size_t i = 0; i < receives_.size(); ++i)
      receives_[i].unpack(bases(), memory_.received(i));
  }

  std::vector<int> awaited() const override { return inner_.method().awaited(); }

  /// For several parts, and for other arrays at each step, no memory would spare it.
  std::size_t avoidable_bytes() const override {
    if (setup().several || setup().unbound) return 0;
    std::size_t bytes = 0;
    for (const auto* const layouts : {&sends_, &receives_})
      for (const Layout& cells : *layouts) bytes += cells.bytes();
    return bytes;
  }

 private:
  /// The library finds no such memory either; or what is shared does not go beyond a node.
  [[noreturn]] void refuse(const std::string& note) const {
    const std::string why =
        note.empty() ? "the ranks span several nodes, which share no memory; use alloc=create"
                     : note.substr(0, note.find(using_plain)) +
                           "; take alloc=create, which needs none, or " + std::string(more_room);
    throw Error(scheme().str() + ": " + why);
  }

  std::vector<Layout> sends_, receives_;
  LinkMemory memory_;
  Inner inner_;
};

}  // namespace

namespace {
/// Whether others reach the fields by windows.
bool exposes_fields(const Scheme& scheme) {
  const MethodFacts& method = facts(scheme);
  return method.one_sided && (method.combines || (scheme.has("pack") && scheme.is("pack", "off")));
}
}  // namespace

bool out_of_reach(const Setup& setup) {
  const Scheme& scheme = setup.scheme;
  const MethodFacts& method = facts(scheme);
  return method.reaches != nullptr &&
         (scheme.memory() != MemoryKind::plain || exposes_fields(scheme)) &&
         !mpi::all_of(setup.comm, method.reaches(setup));
}

bool goes_packed(const Setup& setup) {
  const Scheme& scheme = setup.scheme;
  if (!setup.several && !setup.unbound) return out_of_reach(setup);
  const bool by_heads = scheme.has("heads") && !scheme.is("heads", "off");
  if (setup.unbound && !facts(scheme).rebinds(scheme)) return true;
  return by_heads || exposes_fields(scheme);
}

std::unique_ptr<Method> make_packed(Setup setup) {
  return std::make_unique<Packed>(std::move(setup));
}

}  // namespace halocline::detail
