#pragma once
// What a run is told.

#include "multiplication.hpp"

#include <frame/command_line.hpp>

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace matmul {

struct Settings {
  std::vector<std::string> files{};  ///< of A and B; none: they are generated
  std::optional<Shape> shape{};
  std::optional<std::int64_t> columns{};  ///< instead of the shape's n
  std::optional<std::uint64_t> seed{};    ///< of generated numbers, 1 unless said
  std::optional<Algorithm> algorithm{};
  std::optional<Cut> cut{};
  std::int64_t panel = 0;
  double memory = 0;  ///< of a rank, in GiB; 0: any
  int threads = 0;    ///< 0: so that all cores have one
  bool check = false;

  void declare(frame::CommandLine& line);
};

/// How so many ranks go about it. Throws Error where settings do not go together.
Plan plan_of(const Settings& settings, const Shape& shape, int ranks,
             const halocline::Scheme& scheme);

/// Threads a rank, so that the cores that the ranks of a node may use have one each. The same on
/// all ranks. Collective.
int threads_for_all_cores(MPI_Comm comm);

const char* name_of(Algorithm algorithm);

}  // namespace matmul
