#include "packed.hpp"

#include "exchange/core/inner.hpp"
#include "memory/cache_line.hpp"

namespace halocline::detail {

namespace {

class Packed final : public Method {
 public:
  explicit Packed(Setup s) : Method(std::move(s)) {
    Pattern messages;
    std::size_t end = 0;
    const auto place = [&](const Link& link) {
      const Block block{.offset = static_cast<std::ptrdiff_t>(end),
                        .count = {1, 1, setup().bytes(link)}};
      end += round_up(block.size(), line_pair);
      return block;
    };
    for (const Link& link : pattern().sends()) {
      sends_.push_back({setup().send_layout(link), end});
      messages.send(link.peer, place(link));
    }
    for (const Link& link : pattern().receives()) {
      receives_.push_back({setup().receive_layout(link), end});
      messages.receive(link.peer, place(link));
    }
    memory_ = memory_for(comm(), end, scheme());
    Setup bytes = setup().another(scheme(), messages);
    bytes.fields = {
        {.data = memory_.data(), .element_bytes = 1, .elements = end, .memory = memory_}};
    bytes.apart = bytes.several = false;
    bytes.combine = Combine::replace;
    inner_ = Inner(std::move(bytes));
  }

  void start() override {
    {
      const auto time = packing();
      for (const Message& message : sends_)
        message.cells.pack(bases(), memory_.data() + message.begin);
    }
    inner_.start(measuring);
    const auto time = packing();
    copy_local();
  }

  void finish() override {
    inner_.finish(times);
    const auto time = packing();
    for (const Message& message : receives_)
      message.cells.unpack(bases(), memory_.data() + message.begin);
  }

 private:
  struct Message {
    Layout cells;
    std::size_t begin;  ///< in the memory
  };
  std::vector<Message> sends_, receives_;
  Memory memory_;
  Inner inner_;
};

}  // namespace

bool goes_packed(const Setup& setup) {
  if (!setup.several) return false;
  const Scheme& scheme = setup.scheme;
  const MethodFacts& method = facts(scheme);
  const bool by_heads = scheme.has("heads") && !scheme.is("heads", "off");
  const bool in_fields =
      method.one_sided && (method.combines || (scheme.has("pack") && scheme.is("pack", "off")));
  return by_heads || in_fields;
}

std::unique_ptr<Method> make_packed(Setup setup) {
  return std::make_unique<Packed>(std::move(setup));
}

}  // namespace halocline::detail
