#include "machine_costs.hpp"

#include <base/text.hpp>

#include <halocline/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

using halocline::Error;
using nlohmann::json;

namespace halosim {

namespace {

constexpr double most_bytes = 1e18;

constexpr std::array<std::string_view, levels> level_names{"socket", "node", "network"};

/// What stands in for a cost that a file does not know.
constexpr std::array<std::pair<std::string_view, std::string_view>, 18> stand_ins{{
    {"unpack", "pack"},
    {"copy", "pack"},
    {"notify", "send"},
    {"notified", "receive"},
    {"post", "notify"},
    {"start", "notified"},
    {"complete", "notify"},
    {"wait", "notified"},
    {"signal", "put"},
    {"seen", "notified"},
    {"put", "send"},
    {"get", "put"},
    {"landing", "message"},
    {"fetching", "message"},
    {"line", "landing"},
    {"barrier", "message"},
    {"fence", "barrier"},
    {"allreduce", "barrier"},
}};

std::string_view stand_in(std::string_view name) {
  const auto found = std::find_if(stand_ins.begin(), stand_ins.end(),
                                  [&](const auto& pair) { return pair.first == name; });
  return found == stand_ins.end() ? std::string_view{} : found->second;
}

double number(const json& object, const char* key, double otherwise, const std::string& where) {
  if (!object.contains(key)) return otherwise;
  if (!object[key].is_number() || object[key] <= 0)
    throw Error("machine file: " + where + key + " must be a number above 0");
  return object[key];
}

/// A member that is an object; an empty one if there is none.
json object(const json& of, const char* key, const std::string& where) {
  const json found = of.value(key, json::object());
  if (!found.is_object()) throw Error("machine file: " + where + key + " must be an object");
  return found;
}

}  // namespace

std::string_view name(Level level) {
  return level_names.at(static_cast<std::size_t>(level));
}

Cost& Cost::operator+=(const Cost& other) {
  seconds += other.seconds;
  counts.insert(counts.end(), other.counts.begin(), other.counts.end());
  return *this;
}

Cost Cost::times(double factor) const {
  Cost cost{seconds * factor, counts};
  for (auto& [number, times] : cost.counts) times *= factor;
  return cost;
}

MachineCosts::MachineCosts(const json& file) {
  if (!file.is_object() || file.value("format", json()) != "halocline-machine")
    throw Error("machine file: \"format\" must be \"halocline-machine\"");
  if (const json version = file.value("version", json()); version != 1)
    throw Error("machine file: version " + halocline::base::json_text(version) +
                "; this program reads version 1");
  read(object(file, "costs", ""), "", costs_);
  read(object(file, "compute", ""), "compute/", compute_);
  const json known = object(file, "levels", "");
  for (const auto& [name, level] : known.items())
    if (std::find(level_names.begin(), level_names.end(), name) == level_names.end())
      throw Error("machine file: level " + name + " must be socket, node or network");
  for (std::size_t i = 0; i < levels; ++i) {
    const std::string name(level_names[i]);
    const json level = object(known, name.c_str(), "levels/");
    Distance& distance = distances_[i];
    read(object(level, "costs", name + "/"), name + "/", distance.costs);
    constexpr double never = std::numeric_limits<double>::infinity();
    distance.rendezvous_bytes = number(level, "rendezvous_bytes", never, name + "/");
    distance.injection = number(level, "injection_bytes_per_s", never, name + "/");
    distance.messages = number(level, "injection_messages_per_s", never, name + "/");
    const json progress = level.value("progress", json("hardware"));
    if (progress != "hardware" && progress != "target")
      throw Error("machine file: " + name + "/progress must be \"hardware\" or \"target\"");
    distance.target_progress = progress == "target";
  }
  if (costs_.empty() && known.empty()) throw Error("machine file: has neither costs nor levels");
}

void MachineCosts::read(const json& costs, const std::string& where,
                        std::map<std::string, Curve, std::less<>>& into) {
  for (const auto& [name, points] : costs.items()) {
    Curve curve;
    const auto add = [&, &name = name](double bytes, double seconds) {
      curve.push_back({bytes, seconds, static_cast<int>(numbers_.size())});
      numbers_.push_back(where + name + "/" + std::to_string(static_cast<long>(bytes)));
    };
    const auto bad = [&, &name = name] {
      return Error("machine file: " + where + name +
                   " must be seconds, or pairs [bytes, seconds] by ascending bytes");
    };
    if (points.is_number()) {
      add(0, points);
    } else {
      if (!points.is_array() || points.empty()) throw bad();
      for (const json& point : points) {
        if (!point.is_array() || point.size() != 2 || !point[0].is_number() ||
            !point[1].is_number() || point[0] < 0 || point[0] > most_bytes ||
            (!curve.empty() && point[0] <= curve.back().bytes))
          throw bad();
        add(point[0], point[1]);
      }
    }
    // Files of version 0.1 say "heard".
    into[name == "heard" ? "notified" : name] = std::move(curve);
  }
}

const MachineCosts::Curve* MachineCosts::find(std::string_view name, Level level) const {
  for (; !name.empty(); name = name.find(':') != std::string_view::npos
                                   ? name.substr(0, name.rfind(':'))
                                   : stand_in(name)) {
    // What the file does not know of ranks of one socket is as it is on the node.
    for (auto i = static_cast<std::size_t>(level);
         i < levels && i <= std::max<std::size_t>(static_cast<std::size_t>(level),
                                                  static_cast<std::size_t>(Level::node));
         ++i) {
      const auto found = distances_[i].costs.find(name);
      if (found != distances_[i].costs.end()) return &found->second;
    }
    const auto found = costs_.find(name);
    if (found != costs_.end()) return &found->second;
  }
  return nullptr;
}

/// Straight lines between the points; the last goes on.
Cost MachineCosts::on(const Curve& curve, double bytes) {
  if (curve.size() == 1 || bytes <= curve.front().bytes)
    return {curve.front().seconds, {{curve.front().number, 1}}};
  std::size_t right = 1;
  while (right + 1 < curve.size() && curve[right].bytes < bytes) ++right;
  const Knot &a = curve[right - 1], &b = curve[right];
  const double share = (bytes - a.bytes) / (b.bytes - a.bytes);
  return {a.seconds + share * (b.seconds - a.seconds), {{a.number, 1 - share}, {b.number, share}}};
}

Cost MachineCosts::cost(std::string_view name, Level level, double bytes) const {
  const Curve* curve = find(name, level);
  return curve ? on(*curve, bytes) : Cost{};
}

Cost MachineCosts::gap(std::string_view name, Level level, double bytes, int sharers) const {
  Cost grown = cost(name, level, bytes);
  grown += cost(name, level, 0).times(-1);
  const Distance& distance = distances_[static_cast<std::size_t>(level)];
  const double shared = sharers * std::max(bytes / distance.injection, 1 / distance.messages);
  if (shared > grown.seconds) return {shared, {}};
  return grown;
}

double MachineCosts::rate(Level level) const {
  constexpr double long_message = 1 << 24;
  const double before = cost("message", level, long_message / 2).seconds;
  const double more = cost("message", level, long_message).seconds - before;
  return more > 0 ? long_message / 2 / more : std::numeric_limits<double>::infinity();
}

double MachineCosts::injection(Level level) const {
  return distances_[static_cast<std::size_t>(level)].injection;
}

double MachineCosts::rendezvous_bytes(Level level) const {
  return distances_[static_cast<std::size_t>(level)].rendezvous_bytes;
}

bool MachineCosts::target_progress(Level level) const {
  return distances_[static_cast<std::size_t>(level)].target_progress;
}

double MachineCosts::compute(const std::string& program, double points) const {
  const auto found = compute_.find(program);
  if (found == compute_.end())
    throw Error("machine file: compute/" + program + " is missing; give --compute SECONDS");
  return points * on(found->second, points).seconds;
}

}  // namespace halosim
