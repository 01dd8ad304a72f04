#pragma once
// Segments of this rank: those out of which all exchanges by gaspi get memory that peers may write
// into, and notifications; and those that are fields. GASPI has 255 segments at most.

#include "runtime.hpp"

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace halocline_gaspi {

constexpr std::size_t cache_line = 64;
/// Up to a multiple of `unit`.
constexpr std::size_t round_up(std::size_t size, std::size_t unit) {
  return (size + unit - 1) / unit * unit;
}

/// Places of which some are taken, the lowest that are free first.
class Space {
 public:
  using Place = std::int64_t;
  explicit Space(Place size) : size_(size) {}
  std::optional<Place> take(Place size) {
    Place begin = 0;
    for (const auto& [taken, end] : taken_) {
      if (taken - begin >= size) break;
      begin = end;
    }
    if (size_ - begin < size) return std::nullopt;
    taken_.emplace(begin, begin + size);
    return begin;
  }
  void give_back(Place begin) { taken_.erase(begin); }
  bool is_free() const { return taken_.empty(); }

 private:
  Place size_;
  std::map<Place, Place> taken_{};  // the end of what begins there
};

class Segments {
 public:
  static Segments& mine();

  /// Some bytes and some notifications of one segment, until they are given back.
  struct Part {
    gaspi_segment_id_t segment = 0;
    Space::Place begin = 0, bytes = 0;
    Space::Place first = 0, notifications = 0;  ///< none of which has come
    std::byte* memory = nullptr;
  };
  /// `memory` begins a pair of cache lines. Throws Error naming the scheme if there is none left.
  Part take(std::size_t bytes, std::size_t notifications, const std::string& scheme);
  /// These ranks (of MPI_COMM_WORLD) may write into a part from now on.
  void register_at(const Part& part, std::span<const int> ranks);
  /// Gives it back as soon as `quiet` says that nothing is on its way to it or from it any more.
  void give_back(const Part& part, std::function<bool()> quiet);

 private:
  struct Segment {
    gaspi_segment_id_t id;
    std::byte* memory;
    std::size_t size;
    Space bytes, notifications;
    std::set<int> known_to{};
  };
  struct Leaving {
    Part part;
    std::function<bool()> quiet;
  };
  bool find(Part& part);
  void grow(std::size_t bytes, std::size_t notifications, const std::string& scheme);
  void drop_unused();

  std::list<Segment> segments_;
  std::vector<Leaving> leaving_;
};

/// Memory of the caller's that is a segment of its own, so that it can be written from and into as
/// it lies, until this ends: then nothing may be on its way to it or from it.
class FieldSegment {
 public:
  /// The same for all who ask for this memory. Throws Error naming the scheme if GASPI has no
  /// segment left.
  static std::shared_ptr<FieldSegment> of(std::byte* memory, std::size_t bytes,
                                          const std::string& scheme);
  ~FieldSegment();
  FieldSegment(const FieldSegment&) = delete;
  FieldSegment& operator=(const FieldSegment&) = delete;

  gaspi_segment_id_t segment() const noexcept { return segment_; }
  /// These ranks (of MPI_COMM_WORLD) may write into it from now on.
  void register_at(std::span<const int> ranks);

 private:
  FieldSegment(std::byte* memory, std::size_t bytes, const std::string& scheme);
  gaspi_segment_id_t segment_;
  std::set<int> known_to_;
};

}  // namespace halocline_gaspi
