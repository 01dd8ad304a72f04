#include "links.hpp"

#include <GASPI_Ext.h>

#include <algorithm>
#include <atomic>
#include <halocline/more/under_way.hpp>
#include <halocline/more/waiting.hpp>

namespace halocline_gaspi {

namespace {

/// Notifications carry 32 bits and are never 0. Numbers that are looked at together are close.
constexpr std::uint64_t cycle = std::uint64_t{1} << 31;
/// Each part counts from a number of its own: what is not of this exchange is recognised.
gaspi_notification_t value_of(std::uint64_t base, std::uint64_t number) {
  return static_cast<gaspi_notification_t>(1 + (base + number) % cycle);
}
std::uint64_t next_base() {
  static std::uint64_t base = 0;
  return base = (base + 7919 * 4096) % cycle;
}
/// The newer one of what a notification says and what is known.
std::uint64_t newer(gaspi_notification_t value, std::uint64_t base, std::uint64_t known) {
  const std::uint64_t ahead = (value - 1 + cycle - (base + known) % cycle) % cycle;
  return ahead < cycle / 2 ? known + ahead : known;
}

/// One of `count` notifications that has come.
std::optional<gaspi_notification_id_t> look(gaspi_segment_id_t segment,
                                            gaspi_notification_id_t first, std::size_t count) {
  gaspi_notification_id_t found = 0;
  const gaspi_return_t result =
      gaspi_notify_waitsome(segment, first, static_cast<gaspi_number_t>(count), &found, GASPI_TEST);
  if (result == GASPI_TIMEOUT) return std::nullopt;
  check(result, "gaspi_notify_waitsome");
  return found;
}

/// Its value; it may come again.
gaspi_notification_t take(gaspi_segment_id_t segment, gaspi_notification_id_t id) {
  gaspi_notification_t value = 0;
  HALOCLINE_GASPI(gaspi_notify_reset, segment, id, &value);
  std::atomic_thread_fence(std::memory_order_acquire);  // before what it announces is read
  return value;
}

/// Takes what one link's notifications say if it is newer than what is known; how many have come.
template <class Notifications>
std::uint64_t take_newest(gaspi_segment_id_t segment, const Notifications& of, std::size_t slots,
                          std::uint64_t base, std::uint64_t& known) {
  std::uint64_t come = 0;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    if (!look(segment, of.of(slot), 1)) continue;
    known = newer(take(segment, of.of(slot)), base, known);
    ++come;
  }
  return come;
}

bool is_empty(gaspi_queue_id_t queue) {
  const gaspi_return_t result = gaspi_wait(queue, GASPI_TEST);
  if (result == GASPI_TIMEOUT) return false;
  check(result, "gaspi_wait");
  return true;
}

/// Ranks of MPI_COMM_WORLD that this one is connected with.
std::set<int>& connected() {
  static std::set<int> ranks;
  return ranks;
}

std::vector<int> peers(const std::vector<NotifiedLinks::End>& links) {
  std::vector<int> ranks;
  for (const NotifiedLinks::End& link : links) ranks.push_back(link.peer);
  return ranks;
}

/// What a write of any length, or a notification, takes of a queue in every device of GPI-2.
constexpr std::size_t entries_of_a_write = 2;

}  // namespace

std::vector<Numbers> trade(MPI_Comm comm, const std::vector<int>& to,
                           const std::vector<Numbers>& mine, const std::vector<int>& from) {
  constexpr int tag = 1;
  const auto round = [&](const std::vector<Numbers>& given, const Numbers& lengths) {
    const auto out = std::make_shared<std::vector<Numbers>>(given);
    const auto in = std::make_shared<std::vector<Numbers>>();
    for (const std::int64_t length : lengths) in->emplace_back(static_cast<std::size_t>(length));
    mpi::UnderWay sends(mpi::UnderWay::others, to.size(), out);
    mpi::UnderWay receives(mpi::UnderWay::receives, from.size(), in);
    for (std::size_t i = 0; i < from.size(); ++i)
      HALOCLINE_MPI(MPI_Irecv, (*in)[i].data(), static_cast<int>((*in)[i].size()), MPI_INT64_T,
                    from[i], tag, comm, &receives[i]);
    for (std::size_t i = 0; i < to.size(); ++i)
      HALOCLINE_MPI(MPI_Isend, (*out)[i].data(), static_cast<int>((*out)[i].size()), MPI_INT64_T,
                    to[i], tag, comm, &sends[i]);
    wait_all("gaspi: set-up", receives);
    wait_all("gaspi: set-up", sends);
    return std::move(*in);
  };
  std::vector<Numbers> lengths;
  for (const Numbers& one : mine) lengths.push_back({static_cast<std::int64_t>(one.size())});
  Numbers theirs;
  for (const Numbers& one : round(lengths, Numbers(from.size(), 1))) theirs.push_back(one[0]);
  return round(mine, theirs);
}

NotifiedLinks::NotifiedLinks(const Setup& setup, const std::vector<End>& outgoing,
                             const std::vector<End>& incoming, int slots, bool permits)
    : comm_(setup.comm),
      what_(setup.scheme.str()),
      slots_(static_cast<std::size_t>(slots)),
      outgoing_(outgoing),
      incoming_(incoming) {
  start(comm_, what_);
  at_once_ = ask(gaspi_transfer_size_max, "gaspi_transfer_size_max");
  room_ = ask(gaspi_queue_size_max, "gaspi_queue_size_max");
  if (room_ < entries_of_a_write)
    throw Error(what_ + ": GASPI's queues have room for " + std::to_string(room_) +
                " requests, and a write with its notification takes " +
                std::to_string(entries_of_a_write) + "; raise queue_size_max (gaspi_config_set)");
  list_ = std::min<std::size_t>(ask(gaspi_rw_list_elem_max, "gaspi_rw_list_elem_max"), room_ - 1);
  // The last two: programs begin with the first.
  const auto queues = ask(gaspi_queue_num, "gaspi_queue_num");
  queues_ = {static_cast<gaspi_queue_id_t>(queues - 1),
             static_cast<gaspi_queue_id_t>(queues > 1 ? queues - 2 : 0)};

  gaspi_offset_t bytes = 0;
  const auto lay_out = [&](const std::vector<End>& links, std::vector<gaspi_offset_t>& begins) {
    for (const End& link : links) {
      begins.push_back(bytes);
      bytes += slots_ * round_up(link.bytes, cache_line);
    }
  };
  lay_out(outgoing_, out_);
  lay_out(incoming_, in_);
  mpi::together(comm_, [&] {
    part_ = Segments::mine().take(
        bytes, slots_ * (incoming_.size() + (permits ? outgoing_.size() : 0)), what_);
  });
  for (auto* begins : {&out_, &in_})
    for (gaspi_offset_t& begin : *begins) begin += static_cast<gaspi_offset_t>(part_.begin);
  base_ = next_base();
  const auto first = static_cast<Id>(part_.first);
  arrivals_ = {first, static_cast<Id>(incoming_.size())};
  if (permits) {
    permits_ = std::make_shared<Permits>();
    permits_->segment = part_.segment;
    permits_->slots = slots_;
    permits_->base = base_;
    permits_->read.resize(outgoing_.size(), 0);
    permits_->taken = permits_->due = permits_->read;
    for (std::size_t link = 0; link < outgoing_.size(); ++link)
      permits_->of.push_back({static_cast<Id>(first + slots_ * incoming_.size() + link),
                              static_cast<Id>(outgoing_.size())});
  }

  const std::vector<int> targets = peers(outgoing_), sources = peers(incoming_);
  const std::vector<int> to = mpi::translate(comm_, targets, world()),
                         from = mpi::translate(comm_, sources, world());
  std::set<int> fresh(to.begin(), to.end());
  fresh.insert(from.begin(), from.end());
  std::erase_if(fresh, [](int rank) { return !connected().insert(rank).second; });
  mpi::together(comm_, [&] {
    const Blocking guard(what_.c_str());
    Segments::mine().register_at(part_, from);
    if (permits) Segments::mine().register_at(part_, to);
    for (const int rank : fresh)  // one of the two connects both
      if (rank > mpi::rank(world()))
        HALOCLINE_GASPI(gaspi_connect, static_cast<gaspi_rank_t>(rank), patience());
  });

  // Where the other end of each link finds its slots and notifications here.
  const auto traded = [&](const std::vector<int>& ranks, const std::vector<gaspi_offset_t>& begins,
                          const auto& notifications, const std::vector<int>& others,
                          const std::vector<int>& theirs) {
    std::vector<Numbers> mine;
    for (std::size_t link = 0; link < ranks.size(); ++link) {
      const Notifications ids = notifications(link);
      mine.push_back({part_.segment, static_cast<std::int64_t>(begins[link]), ids.first, ids.stride,
                      static_cast<std::int64_t>(base_)});
    }
    const std::vector<Numbers> all = trade(comm_, ranks, mine, others);
    std::vector<There> there;
    for (std::size_t link = 0; link < others.size(); ++link) {
      const Numbers& one = all[link];
      there.push_back({static_cast<gaspi_rank_t>(theirs[link]),
                       static_cast<gaspi_segment_id_t>(one[0]),
                       static_cast<gaspi_offset_t>(one[1]),
                       {static_cast<Id>(one[2]), static_cast<Id>(one[3])},
                       static_cast<std::uint64_t>(one[4])});
    }
    return there;
  };
  out_there_ = traded(
      sources, in_,
      [&](std::size_t link) {
        return Notifications{static_cast<Id>(first + link), arrivals_.stride};
      },
      targets, to);
  if (permits)
    in_there_ = traded(
        targets, out_, [&](std::size_t link) { return permits_->of[link]; }, sources, from);
  greet(fresh, to, from);
}

/// Two notifications there and back, between ranks that have just been connected. GPI-2's TCP
/// device may have made two connections of one, and changes over to the second while it works: what
/// it sends then, a notification of it could overtake.
void NotifiedLinks::greet(const std::set<int>& fresh, const std::vector<int>& to,
                          const std::vector<int>& from) {
  if (mpi::all_of(comm_, fresh.empty())) return;
  for (int round = 0; round < 2; ++round) {
    const gaspi_queue_id_t by = queue(0);
    const auto hello = [&](const There& there) {
      make_room(by, entries_of_a_write);
      HALOCLINE_GASPI(gaspi_notify, there.segment, there.rank, there.notifications.of(0),
                      value_of(there.base, 0), by, patience());
    };
    const auto await = [&](Id id) {
      wait_until(what_.c_str(),
                 [&] { return look(part_.segment, id, 1) || (let_progress(comm_), false); });
      take(part_.segment, id);
    };
    for (std::size_t link = 0; link < to.size(); ++link)
      if (fresh.contains(to[link])) hello(out_there_[link]);
    for (std::size_t link = 0; permits_ && link < from.size(); ++link)
      if (fresh.contains(from[link])) hello(in_there_[link]);
    for (std::size_t link = 0; link < from.size(); ++link)
      if (fresh.contains(from[link])) await(arrivals_.first + static_cast<Id>(link));
    for (std::size_t link = 0; permits_ && link < to.size(); ++link)
      if (fresh.contains(to[link])) await(permits_->of[link].first);
    mpi::all_of(comm_, true);  // the next round's do not meet this one's
  }
}

NotifiedLinks::~NotifiedLinks() {
  if (left_behind_ || mpi::abandoning() || !runs()) return;
  Segments::mine().give_back(part_, [permits = permits_, queues = queues_] {
    return std::all_of(queues.begin(), queues.end(), is_empty) &&
           (!permits || permits->all_taken());
  });
}

gaspi_offset_t NotifiedLinks::at(gaspi_offset_t slots, std::size_t bytes,
                                 std::uint64_t number) const {
  return slots + slot(number) * round_up(bytes, cache_line);
}

bool NotifiedLinks::left(std::uint64_t number) {
  return number <= slots_ || has_left(number - slots_);
}

bool NotifiedLinks::has_left(std::uint64_t number) const {
  return is_empty(queue(number));
}

std::byte* NotifiedLinks::place(std::size_t link, std::uint64_t number) const {
  return part_.memory +
         (at(out_[link], outgoing_[link].bytes, number) - static_cast<gaspi_offset_t>(part_.begin));
}

const std::byte* NotifiedLinks::message(std::size_t link, std::uint64_t number) const {
  return part_.memory +
         (at(in_[link], incoming_[link].bytes, number) - static_cast<gaspi_offset_t>(part_.begin));
}

void NotifiedLinks::make_room(gaspi_queue_id_t queue, std::size_t entries) {
  gaspi_number_t used = 0;
  HALOCLINE_GASPI(gaspi_queue_size, queue, &used);
  if (used + entries <= room_) return;
  wait_until(what_.c_str(), [&] { return is_empty(queue) || (let_progress(comm_), false); });
}

void NotifiedLinks::send(std::size_t link, std::uint64_t number, std::size_t bytes) {
  const There& there = out_there_[link];
  gaspi_offset_t from = at(out_[link], outgoing_[link].bytes, number);
  gaspi_offset_t to = at(there.slots, outgoing_[link].bytes, number);
  for (; bytes > at_once_; bytes -= at_once_, from += at_once_, to += at_once_) {
    make_room(queue(number), entries_of_a_write);
    HALOCLINE_GASPI(gaspi_write, part_.segment, from, there.rank, there.segment, to, at_once_,
                    queue(number), patience());
  }
  make_room(queue(number), entries_of_a_write);
  if (permits_) ++permits_->due[link];
  HALOCLINE_GASPI(gaspi_write_notify, part_.segment, from, there.rank, there.segment, to, bytes,
                  there.notifications.of(slot(number)), value_of(there.base, number), queue(number),
                  patience());
}

void NotifiedLinks::send(std::size_t link, std::uint64_t number, std::span<const Row> rows,
                         std::size_t bytes) {
  const There& there = out_there_[link];
  // What GASPI is given, and keeps nothing of.
  std::vector<gaspi_segment_id_t> from, to;
  std::vector<gaspi_offset_t> from_at, to_at;
  std::vector<gaspi_size_t> sizes;
  do {
    from.clear(), to.clear(), from_at.clear(), to_at.clear(), sizes.clear();
    for (; bytes > 0 && sizes.size() < list_; rows = rows.subspan(1)) {
      const Row& row = rows.front();
      from.push_back(row.from), to.push_back(row.to);
      from_at.push_back(row.from_at), to_at.push_back(row.to_at);
      sizes.push_back(std::min<gaspi_size_t>(row.bytes, bytes));
      bytes -= sizes.back();
    }
    const auto count = static_cast<gaspi_number_t>(sizes.size());
    make_room(queue(number), count + 1);
    if (bytes > 0)
      HALOCLINE_GASPI(gaspi_write_list, count, from.data(), from_at.data(), there.rank, to.data(),
                      to_at.data(), sizes.data(), queue(number), patience());
    else
      HALOCLINE_GASPI(gaspi_write_list_notify, count, from.data(), from_at.data(), there.rank,
                      to.data(), to_at.data(), sizes.data(), there.segment,
                      there.notifications.of(slot(number)), value_of(there.base, number),
                      queue(number), patience());
  } while (bytes > 0);
}

std::uint64_t NotifiedLinks::Permits::read_of(std::size_t link) {
  if (taken[link] != due[link])
    taken[link] += take_newest(segment, of[link], slots, base, read[link]);
  return read[link];
}

bool NotifiedLinks::Permits::all_taken() {
  for (std::size_t link = 0; link < of.size(); ++link) {
    read_of(link);
    if (taken[link] != due[link]) return false;
  }
  return true;
}

std::uint64_t NotifiedLinks::read_of(std::size_t link) {
  return permits_->read_of(link);
}

std::optional<std::size_t> NotifiedLinks::next(std::uint64_t number) {
  const Id first = arrivals_.of(slot(number));
  const auto id = look(part_.segment, first, incoming_.size());
  if (!id) return std::nullopt;
  if (take(part_.segment, *id) != value_of(base_, number)) return std::nullopt;
  return *id - first;
}

std::uint64_t NotifiedLinks::newest_of(std::size_t link, std::uint64_t known) {
  const Notifications ids{static_cast<Id>(arrivals_.first + link), arrivals_.stride};
  take_newest(part_.segment, ids, slots_, base_, known);
  return known;
}

void NotifiedLinks::notify_read(std::size_t link, std::uint64_t number) {
  const There& there = in_there_[link];
  // One after the other: none may arrive on top of one of the same slot that was not looked at.
  make_room(queue(0), entries_of_a_write);
  HALOCLINE_GASPI(gaspi_notify, there.segment, there.rank, there.notifications.of(slot(number)),
                  value_of(there.base, number), queue(0), patience());
}

}  // namespace halocline_gaspi
