#include "simgrid.hpp"

#include "compiled.hpp"
#include "disturbed.hpp"

#include <base/text.hpp>

#include <halocline/error.hpp>

#if HALOCLINE_HAVE_SIMGRID

#include <nlohmann/json.hpp>
#include <simgrid/s4u.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <memory>

namespace sg = simgrid::s4u;
using halocline::Error;
using nlohmann::json;

namespace halosim {

namespace {

/// What a message is besides its load on links: the part of its latency that is not theirs, and
/// within a node, where it loads none, when it is there.
struct Message {
  double late_s = 0, at_s = 0;
};

/// What is told beside the network at a time that is known: announcements, and that a transfer is
/// done.
struct Notes {
  sg::SemaphorePtr there = sg::Semaphore::create(0);
  std::deque<double> times{};
};

/// Of what a rank has put to a peer, or got from it.
struct Underway {
  std::vector<std::pair<sg::CommPtr, double>> flows{};  ///< and how much later it is there
  double until_s = 0;
};

double now() {
  return sg::Engine::get_clock();
}
void until(double time) {
  if (time > now()) sg::this_actor::sleep_until(time);
}
void pass(double seconds) {
  if (seconds > 0) sg::this_actor::sleep_for(seconds);
}

class Play;

/// One rank: carries out the acts of its program, in the words of `Simulator`.
class Actor {
 public:
  Actor(Play& play, std::size_t rank) : play_(play), rank_(rank) {}
  void operator()();

  std::array<double, halocline::model::verbs> busy_s{}, wait_s{};

 private:
  struct Part;
  void carry_out(const Instruction& next, std::size_t at);
  void finish(const Instruction& taken);
  void block(const Instruction& first);
  void leave(const Instruction& next);
  void settle(const Instruction& next);
  void wait_for(std::uint32_t channel);
  void meet(const Instruction& next);
  double departed(const Instruction& next);
  sg::CommPtr flow(const Instruction& next, bool inward) const;
  sg::CommPtr transfer(const Instruction& next, double announced, double entered, double& done);
  double moved(const Instruction& next, double entered);

  const Prices& price(const Instruction& next) const;
  const Operation& operation(const Instruction& next) const;
  bool crosses(const Instruction& next) const { return next.level == Level::network; }
  double late(const Instruction& next) const;
  std::uint64_t size(const Instruction& next) const;
  template <class Wait>
  void waiting(const Instruction& next, Wait&& wait) {
    const double begin = now();
    wait();
    wait_s[static_cast<std::size_t>(operation(next).verb)] += now() - begin;
  }
  void working(const Instruction& next, double seconds) {
    pass(seconds);
    busy_s[static_cast<std::size_t>(operation(next).verb)] += std::max(0.0, seconds);
  }

  Play& play_;
  std::size_t rank_;
  int step_ = 0;
  double slowness_ = 1, pulled_s_ = 0;
  std::array<double, levels> free_s_{};  ///< when the next message may leave within the node
  std::vector<Underway> underway_;
};

class Play {
 public:
  Play(const Run& run, const Platform& network)
      : run(run), platform(network), program(compiled(run)) {
    hosts = sg::Engine::get_instance()->get_all_hosts();
    for (std::size_t i = 0; i < hosts.size(); ++i)
      hosts[i] = sg::Host::by_name("node-" + std::to_string(i));
    notes.resize(program.channels.size());
    for (const auto& list : program.code)
      for (const Instruction& next : list) {
        if (next.act == Act::serve) notes[next.channel] = std::make_unique<Notes>();
        if (next.act == Act::serve || next.act == Act::pull)
          notes[next.answer] = std::make_unique<Notes>();
      }
    mailboxes.resize(program.channels.size());
    for (std::size_t i = 0; i < mailboxes.size(); ++i) {
      lag.push_back(program.channels[i].lag);
      if (!notes[i]) mailboxes[i] = sg::Mailbox::by_name(std::to_string(i));
    }
    rings.resize(program.groups.size());
    ends_s.resize(static_cast<std::size_t>(run.steps));
    rank_end_s.resize(program.code.size());
    actors.reserve(program.code.size());
    std::vector<sg::ActorPtr> made;
    for (std::size_t r = 0; r < program.code.size(); ++r) {
      actors.emplace_back(*this, r);
      made.push_back(sg::Actor::create(std::to_string(r), host_of(static_cast<int>(r)),
                                       [this, r] { actors[r](); }));
    }
    // Messages leave when they are sent, not when they are asked for.
    for (std::size_t i = 0; i < mailboxes.size(); ++i)
      if (mailboxes[i])
        mailboxes[i]->set_receiver(made[static_cast<std::size_t>(program.channels[i].consumer)]);
  }

  sg::Host* host_of(int rank) const {
    return hosts.at(static_cast<std::size_t>(run.places.node[static_cast<std::size_t>(rank)]));
  }

  void note(std::uint32_t channel, double time) {
    notes[channel]->times.push_back(time);
    notes[channel]->there->release();
  }
  double noted(std::uint32_t channel) {
    notes[channel]->there->acquire();
    const double time = notes[channel]->times.front();
    notes[channel]->times.pop_front();
    return time;
  }

  /// That `member` of a group has come to this round of its tree.
  sg::SemaphorePtr round(std::uint32_t group, std::size_t member, std::size_t number) {
    auto& ring = rings[group];
    const std::size_t size = program.groups[group].ranks.size();
    if (ring.size() < (number + 1) * size) ring.resize((number + 1) * size);
    sg::SemaphorePtr& found = ring[number * size + member];
    if (!found) found = sg::Semaphore::create(0);
    return found;
  }

  const Run& run;
  const Platform& platform;
  Compiled program;
  std::vector<sg::Host*> hosts;
  std::vector<sg::Mailbox*> mailboxes;        ///< of channels
  std::vector<std::unique_ptr<Notes>> notes;  ///< of those that have no mailbox
  std::vector<std::uint32_t> lag;             ///< awaited before anything was notified
  std::vector<std::vector<sg::SemaphorePtr>> rings;
  std::vector<Actor> actors;
  std::vector<double> ends_s, rank_end_s;
  std::size_t finished = 0;
};

const Prices& Actor::price(const Instruction& next) const {
  return play_.program.prices[next.price];
}
const Operation& Actor::operation(const Instruction& next) const {
  return play_.run.programs[rank_][next.operation];
}
double Actor::late(const Instruction& next) const {
  const Prices& of = price(next);
  return of.flight.seconds - of.gap.seconds - play_.platform.nearest_s;
}
/// SimGrid takes nothing at all, sent to who receives later, for there at once.
std::uint64_t Actor::size(const Instruction& next) const {
  const double load = price(next).gap.seconds * play_.platform.bytes_per_s;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(load));
}

void Actor::operator()() {
  const Disturbance& disturbance = play_.run.disturbance;
  slowness_ = slowness(disturbance, rank_);
  underway_.resize(play_.program.most_registers);
  const auto& list = play_.program.code[rank_];
  for (; step_ < play_.run.steps; ++step_) {
    if (static_cast<int>(rank_) == disturbance.delayed_rank && step_ == disturbance.delayed_step)
      pass(disturbance.delay_s);
    for (std::size_t at = 0; at < list.size(); ++at) {
      if (list[at].act == Act::block) {
        block(list[at]);
        at += list[at].price;
      } else {
        carry_out(list[at], at);
      }
    }
    double& end = play_.ends_s[static_cast<std::size_t>(step_)];
    end = std::max(end, now());
  }
  play_.rank_end_s[rank_] = now();
  ++play_.finished;
}

/// When a message leaves a rank that sends within its node: one after the other.
double Actor::departed(const Instruction& next) {
  double& free = free_s_[static_cast<std::size_t>(next.level)];
  const double departure = std::max(now(), free);
  free = departure + price(next).gap.seconds;
  return departure;
}

sg::CommPtr Actor::flow(const Instruction& next, bool inward) const {
  sg::Host* const mine = play_.host_of(static_cast<int>(rank_));
  sg::Host* const other = play_.host_of(operation(next).peer);
  // It starts as soon as both ends are known.
  return sg::Comm::sendto_init()
      ->set_rate(play_.platform.bytes_per_s)
      ->set_payload_size(size(next))
      ->set_source(inward ? other : mine)
      ->set_destination(inward ? mine : other);
}

void Actor::carry_out(const Instruction& next, std::size_t at) {
  switch (next.act) {
    case Act::busy: working(next, price(next).busy.seconds); break;
    case Act::compute: {
      const double plain = operation(next).seconds;
      const double more = longer(play_.run.disturbance, rank_, slowness_, step_, at, plain);
      working(next, price(next).busy.seconds + more);
      break;
    }
    case Act::push: {
      working(next, price(next).busy.seconds);
      if (play_.notes[next.channel]) {
        play_.note(next.channel, departed(next) + price(next).flight.seconds);
        break;
      }
      const bool crossing = crosses(next);
      auto* const message = crossing
                                ? new Message{.late_s = late(next)}
                                : new Message{.at_s = departed(next) + price(next).flight.seconds};
      auto comm = play_.mailboxes[next.channel]->put_init(message, crossing ? size(next) : 0);
      comm->set_rate(crossing ? play_.platform.bytes_per_s : -1);
      comm->detach();
      break;
    }
    case Act::pop: {
      waiting(next, [&] { wait_for(next.channel); });
      finish(next);
      break;
    }
    case Act::pull: {
      waiting(next, [&] {
        const double entered = now();
        wait_for(next.channel);
        until(moved(next, entered));
      });
      finish(next);
      break;
    }
    case Act::serve: {
      // The rank goes on meanwhile.
      const double entered = now();
      sg::Actor::create("serves", play_.host_of(static_cast<int>(rank_)), [this, next, entered] {
        until(play_.noted(next.channel));
        play_.note(next.answer, moved(next, entered));
      });
      break;
    }
    case Act::leave: leave(next); break;
    case Act::settle: settle(next); break;
    case Act::barrier: waiting(next, [&] { meet(next); }); break;
    case Act::block: break;
  }
}

/// After what was waited for is there.
void Actor::finish(const Instruction& taken) {
  if (taken.act == Act::pull) play_.note(taken.answer, now());
  working(taken, price(taken).busy.seconds);
}

void Actor::wait_for(std::uint32_t channel) {
  if (play_.notes[channel]) {
    until(play_.noted(channel));
  } else if (play_.lag[channel] > 0) {
    --play_.lag[channel];
  } else {
    Message* raw = nullptr;
    const auto comm = play_.mailboxes[channel]->get_async<Message>(&raw);
    comm->wait();
    const std::unique_ptr<Message> message(raw);
    until(std::max(comm->get_finish_time() + message->late_s, message->at_s));
  }
}

/// What waits for its receiver moves: as a flow, or until `done`.
sg::CommPtr Actor::transfer(const Instruction& next, double announced, double entered,
                            double& done) {
  if (crosses(next)) return flow(next, true);
  const double begin = std::max({announced, entered, pulled_s_});
  pulled_s_ = begin + price(next).gap.seconds;
  done = begin + price(next).flight.seconds;
  return nullptr;
}

/// When what has just been announced is there.
double Actor::moved(const Instruction& next, double entered) {
  double done = 0;
  if (const auto comm = transfer(next, now(), entered, done)) {
    comm->wait();
    done = now() + late(next);
  }
  return done;
}

void Actor::leave(const Instruction& next) {
  working(next, price(next).busy.seconds);
  Underway& underway = underway_[next.channel];
  if (crosses(next)) {
    const bool inward = operation(next).verb == halocline::model::Verb::get;
    underway.flows.emplace_back(flow(next, inward), late(next));
  } else {
    underway.until_s = std::max(underway.until_s, departed(next) + price(next).flight.seconds);
  }
}

void Actor::settle(const Instruction& next) {
  Underway& underway = underway_[next.channel];
  waiting(next, [&] {
    for (const auto& [comm, late_s] : underway.flows) {
      comm->wait();
      underway.until_s = std::max(underway.until_s, comm->get_finish_time() + late_s);
    }
    underway.flows.clear();
    until(underway.until_s + price(next).flight.seconds);
  });
  working(next, price(next).busy.seconds);
}

/// Rounds of a dissemination barrier.
void Actor::meet(const Instruction& next) {
  const auto& members = play_.program.groups[next.channel].ranks;
  const std::size_t size = members.size(), me = next.answer;
  std::size_t number = 0;
  for (std::size_t distance = 1; distance < size; distance *= 2, ++number) {
    const std::size_t before = (me + size - distance) % size;
    play_.round(next.channel, me, number)->release();
    play_.round(next.channel, before, number)->acquire();
    const Level level = play_.run.places.level(members[me], members[before]);
    pass(play_.program.prices[next.price + static_cast<std::size_t>(level)].busy.seconds);
  }
}

struct Actor::Part {
  std::size_t first, end;
  Message* raw = nullptr;
  sg::CommPtr comm{};
  double there_s = 0;
  bool moving = false;  ///< what was announced is on its way
  double early_s = 0;   ///< by which that began before the announcement was there
};

/// Takes the parts of a block in the order of arrival. `block` lies in the rank's program.
void Actor::block(const Instruction& block) {
  const auto& list = play_.program.code[rank_];
  const auto begin = static_cast<std::size_t>(&block - list.data()) + 1;
  const std::size_t end = begin + block.price;
  const double entered = now();
  std::size_t at = begin;
  for (; at < end && !list[at].head; ++at) carry_out(list[at], at);
  std::vector<Part> parts;
  for (; at < end; ++at) {
    if (list[at].head) parts.push_back({at, at + 1});
    parts.back().end = at + 1;
  }
  const auto rest = [&](const Part& part) {
    finish(list[part.first]);
    for (std::size_t i = part.first + 1; i < part.end; ++i) carry_out(list[i], i);
  };
  std::vector<Part*> awaited, there;
  for (Part& part : parts) {
    const std::uint32_t channel = list[part.first].channel;
    if (play_.notes[channel] || play_.lag[channel] > 0) {
      waiting(list[part.first], [&] { wait_for(channel); });
      rest(part);
    } else {
      part.comm = play_.mailboxes[channel]->get_async<Message>(&part.raw);
      awaited.push_back(&part);
    }
  }
  // What has come, or what was announced and now moves.
  const auto come = [&](Part& part) {
    const Instruction& head = list[part.first];
    if (part.moving) {
      part.there_s = part.comm->get_finish_time() + late(head) + part.early_s;
    } else {
      const std::unique_ptr<Message> message(part.raw);
      part.there_s = std::max(part.comm->get_finish_time() + message->late_s, message->at_s);
      if (head.act == Act::pull) {
        part.moving = true;
        if (const auto comm = transfer(head, part.there_s, entered, part.there_s)) {
          part.comm = comm;
          part.early_s = std::max(0.0, part.there_s - now());
          return false;
        }
      }
    }
    there.push_back(&part);
    return true;
  };
  while (!awaited.empty() || !there.empty()) {
    const double waiting_since = now();
    if (there.empty()) {
      std::vector<sg::CommPtr> comms;
      for (const Part* part : awaited) comms.push_back(part->comm);
      const auto which = sg::Comm::wait_any(comms);
      if (come(*awaited[static_cast<std::size_t>(which)])) awaited.erase(awaited.begin() + which);
    }
    // Others may have come while the rank was busy.
    if (now() == waiting_since)
      std::erase_if(awaited, [&](Part* part) { return part->comm->test() && come(*part); });
    if (there.empty()) continue;
    const auto first = std::min_element(
        there.begin(), there.end(),
        [](const Part* one, const Part* other) { return one->there_s < other->there_s; });
    Part& part = **first;
    there.erase(first);
    until(part.there_s);
    wait_s[static_cast<std::size_t>(operation(list[part.first]).verb)] += now() - waiting_since;
    rest(part);
  }
}

/// Runs in a process of its own.
json played(const Run& run, const Platform& platform, const std::string& file) {
  // Times are exact, nothing but links slows messages down, and SimGrid says nothing by itself.
  std::vector<std::string> words{"halosim",
                                 "--log=root.app:file:/dev/null",
                                 "--cfg=network/model:CM02",
                                 "--cfg=network/crosstraffic:0",
                                 "--cfg=network/TCP-gamma:0",
                                 "--cfg=surf/precision:1e-12",
                                 "--cfg=contexts/stack-size:256"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  auto count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  sg::Engine engine(&count, arguments.data());
  engine.load_platform(file);
  Play play(run, platform);
  engine.run();
  if (play.finished < play.actors.size()) throw Error("model: ranks wait for each other in a ring");
  json said{{"ends_s", play.ends_s}, {"rank_end_s", play.rank_end_s}};
  std::array<double, halocline::model::verbs> busy_s{}, wait_s{};
  for (const Actor& actor : play.actors)
    for (std::size_t i = 0; i < busy_s.size(); ++i) {
      busy_s[i] += actor.busy_s[i];
      wait_s[i] += actor.wait_s[i];
    }
  said["busy_s"] = busy_s;
  said["wait_s"] = wait_s;
  std::size_t operations = 0;
  for (const auto& list : play.program.code) operations += list.size();
  said["operations"] = operations * static_cast<std::size_t>(run.steps);
  return said;
}

/// A file with a name of its own, while this lives.
class Temporary {
 public:
  explicit Temporary(const std::string& text) {
    const char* const folder = std::getenv("TMPDIR");
    name_ = std::string(folder && *folder ? folder : "/tmp") + "/halosim-XXXXXX.xml";
    const int file = mkstemps(name_.data(), 4);
    if (file < 0) throw Error(name_ + ": cannot be written");
    close(file);
    std::ofstream(name_) << text;
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() { std::remove(name_.c_str()); }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

/// What `work` says, done by a process of its own.
template <class Work>
json elsewhere(Work&& work) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw Error("engine simgrid: no pipe can be had");
  const pid_t child = fork();
  if (child < 0) throw Error("engine simgrid: no process can be had");
  if (child == 0) {
    close(ends[0]);
    json said;
    try {
      said = work();
    } catch (const std::exception& problem) {
      said = {{"error", problem.what()}};
    }
    const std::string text = halocline::base::json_text(said);
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t more = write(ends[1], text.data() + done, text.size() - done);
      if (more <= 0) break;
      done += static_cast<std::size_t>(more);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 65536> some;
  for (ssize_t got = 0; (got = read(ends[0], some.data(), some.size())) > 0;)
    text.append(some.data(), static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  const json said = json::parse(text, nullptr, false);
  if (said.is_discarded()) throw Error("engine simgrid: SimGrid broke off");
  if (said.contains("error")) throw Error(said["error"].get<std::string>());
  return said;
}

}  // namespace

bool has_simgrid() {
  return true;
}

Outcome simulate_by_simgrid(const Run& run, const Platform& platform) {
  Places places = run.places;
  places.sharers = 1;  // links say who shares
  const Run mine{.programs = run.programs,
                 .machine = run.machine,
                 .places = places,
                 .steps = run.steps,
                 .warm_up = run.warm_up,
                 .disturbance = run.disturbance};
  const Temporary file(platform.xml);
  const json said = elsewhere([&] { return played(mine, platform, file.name()); });
  Outcome out;
  out.ends_s = said["ends_s"].get<std::vector<double>>();
  out.rank_end_s = said["rank_end_s"].get<std::vector<double>>();
  out.busy_s = said["busy_s"];
  out.wait_s = said["wait_s"];
  out.operations = said["operations"];
  const double each = static_cast<double>(run.programs.size()) * run.steps;
  for (auto* const seconds : {&out.busy_s, &out.wait_s})
    for (double& one : *seconds) one /= each;
  const double before = out.ends_s[static_cast<std::size_t>(run.warm_up) - 1];
  out.step_s = (out.ends_s.back() - before) / (run.steps - run.warm_up);
  return out;
}

}  // namespace halosim

#else

namespace halosim {

bool has_simgrid() {
  return false;
}

Outcome simulate_by_simgrid(const Run&, const Platform&) {
  throw halocline::Error(
      "engine simgrid: this halosim was built without SimGrid (Debian, Ubuntu: apt install "
      "libsimgrid-dev, then build again)");
}

}  // namespace halosim

#endif
