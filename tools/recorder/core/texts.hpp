// Words, each kept once.
#pragma once

#include "bounded.hpp"

#include <cstring>

namespace recorder {

class Texts {
 public:
  Texts(std::uint32_t bytes, std::uint32_t words) : texts_(bytes), places_(words), index_(words) {
    texts_.add(0);  // place 0 is no word, or one for which there was no room
  }

  std::uint32_t place(const char* words) {
    if (!words || !*words) return 0;
    auto size = static_cast<std::uint32_t>(std::strlen(words)) + 1;
    std::uint64_t hash = hash_of(words, size);
    std::int64_t found = index_.find(
        hash, [&](std::uint32_t at) { return std::strcmp(&texts_[places_[at]], words) == 0; });
    if (found >= 0) return places_[static_cast<std::uint32_t>(found)];
    if (places_.full()) return 0;
    std::uint32_t place = texts_.size();
    char* room = texts_.add_many(size);
    if (!room) return 0;
    std::memcpy(room, words, size);
    index_.insert(hash, places_.size());
    places_.add(place);
    return place;
  }
  const char* operator[](std::uint32_t place) const { return &texts_[place]; }

 private:
  Bounded<char> texts_;
  Bounded<std::uint32_t> places_;
  Index index_;
};

}  // namespace recorder
