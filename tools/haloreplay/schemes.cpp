// Halocline's schemes: an exchange of a pattern, or a ragged one where bytes vary.

#include "contender.hpp"

#include <halocline/array.hpp>
#include <halocline/error.hpp>
#include <halocline/exchange.hpp>
#include <halocline/ragged_exchange.hpp>

#include <algorithm>

namespace haloreplay {

using namespace halocline;

namespace {

/// Blocks in bytes as blocks of elements.
Block in_elements(Block block, std::size_t unit) {
  const auto bytes = static_cast<std::ptrdiff_t>(unit);
  block.offset /= bytes;
  block.count[2] /= unit;
  for (std::ptrdiff_t& stride : block.stride) stride /= bytes;
  return block;
}

/// What stays on a rank, in pieces that lie together at both ends.
void add_copies(Pattern& pattern, const Message& message, std::size_t unit) {
  struct Row {
    std::ptrdiff_t offset;
    std::size_t bytes;
  };
  const auto rows = [](const Blocks& blocks) {
    std::vector<Row> all;
    each_row(blocks, [&](std::ptrdiff_t offset, std::size_t bytes) {
      all.push_back({offset, bytes});
    });
    return all;
  };
  std::vector<Row> from = rows(message.at_sender), to = rows(message.at_receiver);
  for (std::size_t i = 0, j = 0; i < from.size() && j < to.size();) {
    const std::size_t bytes = std::min(from[i].bytes, to[j].bytes);
    pattern.copy(in_elements({.offset = from[i].offset, .count = {1, 1, bytes}}, unit),
                 in_elements({.offset = to[j].offset, .count = {1, 1, bytes}}, unit));
    for (Row* row : {&from[i], &to[j]}) {
      row->offset += static_cast<std::ptrdiff_t>(bytes);
      row->bytes -= bytes;
    }
    if (from[i].bytes == 0) ++i;
    if (to[j].bytes == 0) ++j;
  }
}

Pattern pattern_of(const Ground& ground) {
  const Traffic& traffic = ground.traffic;
  const auto me = static_cast<std::size_t>(ground.me);
  Pattern pattern;
  // Both ends have the messages of a link in one order.
  std::vector<std::size_t> sent = traffic.sent[me], received = traffic.received[me];
  std::ranges::sort(sent);
  std::ranges::sort(received);
  for (const std::size_t number : sent) {
    const Message& message = traffic.messages[number];
    if (message.to == message.from)
      add_copies(pattern, message, traffic.unit);
    else
      for (const Block& block : message.at_sender)
        pattern.send(ground.group[message.to], in_elements(block, traffic.unit));
  }
  for (const std::size_t number : received) {
    const Message& message = traffic.messages[number];
    if (message.to != message.from)
      for (const Block& block : message.at_receiver)
        pattern.receive(ground.group[message.from], in_elements(block, traffic.unit));
  }
  return pattern;
}

Field field_of(const Area& area) {
  const std::size_t unit = area.traffic().unit;
  return {.data = area.data(),
          .element_bytes = unit,
          .elements = area.bytes() / unit,
          .memory = area.memory()};
}

std::shared_ptr<Area> area_of(const Ground& ground, const Scheme& scheme) {
  return scheme.memory() == MemoryKind::plain
             ? ground.plain
             : make_area(ground, scheme.memory(), scheme.islands());
}

class Bound final : public AreaContender {
 public:
  Bound(const Ground& ground, const Scheme& scheme)
      : AreaContender(area_of(ground, scheme)),
        exchange_(ground.group.comm, pattern_of(ground), field_of(area()), scheme) {}

  void exchange(Step& step) override {
    exchange_.start();
    step.compute_all();
    exchange_.finish();
  }

 private:
  Exchange exchange_;
};

class Ragged final : public Contender {
 public:
  Ragged(const Ground& ground, const Scheme& scheme)
      : area_(ground.plain),
        sent_(area_->traffic().sent[static_cast<std::size_t>(ground.me)]),
        received_(area_->traffic().received[static_cast<std::size_t>(ground.me)]) {
    std::ranges::sort(sent_);
    std::ranges::sort(received_);
    const Traffic& traffic = area_->traffic();
    std::vector<int> targets, sources;
    std::size_t most = 0;
    for (const std::size_t number : sent_) {
      targets.push_back(ground.group[traffic.messages[number].to]);
      most = std::max(most, traffic.messages[number].most);
    }
    for (const std::size_t number : received_)
      sources.push_back(ground.group[traffic.messages[number].from]);
    exchange_.emplace(ground.group.comm, targets, sources, traffic.unit, most / traffic.unit,
                      scheme);
  }

  void write(std::size_t step) override {
    ++stamp_;
    for (std::size_t link = 0; link < sent_.size(); ++link)
      write_bytes(outgoing(link, step), bytes(sent_[link], step), stamp_);
  }
  void exchange(Step& step) override {
    exchange_->start();
    step.compute_all();
    exchange_->finish();
  }
  void read(std::size_t) override {
    std::uint64_t sum = 0;
    for (std::size_t link = 0; link < received_.size(); ++link) {
      const auto came = exchange_->received_bytes(link);
      sum += read_bytes(came.data(), came.size());
    }
    seen_ = sum;
  }

  void fill(std::uint64_t set, std::size_t step) override {
    for (std::size_t link = 0; link < sent_.size(); ++link) {
      std::byte* const to = outgoing(link, step);
      for (std::size_t i = 0; i < bytes(sent_[link], step); ++i)
        to[i] = area_->sent(set, area_->me(), sent_[link], i);
    }
  }
  std::string fault(std::uint64_t set, std::size_t step) const override {
    for (std::size_t link = 0; link < received_.size(); ++link) {
      const int from = area_->traffic().messages[received_[link]].from;
      const auto came = exchange_->received_bytes(link);
      const std::string who = "rank " + std::to_string(area_->me()) + " got ";
      const std::string whose =
          " from rank " + std::to_string(from) + " (exchange " + std::to_string(step + 1) + ")";
      const std::size_t expected = bytes(received_[link], step);
      if (came.size() != expected)
        return who + std::to_string(came.size()) + " bytes instead of " + std::to_string(expected) +
               whose;
      for (std::size_t i = 0; i < expected; ++i)
        if (came[i] != area_->sent(set, from, received_[link], i))
          return who + "a wrong byte " + std::to_string(i) + whose;
    }
    return {};
  }

 private:
  std::size_t bytes(std::size_t message, std::size_t step) const {
    return area_->traffic().bytes(message, step);
  }
  std::byte* outgoing(std::size_t link, std::size_t step) {
    return static_cast<std::byte*>(
        exchange_->outgoing_bytes(link, bytes(sent_[link], step) / area_->traffic().unit));
  }

  std::shared_ptr<Area> area_;
  std::vector<std::size_t> sent_, received_;
  std::optional<RaggedExchange> exchange_;
  std::uint8_t stamp_ = 0;
  volatile std::uint64_t seen_ = 0;
};

}  // namespace

std::unique_ptr<Contender> make_scheme(const Ground& ground, const Scheme& scheme) {
  if (ground.traffic.varies()) return std::make_unique<Ragged>(ground, scheme);
  return std::make_unique<Bound>(ground, scheme);
}

}  // namespace haloreplay
