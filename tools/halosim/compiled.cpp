#include "compiled.hpp"

#include <halocline/error.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

namespace halosim {

using halocline::Error;
using namespace halocline::model;

namespace {

/// The same cost for the same thing is looked up once.
class Compiler : public Compiled {
 public:
  explicit Compiler(const Run& run) : run_(run) {
    code.resize(run.programs.size());
    find_groups();
    outgoing_.resize(run.programs.size());
    for (std::size_t r = 0; r < code.size(); ++r) declare(static_cast<int>(r));
    for (std::size_t r = 0; r < code.size(); ++r) compile(static_cast<int>(r));
    for (const ChannelEnds& channel : channels)
      if (channel.consumer < 0) throw Error("model: something is notified that no rank awaits");
  }

 private:
  /// Registers of what was put to, or got from, a peer in an exchange.
  using Registers = std::map<std::pair<int, int>, std::uint32_t>;
  struct Outgoing {
    int peer;
    int stream;
    bool answers;
    std::uint32_t channel;
  };

  /// A group of one of the exchanges.
  using BarrierKey = std::pair<int, Group>;

  /// Barriers of an exchange on the same ranks are one, as its groups of neighbours share a
  /// window.
  void find_groups() {
    std::map<BarrierKey, std::vector<int>> members;
    for (std::size_t r = 0; r < code.size(); ++r)
      for (const Operation& operation : run_.programs[r])
        if (operation.verb == Verb::barrier) {
          auto& ranks = members[{operation.exchange, operation.group}];
          if (ranks.empty() || ranks.back() != static_cast<int>(r))
            ranks.push_back(static_cast<int>(r));
        }
    std::map<std::pair<int, std::vector<int>>, std::uint32_t> known;
    for (auto& [key, ranks] : members) {
      const bool shared = key.second.of == Group::Of::owner;
      const auto next = static_cast<std::uint32_t>(groups.size());
      const auto [found, is_new] =
          shared ? known.emplace(std::pair{key.first, ranks}, next) : std::pair{known.end(), true};
      number_of_[key] = is_new ? next : found->second;
      if (is_new) groups.push_back({ranks});
    }
  }

  /// Whether it is a message of MPI, not a put that brings its signal along.
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

  std::uint32_t& produced(int from, int to, int stream, bool answers) {
    auto& known = outgoing_[static_cast<std::size_t>(from)];
    for (Outgoing& one : known)
      if (one.peer == to && one.stream == stream && one.answers == answers) {
        return one.channel;
      }
    known.push_back({to, stream, answers, static_cast<std::uint32_t>(channels.size())});
    channels.push_back({});
    return known.back().channel;
  }
  std::uint32_t consumed(int from, int to, int stream, bool answers, const Operation& operation) {
    for (const Outgoing& one : outgoing_[static_cast<std::size_t>(from)])
      if (one.peer == to && one.stream == stream && one.answers == answers) {
        channels[one.channel].consumer = to;
        return one.channel;
      }
    std::ostringstream said;
    said << "model: rank " << to << ": " << operation << ", but rank " << from
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
        ++channels[produced(rank, operation.peer, stream_of(operation), answers)].capacity;
      };
      if (operation.verb == Verb::send || operation.verb == Verb::notify) open(false);
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
      case Verb::notify:
        made.act = Act::push;
        made.channel = produced(rank, peer, stream, false);
        return made;
      case Verb::receive:
        made.act = waits ? Act::pull : Act::pop;
        made.channel = consumed(peer, rank, stream, false, operation);
        if (waits) made.answer = produced(rank, peer, stream, true);
        return made;
      case Verb::await: {
        made.act = Act::pop;
        made.channel = consumed(peer, rank, stream, false, operation);
        channels[made.channel].lag = static_cast<std::uint32_t>(operation.lag);
        return made;
      }
      case Verb::sent:
        if (!waits) return std::nullopt;
        made.act = Act::pop;
        made.channel = consumed(peer, rank, stream, true, operation);
        return made;
      case Verb::put:
        if (waits) {
          made.act = Act::push;
          made.channel = produced(rank, peer, stream, false);
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
        made.channel = consumed(peer, rank, stream, false, operation);
        made.answer = produced(rank, peer, stream, true);
        return made;
      case Verb::flush:
      case Verb::unlock:
        // What was got is here when its time has come; what was put, when the target says so.
        if (waits && !registers.contains({operation.exchange, peer})) {
          made.act = Act::pop;
          made.channel = consumed(peer, rank, stream, true, operation);
          return made;
        }
        made.act = Act::settle;
        made.channel = registered();
        return made;
      case Verb::barrier: {
        made.act = Act::barrier;
        made.channel = number_of_.at({operation.exchange, operation.group});
        const auto& ranks = groups[made.channel].ranks;
        // The owners of one group are one barrier.
        if (operation.group.of == Group::Of::owner) {
          auto& done = barriers_[rank];
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
      case Verb::notify:
        return cost.starts_with("signal")                 ? "line"
               : cost.find(':') != std::string_view::npos ? "landing"
                                                          : "message";
      default: return {};
    }
  }

  /// The number of a price; a barrier has one for each level, one after the other.
  std::uint32_t priced(const Operation& operation, Level level) {
    const Key key{operation.cost.data(), operation.verb,   operation.word,  level,
                  operation.bytes,       operation.pieces, operation.lines, operation.span,
                  operation.seconds};
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    const auto index = static_cast<std::uint32_t>(prices.size());
    const MachineCosts& machine = run_.machine;
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
        if (operation.verb != Verb::notify) flight += variety;
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

  const Run& run_;
  using Key = std::tuple<const char*, Verb, Word, Level, std::size_t, std::size_t, std::size_t,
                         std::size_t, double>;
  std::map<Key, std::uint32_t> known_;
  std::map<BarrierKey, std::uint32_t> number_of_;
  std::map<int, std::set<std::pair<std::uint32_t, std::size_t>>> barriers_;
  std::vector<std::vector<Outgoing>> outgoing_;
  std::size_t block_ = 0;
};

}  // namespace

Compiled compiled(const Run& run) {
  Compiler made(run);
  return std::move(static_cast<Compiled&>(made));
}

}  // namespace halosim
