#include "kind.hpp"

#include "measure.hpp"

#include <halocline/error.hpp>
#include <halocline/more/method.hpp>

#include <fnmatch.h>

#include <algorithm>
#include <sstream>

namespace halometer {

using halocline::Error;
using halocline::Scheme;

std::vector<std::unique_ptr<Kind>> kinds() {
  std::vector<std::unique_ptr<Kind>> all;
  for (const auto make : {roundtrip, bandwidth, sync, neighbors, halo, reverse, rings, transpose,
                          overlap, progress, memory, sweeps, setup, calls, styles, threads, device})
    all.push_back(make());
  return all;
}

namespace {

/// `visit(word)` for every word between commas.
template <class Visit>
void each_word(const std::string& list, Visit&& visit) {
  std::istringstream words(list);
  bool any = false;
  for (std::string word; std::getline(words, word, ',');)
    if (!word.empty()) any = true, visit(word);
  if (!any) throw Error("--schemes names no scheme; 'all' means every one");
}

std::vector<std::string> matching(const std::string& glob, const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (glob == "all" || fnmatch(glob.c_str(), name.c_str(), 0) == 0) found.push_back(name);
  return found;
}

template <class Name>
void add_new(std::vector<Name>& list, const Name& name) {
  if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
}

bool is_glob(const std::string& word) {
  return word == "all" || word.find_first_of("*?[") != word.npos;
}

}  // namespace

std::vector<std::string> chosen(const std::string& patterns,
                                const std::vector<std::string>& names) {
  std::vector<std::string> found;
  each_word(patterns, [&](const std::string& word) {
    const auto more = matching(word, names);
    if (more.empty()) {
      std::string known;
      for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
      throw Error("--schemes " + word + ": there are " + known);
    }
    for (const std::string& name : more) add_new(found, name);
  });
  return found;
}

std::vector<Scheme> chosen_schemes(const std::string& patterns) {
  std::vector<std::string> usual;
  for (const halocline::SchemeFacts& known : halocline::known_schemes())
    if (known.unavailable.empty()) usual.push_back(known.scheme);
  std::vector<Scheme> found;
  each_word(patterns, [&](const std::string& word) {
    if (!is_glob(word)) return add_new(found, Scheme(word));
    const bool options = word.find('+') != word.npos;
    const auto more = matching(word, options ? halocline::scheme_combinations() : usual);
    if (more.empty())
      throw Error("--schemes " + word + ": no scheme that this MPI can run has such a name");
    for (const std::string& name : more) add_new(found, Scheme(name));
  });
  for (const Scheme& scheme : found) halocline::prepare(scheme);  // some have few ranks
  return found;
}

std::string shown_bytes(std::size_t bytes) {
  const char* const units[] = {" B", " KiB", " MiB", " GiB"};
  std::size_t unit = 0;
  while (unit < 3 && bytes >= 1024 && bytes % 1024 == 0) bytes /= 1024, ++unit;
  return std::to_string(bytes) + units[unit];
}

void add_sizes(frame::Arguments& app, const std::string& name, std::vector<std::size_t>& sizes,
               const std::string& help) {
  app.option(name, sizes, help).with_commas().bytes().shows_default();
}

std::function<void(std::vector<Measured>&)> over(const std::string& name,
                                                 const std::map<std::string, std::string>& pairs) {
  return [=](std::vector<Measured>& results) {
    for (Measured& result : results) {
      const auto pair = pairs.find(result.parameters[name].get<std::string>());
      if (pair == pairs.end() || !result.measured()) continue;
      const auto base = std::find_if(results.begin(), results.end(), [&](const Measured& other) {
        return other.measured() && other.scheme == result.scheme &&
               other.parameters[name] == pair->second;
      });
      if (base == results.end()) continue;
      const std::span<const double> sets[] = {result.counted(result.samples),
                                              base->counted(base->samples)};
      result.shares = {
          {"times_" + pair->second, bootstrap(sets, [](std::span<const double> medians) {
             return medians[0] / medians[1];
           })}};
    }
  };
}

void add_unchanged(frame::Arguments& app, bool& fresh) {
  app.flag("!--unchanged", fresh,
           "send the same cells again and again: they are then in the receiver's caches");
}

}  // namespace halometer
