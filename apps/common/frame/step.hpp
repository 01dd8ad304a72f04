#pragma once
// What a step of a program does, for any number of ranks (--describe-step): who sends how much to
// whom, what is computed, what is summed up over all ranks. `halocline predict` reads it, so a
// program makes it from the code that cuts its problem. docs/reference/results.md has the format.

#include "json.hpp"

#include <halocline/cut.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace frame {

/// One message of an exchange.
struct Message {
  int from, to;
  std::size_t bytes;
};

/// What a rank sends in an exchange, or in a step.
struct Sent {
  std::size_t messages = 0, bytes = 0;
  auto operator<=>(const Sent&) const = default;
};

/// Exchanges of which messages say how long they are.
enum class Changing {
  ragged,
  reversed,  ///< from the receivers of these messages back to their senders, who add up
};

/// The parts of a step are objects, carried out in order by all ranks:
/// {"exchange": NAME}, or its halves {"start": NAME} and {"finish": NAME}; {"compute": ...}, see
/// `computing`; {"reduce": KIND}; {"times": N, "do": [...]}; {"parity": 0 or 1, "do": [...]} for
/// every second rank.
struct Step {
  int ranks = 1;
  int iterations = 1;  ///< of the program's method, which a step is
  /// A scheme that keeps its halos elsewhere may have another step: as many iterations a step.
  bool depends_on_scheme = false;
  std::vector<int> cut{};  ///< parts along each axis, of what is no grid
  nlohmann::ordered_json patterns = nlohmann::ordered_json::object();  ///< exchanges, by name
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  std::map<std::string, std::vector<Sent>> sent{};  ///< in each exchange, by rank

  /// The halo of a grid of doubles.
  void add(const std::string& name, const halocline::GridCut& cut);
  /// Messages between ranks; `pairs`: each two ranks have a communicator of their own.
  void add(const std::string& name, const std::vector<Message>& messages, bool pairs = false);
  void add(const std::string& name, const std::vector<Message>& messages, Changing kind);
};

/// The file of a step: also how many messages and bytes each rank sends in it, a row for ranks that
/// send alike. `arguments` are the program's own.
nlohmann::ordered_json described(const Step& step, const std::string& program,
                                 const std::string& scheme,
                                 const std::vector<std::string>& arguments);

/// A part of a step, {"compute": {"program": RATE, "points": N, "of": N}}: RATE names what a
/// machine file knows the time of, N are the points of each rank, one number if they are all alike.
/// `of`: of how many of the rank's points they are, where a step computes them one part after the
/// other.
nlohmann::ordered_json computing(const std::string& rate, const std::vector<double>& points,
                                 const std::vector<double>& of = {});

/// Points that a rank sweeps over: those that it owns and, along each axis, `beyond[axis]` more of
/// the halo on each side where it has a neighbour.
double points_swept(const halocline::GridCut& cut, int rank,
                    const std::vector<std::int64_t>& beyond);

}  // namespace frame
