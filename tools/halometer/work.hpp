#pragma once
// What is measured. One completion definition holds for all: a step ends on a rank when it may use
// what it receives and may overwrite what it sends; a repetition ends with the last rank. What a
// step costs later, when cells are written or halos read, shows in the loop that it is part of.

#include <nlohmann/json.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace halometer {

/// One way to do something, ready to be repeated. Collective in all it does.
class Work {
 public:
  virtual ~Work() = default;
  /// Not timed; before every step of a work that is `alone()`, else before every batch.
  virtual void prepare() {}
  virtual void step() = 0;
  virtual void steps(std::size_t count) {
    for (; count > 0; --count) step();
  }
  /// Whether this rank's time counts in the maximum.
  virtual bool timed() const { return true; }
  /// True where each step must be prepared: steps then are timed one by one, not in batches.
  virtual bool alone() const { return false; }
  /// Whether there is a loop that it is part of, as in an application: what a step costs there is
  /// what is felt of it.
  virtual bool has_loop() const { return false; }
  /// Steps of that loop, with or without the exchange, and nothing between them.
  virtual void loop(std::size_t steps, bool exchanging) {
    static_cast<void>(steps), static_cast<void>(exchanging);
  }
  /// Carries it out with known data. What is wrong on this rank; empty if nothing is.
  virtual std::string check() { return {}; }
  /// What it has computed, for its entry of the file; asked for after `check`. The same on all
  /// ranks; nothing of most.
  virtual nlohmann::ordered_json result() const { return nlohmann::ordered_json::object(); }
};

/// One of those that are measured in turn: a scheme, or a yardstick or limit beside the schemes.
struct Contender {
  std::string scheme;
  nlohmann::ordered_json parameters;
  double bytes = 0;  ///< that the busiest rank sends in a step; the table's bandwidth
  /// Collective. Throws halocline::Error, the same on all ranks, where it cannot be done.
  std::function<std::unique_ptr<Work>()> make;
};

struct Measured;

/// Contenders that are measured together, in random order.
struct Group {
  std::string title;
  std::vector<Contender> contenders{};
  /// Adds to the results what only several of them together say.
  std::function<void(std::vector<Measured>&)> conclude = [](std::vector<Measured>&) {};
};

}  // namespace halometer
