#pragma once
// What a run is told.

#include "product.hpp"
#include "solve.hpp"

#include <frame/command_line.hpp>

#include <optional>
#include <string>
#include <vector>

namespace spmv {

/// How rows are shared out: those of consecutive numbers, so many of them; or by their graph.
enum class Parts { rows, entries, metis, curve };

struct Settings {
  std::vector<std::string> files{};  ///< the matrix; none: it is generated
  std::string generate{};
  std::string x{};           ///< a file; empty: ones
  std::string right_side{};  ///< the same; empty: that of ones
  Plan plan{};               ///< but for the scheme
  bool reorder = false;      ///< by reverse Cuthill-McKee
  Parts parts = Parts::entries;
  std::optional<int> products{};
  std::optional<int> power{};     ///< of A, instead of A
  std::optional<Method> solve{};  ///< instead of products
  std::optional<Preconditioner> preconditioner{};
  std::optional<double> tolerance{};
  std::optional<int> most{};
  bool check = false, bandwidth = false;

  void declare(frame::CommandLine& line);
  /// Throws Error where they do not go together.
  void settle() const;
  bool by_graph() const noexcept { return parts == Parts::metis || parts == Parts::curve; }
  Task task() const;  ///< if there is something to solve
};

const char* name_of(Layout layout);
const char* name_of(Mode mode);
const char* name_of(Parts parts);
const char* name_of(Method method);
const char* name_of(Preconditioner preconditioner);

}  // namespace spmv
