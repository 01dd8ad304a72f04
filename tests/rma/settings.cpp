#include "settings.hpp"

#include "watch.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <regex>
#include <sstream>
#include <utility>
#include <vector>

namespace emulated {

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

class Forgotten {
 public:
  explicit Forgotten(const std::string& text) {
    std::smatch found;
    const std::regex form("([A-Za-z_/]+)(=([0-9]+)(%([0-9]+))?)?(@([0-9]+))?");
    if (!std::regex_match(text, found, form))
      end("settings", "EMULATED_FORGET: " + text + " must be NAME, NAME=n or NAME=n%m, then @rank");
    name_ = found[1];
    if (found[2].matched) first_ = std::stoi(found[3]), period_ = 0;
    if (found[4].matched) period_ = std::stoi(found[5]);
    if (found[6].matched) rank_ = std::stoi(found[7]);
  }

  /// Whether it is this call; counts those that it names.
  bool is(const std::string& name, const std::string& about) {
    if (name_ != name && name_ != name + "/" + about) return false;
    if (rank_ >= 0 && rank_ != world_rank()) return false;
    const int after = ++met_ - first_;
    if (after != 0 && (after < 0 || period_ == 0 || after % period_ != 0)) return false;
    if (!std::exchange(said_, true))
      std::fprintf(stderr, "emulated: rank %d leaves out %s\n", world_rank(), name_.c_str());
    return true;
  }

 private:
  std::string name_;
  int first_ = 1, period_ = 1, rank_ = -1, met_ = 0;
  bool said_ = false;
};

std::vector<Forgotten> all_forgotten() {
  std::vector<Forgotten> all;
  std::istringstream words(variable("EMULATED_FORGET"));
  for (std::string word; std::getline(words, word, ',');) all.emplace_back(word);
  return all;
}

}  // namespace

bool separate() {
  static const bool is = variable("EMULATED_MODEL") != "unified" && !coherent();
  return is;
}

bool coherent() {
  static const bool is = variable("EMULATED_MODEL") == "coherent";
  return is;
}

int roll(int sides) {
  static std::minstd_rand dice([] {
    const std::string seed = variable("EMULATED_SEED");
    return static_cast<unsigned>(1 + (seed.empty() ? 0 : std::stoi(seed)) * 1000 + world_rank());
  }());
  dice();
  return static_cast<int>(dice() % static_cast<unsigned>(sides));
}

bool forgotten(const std::string& name, const std::string& about) {
  static std::vector<Forgotten> all = all_forgotten();
  return std::any_of(all.begin(), all.end(), [&](Forgotten& one) { return one.is(name, about); });
}

}  // namespace emulated
