#include "step.hpp"

#include <halocline/error.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace frame {

using halocline::GridCut;
using nlohmann::ordered_json;

namespace {

std::vector<Sent> sent_in(const std::vector<Message>& messages, int ranks, bool reversed) {
  std::vector<Sent> each(static_cast<std::size_t>(ranks));
  for (const Message& one : messages) {
    Sent& sender = each[static_cast<std::size_t>(reversed ? one.to : one.from)];
    ++sender.messages;
    sender.bytes += one.bytes;
  }
  return each;
}

/// Rows of ranks that send alike in a step.
ordered_json messages_of(const Step& step) {
  std::map<Sent, std::vector<int>> classes;
  for (int rank = 0; rank < step.ranks; ++rank) {
    Sent sum;
    const std::function<void(const ordered_json&)> add = [&](const ordered_json& parts) {
      for (const ordered_json& part : parts) {
        if (part.contains("do")) {
          if (part.contains("parity") && part["parity"] != rank % 2) continue;
          for (int i = 0; i < part.value("times", 1); ++i) add(part["do"]);
        } else if (part.contains("exchange") || part.contains("start")) {
          const char* const verb = part.contains("start") ? "start" : "exchange";
          const Sent& one =
              step.sent.at(part[verb].get<std::string>())[static_cast<std::size_t>(rank)];
          sum.messages += one.messages;
          sum.bytes += one.bytes;
        }
      }
    };
    add(step.parts);
    classes[sum].push_back(rank);
  }
  ordered_json rows = ordered_json::array();
  for (const auto& [one, ranks] : classes)
    rows.push_back({{"messages", one.messages}, {"bytes", one.bytes}, {"ranks", ranks}});
  return rows;
}

/// Numbers of all ranks: one if they are all alike.
ordered_json of_ranks(const std::vector<double>& numbers) {
  if (std::adjacent_find(numbers.begin(), numbers.end(), std::not_equal_to<>()) == numbers.end())
    return numbers.empty() ? 0.0 : numbers.front();
  return numbers;
}

}  // namespace

void Step::add(const std::string& name, const GridCut& cut) {
  ordered_json halos = ordered_json::array(), periodic = ordered_json::array();
  for (int axis = 0; axis < cut.axes(); ++axis) {
    halos.push_back({cut.width(axis).below, cut.width(axis).above});
    if (cut.periodic(axis)) periodic.push_back(axis);
  }
  patterns[name] = {{"kind", "grid"},
                    {"cells", cut.cells()},
                    {"dims", cut.dims()},
                    {"halos", halos},
                    {"periodic", periodic},
                    {"corners", cut.options().corners},
                    {"element_bytes", sizeof(double)}};
  std::vector<Sent>& each = sent[name];
  for (int rank = 0; rank < cut.ranks(); ++rank) {
    const halocline::Pattern halo = cut.halo(rank);
    each.push_back({halo.sends().size(), halo.elements_sent() * sizeof(double)});
  }
}

void Step::add(const std::string& name, const std::vector<Message>& messages, bool pairs) {
  ordered_json links = ordered_json::array();
  for (const Message& one : messages) links.push_back({one.from, one.to, one.bytes});
  patterns[name] = {{"kind", "links"}, {"links", links}, {"pairs", pairs}};
  sent[name] = sent_in(messages, ranks, false);
}

void Step::add(const std::string& name, const std::vector<Message>& messages, Changing kind) {
  const bool reversed = kind == Changing::reversed;
  add(name, messages);
  patterns[name]["exchange"] = reversed ? "reversed" : "ragged";
  sent[name] = sent_in(messages, ranks, reversed);
}

ordered_json described(const Step& step, const std::string& program, const std::string& scheme,
                       const std::vector<std::string>& arguments) {
  ordered_json said{{"format", "halocline-step"}, {"version", 1},
                    {"program", program},         {"arguments", arguments},
                    {"scheme", scheme},           {"depends_on_scheme", step.depends_on_scheme},
                    {"ranks", step.ranks},        {"iterations", step.iterations}};
  if (!step.cut.empty()) said["cut"] = step.cut;
  said["patterns"] = step.patterns;
  said["parts"] = step.parts;
  said["messages"] = messages_of(step);
  return said;
}

ordered_json computing(const std::string& rate, const std::vector<double>& points,
                       const std::vector<double>& of) {
  ordered_json how{{"program", rate}, {"points", of_ranks(points)}};
  if (!of.empty()) how["of"] = of_ranks(of);
  return {{"compute", how}};
}

double points_swept(const GridCut& cut, int rank, const std::vector<std::int64_t>& beyond) {
  double points = 1;
  for (std::size_t axis = 0; axis < beyond.size(); ++axis) {
    std::int64_t along = cut.owned(rank, static_cast<int>(axis)).size();
    for (const int side : {-1, 1}) {
      std::vector<int> offset(beyond.size(), 0);
      offset[axis] = side;
      if (cut.neighbour(rank, offset) >= 0) along += beyond[axis];
    }
    points *= static_cast<double>(along);
  }
  return points;
}

}  // namespace frame
