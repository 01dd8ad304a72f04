#pragma once
// What the command lines of all solvers have in common.

#include "pinning.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace arguments {

/// The whole text as a number.
template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct Options {
  enum class Wish { solve, usage, list_schemes } wish = Wish::solve;
  bool all_schemes = false;

  bool progress = false;
  pinning::Wish pin = pinning::Wish::automatic;
  std::string tuning, json, output, image;
};

/// Declares --help, --list-schemes and what `Options` holds beside the program's own options in
/// `app`, and parses. Throws Error naming what is wrong; values are looked at only to solve.
void parse(CLI::App& app, int argc, char** argv, Options& options);

}  // namespace arguments
