#include "plan.hpp"

#include <base/text.hpp>
#include <frame/json.hpp>
#include <halocline/error.hpp>
#include <halocline/scheme.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace haloreplay {

using halocline::Block;
using halocline::Error;
using nlohmann::json;

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 40;  // of a layout's numbers
constexpr std::size_t most_blocks = 10'000'000;           // of a layout

/// A value of the plan and where it stands, for messages.
class Place {
 public:
  Place(const json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  [[noreturn]] void refuse(const std::string& must) const {
    std::string shown = halocline::base::json_text(*value_);
    constexpr std::size_t most_shown = 40;
    if (shown.size() > most_shown) shown = shown.substr(0, most_shown) + "...";
    throw Error(path_ + ": " + shown + ": must be " + must);
  }
  const std::string& path() const { return path_; }

  const Place& object() const {
    if (!value_->is_object()) refuse("an object");
    return *this;
  }
  bool has(const char* key) const { return value_->contains(key); }
  Place at(const char* key) const {
    if (!has(key)) throw Error(path_ + ": must have " + key);
    return {(*value_)[key], path_ + (path_.ends_with(' ') ? "" : ".") + key};
  }
  std::vector<Place> list() const {
    if (!value_->is_array()) refuse("a list");
    std::vector<Place> all;
    for (std::size_t i = 0; i < value_->size(); ++i)
      all.emplace_back((*value_)[i], path_ + "[" + std::to_string(i) + "]");
    return all;
  }
  bool is_list() const { return value_->is_array(); }
  bool is_text() const { return value_->is_string(); }

  std::int64_t integer(std::int64_t least, std::int64_t most) const {
    if (value_->is_number_integer()) {
      const bool huge = value_->is_number_unsigned() &&
                        value_->get<std::uint64_t>() >
                            static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
      if (!huge)
        if (const auto number = value_->get<std::int64_t>(); number >= least && number <= most)
          return number;
    }
    refuse("a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  std::size_t size(std::size_t most = most_bytes) const {
    return static_cast<std::size_t>(integer(0, static_cast<std::int64_t>(most)));
  }
  double real(double least, double most) const {
    if (value_->is_number())
      if (const double number = value_->get<double>(); number >= least && number <= most)
        return number;
    refuse("a number from " + halocline::base::text(least) + " to " + halocline::base::text(most));
  }
  double seconds() const { return real(0, 1e6); }
  bool truth() const {
    if (!value_->is_boolean()) refuse("true or false");
    return value_->get<bool>();
  }
  std::string text() const {
    if (!value_->is_string()) refuse("a text");
    return value_->get<std::string>();
  }
  /// One of these words.
  template <class Value, std::size_t N>
  Value choice(const std::pair<const char*, Value> (&known)[N]) const {
    std::string names;
    for (const auto& [name, value] : known) {
      if (value_->is_string() && value_->get<std::string>() == name) return value;
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    refuse("one of " + names);
  }

 private:
  const json* value_;
  std::string path_;
};

struct Way {
  Family family;
  PlannedPattern::Calls calls;
  bool blocks;  ///< all links
};
constexpr std::pair<const char*, Way> ways[] = {
    {"blocking", {Family::messages, PlannedPattern::blocking, true}},
    {"nonblocking", {Family::messages, PlannedPattern::nonblocking, false}},
    {"mixed", {Family::messages, PlannedPattern::nonblocking, false}},
    {"persistent", {Family::persistent, PlannedPattern::persistent, false}},
    {"partitioned", {Family::partitioned, PlannedPattern::persistent, false}},
    {"neighbor", {Family::neighbor, PlannedPattern::blocking, false}},
    {"neighbor nonblocking", {Family::neighbor, PlannedPattern::nonblocking, false}},
    {"neighbor persistent", {Family::neighbor, PlannedPattern::persistent, false}},
    {"alltoall", {Family::alltoall, PlannedPattern::blocking, false}},
    {"alltoall nonblocking", {Family::alltoall, PlannedPattern::nonblocking, false}},
    {"alltoall persistent", {Family::alltoall, PlannedPattern::persistent, false}},
    {"fence", {Family::fence, PlannedPattern::blocking, false}},
    {"pscw", {Family::pscw, PlannedPattern::blocking, false}},
    {"lock", {Family::lock, PlannedPattern::blocking, false}},
};
constexpr std::pair<const char*, How> completions[] = {{"waitall", How::waitall},
                                                       {"wait", How::wait},
                                                       {"waitany", How::waitany},
                                                       {"waitsome", How::waitsome},
                                                       {"test", How::test}};
constexpr std::pair<const char*, How> unlockings[] = {{"unlock", How::unlock},
                                                      {"flush", How::flush}};
constexpr std::pair<const char*, Kind> kinds[] = {
    {"send", Kind::send}, {"receive", Kind::receive}, {"put", Kind::put}, {"get", Kind::get}};
enum class Mode { standard, synchronous, buffered };
constexpr std::pair<const char*, Mode> modes[] = {{"standard", Mode::standard},
                                                  {"synchronous", Mode::synchronous},
                                                  {"ready", Mode::standard},
                                                  {"buffered", Mode::buffered}};
constexpr std::pair<const char*, bool> flavours[] = {{"allocate", true}, {"create", false}};

std::size_t bytes_of(const Blocks& blocks) {
  std::size_t bytes = 0;
  for (const Block& block : blocks) bytes += block.size();
  return bytes;
}

/// All blocks of a layout `repeat` times.
Blocks repeated(Blocks once, std::size_t repeat, std::ptrdiff_t extent) {
  if (repeat == 1) return once;
  if (once.size() == 1 && once[0].count[0] == 1) {
    once[0].count[0] = repeat;
    once[0].stride[0] = extent;
    return once;
  }
  Blocks all;
  for (std::size_t i = 0; i < repeat; ++i)
    for (Block block : once) {
      block.offset += static_cast<std::ptrdiff_t>(i) * extent;
      all.push_back(block);
    }
  return all;
}

Blocks read_layout(const Place& place) {
  constexpr auto far = static_cast<std::int64_t>(most_bytes);
  place.object();
  Blocks once;
  if (place.has("offsets")) {
    const auto offsets = place.at("offsets").list();
    const Place bytes = place.at("bytes");
    std::vector<std::size_t> lengths;
    if (bytes.is_list())
      for (const Place& one : bytes.list()) lengths.push_back(one.size());
    else
      lengths.assign(offsets.size(), bytes.size());
    if (lengths.size() != offsets.size())
      throw Error(place.path() + ": has " + std::to_string(offsets.size()) + " offsets and " +
                  std::to_string(lengths.size()) + " bytes: must be as many");
    for (std::size_t i = 0; i < offsets.size(); ++i)
      if (lengths[i] > 0)
        once.push_back({.offset = offsets[i].integer(-far, far), .count = {1, 1, lengths[i]}});
  } else {
    const std::size_t count = place.at("count").size(), block = place.at("block").size();
    const std::ptrdiff_t stride =
        count > 1 ? static_cast<std::ptrdiff_t>(place.at("stride").integer(-far, far)) : 0;
    if (count > 0 && block > 0)
      once.push_back({.offset = 0, .count = {1, count, block}, .stride = {0, stride}});
  }
  const std::size_t repeat = place.has("repeat") ? place.at("repeat").size() : 1;
  if (repeat == 0) return {};
  const std::ptrdiff_t extent =
      repeat > 1 ? static_cast<std::ptrdiff_t>(place.at("extent").integer(-far, far)) : 0;
  std::size_t rows = 0;
  for (const Block& block : once) rows += block.count[1];
  if (rows > 0 && repeat > most_blocks / rows)
    throw Error(place.path() + ": has more than " + std::to_string(most_blocks) +
                " blocks: must have fewer");
  return repeated(std::move(once), repeat, extent);
}

/// Throws if bytes are twice in the layout.
void expect_apart(const Place& place, const Blocks& blocks) {
  std::vector<std::pair<std::ptrdiff_t, std::size_t>> rows;
  each_row(blocks,
           [&](std::ptrdiff_t offset, std::size_t bytes) { rows.emplace_back(offset, bytes); });
  std::ranges::sort(rows);
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i - 1].first + static_cast<std::ptrdiff_t>(rows[i - 1].second) > rows[i].first)
      throw Error(place.path() + ": the blocks at " + std::to_string(rows[i - 1].first) + " and " +
                  std::to_string(rows[i].first) + " overlap: what is received must not");
}

Blocks layout_of(const Place& link, const char* key, std::size_t bytes, bool varies, bool arrives) {
  const Blocks together = bytes > 0 ? Blocks{{.offset = 0, .count = {1, 1, bytes}}} : Blocks{};
  if (!link.has(key) || varies) return together;
  const Place place = link.at(key);
  Blocks blocks = read_layout(place);
  if (const std::size_t found = bytes_of(blocks); found != bytes)
    throw Error(place.path() + ": has " + std::to_string(found) + " bytes: must have " +
                std::to_string(bytes) + " as the link");
  if (arrives) expect_apart(place, blocks);
  return blocks;
}

PlannedLink read_link(const Place& place, const PlannedPattern& pattern, bool blocks, int me,
                      int ranks) {
  place.object();
  PlannedLink link;
  const Place kind = place.at("kind");
  link.kind = kind.choice(kinds);
  const bool one_sided = link.kind == Kind::put || link.kind == Kind::get;
  if (one_sided != pattern.one_sided())
    kind.refuse(pattern.one_sided() ? "put or get, for the pattern's way"
                                    : "send or receive, for the pattern's way");
  link.peer = static_cast<int>(place.at("peer").integer(0, ranks - 1));
  if (place.has("tag"))
    link.tag = static_cast<int>(place.at("tag").integer(0, std::numeric_limits<int>::max()));
  const Place bytes = place.at("bytes");
  if (bytes.is_list()) {
    const auto both = bytes.list();
    if (both.size() != 2) bytes.refuse("a number, or the least and the most");
    link.least = both[0].size(), link.most = both[1].size();
    if (link.least > link.most) bytes.refuse("the least and the most, in this order");
  } else {
    link.least = link.most = bytes.size();
  }
  const bool varies = link.least != link.most;
  const bool arrives = link.kind == Kind::receive || link.kind == Kind::get;
  link.blocks = layout_of(place, "layout", link.most, varies, arrives);
  if (one_sided) link.remote = layout_of(place, "remote", link.most, varies, !arrives);
  if (one_sided && varies) bytes.refuse("one number: puts and gets do not vary");
  const Mode mode = place.has("mode") ? place.at("mode").choice(modes) : Mode::standard;
  link.synchronous = mode == Mode::synchronous;
  link.blocking = blocks || (place.has("blocking") && place.at("blocking").truth());
  if (place.has("with"))
    link.with = static_cast<int>(place.at("with").integer(0, std::numeric_limits<int>::max()));
  // Sends that wait for nobody are started where they stand, and complete with the step: those that
  // are buffered, and those to oneself, whose receive comes later. MPICH has room for the latter in
  // the world, but not in a communicator of one rank.
  const bool to_itself = link.kind == Kind::send && link.peer == me && link.with < 0;
  if (mode == Mode::buffered || to_itself) link.blocking = false;
  return link;
}

/// What way and finish say of the order.
std::vector<Action> usual_order(const PlannedPattern& pattern, const PlannedRank& rank) {
  std::vector<Action> order;
  std::vector<int> under_way;
  std::set<int> in_sendrecv;
  for (const PlannedLink& link : rank.links)
    if (link.with >= 0) in_sendrecv.insert(link.with);
  for (int i = 0; i < static_cast<int>(rank.links.size()); ++i) {
    const PlannedLink& link = rank.links[static_cast<std::size_t>(i)];
    if (in_sendrecv.contains(i)) continue;
    if (link.with >= 0) {
      order.push_back({.what = Action::sendrecv, .links = {i, link.with}});
    } else if (link.blocking) {
      order.push_back({.what = Action::block, .links = {i}});
    } else {
      under_way.push_back(i);
      if (!order.empty() && order.back().what == Action::start)
        order.back().links.push_back(i);
      else
        order.push_back({.what = Action::start, .links = {i}});
    }
  }
  order.push_back({.what = Action::compute, .seconds = rank.between});
  if (!under_way.empty())
    order.push_back({.what = Action::wait, .links = under_way, .how = pattern.finish});
  return order;
}

/// What is wrong with an order; empty if nothing is.
std::string fault(const PlannedRank& rank, bool blocking_calls) {
  enum State { waits_to_start, under_way, complete };
  std::vector<State> states(rank.links.size(), waits_to_start);
  const auto name = [](int link) { return "link " + std::to_string(link); };
  for (const Action& action : rank.order) {
    for (const int link : action.links) {
      if (link < 0 || static_cast<std::size_t>(link) >= states.size())
        return name(link) + " is not in the list of links";
      State& state = states[static_cast<std::size_t>(link)];
      if (action.what == Action::wait) {
        if (state != under_way) return name(link) + " is waited for, but is not under way";
        state = complete;
      } else {
        if (state != waits_to_start) return name(link) + " is started twice";
        state = action.what == Action::start ? under_way : complete;
      }
    }
    const bool blocks = action.what == Action::block || action.what == Action::sendrecv;
    if (blocks && !blocking_calls) return "persistent messages do not block";
    if (action.what == Action::sendrecv &&
        (action.links.size() != 2 ||
         rank.links[static_cast<std::size_t>(action.links[0])].kind != Kind::send ||
         rank.links[static_cast<std::size_t>(action.links[1])].kind != Kind::receive))
      return "a Sendrecv is of a link that is sent and one that is received, in this order";
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i] == waits_to_start) return name(static_cast<int>(i)) + " is never started";
    if (states[i] == under_way) return name(static_cast<int>(i)) + " is never waited for";
  }
  return {};
}

Action read_action(const Place& place) {
  place.object();
  Action action;
  if (place.has("compute")) {
    action.what = Action::compute;
    action.seconds = place.at("compute").seconds();
    return action;
  }
  constexpr std::pair<const char*, Action::What> names[] = {{"start", Action::start},
                                                            {"block", Action::block},
                                                            {"sendrecv", Action::sendrecv},
                                                            {"wait", Action::wait}};
  for (const auto& [name, what] : names) {
    if (!place.has(name)) continue;
    action.what = what;
    for (const Place& link : place.at(name).list())
      action.links.push_back(static_cast<int>(link.integer(0, std::numeric_limits<int>::max())));
    if (what == Action::wait && place.has("how")) action.how = place.at("how").choice(completions);
    return action;
  }
  place.refuse("an object with start, block, sendrecv, compute or wait");
}

PlannedRank read_rank(const Place& place, const PlannedPattern& pattern, bool blocks, int me,
                      int ranks) {
  place.object();
  PlannedRank rank;
  for (const Place& link : place.at("links").list())
    rank.links.push_back(read_link(link, pattern, blocks, me, ranks));
  if (place.has("before")) {
    const Place before = place.at("before");
    rank.before.clear();
    if (before.is_list())
      for (const Place& one : before.list()) rank.before.push_back(one.seconds());
    else
      rank.before.push_back(before.seconds());
    if (rank.before.empty()) before.refuse("a number of seconds, or a list of them");
  }
  if (place.has("between")) rank.between = place.at("between").seconds();
  if (place.has("touch")) rank.touch = place.at("touch").size();
  const bool messages = pattern.family <= Family::partitioned;
  if (!messages) return rank;
  for (std::size_t i = 0; i < rank.links.size(); ++i)
    if (const int with = rank.links[i].with;
        with >= 0 && (static_cast<std::size_t>(with) >= rank.links.size() ||
                      rank.links[static_cast<std::size_t>(with)].kind != Kind::receive ||
                      rank.links[i].kind != Kind::send))
      throw Error(place.path() + ".links[" + std::to_string(i) + "].with: " + std::to_string(with) +
                  ": must be the number of a link that is received, and of one that is sent");
  if (place.has("order")) {
    for (const Place& action : place.at("order").list()) rank.order.push_back(read_action(action));
    rank.between = 0;
    for (const Action& action : rank.order) rank.between += action.seconds;
  } else {
    rank.order = usual_order(pattern, rank);
  }
  if (const std::string wrong = fault(rank, pattern.family == Family::messages); !wrong.empty())
    throw Error(place.path() + (place.has("order") ? ".order: " : ".links: ") + wrong);
  return rank;
}

/// "all", or a list of names.
std::vector<std::string> read_names(const Place& place, const std::vector<std::string>& all) {
  if (place.is_text() && place.text() == "all") return all;
  if (!place.is_list()) place.refuse("a list of names, or \"all\"");
  std::vector<std::string> names;
  for (const Place& one : place.list()) names.push_back(one.text());
  return names;
}

std::vector<std::string> read_ways(const Place& place) {
  std::vector<std::string> all(std::begin(plain_ways), std::end(plain_ways));
  std::vector<std::string> names = read_names(place, all);
  for (const std::string& name : names)
    if (std::ranges::find(all, name) == all.end())
      throw Error(place.path() + ": " + name + ": must be of " + halocline::base::joined(all));
  return names;
}

void read_balance(const Place& place, PlannedPattern& pattern) {
  const std::string words = "true, false or \"both\"";
  if (place.is_text()) {
    if (place.text() != "both") place.refuse(words);
    pattern.recorded = pattern.balanced = true;
    return;
  }
  try {
    pattern.balanced = place.truth();
  } catch (const Error&) {
    place.refuse(words);
  }
  pattern.recorded = !pattern.balanced;
}

std::vector<std::string> available_schemes() {
  std::vector<std::string> names;
  for (const halocline::SchemeFacts& known : halocline::known_schemes())
    if (known.unavailable.empty()) names.push_back(known.scheme);
  return names;
}

/// What a pattern and the whole plan may have.
void read_common(const Place& place, PlannedPattern& pattern) {
  if (place.has("balanced")) read_balance(place.at("balanced"), pattern);
  if (place.has("schemes")) pattern.schemes = read_names(place.at("schemes"), available_schemes());
  if (place.has("alternatives")) pattern.alternatives = read_ways(place.at("alternatives"));
}

PlannedPattern read_pattern(const Place& place, PlannedPattern pattern, int ranks) {
  place.object();
  read_common(place, pattern);
  pattern.name = place.at("name").text();
  if (place.has("weight")) pattern.weight = place.at("weight").real(0, 1e9);
  const Way way = place.at("way").choice(ways);
  pattern.family = way.family;
  pattern.calls = way.calls;
  if (way.family == Family::lock) {
    pattern.finish = How::unlock;
    if (place.has("finish")) pattern.finish = place.at("finish").choice(unlockings);
  } else if (place.has("finish") && !way.blocks && way.family <= Family::partitioned) {
    pattern.finish = place.at("finish").choice(completions);
  }
  if (place.has("window")) pattern.allocate = place.at("window").choice(flavours);
  if (place.has("exclusive")) pattern.exclusive = place.at("exclusive").truth();
  const Place of_ranks = place.at("ranks");
  const auto all = of_ranks.list();
  if (all.size() != static_cast<std::size_t>(ranks))
    throw Error(of_ranks.path() + ": has " + std::to_string(all.size()) +
                " entries: must have one for each of " + std::to_string(ranks) + " ranks");
  for (const Place& rank : all)
    pattern.ranks.push_back(
        read_rank(rank, pattern, way.blocks, static_cast<int>(pattern.ranks.size()), ranks));
  const bool may_vary = pattern.family == Family::messages;
  if (pattern.varies() && !may_vary)
    throw Error(place.path() +
                ": has bytes that vary: must be of way blocking, nonblocking or mixed");
  return pattern;
}

json parsed(const std::string& text, const std::string& file) {
  try {
    return halocline::base::json_of<json>(text);
  } catch (const Error& problem) {
    throw Error(file + ": " + problem.what());
  } catch (const json::exception& problem) {
    std::string what = problem.what();  // begins with "[json.exception...] "
    if (const auto end = what.find("] "); end != what.npos) what = what.substr(end + 2);
    std::ranges::replace(what, '\n', ' ');
    throw Error(file + ": no JSON: " + what);
  }
}

}  // namespace

bool PlannedPattern::varies() const noexcept {
  for (const PlannedRank& rank : ranks)
    for (const PlannedLink& link : rank.links)
      if (link.least != link.most) return true;
  return false;
}

bool contiguous(const Blocks& blocks) {
  bool together = true;
  std::ptrdiff_t next = blocks.empty() ? 0 : blocks.front().offset;
  each_row(blocks, [&](std::ptrdiff_t offset, std::size_t bytes) {
    together = together && offset == next;
    next = offset + static_cast<std::ptrdiff_t>(bytes);
  });
  return together;
}

Plan read_plan(const std::string& text, const std::string& file) {
  const json content = parsed(text, file);
  const Place top(content, file + ": ");
  if (!content.is_object() || !content.contains("plan"))
    throw Error(file + ": no plan of a replay: must be an object with \"plan\": 1");
  top.at("plan").integer(1, 1);
  Plan plan;
  plan.ranks = static_cast<int>(top.at("ranks").integer(1, 1'000'000));
  if (top.has("budget")) plan.budget = top.at("budget").real(0, 1e7);
  if (top.has("limit")) plan.limit = top.at("limit").real(0.01, 1e6);
  if (top.has("width")) plan.width = top.at("width").real(0, 1);
  if (top.has("longest")) plan.longest = top.at("longest").real(0, 1e6);
  if (top.has("rounds"))
    plan.rounds = static_cast<std::size_t>(top.at("rounds").integer(1, 1'000'000));
  if (top.has("seed"))
    plan.seed = static_cast<std::uint64_t>(
        top.at("seed").integer(0, std::numeric_limits<std::int64_t>::max()));
  PlannedPattern common;
  common.schemes = available_schemes();
  common.alternatives.assign(std::begin(plain_ways), std::end(plain_ways));
  read_common(top, common);
  std::set<std::string> names;
  for (const Place& place : top.at("patterns").list()) {
    plan.patterns.push_back(read_pattern(place, common, plan.ranks));
    if (!names.insert(plan.patterns.back().name).second)
      place.at("name").refuse("another name than those before");
  }
  return plan;
}

}  // namespace haloreplay
