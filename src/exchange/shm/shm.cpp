#include "shm.hpp"

#include "memory/cache_line.hpp"
#include "memory/new_windows.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

namespace halocline::detail {

namespace {

/// Where the field begins in its Memory, or -1 if it is not there.
std::ptrdiff_t place_in_memory(const Field& field) {
  if (field.memory.kind() != MemoryKind::shared) return -1;
  const auto place = static_cast<std::byte*>(field.data) - field.memory.data();
  return place >= 0 && static_cast<std::size_t>(place) <= field.memory.bytes() ? place : -1;
}

/// The layout relative to the beginnings of the fields' Memory, which peers can find.
Layout in_memory(const Layout& layout, const std::vector<Field>& fields) {
  std::vector<Piece> pieces = layout.pieces();
  for (Piece& piece : pieces)
    piece.offset += place_in_memory(fields[static_cast<std::size_t>(piece.field)]);
  return Layout(std::move(pieces));
}

bool same_shape(const Layout& one, const Layout& other) {
  return std::equal(one.pieces().begin(), one.pieces().end(), other.pieces().begin(),
                    other.pieces().end(), [](const Piece& a, const Piece& b) {
                      return a.planes == b.planes && a.rows == b.rows && a.row_bytes == b.row_bytes;
                    });
}

bool same_ranks(std::vector<int> some, std::vector<int> others) {
  std::sort(some.begin(), some.end());
  std::sort(others.begin(), others.end());
  return some == others;
}

}  // namespace

Shm::Shm(Setup s, Lines lines)
    : Method(std::move(s)),
      islands_(setup().comm.shared<Islands>(spec(), scheme().islands())),
      pool_(setup().comm.shared<SharedPool>(spec())) {
  split_links();
  const bool any_inside = choose_access();
  for (const Link& link : sends_) to_.emplace_back().cells = setup().send_layout(link);
  for (const Link& link : receives_) from_.emplace_back().halo = setup().receive_layout(link);
  const std::size_t own = lines == Lines::none ? 0 : line_pair * (1 + sources_.size());
  if (access_ != Access::slots) find_fields();
  if (access_ == Access::slots && any_inside)
    make_slots(own);
  else if (lines != Lines::none)
    shared_ = pool_.take(own, scheme());
  for (const MPI_Win window : windows_) HALOCLINE_MPI(MPI_Win_sync, window);
}

void Shm::split_links() {
  IslandLinks links = halocline::detail::split_links(pattern(), islands_);
  sends_ = links.inside.sends();
  receives_ = links.inside.receives();
  for (const Link& link : sends_) targets_.push_back(link.peer);
  for (const Link& link : receives_) sources_.push_back(link.peer);
  outer_pattern_ = std::move(links.outside);
  places_ = std::move(links.places);
}

void Shm::make_outer(bool two_way) {
  Setup inner = setup().another(scheme().option("outer"), outer_pattern_);
  inner.two_way = two_way;
  outer_ = Inner(std::move(inner));
}

/// Collective: all ranks of the exchange take the same way. Whether any has links in its island.
bool Shm::choose_access() {
  const auto& fields = setup().fields;
  // Ranks need not have the same fields where there are several parts.
  const bool in_fields = !scheme().is("access", "slots") && !setup().several;
  bool reachable = in_fields;
  // A rank that only receives in other fields need not be readable: of peers, those count that send
  // to me.
  for (std::size_t f = 0; in_fields && f < setup().fields_in_message(); ++f) {
    const auto is_read = [&](int peer) {
      return fields[f].memory.of_peer(comm(), peer) != nullptr;
    };
    reachable = reachable && (targets_.empty() || place_in_memory(fields[f]) >= 0) &&
                std::ranges::all_of(sources_, is_read);
  }

  std::vector<int> outer_targets, outer_sources;
  for (const Link& link : outer_pattern_.sends()) outer_targets.push_back(link.peer);
  for (const Link& link : outer_pattern_.receives()) outer_sources.push_back(link.peer);
  const auto everywhere =
      mpi::agree(comm(), "",
                 {reachable, same_ranks(targets_, sources_), !Patience::yields(), targets_.empty(),
                  outer_pattern_.empty(), same_ranks(outer_targets, outer_sources)});
  if (everywhere[0]) access_ = scheme().is("access", "direct") ? Access::direct : Access::copy;
  out_of_reach_ = in_fields && !everywhere[0];
  two_way_ = everywhere[1];
  // Where ranks take turns on a core, its cache is the nearest place for a message.
  most_in_caches_ = everywhere[2] ? 2048 : std::numeric_limits<std::size_t>::max();
  if (!everywhere[4]) make_outer(everywhere[5]);
  return !everywhere[3];
}

void Shm::find_fields() {
  const auto& fields = setup().fields;
  std::vector<Layout> mine;
  for (const Link& link : sends_)
    mine.push_back(in_memory(
        direct() ? Layout(boxes_of(link.blocks, setup().send_fields())) : setup().send_layout(link),
        fields));
  const std::vector<Layout> theirs = trade_layouts(comm(), targets_, mine, sources_);
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    Source& source = from_[i];
    for (const Field& field : setup().send_fields())
      source.bases.push_back(field.memory.of_peer(comm(), sources_[i]));
    if (direct())
      source.halo = Layout(
          boxes_of(receives_[i].blocks, setup().receive_fields(), setup().first_receive_field()));
    source.boxes = theirs[i];
    source.copy = {theirs[i], source.halo, CellsOf::peer};
    source.in_place = direct() && same_shape(theirs[i], source.halo);
  }
  for (const Field& field : setup().send_fields()) {
    if (sends_.empty() && receives_.empty()) break;
    if (uses(field.memory.win())) epochs_.push_back(field.memory.passive_epoch());
  }
}

/// Behind the lines of the method's own.
void Shm::make_slots(std::size_t begin) {
  // What follows the header of a frame begins a line, unless all is in one.
  const auto lead = [&](const Layout& cells) {
    return setup().framing && cells.bytes() > cache_line ? cache_line - Framing::header : 0;
  };
  const auto apart = [](std::size_t message) {
    return round_up(std::max<std::size_t>(message, 1), line_pair);
  };
  std::vector<std::int64_t> begins;
  std::size_t bytes = begin;
  for (const Target& target : to_) {
    const std::size_t message = lead(target.cells) + target.cells.bytes();
    begins.push_back(static_cast<std::int64_t>(bytes));
    bytes += 2 * apart(message);
  }
  shared_ = pool_.take(bytes, scheme());
  for (std::int64_t& place : begins) place += shared_.place();

  const auto slots = [&](const Layout& cells, std::byte* begin) -> Slots {
    const std::size_t place = lead(cells);
    return {begin + place, begin + place + apart(place + cells.bytes())};
  };
  const auto theirs = trade(comm(), targets_, begins, sources_, 1);
  for (std::size_t i = 0; i < to_.size(); ++i)
    to_[i].slots = slots(to_[i].cells, pool_.mine(begins[i]));
  for (std::size_t i = 0; i < from_.size(); ++i)
    from_[i].slots = slots(from_[i].halo, pool_.at(sources_[i], theirs[i]));
  for (const std::int64_t place : begins) uses(pool_.window(place));
  for (const std::int64_t place : theirs) uses(pool_.window(place));
}

/// Whether that is new.
bool Shm::uses(MPI_Win window) {
  if (std::find(windows_.begin(), windows_.end(), window) != windows_.end()) return false;
  windows_.push_back(window);
  return true;
}

std::vector<mpi::Window> Shm::control_windows(MPI_Comm all, const Scheme& scheme, MPI_Comm island,
                                              std::size_t count) {
  const mpi::Info hints{{"alloc_shared_noncontig", "true"}};
  const auto allocate = [&](MPI_Win* made) {
    void* unused = nullptr;
    HALOCLINE_MPI(MPI_Win_allocate_shared, cache_line, 1, hints, island, &unused, made);
  };
  std::vector<NewWindow> wanted;
  if (island != MPI_COMM_NULL) wanted.assign(count, {island, cache_line, allocate});
  return make_windows(all,
                      {scheme.str(), "End exchanges that are not used any more, or use shm:signal",
                       "make /dev/shm larger, or use a p2p scheme"},
                      wanted);
}

void Shm::sync_release() const {
  for (const MPI_Win window : windows_) HALOCLINE_MPI(MPI_Win_sync, window);
  std::atomic_thread_fence(std::memory_order_release);
}

void Shm::sync_acquire() const {
  std::atomic_thread_fence(std::memory_order_acquire);
  for (const MPI_Win window : windows_) HALOCLINE_MPI(MPI_Win_sync, window);
}

void Shm::fill_messages() {
  const auto time = packing();
  slot_ = 1 - slot_;
  for (const Target& target : to_)
    if (std::byte* const message = target.slots[slot_]) fill(message, target.cells);
}

void Shm::fill_frame(std::byte* message, const Layout& cells) const {
  if (lent_) return;
  constexpr std::size_t header = Framing::header;
  const std::byte* const frame = cells.address(bases());
  const std::size_t used = setup().in_use(frame, cells.bytes());
  if (used <= std::max(most_in_caches_, cache_line)) {
    std::memcpy(message, frame, used);
    return;
  }
  std::memcpy(message, frame, header);
  detail::stream(frame + header, used - header, message + header);
}

void Shm::fill(std::byte* message, const Layout& cells) const {
  if (setup().framing) {
    fill_frame(message, cells);
  } else if (cells.bytes() > most_in_caches_) {
    cells.stream(bases(), message);
  } else {
    cells.pack(bases(), message);
  }
}

/// An application's sweep has driven it out of the caches. To fetch it takes as long as a flag's
/// way from core to core, so that is done while the sources' are under way.
void Shm::look_ahead() const {
  for (const Source& source : from_)
    if (source.slots[slot_] == nullptr) {
      __builtin_prefetch(source.bases.data());
      source.copy.look_ahead();
    } else {
      __builtin_prefetch(source.halo.pieces().data());
    }
}

void Shm::copy_own() {
  look_ahead();
  if (!keeps()) return;
  const auto time = packing();
  copy_local();
}

void Shm::take(std::size_t number) {
  const Source& source = from_[number];
  if (source.in_place || (lent_ && two_way_)) return;
  const auto time = packing(sources_[number]);
  const std::byte* const message = source.slots[slot_];
  if (setup().framing) {
    const std::byte* const frame = message ? message : source.boxes.address(source.bases);
    std::memcpy(source.halo.address(bases()), frame, setup().in_use(frame, source.halo.bytes()));
  } else if (message) {
    source.halo.unpack(bases(), message);
  } else {
    source.copy.run(source.bases, bases());
  }
}

/// Slots are not the fields' (MethodFacts::rebinds).
void Shm::rebound() {
  if (outer_) outer_.rebind(setup().fields);
}

/// Messages in place of copies from peers' fields; with access=direct nothing would be copied.
std::size_t Shm::avoidable_bytes() const {
  std::size_t bytes = outer_ ? outer_.method().avoidable_bytes() : 0;
  if (!out_of_reach_) return bytes;
  for (const Link& link : sends_) bytes += setup().bytes(link);
  if (scheme().is("access", "direct"))
    for (const Link& link : receives_) bytes += setup().bytes(link);
  return bytes;
}

std::optional<std::size_t> Shm::lend_frames() {
  if (!setup().framing || access_ != Access::slots) return {};
  lent_ = true;
  return most_in_caches_;
}

std::byte* Shm::frame_to(int peer) {
  const auto target = std::ranges::find(targets_, peer);
  if (target == targets_.end()) return nullptr;
  return to_[static_cast<std::size_t>(target - targets_.begin())].slots[1 - slot_];
}

/// A peer fills the slot again in its step after the next one, which it comes to when I have begun
/// the next one; where it need not wait for me, I have copied the frame.
std::byte* Shm::frame_from(int peer) {
  const auto source = std::ranges::find(sources_, peer);
  if (source == sources_.end() || !two_way_) return nullptr;
  return from_[static_cast<std::size_t>(source - sources_.begin())].slots[slot_];
}

HaloView Shm::view(std::size_t link, std::size_t block, std::size_t field) const {
  const LinkPlace place = places_.at(link);
  if (place.outer) return outer_.method().view(place.index, block, field);
  const Source& source = from_[place.index];
  if (!source.in_place) return Method::view(link, block, field);
  const Piece& box = source.boxes.pieces().at(field * receives_[place.index].blocks.size() + block);
  return {source.bases.at(field) + box.offset,
          {box.plane_stride, box.row_stride,
           static_cast<std::ptrdiff_t>(setup().fields[field].element_bytes)}};
}

// ---- description -----------------------------------------------------------------------------

void ShmDescribed::notify_sources(model::Script& script, std::string_view cost) const {
  for (const model::LinkSize& link : links_.receives)
    script.notify(link.peer, model::Word::returned, cost);
}

void ShmDescribed::await_targets(model::Script& script, std::string_view cost) const {
  for (const model::LinkSize& link : links_.sends)
    script.await(link.peer, model::Word::returned, cost);
}

void ShmDescribedByPeer::announce(model::Script& script) const {
  for (const model::LinkSize& link : links_.sends)
    script.notify(link.peer, model::Word::arrived, notify_);
}

void ShmDescribedByPeer::arrived(model::Script& script, const model::LinkSize& link) const {
  script.await(link.peer, model::Word::arrived, await_);
}

void ShmDescribedByPeer::release(model::Script& script) const {
  notify_sources(script, notify_);
  await_targets(script, await_);
}

bool readers_notify(const model::Chosen& chosen, const model::Links& links) {
  return chosen.is("access", "copy") || (!chosen.is("access", "direct") && !links.two_way);
}

model::Step describe_shm(const model::Chosen& chosen, const model::Links& inside,
                         const model::Links& outside, const ShmDescribed& method) {
  model::Step step, outer;
  if (inside.several_islands || !outside.sends.empty() || !outside.receives.empty()) {
    const auto named = chosen.options.find("outer");
    outer = named == chosen.options.end() ? describe(model::Chosen{"p2p:nonblocking"}, outside)
                                          : describe(Scheme(named->second), outside);
  }
  model::Script start(step.start), finish(step.finish);
  const bool direct = chosen.is("access", "direct");
  const bool slots = !direct && !chosen.is("access", "copy");

  start.then(outer.start);
  if (slots)
    for (const model::LinkSize& link : inside.sends) {
      start.pack(link, "pack:slot");
      step.window_bytes += 2 * link.bytes;
    }
  method.announce(start);
  start.keep(inside);
  method.arrived(finish);
  finish.whichever_first(inside.receives, [&](const model::LinkSize& link) {
    method.arrived(finish, link);
    if (slots) finish.unpack(link, "unpack:slot");
    if (!slots && !direct) finish.copy(link, "copy:peer");
  });
  if (method.readers_notify()) method.release(finish);
  // The next store into lines that others have read waits for these lines.
  if (!slots)
    for (const model::LinkSize& link : inside.sends) finish.copy(link, "restore");
  finish.then(outer.finish);
  step.buffer_bytes += outer.buffer_bytes;
  step.window_bytes += outer.window_bytes;
  return step;
}

MethodFacts shm_facts(std::string name, std::string summary, std::unique_ptr<Method> (*make)(Setup),
                      model::Step (*describe)(const model::Chosen&, const model::Links&)) {
  const auto check_outer = [](const std::string& text) {
    const Scheme outer(text);
    if (facts(outer).within_islands)
      throw Error("outer=" + text + ": links between islands need another family");
  };
  return {
      .name = std::move(name),
      .summary = std::move(summary),
      .options = {{"access", {"slots", "copy", "direct"}},
                  {"island",
                   {"node", "numa", "2"},
                   [](const std::string& text) { IslandSpec{text}; }},
                  {"outer", {"p2p:nonblocking", "p2p:persistent"}, check_outer}},
      .make = make,
      .describe = describe,
      .refusals = {{"notify", "the method's own synchronisation notifies the readers; drop notify"},
                   {"alloc", "cells are read in the island's shared memory; drop alloc"},
                   {"windows", "loads and stores need no windows; drop windows"},
                   {"group", "only ranks with links synchronise; drop group"},
                   {"asserts", "assertions would undo the synchronisation; drop asserts"},
                   {"pack", "loads and stores need no datatypes; drop pack"},
                   {"mode", "the empty messages are standard sends; drop mode"}},
      .memory =
          [](const Scheme& scheme) {
            return scheme.is("access", "slots") ? MemoryKind::plain : MemoryKind::shared;
          },
      .reads_in_place = [](const Scheme& scheme) { return scheme.is("access", "direct"); },
      .waits = [](const Scheme&) { return waits::for_memory; },
      .rebinds = [](const Scheme& scheme) { return scheme.is("access", "slots"); },
      .within_islands = true,
      .trusted = true};
}

}  // namespace halocline::detail
