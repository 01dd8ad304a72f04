#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace frame {

/// To be called after a step, with the newest residual, if one is known.
using Progress = std::function<void(std::int64_t step, std::optional<double> residual)>;

/// Says once a second on stderr how far `program` is, in its words for a step and for the residual;
/// rank 0 alone speaks.
Progress progress_line(std::string program, std::string step, std::string residual);

}  // namespace frame
