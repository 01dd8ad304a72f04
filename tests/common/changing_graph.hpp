#pragma once
// Random neighbours, and what they send each other: every rank knows all of it, so that each can
// say what must come.

#include <halocline/environment.hpp>
#include <halocline/more/tuner.hpp>

#include <unistd.h>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

/// Who sends to whom: edge[from][to].
struct Neighbourhood {
  explicit Neighbourhood(unsigned seed) {
    std::minstd_rand dice(seed);
    edge.assign(ranks, std::vector<bool>(ranks, false));
    const unsigned density = 1 + dice() % 3;
    const bool both_ways = dice() % 2 == 0;
    for (std::size_t from = 0; from < ranks; ++from)
      for (std::size_t to = 0; to < ranks; ++to) {
        if (from == to) continue;
        edge[from][to] = dice() % density == 0;
        if (both_ways && to < from) edge[from][to] = edge[to][from];
      }
  }

  std::vector<int> targets() const { return peers(true); }
  std::vector<int> sources() const { return peers(false); }

  std::size_t ranks = static_cast<std::size_t>(halocline::mpi::size(halocline::world()));
  std::size_t me = static_cast<std::size_t>(halocline::mpi::rank(halocline::world()));
  std::vector<std::vector<bool>> edge;

 private:
  std::vector<int> peers(bool to) const {
    std::vector<int> found;
    for (std::size_t peer = 0; peer < ranks; ++peer)
      if (to ? edge[me][peer] : edge[peer][me]) found.push_back(static_cast<int>(peer));
    return found;
  }
};

/// A number that depends on all its arguments, the same on all ranks.
template <class... Parts>
std::uint64_t mixed(Parts... parts) {
  std::uint64_t sum = 0x9E3779B97F4A7C15U;
  ((sum = (sum ^ static_cast<std::uint64_t>(parts)) * 0xBF58476D1CE4E5B9U, sum ^= sum >> 29), ...);
  return sum;
}

/// `auto` decides at once while this lives, and writes what it learns where only tests look.
struct QuickTuning {
  QuickTuning() { halocline::Tuning::current() = {.file = file, .budget = 0.05, .fresh = true}; }
  ~QuickTuning() {
    halocline::Tuning::current() = before;
    std::filesystem::remove(file);
  }
  std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("tuning-" + std::to_string(getpid()) + ".json");
  halocline::Tuning before = halocline::Tuning::current();
};
