// What is put, got or accumulated through the windows, and the messages that it comes from.

#include "rma_windows.hpp"

#include "exchange/core/pattern_check.hpp"
#include "exchange/core/trade.hpp"
#include "exchange/routes/combine.hpp"
#include "mpi/windows.hpp"

#include <halocline/more/waiting.hpp>

#include <algorithm>
#include <cstring>
#include <map>

namespace halocline::detail {

namespace {

void add_once(std::vector<int>& ranks, int rank) {
  if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) ranks.push_back(rank);
}

std::size_t bytes_of(MPI_Datatype type) {
  int bytes = 0;
  HALOCLINE_MPI(MPI_Type_size, type, &bytes);
  return static_cast<std::size_t>(bytes);
}

/// Bytes that follow each other.
Layout one_piece(std::size_t bytes) {
  const auto row = static_cast<std::int64_t>(bytes);
  return Layout({Piece{.field = 0,
                       .offset = 0,
                       .planes = 1,
                       .rows = 1,
                       .row_bytes = row,
                       .plane_stride = row,
                       .row_stride = row,
                       .words = 0}});
}

/// Does a message name a cell twice?
bool repeats(const Layout& cells) {
  std::vector<std::pair<std::int64_t, std::int64_t>> rows;
  for (const Piece& piece : cells.pieces())
    for (std::int64_t row = 0; row < piece.planes * piece.rows; ++row) {
      const std::int64_t begin = piece.offset + row / piece.rows * piece.plane_stride +
                                 row % piece.rows * piece.row_stride;
      rows.emplace_back(begin, begin + piece.row_bytes);
    }
  std::sort(rows.begin(), rows.end());
  return std::adjacent_find(rows.begin(), rows.end(), [](const auto& one, const auto& next) {
           return one.second > next.first;
         }) != rows.end();
}

/// From where to where.
using Transfer = std::pair<Layout, Layout>;
/// One MPI_Accumulate may name no byte of its target twice: a message that does goes in parts, of
/// which each names what those before it have left over.
std::vector<Transfer> transfers_without_repeats(const Layout& from, const Layout& to,
                                                std::size_t number_bytes) {
  if (!repeats(to)) return {{from, to}};
  std::vector<std::pair<std::vector<Piece>, std::vector<Piece>>> parts;
  std::map<std::int64_t, std::size_t> times;  // that a number was named
  const auto sent = from.cut(number_bytes);
  const auto named = to.cut(number_bytes);
  for (std::size_t i = 0; i < named.size(); ++i) {
    const std::size_t part = times[named[i].pieces().front().offset]++;
    if (part == parts.size()) parts.emplace_back();
    parts[part].first.push_back(sent[i].pieces().front());
    parts[part].second.push_back(named[i].pieces().front());
  }
  std::vector<Transfer> transfers;
  for (auto& [here, there] : parts) transfers.emplace_back(Layout(here), Layout(there));
  return transfers;
}

}  // namespace

bool is_unified(MPI_Win window) {
  int* model = nullptr;
  int found = 0;
  HALOCLINE_MPI(MPI_Win_get_attr, window, MPI_WIN_MODEL, &model, &found);
  return found != 0 && *model == MPI_WIN_UNIFIED;
}

/// Tells every origin of mine where its link lies in my windows, and learns the same of my targets.
void RmaWindows::prepare_accesses(const Setup& setup, const std::vector<std::int64_t>& places) {
  const std::size_t parts = in_place_ ? setup.fields_in_message() : 1;  // transfers of a link
  const std::size_t here = puts_ ? 0 : setup.first_receive_field(),
                    there = setup.first_receive_field() - here;
  const auto theirs = trade(setup.comm, origins_, places, targets_, 2 * parts);
  std::vector<Layout> exposed, remote;
  const auto& inward = puts_ ? setup.pattern.receives() : setup.pattern.sends();
  const auto& outward = puts_ ? setup.pattern.sends() : setup.pattern.receives();
  if (in_place_) {
    for (const Link& link : inward)
      exposed.push_back(puts_ ? setup.receive_layout(link) : setup.send_layout(link));
    remote = trade_layouts(setup.comm, origins_, exposed, targets_);
  }
  // Cells that others add to are sent as they were when the step began.
  const bool by_buffer = accumulates() && find_clash(setup.pattern, setup.apart, true);
  for (std::size_t i = 0; i < outward.size(); ++i) {
    const Layout local = puts_ ? setup.send_layout(outward[i]) : setup.receive_layout(outward[i]);
    if (by_buffer) staged_.push_back({local, std::vector<std::byte>(local.bytes())});
    std::byte* next = by_buffer ? staged_.back().buffer.data() : nullptr;
    RmaAccess access;
    access.peer = outward[i].peer;
    access.bytes = message_bytes(local);
    for (std::size_t part = 0; part < parts; ++part) {
      const std::int64_t* place = theirs.data() + 2 * (i * parts + part);
      RmaWindow& window =
          windows_[neighborhood_of(outward[i].peer).first + static_cast<std::size_t>(place[0])];
      access.target =
          mpi::translate(setup.comm, std::span(&outward[i].peer, 1), window.comm).front();
      add_once(window.targets, access.target);
      if (std::find(access.windows.begin(), access.windows.end(), window.handle) ==
          access.windows.end())
        access.windows.push_back(window.handle);
      std::vector<RmaTransfer> transfers;
      if (!in_place_) {
        transfers.push_back(to_or_from_slot(local));
      } else {
        const std::size_t field = here + part;
        const Layout cells = local.of_field(field);
        transfers = between_fields(by_buffer ? next : bases_[field],
                                   by_buffer ? one_piece(cells.bytes()) : cells,
                                   remote[i].of_field(there + part), setup.fields[field].number);
        next += by_buffer ? cells.bytes() : 0;
      }
      for (RmaTransfer& transfer : transfers) {
        transfer.window = window.handle;
        transfer.target = access.target;
        transfer.displacement += place[1];
        access.transfers.push_back(transfer);
      }
    }
    accesses_.push_back(std::move(access));
  }
}

RmaTransfer RmaWindows::to_or_from_slot(const Layout& local) {
  staged_.push_back({.layout = local});
  std::byte* here = nullptr;
  // What is got may come late.
  if (local.contiguous() && demands_.header == 0 && (puts_ || setup_.keeps(local))) {
    here = local.address(bases_);
  } else {
    staged_.back().buffer.resize(message_bytes(local));
    here = staged_.back().buffer.data();
  }
  const mpi::Bytes& bytes = bytes_.emplace_back(message_bytes(local));
  return {.here = here,
          .frame = setup_.framing ? message_bytes(local) : 0,
          .count = bytes.count(),
          .type = bytes.type(),
          .slot = static_cast<MPI_Aint>(message_bytes(local)),
          .target_count = bytes.count(),
          .target_type = bytes.type()};
}

void RmaWindows::rebind(const Bases& bases) {
  bases_ = bases;
  for (std::size_t i = 0; i < staged_.size(); ++i)
    if (staged_[i].buffer.empty())
      accesses_[i].transfers.front().here = staged_[i].layout.address(bases_);
}

/// Between cells here, which count from `base`, and those of a field there.
std::vector<RmaTransfer> RmaWindows::between_fields(std::byte* base, const Layout& local,
                                                    const Layout& remote, Number number) {
  if (!accumulates()) return {between_fields(base, local, remote, MPI_DATATYPE_NULL)};
  const MPI_Datatype numbers = mpi_type(number);
  std::vector<RmaTransfer> transfers;
  for (const auto& [from, to] : transfers_without_repeats(local, remote, bytes_of(numbers)))
    transfers.push_back(between_fields(base, from, to, numbers));
  for (RmaTransfer& transfer : transfers) transfer.op = mpi_op(setup_.combine, number);
  return transfers;
}

/// The datatypes consist of `numbers`; of bytes if that is null.
RmaTransfer RmaWindows::between_fields(std::byte* base, const Layout& local, const Layout& remote,
                                       MPI_Datatype numbers) {
  if (local.contiguous() && remote.contiguous()) {
    const MPI_Datatype unit = numbers == MPI_DATATYPE_NULL ? MPI_BYTE : numbers;
    const mpi::Bytes& bytes = bytes_.emplace_back(local.bytes() / bytes_of(unit), unit);
    return {.here = local.address({base}),
            .frame = setup_.framing ? local.bytes() : 0,
            .count = bytes.count(),
            .type = bytes.type(),
            .displacement = remote.pieces().front().offset,
            .target_count = bytes.count(),
            .target_type = bytes.type()};
  }
  // The peer's layout is relative to its field, wherever that is.
  const MPI_Datatype here = types_.emplace_back(local.datatype({base}, base, numbers));
  const MPI_Datatype there = types_.emplace_back(remote.datatype({base}, base, numbers));
  return {.here = base, .count = 1, .type = here, .target_count = 1, .target_type = there};
}

bool RmaWindows::unified() const {
  return std::all_of(windows_.begin(), windows_.end(),
                     [](const RmaWindow& window) { return is_unified(window.handle); });
}

std::byte* RmaWindows::slot(std::size_t exposure, int turn) const {
  const Exposure& link = exposures_[exposure];
  return link.slot + static_cast<std::size_t>(turn) * message_bytes(link.layout);
}

void RmaWindows::move(const RmaAccess& access, int turn) const {
  // The call need not return before the target has posted or granted the lock.
  const Blocking guard(what_);
  // A put sends only the bytes of a frame that are in use; a get cannot know how many these are.
  const auto used = [&](const RmaTransfer& t) {
    return setup_.in_use(static_cast<const std::byte*>(t.here), t.frame);
  };
  std::size_t bytes = access.bytes;
  for (const RmaTransfer& t : access.transfers)
    if (puts_ && t.frame > 0) bytes -= t.frame - used(t);
  const trace::Event event(accumulates() ? Activity::accumulate
                           : puts_       ? Activity::put
                                         : Activity::get,
                           access.peer, bytes);
  const auto call = [&](const RmaTransfer& t, int count, MPI_Datatype type, int target_count,
                        MPI_Datatype target_type) {
    const MPI_Aint displacement = t.displacement + turn * t.slot;
    if (accumulates())
      HALOCLINE_MPI(MPI_Accumulate, t.here, count, type, t.target, displacement, target_count,
                    target_type, t.op, t.window);
    else if (puts_)
      HALOCLINE_MPI(MPI_Put, t.here, count, type, t.target, displacement, target_count, target_type,
                    t.window);
    else
      HALOCLINE_MPI(MPI_Get, t.here, count, type, t.target, displacement, target_count, target_type,
                    t.window);
  };
  for (const RmaTransfer& t : access.transfers)
    if (puts_ && t.frame > 0) {
      const mpi::Bytes some(used(t));
      call(t, some.count(), some.type(), some.count(), some.type());
    } else {
      call(t, t.count, t.type, t.target_count, t.target_type);
    }
}

void RmaWindows::pack() {
  if (puts_) {
    for (Staged& message : staged_)
      if (!message.buffer.empty()) message.layout.pack(bases_, message.buffer.data());
  } else {
    for (std::size_t i = 0; i < exposures_.size(); ++i) pack(exposures_[i].layout, slot(i, turn_));
  }
}

/// Packs what is in use of a frame.
void RmaWindows::pack(const Layout& layout, std::byte* message) const {
  if (setup_.framing) {
    const std::byte* const frame = layout.address(bases_);
    std::memcpy(message, frame, setup_.in_use(frame, layout.bytes()));
  } else {
    layout.pack(bases_, message);
  }
}

void RmaWindows::unpack(const Layout& layout, const std::byte* message) const {
  if (setup_.framing)
    std::memcpy(layout.address(bases_), message, setup_.in_use(message, layout.bytes()));
  else
    layout.unpack(bases_, message);
}

void RmaWindows::unpack() {
  if (puts_) {
    for (std::size_t i = 0; i < exposures_.size(); ++i)
      unpack(exposures_[i].layout, slot(i, turn_));
  } else {
    for (const Staged& message : staged_)
      if (!message.buffer.empty()) message.layout.unpack(bases_, message.buffer.data());
  }
  turn_ = (turn_ + 1) % demands_.slots;
}

}  // namespace halocline::detail
