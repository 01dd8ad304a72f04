#include "segments.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace halocline_gaspi {

namespace {

/// Whether the program, or a segment of ours, has this number.
bool is_taken(gaspi_segment_id_t id) {
  std::vector<gaspi_segment_id_t> all(ask(gaspi_segment_num, "gaspi_segment_num"));
  if (all.empty()) return false;
  HALOCLINE_GASPI(gaspi_segment_list, static_cast<gaspi_number_t>(all.size()), all.data());
  return std::find(all.begin(), all.end(), id) != all.end();
}

/// From the last number downwards: programs begin with the first.
gaspi_segment_id_t free_number(const std::string& scheme) {
  int id = static_cast<int>(ask(gaspi_segment_max, "gaspi_segment_max")) - 1;
  while (id >= 0 && is_taken(static_cast<gaspi_segment_id_t>(id))) --id;
  if (id < 0) throw Error(scheme + ": all segments of GASPI are in use");
  return static_cast<gaspi_segment_id_t>(id);
}

/// To those of `ranks` that do not know of it.
void register_segment(gaspi_segment_id_t segment, std::span<const int> ranks,
                      std::set<int>& known_to) {
  for (const int rank : ranks)
    if (known_to.insert(rank).second)
      HALOCLINE_GASPI(gaspi_segment_register, segment, static_cast<gaspi_rank_t>(rank), patience());
}

}  // namespace

Segments& Segments::mine() {
  // Never destroyed: GASPI ends before.
  static auto& segments = *new Segments;
  return segments;
}

Segments::Part Segments::take(std::size_t bytes, std::size_t notifications,
                              const std::string& scheme) {
  std::erase_if(leaving_, [&](const Leaving& one) {
    if (!one.quiet()) return false;
    for (Segment& segment : segments_) {
      if (segment.id != one.part.segment) continue;
      segment.bytes.give_back(one.part.begin);
      segment.notifications.give_back(one.part.first);
    }
    return true;
  });
  Part part{
      .bytes = static_cast<Space::Place>(round_up(std::max<std::size_t>(bytes, 1), 2 * cache_line)),
      .notifications = static_cast<Space::Place>(std::max<std::size_t>(notifications, 1))};
  if (!find(part)) {
    grow(static_cast<std::size_t>(part.bytes), static_cast<std::size_t>(part.notifications),
         scheme);
    find(part);
  }
  return part;
}

bool Segments::find(Part& part) {
  for (Segment& segment : segments_) {
    const auto begin = segment.bytes.take(part.bytes);
    if (!begin) continue;
    const auto first = segment.notifications.take(part.notifications);
    if (!first) {
      segment.bytes.give_back(*begin);
      continue;
    }
    part.segment = segment.id;
    part.begin = *begin;
    part.first = *first;
    part.memory = segment.memory + *begin;
    return true;
  }
  return false;
}

/// Segments that nobody uses go, so that a few large exchanges do not keep their memory for ever.
void Segments::drop_unused() {
  std::erase_if(segments_, [](Segment& segment) {
    if (!segment.bytes.is_free()) return false;
    HALOCLINE_GASPI(gaspi_segment_delete, segment.id);
    return true;
  });
}

void Segments::grow(std::size_t bytes, std::size_t notifications, const std::string& scheme) {
  constexpr std::size_t least = 1 << 20, most = 64 << 20, page = 4096;
  drop_unused();
  std::size_t all = 0;
  for (const Segment& segment : segments_) all += segment.size;

  const std::size_t there = ask(gaspi_notification_num, "gaspi_notification_num");
  if (notifications > there)
    throw Error(scheme + ": a rank's links need " + std::to_string(notifications) +
                " notifications; a segment of GASPI has " + std::to_string(there));
  const gaspi_segment_id_t number = free_number(scheme);
  const std::size_t wanted = std::max(round_up(bytes, page), std::clamp(all, least, most));
  if (gaspi_segment_alloc(number, wanted, GASPI_MEM_UNINITIALIZED) != GASPI_SUCCESS)
    throw Error(scheme + ": GASPI has no memory for a segment of " + std::to_string(wanted) +
                " bytes");
  gaspi_pointer_t memory = nullptr;
  HALOCLINE_GASPI(gaspi_segment_ptr, number, &memory);
  segments_.push_back({.id = number,
                       .memory = static_cast<std::byte*>(memory),
                       .size = wanted,
                       .bytes = Space(static_cast<Space::Place>(wanted)),
                       .notifications = Space(static_cast<Space::Place>(there))});
}

void Segments::register_at(const Part& part, std::span<const int> ranks) {
  for (Segment& segment : segments_)
    if (segment.id == part.segment) register_segment(segment.id, ranks, segment.known_to);
}

void Segments::give_back(const Part& part, std::function<bool()> quiet) {
  leaving_.push_back({part, std::move(quiet)});
}

std::shared_ptr<FieldSegment> FieldSegment::of(std::byte* memory, std::size_t bytes,
                                               const std::string& scheme) {
  static std::map<std::pair<std::byte*, std::size_t>, std::weak_ptr<FieldSegment>> known;
  std::erase_if(known, [](const auto& one) { return one.second.expired(); });
  std::weak_ptr<FieldSegment>& place = known[{memory, bytes}];
  if (auto there = place.lock()) return there;
  const std::shared_ptr<FieldSegment> made(new FieldSegment(memory, bytes, scheme));
  place = made;
  return made;
}

FieldSegment::FieldSegment(std::byte* memory, std::size_t bytes, const std::string& scheme)
    : segment_(free_number(scheme)) {
  if (gaspi_segment_bind(segment_, memory, bytes, 0) != GASPI_SUCCESS)
    throw Error(scheme + ": GASPI cannot have a field of " + std::to_string(bytes) +
                " bytes as a segment; use pack=on");
}

FieldSegment::~FieldSegment() {
  if (runs()) gaspi_segment_delete(segment_);
}

void FieldSegment::register_at(std::span<const int> ranks) {
  register_segment(segment_, ranks, known_to_);
}

}  // namespace halocline_gaspi
