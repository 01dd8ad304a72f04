#include "refusal.hpp"

#include <algorithm>
#include <numeric>

namespace frame {

namespace {

/// Letters to insert, delete or replace until one word is the other (Levenshtein's distance).
std::size_t letters_apart(const std::string& one, const std::string& other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t replaced = diagonal + (one[i] != other[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j + 1] + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string refusal(std::string_view program, std::string_view why) {
  std::string line(why);
  // Names and words of files are in it as they are.
  std::ranges::replace_if(
      line, [](unsigned char byte) { return byte < ' ' || byte == 0x7F; }, ' ');
  const std::string name(program);
  return name + ": " + line + " (see " + name + " --help)";
}

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = 3;
  for (const std::string& one : known)
    if (const std::size_t distance = letters_apart(word, one); distance < least)
      best = one, least = distance;
  return best;
}

}  // namespace frame
