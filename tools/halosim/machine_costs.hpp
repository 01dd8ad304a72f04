#pragma once
// What things cost on a machine: curves over bytes, by name and by how far apart two ranks are,
// read from a machine file (docs/reference/machine-file.md).

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halosim {

enum class Level : std::uint8_t { socket, node, network };
constexpr std::size_t levels = 3;
std::string_view name(Level level);

/// How often each number of the file counts: (number, times).
using Counts = std::vector<std::pair<int, double>>;

/// What something costs, and which numbers of the file say so.
struct Cost {
  double seconds = 0;
  Counts counts{};
  Cost& operator+=(const Cost& other);
  Cost times(double factor) const;
};

class MachineCosts {
 public:
  /// Throws halocline::Error naming what is not as a machine file has it.
  explicit MachineCosts(const nlohmann::json& file);

  /// The cost of `bytes` between ranks at this level. What the file does not know costs what its
  /// name before the colon does, else what stands in for it (machine_costs.cpp), else nothing.
  Cost cost(std::string_view name, Level level, double bytes) const;
  /// Seconds and counts of the part of a transfer that grows with the bytes; at the network not
  /// faster than `sharers` ranks get their bytes, and as many messages, out of a node.
  Cost gap(std::string_view name, Level level, double bytes, int sharers) const;
  /// Bytes a second of long messages from one rank, alone; infinite where they cost nothing.
  double rate(Level level) const;
  /// Bytes a second that all ranks of a node together get out; infinite where the file has no
  /// limit.
  double injection(Level level) const;
  /// From this size on a message waits until its receiver is inside MPI.
  double rendezvous_bytes(Level level) const;
  /// Whether what is put needs its target inside MPI to land.
  bool target_progress(Level level) const;
  /// Seconds that `program` computes for each point, of so many points of a rank.
  double compute(const std::string& program, double points) const;

  /// "node/message/4096" for each number, in the order of `Counts`.
  const std::vector<std::string>& numbers() const { return numbers_; }

 private:
  struct Knot {
    double bytes, seconds;
    int number;
  };
  using Curve = std::vector<Knot>;
  struct Distance {
    std::map<std::string, Curve, std::less<>> costs{};
    double rendezvous_bytes, injection, messages;
    bool target_progress = false;
  };
  void read(const nlohmann::json& costs, const std::string& where,
            std::map<std::string, Curve, std::less<>>& into);
  const Curve* find(std::string_view name, Level level) const;
  static Cost on(const Curve& curve, double bytes);

  std::array<Distance, levels> distances_;
  std::map<std::string, Curve, std::less<>> costs_, compute_;
  std::vector<std::string> numbers_;
};

}  // namespace halosim
