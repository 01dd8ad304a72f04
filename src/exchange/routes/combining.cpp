// The method below receives in buffers, and sends from the caller's fields. When all has come, and
// all cells sent are free, the exchange combines: local copies, then link by link. So a cell may be
// sent and added to in one step, and sums have the same bits in any order of arrival.

#include "combining.hpp"

#include "combine.hpp"
#include "packed.hpp"
#include "routes.hpp"

namespace halocline::detail {

namespace {

class Combining final : public Method {
 public:
  explicit Combining(Setup s)
      : Method(std::move(s)),
        kept_(setup().send_layout(pattern().copies_from())),
        local_(kept_.bytes()),
        taken_(setup().receive_layout(pattern().copies_to())) {
    Setup below = setup().another(scheme(), {});
    below.combine = {};
    below.apart = true;
    for (const Link& link : pattern().sends())
      for (const Block& block : link.blocks) below.pattern.send(link.peer, block);
    std::ptrdiff_t next = 0;
    for (const Link& link : pattern().receives()) {
      begins_.push_back(static_cast<std::size_t>(next));
      below.pattern.receive(link.peer, {.offset = next, .count = {1, 1, link.size()}});
      next += static_cast<std::ptrdiff_t>(link.size());
      for (std::size_t f = 0; f < setup().fields_in_message(); ++f)
        cells_.emplace_back(link.blocks, setup().receive_fields().subspan(f, 1),
                            setup().first_receive_field() + f);
    }
    // Peers put into this memory or send to it, and read none of it.
    const MemoryKind kind = scheme().memory();
    const bool put_to = kind == MemoryKind::window || facts(scheme()).one_sided;
    const std::span<const Field> sent = setup().send_fields();
    below.fields.assign(sent.begin(), sent.end());
    for (const Field& one : sent) {
      Field field{.element_bytes = one.element_bytes, .number = one.number};
      field.elements = std::max<std::size_t>(1, static_cast<std::size_t>(next));
      const std::size_t bytes = field.elements * field.element_bytes;
      field.memory =
          put_to ? memory_for(comm(), bytes, scheme()) : Memory(comm(), bytes, MemoryKind::plain);
      field.data = field.memory.data();
      buffers_.push_back(field);
      below.fields.push_back(field);
    }
    below_ = below.fields;
    method_ = make_method(std::move(below));
    become(method_->setup().scheme);
  }

  void rebound() override {
    for (std::size_t f = 0; f < buffers_.size(); ++f) below_[f].data = setup().fields[f].data;
    method_->rebind(below_);
  }

  std::size_t avoidable_bytes() const override {
    std::size_t bytes = method_->avoidable_bytes();
    // Where the method would combine in the fields themselves, but cannot reach them.
    if (facts(scheme()).combines && !setup().unbound)
      for (const Link& link : pattern().receives()) bytes += setup().bytes(link);
    return bytes;
  }

  void start() override {
    method_->measuring = measuring;
    method_->start();
    if (!keeps()) return;
    const auto time = packing();
    kept_.pack(bases(), local_.data());
  }

  void finish() override {
    method_->finish();
    times += std::exchange(method_->times, {});
    const Combine& how = setup().combine;
    if (keeps()) {
      const auto time = packing();
      combine(taken_, bases(), local_.data(), how, setup().fields);
    }
    auto cells = cells_.begin();
    for (std::size_t i = 0; i < begins_.size(); ++i) {
      const auto time = packing(pattern().receives()[i].peer);
      for (const Field& buffer : buffers_) {
        const auto* const arrived = static_cast<const std::byte*>(buffer.data);
        combine(*cells++, bases(), arrived + begins_[i] * buffer.element_bytes, how,
                setup().fields);
      }
    }
  }

 private:
  Layout kept_;
  std::vector<std::byte> local_;  // what stays on this rank, on its way
  Layout taken_;
  std::vector<Layout> cells_;        // where the fields of each link land
  std::vector<std::size_t> begins_;  // of each link in the buffers, in elements
  std::vector<Field> buffers_;
  std::vector<Field> below_;  // the fields sent from, and the buffers
  std::unique_ptr<Method> method_;
};

}  // namespace

bool combines_here(const Setup& setup) {
  if (setup.combine == Combine::replace) return false;
  // Others have windows over the fields themselves.
  return !facts(setup.scheme).combines || setup.unbound || out_of_reach(setup);
}

std::unique_ptr<Method> make_combining(Setup setup) {
  return std::make_unique<Combining>(std::move(setup));
}

model::Step describe_combining(const model::Chosen& chosen, const model::Links& links) {
  const MethodFacts* const method = find_method(chosen.method);
  if (method != nullptr && method->combines) return describe(chosen, links);
  model::Step step;
  model::Links below = without_kept(links);
  set_in_one_piece(below.receives);
  if (!below.hops.empty())
    for (const std::size_t landing : {std::size_t{model::within_islands}, below.hops.size() - 1})
      set_in_one_piece(below.hops[landing].receives);
  const model::Step inner = describe(chosen, below);
  model::Script start(step.start), finish(step.finish);
  start.then(inner.start);
  start.keep(links);
  finish.then(inner.finish);
  for (const model::LinkSize& link : links.receives) {
    finish.unpack(link, "unpack:combine");
    step.buffer_bytes += link.bytes;
  }
  step.buffer_bytes += inner.buffer_bytes;
  step.window_bytes += inner.window_bytes;
  return step;
}

}  // namespace halocline::detail
