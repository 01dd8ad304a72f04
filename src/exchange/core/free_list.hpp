#pragma once
// Places that are free in numbered space, the lowest first.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

namespace halocline::detail {

class FreeList {
 public:
  using Place = std::int64_t;

  /// `size` places from `begin` on are free again, or for the first time.
  void give_back(Place begin, Place size) {
    auto next = sizes_.lower_bound(begin);
    if (next != sizes_.end() && begin + size == next->first) {
      size += next->second;
      next = sizes_.erase(next);
    }
    if (next != sizes_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == begin) {
        before->second += size;
        return;
      }
    }
    sizes_.emplace_hint(next, begin, size);
  }
  std::optional<Place> take(Place size) {
    for (auto free = sizes_.begin(); free != sizes_.end(); ++free) {
      if (free->second < size) continue;
      const auto [begin, left] = *free;
      sizes_.erase(free);
      if (left > size) sizes_.emplace(begin + size, left - size);
      return begin;
    }
    return std::nullopt;
  }
  /// Whether these are free, and neither those before nor those after them.
  bool is_all(Place begin, Place size) const {
    const auto found = sizes_.find(begin);
    return found != sizes_.end() && found->second == size;
  }
  void remove(Place begin) { sizes_.erase(begin); }
  /// Free places, all together and the most that follow each other.
  Place all() const {
    Place sum = 0;
    for (const auto& [begin, size] : sizes_) sum += size;
    return sum;
  }
  Place longest() const {
    Place most = 0;
    for (const auto& [begin, size] : sizes_) most = std::max(most, size);
    return most;
  }

 private:
  std::map<Place, Place> sizes_;
};

}  // namespace halocline::detail
