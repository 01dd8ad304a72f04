#include "simulator.hpp"

#include <halocline/mpi.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>
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

std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Random numbers that do not depend on the order in which ranks are looked at.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t rank, std::uint64_t step)
      : state_(mixed(mixed(mixed(seed) ^ rank) ^ step)) {}
  double uniform() {  // (0, 1)
    state_ = mixed(state_);
    return (static_cast<double>(state_ >> 12) + 0.5) / 4503599627370496.0;
  }
  double normal() {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * 3.141592653589793 * uniform());
  }

 private:
  std::uint64_t state_;
};

// ---- programs, prepared ---------------------------------------------------------------------

enum class Act : std::uint8_t {
  busy,     ///< for the price
  compute,  ///< disturbed
  push,     ///< something leaves on a channel
  pop,      ///< waits for it
  pull,     ///< waits for what begins to move when the receiver has come, and answers
  serve,    ///< the same, without waiting until it is there
  leave,    ///< a put or get on its way
  settle,   ///< waits until it is there
  barrier,
  block,  ///< the next `price` acts are taken as they can
};

struct Instruction {
  Act act;
  bool head = false;  ///< begins one of a block's parts
  Level level = Level::node;
  std::uint32_t price = 0;    ///< index; of a block the number of its instructions
  std::uint32_t channel = 0;  ///< or register, or group
  std::uint32_t answer = 0;   ///< channel; or member of the group
  std::uint32_t operation = 0;
};

struct Prices {
  Cost busy, flight, gap;
};

struct GroupMembers {
  std::vector<int> ranks;
};

struct ChannelEnds {
  int consumer = -1;
  std::uint32_t capacity = 0, lag = 0;
};

/// The same cost for the same thing is looked up once.
class Compiler {
 public:
  explicit Compiler(const Run& run) : run_(run), code(run.programs.size()) {
    find_groups();
    outgoing_.resize(run.programs.size());
    for (std::size_t r = 0; r < code.size(); ++r) declare(static_cast<int>(r));
    for (std::size_t r = 0; r < code.size(); ++r) compile(static_cast<int>(r));
    for (const ChannelEnds& channel : channels)
      if (channel.consumer < 0) throw Error("model: something is told that nobody hears");
  }

 private:
  const Run& run_;

 public:
  std::vector<std::vector<Instruction>> code;
  std::vector<Prices> prices;
  std::vector<ChannelEnds> channels;
  std::vector<GroupMembers> groups;
  std::uint32_t most_registers = 0;

 private:
  /// Of what was put to, or got from, a peer in an exchange.
  using Registers = std::map<std::pair<int, int>, std::uint32_t>;
  struct Outgoing {
    int peer;
    int stream;
    bool answers;
    std::uint32_t channel;
  };

  /// A group of one of the exchanges.
  using Circle = std::pair<int, Group>;

  /// Barriers of an exchange on the same ranks are one, as its circles of neighbours share a
  /// window.
  void find_groups() {
    std::map<Circle, std::vector<int>> members;
    for (std::size_t r = 0; r < code.size(); ++r)
      for (const Operation& operation : run_.programs[r])
        if (operation.verb == Verb::barrier) {
          auto& ranks = members[{operation.exchange, operation.group}];
          if (ranks.empty() || ranks.back() != static_cast<int>(r))
            ranks.push_back(static_cast<int>(r));
        }
    std::map<std::pair<int, std::vector<int>>, std::uint32_t> known;
    for (auto& [circle, ranks] : members) {
      const bool shared = circle.second.of == Group::Of::owner;
      const auto next = static_cast<std::uint32_t>(groups.size());
      const auto [found, is_new] = shared ? known.emplace(std::pair{circle.first, ranks}, next)
                                          : std::pair{known.end(), true};
      number_of_[circle] = is_new ? next : found->second;
      if (is_new) groups.push_back({ranks});
    }
  }

  /// Of MPI, and not a put that brings its signal along.
  static bool is_message(const Operation& operation) {
    return !operation.cost.starts_with("put") && !operation.cost.starts_with("seen");
  }

  bool waits_for_receiver(const Operation& operation, Level level) const {
    const auto bytes = static_cast<double>(operation.bytes);
    switch (operation.verb) {
      case Verb::send:
      case Verb::receive:
      case Verb::sent:
        return is_message(operation) && bytes >= run_.machine.rendezvous_bytes(level);
      case Verb::put:
      case Verb::progress:
      case Verb::flush:
      case Verb::unlock: return run_.machine.target_progress(level);
      default: return false;
    }
  }

  std::uint32_t& told(int from, int to, int stream, bool answers) {
    auto& known = outgoing_[static_cast<std::size_t>(from)];
    for (Outgoing& one : known)
      if (one.peer == to && one.stream == stream && one.answers == answers) {
        return one.channel;
      }
    known.push_back({to, stream, answers, static_cast<std::uint32_t>(channels.size())});
    channels.push_back({});
    return known.back().channel;
  }
  std::uint32_t heard(int from, int to, int stream, bool answers, const Operation& operation) {
    for (const Outgoing& one : outgoing_[static_cast<std::size_t>(from)])
      if (one.peer == to && one.stream == stream && one.answers == answers) {
        channels[one.channel].consumer = to;
        return one.channel;
      }
    std::ostringstream said;
    said << "model: rank " << to << " waits to " << operation << ", but rank " << from
         << " does nothing for it";
    throw Error(said.str());
  }
  /// Puts that need their target travel beside messages.
  static int stream_of(const Operation& operation) {
    const bool puts = operation.verb == Verb::put || operation.verb == Verb::progress ||
                      operation.verb == Verb::flush || operation.verb == Verb::unlock;
    constexpr int streams = 16;
    return operation.exchange * streams + (puts ? streams - 1 : static_cast<int>(operation.word));
  }

  void declare(int rank) {
    for (const Operation& operation : run_.programs[static_cast<std::size_t>(rank)]) {
      if (operation.peer < 0) continue;
      check(operation, rank);
      const Level level = run_.places.level(rank, operation.peer);
      const bool waits = waits_for_receiver(operation, level);
      const auto open = [&](bool answers) {
        ++channels[told(rank, operation.peer, stream_of(operation), answers)].capacity;
      };
      if (operation.verb == Verb::send || operation.verb == Verb::tell) open(false);
      if (operation.verb == Verb::put && waits) open(false);
      if ((operation.verb == Verb::receive || operation.verb == Verb::progress) && waits)
        open(true);
    }
  }

  void check(const Operation& operation, int rank) const {
    if (operation.peer == rank || operation.peer >= static_cast<int>(code.size()))
      throw Error("model: rank " + std::to_string(rank) + " has a link to rank " +
                  std::to_string(operation.peer) + " of " + std::to_string(code.size()));
  }

  void compile(int rank) {
    const auto& program = run_.programs[static_cast<std::size_t>(rank)];
    auto& list = code[static_cast<std::size_t>(rank)];
    Registers registers;
    for (std::size_t i = 0; i < program.size(); ++i) {
      const Operation& operation = program[i];
      const bool begins_block = operation.any && (i == 0 || !program[i - 1].any);
      if (begins_block) list.push_back({.act = Act::block});
      const std::size_t block = list.size() - 1;
      if (const auto instruction = instruction_of(operation, rank, registers)) {
        list.push_back(*instruction);
        list.back().operation = static_cast<std::uint32_t>(i);
        const Act act = instruction->act;
        list.back().head = operation.any && (act == Act::pop || act == Act::pull);
      }
      if (operation.any) {
        if (begins_block) block_ = block;
        list[block_].price = static_cast<std::uint32_t>(list.size() - 1 - block_);
        // Without anything to wait for, the order is the program's.
      }
    }
    list.shrink_to_fit();
    most_registers = std::max(most_registers, static_cast<std::uint32_t>(registers.size()));
  }

  std::optional<Instruction> instruction_of(const Operation& operation, int rank,
                                            Registers& registers) {
    const int peer = operation.peer;
    const Level level = peer < 0 ? Level::socket : run_.places.level(rank, peer);
    const bool waits = peer >= 0 && waits_for_receiver(operation, level);
    Instruction made{.act = Act::busy, .level = level};
    made.price = priced(operation, level);
    const auto registered = [&] {
      const std::pair key{operation.exchange, peer};
      return registers.emplace(key, static_cast<std::uint32_t>(registers.size())).first->second;
    };
    const int stream = stream_of(operation);
    switch (operation.verb) {
      case Verb::compute: made.act = Act::compute; return made;
      case Verb::send:
      case Verb::tell:
        made.act = Act::push;
        made.channel = told(rank, peer, stream, false);
        return made;
      case Verb::receive:
        made.act = waits ? Act::pull : Act::pop;
        made.channel = heard(peer, rank, stream, false, operation);
        if (waits) made.answer = told(rank, peer, stream, true);
        return made;
      case Verb::hear: {
        made.act = Act::pop;
        made.channel = heard(peer, rank, stream, false, operation);
        channels[made.channel].lag = static_cast<std::uint32_t>(operation.lag);
        return made;
      }
      case Verb::sent:
        if (!waits) return std::nullopt;
        made.act = Act::pop;
        made.channel = heard(peer, rank, stream, true, operation);
        return made;
      case Verb::put:
        if (waits) {
          made.act = Act::push;
          made.channel = told(rank, peer, stream, false);
          return made;
        }
        [[fallthrough]];
      case Verb::get:
        made.act = Act::leave;
        made.channel = registered();
        return made;
      case Verb::progress:
        if (!waits) return std::nullopt;
        made.act = Act::serve;
        made.channel = heard(peer, rank, stream, false, operation);
        made.answer = told(rank, peer, stream, true);
        return made;
      case Verb::flush:
      case Verb::unlock:
        // What was got is here when its time has come; what was put, when the target says so.
        if (waits && !registers.contains({operation.exchange, peer})) {
          made.act = Act::pop;
          made.channel = heard(peer, rank, stream, true, operation);
          return made;
        }
        made.act = Act::settle;
        made.channel = registered();
        return made;
      case Verb::barrier: {
        made.act = Act::barrier;
        made.channel = number_of_.at({operation.exchange, operation.group});
        const auto& ranks = groups[made.channel].ranks;
        // The owners of one circle are one barrier.
        if (operation.group.of == Group::Of::owner) {
          auto& done = circles_[rank];
          if (!done.insert({made.channel, barriers_before(operation, rank)}).second)
            return std::nullopt;
        }
        made.answer = static_cast<std::uint32_t>(
            std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin());
        return made;
      }
      default: return made;
    }
  }

  /// How often this very group was met before in the rank's step.
  std::size_t barriers_before(const Operation& operation, int rank) const {
    const auto& program = run_.programs[static_cast<std::size_t>(rank)];
    return static_cast<std::size_t>(
        std::count_if(program.data(), &operation, [&](const Operation& before) {
          return before.verb == Verb::barrier && before.group == operation.group &&
                 before.exchange == operation.exchange;
        }));
  }

  static std::string_view flight_of(const Operation& operation) {
    const std::string_view cost = operation.cost;
    switch (operation.verb) {
      case Verb::send:
      case Verb::receive: return is_message(operation) ? "message" : "landing";
      case Verb::put:
      case Verb::progress: return "landing";
      case Verb::get: return "fetching";
      case Verb::tell:
        return cost.starts_with("signal")                 ? "line"
               : cost.find(':') != std::string_view::npos ? "landing"
                                                          : "message";
      default: return {};
    }
  }

  /// Of a barrier one for each level, one after the other.
  std::uint32_t priced(const Operation& operation, Level level) {
    const Key key{operation.cost.data(), operation.verb,   operation.word,  level,
                  operation.bytes,       operation.pieces, operation.lines, operation.span,
                  operation.seconds};
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    const auto index = static_cast<std::uint32_t>(prices.size());
    const Machine& machine = run_.machine;
    const auto bytes = static_cast<double>(operation.bytes);
    if (operation.verb == Verb::barrier) {
      for (std::size_t l = 0; l < levels; ++l)
        prices.push_back({machine.cost(operation.cost, static_cast<Level>(l), 0), {}, {}});
    } else {
      Prices price;
      price.busy = operation.verb == Verb::compute ? Cost{operation.seconds, {}}
                                                   : machine.cost(operation.cost, level, bytes);
      const auto colon = operation.cost.find(':');
      const std::string variety(colon == std::string_view::npos ? std::string_view{}
                                                                : operation.cost.substr(colon));
      const bool copies = operation.verb == Verb::pack || operation.verb == Verb::unpack ||
                          operation.verb == Verb::copy;
      if (copies || variety == ":datatype" || variety == ":accumulate")
        price.busy +=
            machine.cost("piece" + variety, level, 0).times(static_cast<double>(operation.pieces));
      if (operation.lines > 0 && operation.span > 0) {
        const bool writes = operation.verb == Verb::unpack || operation.verb == Verb::receive;
        price.busy += machine
                          .cost(writes ? "cells:written" : "cells", level,
                                static_cast<double>(operation.span))
                          .times(static_cast<double>(operation.lines));
      }
      if (std::string flight(flight_of(operation)); !flight.empty()) {
        if (operation.verb != Verb::tell) flight += variety;
        // What waits for its receiver is announced first.
        const bool announced = (operation.verb == Verb::send || operation.verb == Verb::put) &&
                               waits_for_receiver(operation, level);
        if (!announced) price.gap = machine.gap(flight, level, bytes, run_.places.sharers);
        price.flight = machine.cost(flight, level, 0);
        price.flight += price.gap;
      }
      if (operation.verb == Verb::flush || operation.verb == Verb::unlock)
        price.flight = machine.cost("acknowledge", level, 0);
      prices.push_back(std::move(price));
    }
    known_.emplace(key, index);
    return index;
  }

  using Key = std::tuple<const char*, Verb, Word, Level, std::size_t, std::size_t, std::size_t,
                         std::size_t, double>;
  std::map<Key, std::uint32_t> known_;
  std::map<Circle, std::uint32_t> number_of_;
  std::map<int, std::set<std::pair<std::uint32_t, std::size_t>>> circles_;
  std::vector<std::vector<Outgoing>> outgoing_;
  std::size_t block_ = 0;
};

// ---- the run --------------------------------------------------------------------------------

template <class Time>
class Simulator {
 public:
  explicit Simulator(const Run& run) : run_(run), compiled_(run), ranks_(run.programs.size()) {
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
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      Dice dice(run.disturbance.seed, r, ~0ULL);
      ranks_[r].speed = std::max(0.1, 1 + run.disturbance.imbalance * dice.normal());
      if (static_cast<int>(r) == run.disturbance.slow_rank)
        ranks_[r].speed *= run.disturbance.slow_factor;
    }
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
    double speed = 1;
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
    const Disturbance& disturbance = run_.disturbance;
    const double plain = run_.programs[r][next.operation].seconds;
    double seconds = plain * rank.speed;
    if (disturbance.noise_every_s > 0 || !disturbance.samples.empty()) {
      Dice dice(disturbance.seed, r, static_cast<std::uint64_t>(step_) << 20 | rank.at);
      if (!disturbance.samples.empty())
        seconds *= disturbance.samples[static_cast<std::size_t>(
            dice.uniform() * static_cast<double>(disturbance.samples.size()))];
      if (disturbance.noise_every_s > 0)
        for (double at = -std::log(dice.uniform()) * disturbance.noise_every_s; at < seconds;
             at -= std::log(dice.uniform()) * disturbance.noise_every_s)
          rank.now.add_seconds(disturbance.noise_s);
    }
    rank.now.add(price.busy);
    rank.now.add_seconds(seconds - plain);
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
  Compiler compiled_;
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
