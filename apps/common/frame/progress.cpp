#include "progress.hpp"

#include <base/text.hpp>

#include <halocline/environment.hpp>

#include <chrono>
#include <cstdio>

namespace frame {

Progress progress_line(std::string program, std::string step, std::string residual) {
  if (halocline::mpi::rank(halocline::world()) != 0)
    return [](std::int64_t, std::optional<double>) {};
  using Clock = std::chrono::steady_clock;
  return [=, last = Clock::now()](std::int64_t number, std::optional<double> value) mutable {
    const auto now = Clock::now();
    if (now - last < std::chrono::seconds(1)) return;
    last = now;
    std::string line = program + ": " + step + ' ' + std::to_string(number);
    if (value) line += halocline::base::formatted(", %s %e", residual.c_str(), *value);
    std::fprintf(stderr, "%s\n", line.c_str());
  };
}

}  // namespace frame
