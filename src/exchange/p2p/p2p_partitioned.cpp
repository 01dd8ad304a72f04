// p2p:partitioned: MPI_Psend_init and MPI_Precv_init once; a message is sent in partitions, each
// as soon as it is packed, and is received in them (MPI 4.0, chapter 4). Threads may each mark and
// await parts of their own; a partition is packed by the one that marks the last of it.

#include "exchange/core/features.hpp"
#include "messages.hpp"

#include <halocline/more/waiting.hpp>

#include <atomic>

namespace halocline::detail {

namespace {

#ifdef HALOCLINE_HAVE_PARTITIONED

/// The most partitions, up to 8, into which a message can be cut evenly.
int partitions_of(int count) {
  for (int parts = 8; parts > 1; --parts)
    if (count % parts == 0) return parts;
  return 1;
}

class Partitioned final : public Method {
 public:
  explicit Partitioned(Setup s)
      : Method(std::move(s)),
        all_(std::make_shared<Messages>(setup(), bases(), true, ReceiveInto::kept)),
        requests_(Messages::others_of(all_, messages_.receives.size() + messages_.sends.size())) {
    auto request = requests_.begin();
    for (const auto& [peer, data, count, type] : messages_.receives) {
      const int parts = partitions_of(count);
      HALOCLINE_MPI(MPI_Precv_init, data, parts, count / parts, type, peer, tag(), comm(),
                    MPI_INFO_NULL, request++);
    }
    for (const auto& [peer, data, count, type] : messages_.sends) {
      const int parts = partitions_of(count);
      HALOCLINE_MPI(MPI_Psend_init, data, parts, count / parts, type, peer, tag(), comm(),
                    MPI_INFO_NULL, request++);
    }
    for (std::size_t i = 0; i < messages_.receives.size(); ++i)
      receives_.emplace_back(setup().receive_layout(pattern().receives()[i]), bases(),
                             messages_.receives[i]);
    for (std::size_t i = 0; i < messages_.sends.size(); ++i)
      sends_.emplace_back(setup().send_layout(pattern().sends()[i]), bases(), messages_.sends[i]);
  }

  void start() override {
    begin();
    const std::size_t first = messages_.receives.size();
    for (std::size_t i = 0; i < messages_.sends.size(); ++i) {
      {
        const auto time = packing();
        messages_.pack(i);
      }
      const auto time = transferring();
      const trace::Event event(Activity::send, messages_.sends[i].peer);
      HALOCLINE_MPI(MPI_Pready_range, 0, partitions_of(messages_.sends[i].count) - 1,
                    requests_[first + i]);
    }
    const auto time = packing();
    copy_local();
  }

  void finish() override {
    if (opened_) expect_all_ready();
    {
      const auto time = waiting();
      wait_all(what(), requests_);
    }
    const auto time = packing();
    if (!opened_) return messages_.unpack();
    copy_local();  // of what is written by now
    for (Partitions& message : receives_)
      for (int part = 0; part < message.number; ++part)
        if (message.left[part] != unpacked) message.unpack(part, bases());
    opened_ = false;
  }

  void open() override {
    for (Partitions& message : sends_)
      for (int part = 0; part < message.number; ++part)
        message.left[part].store(message.bytes, std::memory_order_relaxed);
    for (Partitions& message : receives_)
      for (int part = 0; part < message.number; ++part)
        message.left[part].store(under_way, std::memory_order_relaxed);
    opened_ = true;
    begin();
  }

  void ready(std::size_t link, std::size_t first, std::size_t count) override {
    Partitions& message = sends_[link];
    each(message, pattern().sends()[link], first, count, [&](int part, std::size_t bytes) {
      std::atomic<std::size_t>& left = message.left[part];
      std::size_t before = left.load(std::memory_order_relaxed);
      do {
        if (before < bytes)
          throw Error(scheme().str() +
                      ": ready: elements are marked ready that are already; mark each once in a "
                      "step");
      } while (!left.compare_exchange_weak(before, before - bytes, std::memory_order_acq_rel));
      if (before != bytes) return;
      {
        const trace::detail::Phase phase(Activity::pack);
        message.pack(part, bases());
      }
      HALOCLINE_MPI(MPI_Pready, part, requests_[messages_.receives.size() + link]);
    });
  }

  bool await(std::size_t link, std::size_t first, std::size_t count) override {
    Partitions& message = receives_[link];
    each(message, pattern().receives()[link], first, count, [&](int part, std::size_t) {
      std::atomic<std::size_t>& state = message.left[part];
      wait_until(what(), [&] {
        if (state.load(std::memory_order_acquire) == unpacked) return true;
        int arrived = 0;
        HALOCLINE_MPI(MPI_Parrived, requests_[link], part, &arrived);
        std::size_t expected = under_way;
        if (!arrived || !state.compare_exchange_strong(expected, taken)) return false;
        message.unpack(part, bases());
        state.store(unpacked, std::memory_order_release);
        return true;
      });
    });
    return true;
  }

 private:
  /// The receiver would wait for ever for what is not.
  void expect_all_ready() const {
    std::size_t left = 0;
    for (const Partitions& message : sends_)
      for (int part = 0; part < message.number; ++part)
        left += message.left[part].load(std::memory_order_acquire);
    if (left > 0)
      throw Error(scheme().str() + ": finish: " + std::to_string(left) +
                  " bytes that are sent have not been marked ready");
  }

  /// What has become of a partition that is received.
  enum : std::size_t { under_way, taken, unpacked };

  /// A message cut into its partitions.
  struct Partitions {
    Partitions(const Layout& layout, const Bases& bases, const Message& message)
        : number(partitions_of(message.count)),
          bytes(layout.bytes() / static_cast<std::size_t>(number)),
          left(std::make_unique<std::atomic<std::size_t>[]>(static_cast<std::size_t>(number))) {
      if (layout.contiguous() && message.data == layout.address(bases)) return;  // where it lies
      buffer = static_cast<std::byte*>(message.data);
      layouts = layout.cut(bytes);
    }
    void pack(int part, const Bases& bases) const {
      const auto p = static_cast<std::size_t>(part);
      if (buffer) layouts[p].pack(bases, buffer + p * bytes);
    }
    void unpack(int part, const Bases& bases) const {
      const auto p = static_cast<std::size_t>(part);
      if (buffer) layouts[p].unpack(bases, buffer + p * bytes);
    }
    int number;
    std::size_t bytes;
    /// Sent: bytes that are not ready; received: what has become of it.
    std::unique_ptr<std::atomic<std::size_t>[]> left;
    std::byte* buffer = nullptr;
    std::vector<Layout> layouts{};
  };

  void begin() {
    const auto time = transferring();
    if (!requests_.empty())  // Open MPI refuses to start none
      HALOCLINE_MPI(MPI_Startall, static_cast<int>(requests_.size()), requests_.data());
  }

  /// Calls act(partition, its bytes that are meant) for elements [first, first + count) of a link:
  /// a message holds them field after field.
  template <class Act>
  void each(const Partitions& message, const Link& link, std::size_t first, std::size_t count,
            const Act& act) {
    const std::size_t all = link.size();
    if (first > all || count > all - first)
      throw Error(scheme().str() + ": elements " + std::to_string(first) + " to " +
                  std::to_string(first + count) + " of a link that has " + std::to_string(all));
    std::size_t before = 0;
    const auto meant = [&](std::size_t begin, std::size_t size, std::size_t element_bytes) {
      const std::size_t low = std::clamp(first, begin, begin + size) - begin,
                        high = std::clamp(first + count, begin, begin + size) - begin;
      std::size_t from = before + low * element_bytes;
      const std::size_t to = before + high * element_bytes;
      while (from < to) {
        const std::size_t part = from / message.bytes;
        const std::size_t some = std::min(to, (part + 1) * message.bytes) - from;
        act(static_cast<int>(part), some);
        from += some;
      }
      before += size * element_bytes;
    };
    const std::span<const Field> fields = setup().send_fields();
    const FieldsOfParts parts(fields);
    if (!parts.several()) {
      for (const Field& field : fields) meant(0, all, field.element_bytes);
      return;
    }
    for (std::size_t place = 0; place < parts.most(); ++place) {
      std::size_t begin = 0;
      for (const Block& block : link.blocks) {
        if (const auto of = parts[block.part]; place < of.size())
          meant(begin, block.size(), fields[of[place]].element_bytes);
        begin += block.size();
      }
    }
  }

  std::shared_ptr<Messages> all_;
  Messages& messages_ = *all_;
  UnderWay requests_;
  std::vector<Partitions> sends_, receives_;
  bool opened_ = false;  ///< this step goes part by part
};

#endif

}  // namespace

namespace {

model::Step describe_partitioned(const model::Chosen& chosen, const model::Links& links) {
  model::Step step;
  model::Script start(step.start), finish(step.finish);
  DescribedMessages messages(chosen, step);
  for (const model::LinkSize& link : links.sends) {
    messages.pack(start, link);
    start.send(link, "send:partitioned");
  }
  start.keep(links);
  finish.whichever_first(links.receives, [&](const model::LinkSize& link) {
    finish.receive(link, "receive:partitioned");
  });
  for (const model::LinkSize& link : links.sends) finish.sent(link);
  for (const model::LinkSize& link : links.receives) messages.unpack(finish, link);
  return step;
}

}  // namespace

MethodFacts p2p_partitioned() {
  return {.name = "p2p:partitioned",
          .summary = "MPI_Psend_init and MPI_Precv_init once, MPI_Pready for each partition packed",
          .options = {},
#ifdef HALOCLINE_HAVE_PARTITIONED
          .make = make<Partitioned>,
          .describe = describe_partitioned,
          .missing = [] { return lacks(&MPI_Psend_init, "MPI_Psend_init"); },
#else
          .make = nullptr,
          .describe = describe_partitioned,
          .missing = [] { return lacks("MPI_Psend_init"); },
#endif
          .device_addresses = true,
          .frames = {.whole = true}};
}

}  // namespace halocline::detail
