#pragma once
// Fewer schemes than every combination of options, in which every two options still meet.

#include <halocline/scheme.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <sstream>
#include <string>
#include <vector>

/// Some of these schemes, in their order: every two values of two options of a method that one of
/// them has together, one of the result has together. Errors mostly need no more than two options;
/// of some 600 combinations about 200 are enough.
inline std::vector<std::string> covering_pairs(const std::vector<std::string>& schemes) {
  std::map<std::string, std::size_t> numbers;      // of pairs
  std::vector<std::vector<std::size_t>> pairs_of;  // each scheme
  for (const std::string& scheme : schemes) {
    std::istringstream full(halocline::Scheme(scheme).full());
    std::vector<std::string> words;  // the method and its options
    for (std::string word; std::getline(full, word, '+');) words.push_back(word);
    std::vector<std::size_t>& pairs = pairs_of.emplace_back();
    for (std::size_t i = 0; i < words.size(); ++i)
      for (std::size_t j = i; j < words.size(); ++j)
        pairs.push_back(
            numbers.try_emplace(words[0] + '+' + words[i] + '+' + words[j], numbers.size())
                .first->second);
  }
  std::vector<bool> met(numbers.size()), chosen(schemes.size());
  const auto gain = [&](const std::vector<std::size_t>& pairs) {
    return std::ranges::count_if(pairs, [&](std::size_t pair) { return !met[pair]; });
  };
  for (;;) {  // always the one that meets the most new pairs
    const auto best = std::ranges::max_element(pairs_of, {}, gain);
    if (best == pairs_of.end() || gain(*best) == 0) break;
    for (const std::size_t pair : *best) met[pair] = true;
    chosen[static_cast<std::size_t>(best - pairs_of.begin())] = true;
  }
  std::vector<std::string> result;
  for (std::size_t i = 0; i < schemes.size(); ++i)
    if (chosen[i]) result.push_back(schemes[i]);
  return result;
}
