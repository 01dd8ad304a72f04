#pragma once
// What the handles of the C interface hold.

#include <halocline/halocline.h>
#include <halocline/halocline.hpp>
#include <halocline/more/async_exchange.hpp>
#include <halocline/more/section.hpp>

#include <memory>
#include <set>
#include <string>
#include <vector>

struct halocline_environment {
  std::unique_ptr<halocline::Environment> it;
};
struct halocline_cut {
  halocline::GridCut it;
};
struct halocline_grid {
  halocline::Grid it;
};
struct halocline_distribution {
  halocline::Distribution it;
};
struct halocline_pattern {
  halocline::Pattern it;
};
struct halocline_memory {
  halocline::Memory it;
};
struct halocline_array {
  halocline_memory memory;
  halocline::Field it;
};
struct halocline_arena {
  halocline::Arena it;
  halocline_memory memory{it.memory()};
};
struct halocline_exchange {
  halocline::Exchange it;
  mutable std::set<std::string> schemes{};   ///< that it was asked for; it may change while it runs
  std::string memory_hint{};                 ///< that it was asked for
  std::vector<halocline_memory> memories{};  ///< of the fields that it was asked for
};
struct halocline_ragged_exchange {
  halocline::RaggedExchange it;
  std::size_t element_bytes;
  std::string scheme = it.scheme().str();
};
struct halocline_gather_scatter {
  halocline::GatherScatter it;
  std::string scheme = it.scheme().str();
};
struct halocline_async_exchange {
  halocline::AsyncExchange it;
  std::string scheme = it.scheme().str();
};
struct halocline_section {
  halocline::Section it;
  std::string report{};  ///< that it was asked for
  halocline::Section::Findings findings{};
};
