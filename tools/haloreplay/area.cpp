#include "area.hpp"

#include <algorithm>
#include <cstring>

namespace haloreplay {

using halocline::Memory;

void write_bytes(std::byte* bytes, std::size_t count, std::uint8_t value) {
  // A call takes longer than a cell.
  if (count == sizeof(std::uint64_t)) {
    const std::uint64_t word = value * 0x0101010101010101u;
    std::memcpy(bytes, &word, sizeof word);
  } else {
    std::memset(bytes, value, count);
  }
}

std::uint64_t read_bytes(const std::byte* bytes, std::size_t count) {
  constexpr std::size_t word = sizeof(std::uint64_t), lanes = 4;
  std::uint64_t sum[lanes] = {};
  const auto at = [&](std::size_t place) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes + place, word);
    return value;
  };
  std::size_t i = 0;
  for (; i + lanes * word <= count; i += lanes * word)
    for (std::size_t lane = 0; lane < lanes; ++lane) sum[lane] += at(i + lane * word);
  for (; i + word <= count; i += word) sum[0] += at(i);
  for (; i < count; ++i) sum[0] += static_cast<std::uint64_t>(bytes[i]);
  return sum[0] + sum[1] + sum[2] + sum[3];
}

namespace {

/// Eight bytes of a rank's memory in a set of known ones.
class Known {
 public:
  Known(std::uint64_t set, int rank)
      : start_(mixed(set) + mixed(static_cast<std::uint64_t>(rank) << 40)) {}
  std::uint64_t word(std::uint64_t number) const { return mixed(start_ + number); }

 private:
  std::uint64_t start_;
};

void fill_known(std::byte* bytes, std::size_t count, std::uint64_t set, int rank) {
  const Known known(set, rank);
  constexpr std::size_t word = sizeof(std::uint64_t);
  for (std::size_t i = 0; i < count; i += word) {
    const std::uint64_t value = known.word(i / word);
    std::memcpy(bytes + i, &value, std::min(word, count - i));
  }
}

}  // namespace

std::byte known_byte(std::uint64_t set, int rank, std::ptrdiff_t place) {
  constexpr std::uint64_t word = sizeof(std::uint64_t);
  const auto at = static_cast<std::uint64_t>(place);
  const std::uint64_t value = Known(set, rank).word(at / word);
  std::byte bytes[word];
  std::memcpy(bytes, &value, word);
  return bytes[at % word];
}

Area::Area(const Traffic& traffic, int me, Memory memory) : Area(traffic, me, memory.data()) {
  memory_ = std::move(memory);
}

Area::Area(const Traffic& traffic, int me, std::byte* data)
    : traffic_(traffic),
      me_(me),
      data_(data),
      bytes_(traffic.memory[static_cast<std::size_t>(me)]),
      sent_(ends(traffic.sent[static_cast<std::size_t>(me)], true)),
      received_(ends(traffic.received[static_cast<std::size_t>(me)], false)),
      place_(traffic.messages.size()) {
  for (std::size_t i = 0; i < received_.size(); ++i) place_[received_[i].message] = i;
}

std::vector<Area::End> Area::ends(const std::vector<std::size_t>& messages, bool sending) const {
  std::vector<End> all;
  for (const std::size_t number : messages) {
    const Message& message = traffic_.messages[number];
    End end{.message = number, .rows = {}};
    each_row(sending ? message.at_sender : message.at_receiver,
             [&](std::ptrdiff_t offset, std::size_t bytes) {
               end.rows.emplace_back(data() + offset, bytes);
             });
    all.push_back(std::move(end));
  }
  return all;
}

void Area::write(std::size_t step) {
  ++stamp_;
  for (End& end : received_) end.read = false;
  for (const End& end : sent_) {
    std::size_t left = traffic_.bytes(end.message, step);
    for (const auto& row : end.rows) {
      const std::size_t count = std::min(left, row.size());
      write_bytes(row.data(), count, stamp_);
      left -= count;
    }
  }
}

void Area::read(End& end, std::size_t step) {
  if (end.read) return;
  end.read = true;
  std::uint64_t sum = 0;
  std::size_t left = traffic_.bytes(end.message, step);
  for (const auto& row : end.rows) {
    const std::size_t count = std::min(left, row.size());
    sum += read_bytes(row.data(), count);
    left -= count;
  }
  seen_ = sum;
}

void Area::read(std::size_t message, std::size_t step) {
  read(received_[place_[message]], step);
}

void Area::read_rest(std::size_t step) {
  for (End& end : received_) read(end, step);
}

void Area::fill(std::uint64_t set) {
  fill_known(data(), bytes_, set, me_);
}

std::string Area::fault(std::uint64_t set, std::size_t step) const {
  std::vector<std::byte> expected(bytes_);
  fill_known(expected.data(), bytes_, set, me_);
  const auto where = [&](std::size_t i) {
    for (const std::size_t number : traffic_.received[static_cast<std::size_t>(me_)]) {
      std::size_t before = 0, found = 0;
      bool inside = false;
      each_row(traffic_.messages[number].at_receiver, [&](std::ptrdiff_t at, std::size_t count) {
        const auto place = static_cast<std::ptrdiff_t>(i);
        if (place >= at && place < at + static_cast<std::ptrdiff_t>(count)) {
          inside = true;
          found = before + static_cast<std::size_t>(place - at);
        }
        before += count;
      });
      if (inside)
        return "got wrong bytes from rank " + std::to_string(traffic_.messages[number].from) +
               ": byte " + std::to_string(found) + " of " + std::to_string(before);
    }
    return "changed byte " + std::to_string(i) + " of its memory, which nothing is received in";
  };
  for (const std::size_t number : traffic_.received[static_cast<std::size_t>(me_)]) {
    const Message& message = traffic_.messages[number];
    std::vector<std::byte> bytes;
    bytes.reserve(message.most);
    each_row(message.at_sender, [&](std::ptrdiff_t at, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i)
        bytes.push_back(known_byte(set, message.from, at + static_cast<std::ptrdiff_t>(i)));
    });
    bytes.resize(traffic_.bytes(number, step));
    std::size_t next = 0;
    each_row(message.at_receiver, [&](std::ptrdiff_t at, std::size_t count) {
      for (std::size_t i = 0; i < count && next < bytes.size(); ++i)
        expected[static_cast<std::size_t>(at) + i] = bytes[next++];
    });
  }
  for (std::size_t i = 0; i < bytes_; ++i)
    if (data()[i] != expected[i])
      return "rank " + std::to_string(me_) + " " + where(i) + " (exchange " +
             std::to_string(step + 1) + ")";
  return {};
}

std::byte Area::sent(std::uint64_t set, int rank, std::size_t message, std::size_t number) const {
  std::size_t before = 0;
  std::ptrdiff_t place = 0;
  each_row(traffic_.messages[message].at_sender, [&](std::ptrdiff_t at, std::size_t count) {
    if (number >= before && number < before + count)
      place = at + static_cast<std::ptrdiff_t>(number - before);
    before += count;
  });
  return known_byte(set, rank, place);
}

}  // namespace haloreplay
