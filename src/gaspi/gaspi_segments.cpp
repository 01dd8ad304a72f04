#include "gaspi_segments.hpp"

#if HALOCLINE_HAVE_GASPI

#include "memory/cache_line.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace halocline::detail {

namespace {

/// Whether the program, or a segment of ours, has this number.
bool is_taken(gaspi_segment_id_t id) {
  std::vector<gaspi_segment_id_t> all(ask_gaspi(gaspi_segment_num, "gaspi_segment_num"));
  if (all.empty()) return false;
  HALOCLINE_GASPI(gaspi_segment_list, static_cast<gaspi_number_t>(all.size()), all.data());
  return std::find(all.begin(), all.end(), id) != all.end();
}

/// From the last number downwards: programs begin with the first.
gaspi_segment_id_t free_number(const std::string& scheme) {
  int id = static_cast<int>(ask_gaspi(gaspi_segment_max, "gaspi_segment_max")) - 1;
  while (id >= 0 && is_taken(static_cast<gaspi_segment_id_t>(id))) --id;
  if (id < 0) throw Error(scheme + ": all segments of GASPI are in use");
  return static_cast<gaspi_segment_id_t>(id);
}

/// To those of `ranks` that do not know of it.
void register_segment(gaspi_segment_id_t segment, std::span<const int> ranks,
                      std::set<int>& known_to) {
  for (const int rank : ranks)
    if (known_to.insert(rank).second)
      HALOCLINE_GASPI(gaspi_segment_register, segment, static_cast<gaspi_rank_t>(rank),
                      gaspi_patience());
}

}  // namespace

GaspiSegments& GaspiSegments::mine() {
  // Never destroyed: GASPI ends before.
  static auto& segments = *new GaspiSegments;
  return segments;
}

GaspiSegments::Part GaspiSegments::take(std::size_t bytes, std::size_t notifications,
                                        const std::string& scheme) {
  std::erase_if(leaving_, [&](const Leaving& one) {
    if (!one.quiet()) return false;
    for (Segment& segment : segments_) {
      if (segment.id != one.part.segment) continue;
      segment.free.give_back(one.part.begin, one.part.bytes);
      segment.silent.give_back(one.part.first, one.part.notifications);
    }
    return true;
  });
  Part part{
      .bytes = static_cast<FreeList::Place>(round_up(std::max<std::size_t>(bytes, 1), line_pair)),
      .notifications = static_cast<FreeList::Place>(std::max<std::size_t>(notifications, 1))};
  if (!find(part)) {
    grow(static_cast<std::size_t>(part.bytes), static_cast<std::size_t>(part.notifications),
         scheme);
    find(part);
  }
  return part;
}

bool GaspiSegments::find(Part& part) {
  for (Segment& segment : segments_) {
    const auto begin = segment.free.take(part.bytes);
    if (!begin) continue;
    const auto first = segment.silent.take(part.notifications);
    if (!first) {
      segment.free.give_back(*begin, part.bytes);
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
void GaspiSegments::drop_unused() {
  std::erase_if(segments_, [](Segment& segment) {
    if (!segment.free.is_all(0, segment.bytes)) return false;
    HALOCLINE_GASPI(gaspi_segment_delete, segment.id);
    return true;
  });
}

void GaspiSegments::grow(std::size_t bytes, std::size_t notifications, const std::string& scheme) {
  constexpr std::size_t least = 1 << 20, most = 64 << 20;
  drop_unused();
  std::size_t all = 0;
  for (const Segment& segment : segments_) all += static_cast<std::size_t>(segment.bytes);

  const std::size_t there = ask_gaspi(gaspi_notification_num, "gaspi_notification_num");
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
  Segment& made =
      segments_.emplace_back(Segment{.id = number,
                                     .memory = static_cast<std::byte*>(memory),
                                     .bytes = static_cast<FreeList::Place>(wanted),
                                     .notifications = static_cast<FreeList::Place>(there),
                                     .free = {},
                                     .silent = {}});
  made.free.give_back(0, made.bytes);
  made.silent.give_back(0, made.notifications);
}

void GaspiSegments::register_at(const Part& part, std::span<const int> ranks) {
  for (Segment& segment : segments_)
    if (segment.id == part.segment) register_segment(segment.id, ranks, segment.known_to);
}

void GaspiSegments::give_back(const Part& part, std::function<bool()> quiet) {
  leaving_.push_back({part, std::move(quiet)});
}

std::shared_ptr<GaspiField> GaspiField::of(std::byte* memory, std::size_t bytes,
                                           const std::string& scheme) {
  static std::map<std::pair<std::byte*, std::size_t>, std::weak_ptr<GaspiField>> known;
  std::erase_if(known, [](const auto& one) { return one.second.expired(); });
  std::weak_ptr<GaspiField>& place = known[{memory, bytes}];
  if (auto there = place.lock()) return there;
  const std::shared_ptr<GaspiField> made(new GaspiField(memory, bytes, scheme));
  place = made;
  return made;
}

GaspiField::GaspiField(std::byte* memory, std::size_t bytes, const std::string& scheme)
    : segment_(free_number(scheme)) {
  if (gaspi_segment_bind(segment_, memory, bytes, 0) != GASPI_SUCCESS)
    throw Error(scheme + ": GASPI cannot have a field of " + std::to_string(bytes) +
                " bytes as a segment; use pack=on");
}

GaspiField::~GaspiField() {
  if (gaspi_runs()) gaspi_segment_delete(segment_);
}

void GaspiField::register_at(std::span<const int> ranks) {
  register_segment(segment_, ranks, known_to_);
}

}  // namespace halocline::detail

#endif
