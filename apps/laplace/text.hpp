#pragma once
// What the program prints, and what goes into the result file.

#include "run.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace laplace {

/// What the workers of all ranks did, as a list by worker, on rank 0; null elsewhere. Collective.
nlohmann::json gather_workers(MPI_Comm comm, const Report&);

/// Least, mean and most of the workers' iterations.
struct Iterations {
  std::int64_t least = 0, most = 0;
  double mean = 0;
};
Iterations iterations_of(const nlohmann::json& workers);

/// For people. On rank 0.
std::string text(const Config&, const Run&, const Report&, const nlohmann::json& workers);

/// The `parameters` and the `result` of the result file, but for the checksum. On rank 0.
nlohmann::ordered_json parameters(const Config&, const Run&);
nlohmann::ordered_json outcome(const Config&, const Report&, const nlohmann::json& workers);

}  // namespace laplace
