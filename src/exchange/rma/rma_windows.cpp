#include "rma_windows.hpp"

#include "rma_facts.hpp"

#include "exchange/core/pattern_check.hpp"
#include "exchange/core/trade.hpp"
#include "exchange/routes/combine.hpp"
#include "memory/cache_line.hpp"
#include "memory/new_windows.hpp"
#include "mpi/collectives.hpp"
#include "mpi/come_to_rest.hpp"
#include "mpi/refusal.hpp"
#include "mpi/scarce.hpp"
#include "mpi/under_way.hpp"
#include "mpi/windows.hpp"

#include <algorithm>
#include <cstring>
#include <halocline/island.hpp>
#include <halocline/more/islands.hpp>
#include <map>
#include <numeric>
#include <set>

namespace halocline::detail {

namespace {

using Span = std::span<std::byte>;

int rank_in(MPI_Comm to, MPI_Comm from, int rank) {
  return mpi::translate(from, std::span(&rank, 1), to).front();
}

std::int64_t greatest(MPI_Comm comm, std::int64_t value) {
  return mpi::reduced(comm, value, MPI_MAX);
}

bool same_everywhere(MPI_Comm comm, std::size_t value) {
  const auto mine = static_cast<std::int64_t>(value);
  const auto most = mpi::reduced(comm, std::vector<std::int64_t>{mine, -mine}, MPI_MAX);
  return most[0] == -most[1];
}

constexpr const char* fewer_exchanges =
    "Each exchange by rma has a window of its own as long as it lives, and MPI has room for some "
    "two thousand at most: exchange several fields together, end exchanges that are not used any "
    "more, or use a p2p or shm scheme, whose exchanges share what they need";

/// Communicators of neighbourhoods. One lives as long as an exchange that uses it, and so as long
/// as its windows: MPICH 5.0 mixes up windows whose communicators had the same number. Members all
/// know it or none does, for they end such exchanges in the same order.
class Neighborhoods {
 public:
  explicit Neighborhoods(MPI_Comm) {}

  /// `make` is collective over the members.
  template <class Make>
  std::shared_ptr<mpi::Comm> find(const std::set<int>& members, Make&& make) {
    std::erase_if(known_, [](const auto& one) { return one.second.expired(); });
    if (const auto found = known_.find(members); found != known_.end()) return found->second.lock();
    const auto made = std::make_shared<mpi::Comm>(make());
    known_.emplace(members, made);
    return made;
  }

 private:
  std::map<std::set<int>, std::weak_ptr<mpi::Comm>> known_;
};

/// Before windows are freed. A transfer of Open MPI's osc/rdma is complete when the target answers,
/// but what it was sent in comes back behind the answer, to a queue of which each look takes 31,
/// and needs the window even then (5.0.11: docs/atlas/programs/early_free.c). What a message is
/// sent in comes back after all of them, and a synchronous one is not complete before.
#ifdef OPEN_MPI
void take_leave(const char* what, const methods::Channel& comm, std::span<const int> targets,
                std::span<const int> origins) {
  const int tag = comm.tag(methods::Channel::tags - 2);
  UnderWay sends(UnderWay::others, targets.size());
  UnderWay receives(UnderWay::receives, origins.size());
  for (std::size_t i = 0; i < origins.size(); ++i)
    HALOCLINE_MPI(MPI_Irecv, nullptr, 0, MPI_BYTE, origins[i], tag, comm, &receives[i]);
  for (std::size_t i = 0; i < targets.size(); ++i)
    HALOCLINE_MPI(MPI_Issend, nullptr, 0, MPI_BYTE, targets[i], tag, comm, &sends[i]);
  wait_all(what, receives);
  wait_all(what, sends);
}
#else
void take_leave(const char*, const methods::Channel&, std::span<const int>, std::span<const int>) {}
#endif

}  // namespace

RmaWindows::RmaWindows(const Setup& setup, const Bases& bases, const char* what, RmaDemands demands)
    : setup_(setup),
      what_(what),
      bases_(bases),
      puts_(setup.scheme.part(1) != "get"),
      in_place_(lies_in_fields(setup.scheme)),
      neighbours_(setup.scheme.part(2) == "fence" && setup.scheme.is("group", "neighbors")),
      per_link_(setup.scheme.has("windows") && setup.scheme.is("windows", "per-link")),
      accumulates_(of_accumulates(setup.scheme)),
      alloc_(setup.scheme.option("alloc")),
      demands_(demands),
      origins_(puts_ ? setup.sources() : setup.targets()),
      targets_(puts_ ? setup.targets() : setup.sources()) {
  mpi::agree(setup.comm, refusal(setup));
  join_neighborhoods(setup);
  const std::vector<std::int64_t> places = in_place_ ? open_fields(setup) : open_slots(setup);
  prepare_accesses(setup, places);
}

RmaWindows::~RmaWindows() {
  if (abandoning()) {
    // The windows are not freed (see mpi::Handle): peers may still reach their memory, and what has
    // been put or is to be got may still be on its way.
    if (!mpi::running()) return;
    const bool in_the_middle = mpi::has_left_in_the_middle(setup_.comm);
    for (RmaWindow& window : windows_) {
      if (in_the_middle) leave_in_epoch(window.handle);
      keep(std::make_shared<std::vector<std::byte>>(std::move(window.slots)));
    }
    keep(std::make_shared<std::vector<Staged>>(std::move(staged_)));
    for (const Field& field : setup_.fields)
      if (field.memory.kind() == MemoryKind::plain) keep(std::make_shared<Memory>(field.memory));
    keep(setup_.memory);
    return;
  }
  mpi::come_to_rest([this] { take_leave(what_, setup_.comm, targets_, origins_); });
  const Blocking guard(what_);
  for (RmaWindow& window : windows_) window.own = {};  // all ranks in the order of creation
}

std::string RmaWindows::refusal(const Setup& setup) const {
  const std::string scheme = setup.scheme.str();
  if (alloc_ == "shared") {
    const int nodes = setup.comm.shared<Islands>(IslandSpec().str()).count();
    if (nodes > 1)
      return scheme + ": the ranks span " + std::to_string(nodes) + " nodes; use alloc=allocate";
  }
  return {};
}

// ---- windows -------------------------------------------------------------------------------

void RmaWindows::join_neighborhoods(const Setup& setup) {
  if (!neighbours_) {
    neighborhoods_.push_back({.owners = {}, .comm = setup.comm, .own = {}});
    return;
  }
  // One neighborhood for each target: the target and all its origins. To name its members I need
  // the origins of each target of mine.
  const int me = mpi::rank(setup.comm);
  const auto most =
      static_cast<std::size_t>(greatest(setup.comm, static_cast<std::int64_t>(origins_.size())));
  std::vector<std::int64_t> mine;
  for (std::size_t i = 0; i < origins_.size(); ++i) {
    mine.insert(mine.end(), origins_.begin(), origins_.end());
    mine.resize((i + 1) * most, MPI_PROC_NULL);
  }
  const auto theirs = trade(setup.comm, origins_, mine, targets_, most);

  std::map<int, std::set<int>> members;  // by owner
  if (!origins_.empty()) members[me].insert(origins_.begin(), origins_.end());
  for (std::size_t i = 0; i < targets_.size(); ++i)
    for (std::size_t k = 0; k < most; ++k)
      if (const auto rank = theirs[i * most + k]; rank != MPI_PROC_NULL)
        members[targets_[i]].insert(static_cast<int>(rank));
  // Neighborhoods overlap. Ascending order of first owners, the same for all ranks, keeps
  // collective calls on them from waiting for each other in a ring. Owners with the same
  // neighborhood share it.
  auto& neighborhoods = setup.comm.shared<Neighborhoods>("neighborhoods");
  mpi::InParts made(setup.comm);
  std::map<std::set<int>, std::size_t> known;
  for (auto& member : members) {
    const int owner = member.first;
    std::set<int>& ranks = member.second;  // by names: Clang 14 takes no binding into a lambda
    ranks.insert(owner);
    const auto [found, is_new] = known.emplace(ranks, neighborhoods_.size());
    if (is_new) {
      const std::vector<int> list(ranks.begin(), ranks.end());
      Neighborhood& neighborhood = neighborhoods_.emplace_back();
      made.make([&] {
        make_scarce(
            setup.scheme.str(), fewer_exchanges,
            [&] {
              neighborhood.own = neighborhoods.find(ranks, [&] {
                return mpi::Comm::of_group(setup.comm, mpi::subgroup(setup.comm, list), owner);
              });
            },
            "communicator");
        neighborhood.comm = *neighborhood.own;
      });
    }
    neighborhoods_[found->second].owners.insert(owner);
  }
  made.agree();
}

const RmaWindows::Neighborhood& RmaWindows::neighborhood_of(int owner) const {
  return *std::find_if(
      neighborhoods_.begin(), neighborhoods_.end(),
      [&](const Neighborhood& neighborhood) { return neighborhood.exposes(owner); });
}

/// Makes as many windows as are wanted; all ranks get them or none does.
std::vector<RmaWindow> RmaWindows::make(std::vector<Wanted> wanted) const {
  const Blocking guard(what_);
  const bool mpi_allocates = !in_place_ && (alloc_ == "allocate" || alloc_ == "shared");
  std::vector<RmaWindow> windows(wanted.size());
  const std::string complaint = mpi::complaint_of([&] {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      windows[i].comm = wanted[i].comm;
      if (in_place_ || mpi_allocates) continue;
      windows[i].slots.resize(wanted[i].bytes);
      wanted[i].given = {windows[i].slots};
    }
  });
  std::vector<NewWindow> made;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    // MPIs lay what they allocate for ranks end to end (memory.cpp).
    made.push_back({wanted[i].comm, mpi_allocates ? whole_lines(wanted[i].bytes) : 0,
                    [&, i](MPI_Win* window) { make(wanted[i], windows[i], window); }});
  const std::string who = setup_.scheme.str();
  std::vector<mpi::Window> own = make_windows(
      setup_.comm,
      {who, fewer_exchanges,
       mpi_allocates ? "take +alloc=create, which needs none, or make /dev/shm larger" : ""},
      made,
      complaint.empty()
          ? ""
          : who + ": rank " + std::to_string(mpi::rank(setup_.comm)) + ": " + complaint);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    windows[i].own = std::move(own[i]);
    windows[i].handle = windows[i].own;
  }
  return windows;
}

void RmaWindows::make(const Wanted& wanted, RmaWindow& window, MPI_Win* raw) const {
  const auto& [comm, bytes, same_size, given] = wanted;
  // What one exchange accumulates is of one operation, and no cell gets its value from an order.
  const mpi::Info hints{{"no_locks", demands_.locks ? "false" : "true"},
                        {"accumulate_ordering", "none"},
                        {"accumulate_ops", "same_op"},
                        {"same_disp_unit", "true"},
                        {"same_size", same_size ? "true" : "false"}};
  // Each rank's slots on memory of their own; defined for MPI_Win_allocate_shared alone.
  if (alloc_ == "shared") HALOCLINE_MPI(MPI_Info_set, hints, "alloc_shared_noncontig", "true");
  if (alloc_ == "allocate") {
    const auto size = static_cast<MPI_Aint>(whole_lines(bytes));
    HALOCLINE_MPI(MPI_Win_allocate, size, 1, hints, comm, &window.base, raw);
  } else if (alloc_ == "shared") {
    const auto size = static_cast<MPI_Aint>(whole_lines(bytes));
    HALOCLINE_MPI(MPI_Win_allocate_shared, size, 1, hints, comm, &window.base, raw);
  } else if (alloc_ == "create") {
    window.base = given.front().data();
    HALOCLINE_MPI(MPI_Win_create, window.base, static_cast<MPI_Aint>(bytes), 1, hints, comm, raw);
  } else {
    // Freeing the window detaches what is attached.
    HALOCLINE_MPI(MPI_Win_create_dynamic, hints, comm, raw);
    for (const Span span : given)
      if (!span.empty())
        HALOCLINE_MPI(MPI_Win_attach, *raw, span.data(), static_cast<MPI_Aint>(span.size()));
  }
}

/// Whether all its ranks expose as much. Of a neighborhood only owners expose anything.
bool RmaWindows::same_size(const Neighborhood& neighborhood, std::size_t bytes) const {
  return neighborhood.owners.empty() && same_everywhere(neighborhood.comm, bytes);
}

/// How peers address a byte of mine: in a dynamic window by its absolute address.
std::int64_t RmaWindows::displacement(const RmaWindow& window, const std::byte* byte) const {
  if (!window.is_own() || alloc_ != "dynamic") return byte - window.base;
  MPI_Aint address = 0;
  HALOCLINE_MPI(MPI_Get_address, byte, &address);
  return address;
}

/// For each link of which I am target: window and displacement of its slot.
std::vector<std::int64_t> RmaWindows::open_slots(const Setup& setup) {
  const auto& links = puts_ ? setup.pattern.receives() : setup.pattern.sends();
  for (const Link& link : links)
    exposures_.push_back({.layout = puts_ ? setup.receive_layout(link) : setup.send_layout(link)});
  const auto slots = static_cast<std::size_t>(demands_.slots);
  const std::size_t each =
      per_link_
          ? static_cast<std::size_t>(greatest(setup.comm, static_cast<std::int64_t>(links.size())))
          : 1;

  // The links that the w-th window of a neighborhood serves: the w-th, or all.
  const int me = mpi::rank(setup.comm);
  const auto served = [&](const Neighborhood& neighborhood, std::size_t w) {
    const std::size_t all = neighborhood.exposes(me) ? links.size() : 0;
    return per_link_ ? std::pair{std::min(w, all), std::min(w + 1, all)}
                     : std::pair{std::size_t{0}, all};
  };
  std::vector<Wanted> wanted;
  for (Neighborhood& neighborhood : neighborhoods_) {
    neighborhood.first = wanted.size();
    for (std::size_t w = 0; w < each; ++w) {
      std::size_t bytes = 0;
      const auto [begin, end] = served(neighborhood, w);
      for (std::size_t i = begin; i < end; ++i)
        bytes += slots * message_bytes(exposures_[i].layout);
      wanted.push_back({neighborhood.comm, bytes, same_size(neighborhood, bytes), {}});
    }
  }
  windows_ = make(std::move(wanted));

  std::vector<std::int64_t> places;
  for (const Neighborhood& neighborhood : neighborhoods_)
    for (std::size_t w = 0; w < each; ++w) {
      RmaWindow& window = windows_[neighborhood.first + w];
      std::byte* next = window.slots.empty() ? window.base : window.slots.data();
      const auto [begin, end] = served(neighborhood, w);
      for (std::size_t i = begin; i < end; ++i) {
        exposures_[i].slot = next;
        places.insert(places.end(), {static_cast<std::int64_t>(w), displacement(window, next)});
        window.origins.push_back(rank_in(neighborhood.comm, setup.comm, links[i].peer));
        next += slots * message_bytes(exposures_[i].layout);
      }
    }
  return places;
}

namespace {

/// What peers reach of a field, and element 0, from which they count: displacements are not
/// negative.
Span exposed_span(const Setup& setup, std::size_t number) {
  const Reach reach = setup.reach(number);
  const std::ptrdiff_t begin = std::min<std::ptrdiff_t>(reach.begin, 0),
                       end = std::max<std::ptrdiff_t>(reach.end, 0);
  return {static_cast<std::byte*>(setup.fields[number].data) + begin,
          static_cast<std::size_t>(end - begin)};
}

/// Memory is in one window only: of spans that overlap, as those of an array's components do, the
/// first becomes all of them, and the others empty. Returns in which one each is now.
std::vector<std::size_t> join(std::vector<Span>& spans) {
  std::vector<std::size_t> in(spans.size());
  std::iota(in.begin(), in.end(), std::size_t{0});
  const auto overlap = [](Span one, Span other) {
    return !one.empty() && !other.empty() && other.data() < one.data() + one.size() &&
           one.data() < other.data() + other.size();
  };
  for (bool changed = true; std::exchange(changed, false);)
    for (std::size_t i = 0; i < spans.size(); ++i)
      for (std::size_t k = i + 1; k < spans.size(); ++k) {
        Span &one = spans[i], &other = spans[k];
        if (!overlap(one, other)) continue;
        std::byte* const end = std::max(one.data() + one.size(), other.data() + other.size());
        std::byte* const begin = std::min(one.data(), other.data());
        one = {begin, static_cast<std::size_t>(end - begin)};
        other = {};
        std::ranges::replace(in, k, i);
        changed = true;
      }
  return in;
}

}  // namespace

/// The windows that fields bring with them; in which one each field is.
std::vector<std::size_t> RmaWindows::windows_of(std::span<const Field> fields) {
  std::vector<std::size_t> index;
  for (const Field& field : fields) {
    // Several fields may share one memory, and with it one window.
    const auto known = std::find_if(windows_.begin(), windows_.end(), [&](const RmaWindow& window) {
      return window.handle == field.memory.win();
    });
    index.push_back(static_cast<std::size_t>(known - windows_.begin()));
    if (known != windows_.end()) continue;
    RmaWindow& window = windows_.emplace_back();
    window.handle = field.memory.win();
    window.comm = field.memory.comm();
    window.base = field.memory.window_begin();
    window.field = field.memory;
  }
  return index;
}

/// For each link of which I am target and each field: window and displacement of the field.
std::vector<std::int64_t> RmaWindows::open_fields(const Setup& setup) {
  const std::span<const Field> fields = exposed_fields(setup);
  std::vector<Span> spans;
  for (std::size_t f = 0; f < fields.size(); ++f)
    spans.push_back(exposed_span(setup, f + (puts_ ? setup.first_receive_field() : 0)));
  const std::vector<std::size_t> in = join(spans);
  const bool field_windows = alloc_ == "allocate" || alloc_ == "shared";

  // The window of a neighborhood that has each field.
  std::vector<std::size_t> index(spans.size(), 0);
  if (field_windows) {
    index = windows_of(fields);
  } else {
    const int me = mpi::rank(setup.comm);
    std::vector<Wanted> wanted;
    for (Neighborhood& neighborhood : neighborhoods_) {
      neighborhood.first = wanted.size();
      const bool exposed = neighborhood.exposes(me);
      if (alloc_ == "dynamic")
        wanted.push_back({neighborhood.comm, 0, same_size(neighborhood, 0),
                          exposed ? spans : std::vector<Span>{}});
      for (std::size_t f = 0; alloc_ != "dynamic" && f < spans.size(); ++f) {
        const Span span = exposed ? spans[f] : Span{};
        wanted.push_back(
            {neighborhood.comm, span.size(), same_size(neighborhood, span.size()), {span}});
      }
    }
    windows_ = make(std::move(wanted));
    if (alloc_ != "dynamic") index = in;
  }

  std::vector<std::int64_t> mine;  // window and displacement of each field
  for (const Neighborhood& neighborhood : neighborhoods_) {
    if (!neighborhood.exposes(mpi::rank(setup.comm))) continue;
    const std::size_t end =
        &neighborhood == &neighborhoods_.back() ? windows_.size() : (&neighborhood + 1)->first;
    for (std::size_t w = neighborhood.first; w < end; ++w)
      for (const int origin : origins_)
        windows_[w].origins.push_back(rank_in(windows_[w].comm, setup.comm, origin));
    for (std::size_t f = 0; f < spans.size(); ++f)
      mine.insert(mine.end(), {static_cast<std::int64_t>(index[f]),
                               displacement(windows_[neighborhood.first + index[f]],
                                            static_cast<std::byte*>(fields[f].data))});
  }
  mpi::agree(setup.comm, unified() ? ""
                                   : setup.scheme.str() +
                                         ": the rest of the fields may be used while halos arrive, "
                                         "which this MPI's separate memory model forbids; use "
                                         "pack=on");
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < origins_.size(); ++i)
    places.insert(places.end(), mine.begin(), mine.end());
  return places;
}

}  // namespace halocline::detail
