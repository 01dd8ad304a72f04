#include "simulator.hpp"

#include "compiled.hpp"
#include "disturbed.hpp"

#include <halocline/error.hpp>

#include <algorithm>
#include <deque>
#include <sstream>
#include <type_traits>

namespace halosim {

using halocline::Error;
using namespace halocline::model;

namespace {

// ---- time ----------------------------------------------------------------------------------

/// A time as a number, and a cost as one.
struct Plain {
  using Price = double;
  double seconds = 0;
  static Price price(const Cost& cost) { return cost.seconds; }
  void add(Price price) { seconds += price; }
  void add_seconds(double more) { seconds += more; }
};

/// A time that remembers what it is made of: along the chain of what was waited for longest.
struct Counted {
  using Price = Cost;
  double seconds = 0;
  std::vector<double> counts{};
  static Price price(const Cost& cost) { return cost; }
  void add(const Price& price) {
    seconds += price.seconds;
    for (const auto& [number, times] : price.counts) {
      if (counts.size() <= static_cast<std::size_t>(number))
        counts.resize(static_cast<std::size_t>(number) + 1);
      counts[static_cast<std::size_t>(number)] += times;
    }
  }
  void add_seconds(double more) { seconds += more; }
};

template <class Time>
const Time& later(const Time& one, const Time& other) {
  return other.seconds > one.seconds ? other : one;
}

// ---- the run --------------------------------------------------------------------------------

template <class Time>
class Simulator {
 public:
  explicit Simulator(const Run& run)
      : run_(run), compiled_(compiled(run)), ranks_(run.programs.size()) {
    for (const Prices& price : compiled_.prices)
      prices_.push_back(
          {Time::price(price.busy), Time::price(price.flight), Time::price(price.gap)});
    std::size_t slots = 0;
    channels_.reserve(compiled_.channels.size());
    for (const ChannelEnds& ends : compiled_.channels) {
      channels_.push_back({.begin = slots,
                           .capacity = ends.capacity + ends.lag,
                           .consumer = ends.consumer,
                           .pushed = ends.lag});
      slots += ends.capacity + ends.lag;
    }
    slots_.resize(slots);
    registers_.resize(ranks_.size() * compiled_.most_registers);
    for (const GroupMembers& group : compiled_.groups)
      groups_.push_back({std::vector<Time>(group.ranks.size()), 0});
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      ranks_[r].slowness = slowness(run.disturbance, r);
  }

  Outcome outcome() {
    Outcome out;
    Time before;
    for (step_ = 0; step_ < run_.steps; ++step_) {
      one_step();
      Time end;
      for (const Rank& rank : ranks_) end = later(end, rank.now);
      out.ends_s.push_back(end.seconds);
      if (step_ + 1 == run_.warm_up) before = end;
      if (step_ + 1 == run_.steps) summarise(out, before, end);
    }
    for (const Rank& rank : ranks_) out.rank_end_s.push_back(rank.now.seconds);
    for (const auto& list : compiled_.code) out.operations += list.size();
    out.operations *= static_cast<std::size_t>(run_.steps);
    const double each = static_cast<double>(ranks_.size()) * run_.steps;
    for (std::size_t i = 0; i < busy_.size(); ++i) {
      out.busy_s[i] = busy_[i] / each;
      out.wait_s[i] = wait_[i] / each;
    }
    out.events = std::move(events_);
    return out;
  }

 private:
  struct Price {
    typename Time::Price busy, flight, gap;
  };
  struct Channel {
    std::size_t begin;
    std::uint32_t capacity;
    int consumer;
    std::uint32_t pushed, popped = 0;
    bool awaited = false;
    bool empty() const { return pushed == popped; }
  };
  struct Rank {
    Time now{}, pulled{};
    std::array<Time, levels> injected{};  ///< when the next message may leave
    std::size_t at = 0;
    double slowness = 1;
    enum class Barrier : std::uint8_t { ahead, waiting, passed } barrier = Barrier::ahead;
  };
  struct Meeting {
    std::vector<Time> times;
    std::size_t there;
  };

  void one_step() {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      ranks_[r].at = 0;
      if (static_cast<int>(r) == run_.disturbance.delayed_rank &&
          step_ == run_.disturbance.delayed_step)
        ranks_[r].now.add_seconds(run_.disturbance.delay_s);
      advance(r);
      while (!ready_.empty()) {
        const std::size_t next = ready_.front();
        ready_.pop_front();
        // Those that have not begun this step come to it in their turn.
        if (next <= r) advance(next);
      }
    }
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      if (ranks_[r].at < compiled_.code[r].size()) {
        std::ostringstream said;
        const Instruction& stuck = instruction(r);
        const std::size_t operation = stuck.act == Act::block
                                          ? compiled_.code[r][ranks_[r].at + 1].operation
                                          : stuck.operation;
        said << "model: ranks wait for each other in a ring: rank " << r << " waits to "
             << run_.programs[r][operation];
        throw Error(said.str());
      }
  }

  const Instruction& instruction(std::size_t rank) const {
    return compiled_.code[rank][ranks_[rank].at];
  }

  /// As far as it comes.
  void advance(std::size_t r) {
    Rank& rank = ranks_[r];
    const auto& list = compiled_.code[r];
    while (rank.at < list.size()) {
      const Instruction& next = list[rank.at];
      if (next.act == Act::block) {
        if (!whole_block(r)) return;
        continue;
      }
      if (!may(r, next)) return;
      carry_out(r, next, rank.now);
      ++rank.at;
    }
  }

  bool may(std::size_t r, const Instruction& next) {
    switch (next.act) {
      case Act::pop:
      case Act::pull:
      case Act::serve: return there(next.channel);
      case Act::barrier: return met(r, next);
      default: return true;
    }
  }

  bool there(std::uint32_t number) {
    Channel& channel = channels_[number];
    channel.awaited = channel.empty();
    return !channel.awaited;
  }

  /// All that it waits for is known before any is taken, in the order of arrival.
  bool whole_block(std::size_t r) {
    Rank& rank = ranks_[r];
    const auto& list = compiled_.code[r];
    const std::size_t begin = rank.at + 1, end = begin + list[rank.at].price;
    parts_.clear();
    for (std::size_t i = begin; i < end; ++i)
      if (list[i].head) {
        if (!there(list[i].channel)) return false;
        const Channel& channel = channels_[list[i].channel];
        parts_.push_back({slots_[channel.begin + channel.popped % channel.capacity].seconds, i});
      }
    std::sort(parts_.begin(), parts_.end());
    const Time entered = rank.now;
    if (parts_.empty() || parts_.front().second != begin)  // nothing to wait for
      for (std::size_t i = begin; i < end && !list[i].head; ++i) carry_out(r, list[i], entered);
    for (const auto& [arrival, first] : parts_)
      for (std::size_t i = first; i < end && (i == first || !list[i].head); ++i)
        carry_out(r, list[i], entered);
    rank.at = end;
    return true;
  }

  /// `entered`: since when the rank is inside MPI.
  void carry_out(std::size_t r, const Instruction& next, const Time entered) {
    Rank& rank = ranks_[r];
    const double begin = rank.now.seconds;
    double waited = 0, arrival = 0;
    const Price& price = prices_[next.price];
    const auto wait_until = [&](const Time& time) {
      waited += std::max(0.0, time.seconds - rank.now.seconds);
      rank.now = later(rank.now, time);
    };
    const auto gone = [&](const Price& of) {  // one after the other leaves
      Time& free = rank.injected[static_cast<std::size_t>(next.level)];
      const Time departure = later(rank.now, free);
      free = departure;
      free.add(of.gap);
      Time there = departure;
      there.add(of.flight);
      arrival = there.seconds;
      return there;
    };
    switch (next.act) {
      case Act::busy: rank.now.add(price.busy); break;
      case Act::compute: compute(r, next, price); break;
      case Act::push: {
        rank.now.add(price.busy);
        push(next.channel, gone(price));
        break;
      }
      case Act::pop: {
        wait_until(pop(next.channel));
        rank.now.add(price.busy);
        break;
      }
      case Act::pull: {
        const Time done = moved(rank, pop(next.channel), entered, price);
        wait_until(done);
        rank.now.add(price.busy);
        push(next.answer, done);
        break;
      }
      case Act::serve: push(next.answer, moved(rank, pop(next.channel), entered, price)); break;
      case Act::leave: {
        rank.now.add(price.busy);
        Time& there = at_peer(r, next.channel);
        there = later(there, gone(price));
        break;
      }
      case Act::settle: {
        Time there = at_peer(r, next.channel);
        there.add(price.flight);
        wait_until(there);
        rank.now.add(price.busy);
        break;
      }
      case Act::barrier: {
        wait_until(groups_[next.channel].times[next.answer]);
        rank.barrier = Rank::Barrier::ahead;
        break;
      }
      case Act::block: break;
    }
    const auto verb = static_cast<std::size_t>(run_.programs[r][next.operation].verb);
    wait_[verb] += waited;
    busy_[verb] += rank.now.seconds - begin - waited;
    if (run_.record)
      events_.push_back(
          {static_cast<int>(r), step_, next.operation, begin, rank.now.seconds, arrival});
  }

  /// What waits for its receiver moves from when it is announced and the receiver inside MPI.
  Time moved(Rank& rank, const Time& announced, const Time& entered, const Price& price) {
    Time begin = later(later(announced, entered), rank.pulled);
    rank.pulled = begin;
    rank.pulled.add(price.gap);
    begin.add(price.flight);
    return begin;
  }

  void compute(std::size_t r, const Instruction& next, const Price& price) {
    Rank& rank = ranks_[r];
    const double plain = run_.programs[r][next.operation].seconds;
    rank.now.add(price.busy);
    rank.now.add_seconds(longer(run_.disturbance, r, rank.slowness, step_, rank.at, plain));
  }

  Time& at_peer(std::size_t r, std::uint32_t number) {
    return registers_[r * compiled_.most_registers + number];
  }

  void push(std::uint32_t number, const Time& time) {
    Channel& channel = channels_[number];
    slots_[channel.begin + channel.pushed++ % channel.capacity] = time;
    if (channel.awaited) {
      channel.awaited = false;
      ready_.push_back(static_cast<std::size_t>(channel.consumer));
    }
  }
  Time pop(std::uint32_t number) {
    Channel& channel = channels_[number];
    return slots_[channel.begin + channel.popped++ % channel.capacity];
  }

  /// All of a group are there; rounds of a dissemination barrier.
  bool met(std::size_t r, const Instruction& next) {
    Meeting& meeting = groups_[next.channel];
    if (ranks_[r].barrier != Rank::Barrier::ahead)
      return ranks_[r].barrier == Rank::Barrier::passed;
    const auto& members = compiled_.groups[next.channel].ranks;
    meeting.times[next.answer] = ranks_[r].now;
    ranks_[r].barrier = Rank::Barrier::waiting;
    if (++meeting.there < members.size()) return false;
    meeting.there = 0;
    const std::size_t size = members.size();
    std::vector<Time> before(size);
    for (std::size_t distance = 1; distance < size; distance *= 2) {
      std::swap(before, meeting.times);
      for (std::size_t i = 0; i < size; ++i) {
        const std::size_t other = (i + size - distance) % size;
        const Level level = run_.places.level(members[i], members[other]);
        Time& time = meeting.times[i];
        time = later(before[i], before[other]);
        time.add(prices_[next.price + static_cast<std::size_t>(level)].busy);
      }
    }
    for (const int member : members) {
      const auto other = static_cast<std::size_t>(member);
      ranks_[other].barrier = Rank::Barrier::passed;
      if (other != r) ready_.push_back(other);
    }
    return true;
  }

  void summarise(Outcome& out, const Time& before, const Time& end) const {
    const double steps = run_.steps - run_.warm_up;
    out.step_s = (end.seconds - before.seconds) / steps;
    if constexpr (std::is_same_v<Time, Counted>) {
      out.parts.seconds = out.step_s;
      for (std::size_t i = 0; i < end.counts.size(); ++i) {
        const double earlier = i < before.counts.size() ? before.counts[i] : 0;
        if (end.counts[i] != earlier)
          out.parts.counts.emplace_back(static_cast<int>(i), (end.counts[i] - earlier) / steps);
      }
    }
  }

  const Run& run_;
  Compiled compiled_;
  std::vector<Price> prices_;
  std::vector<Channel> channels_;
  std::vector<Time> slots_, registers_;
  std::vector<Rank> ranks_;
  std::vector<Meeting> groups_;
  std::deque<std::size_t> ready_;
  std::vector<std::pair<double, std::size_t>> parts_;
  std::array<double, verbs> busy_{}, wait_{};
  std::vector<Event> events_;
  int step_ = 0;
};

}  // namespace

Level Places::level(int one, int other) const {
  const auto a = static_cast<std::size_t>(one), b = static_cast<std::size_t>(other);
  if (node[a] != node[b]) return Level::network;
  return socket[a] == socket[b] ? Level::socket : Level::node;
}

Outcome simulate(const Run& run) {
  return Simulator<Plain>(run).outcome();
}

Outcome simulate_in_parts(const Run& run) {
  return Simulator<Counted>(run).outcome();
}

}  // namespace halosim
