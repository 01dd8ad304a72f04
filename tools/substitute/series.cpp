#include "series.hpp"

#include <halocline/error.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/waiting.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace substitute {

namespace {

/// The last step that MPI alone carries.
constexpr std::uint64_t watched_steps = 4;

std::map<MPI_Comm, std::shared_ptr<Series>>& known_series() {
  static auto* const all = new std::map<MPI_Comm, std::shared_ptr<Series>>;
  return *all;
}

bool can_have_neighbors(MPI_Comm comm) {
  int begun = 0, between = 0;
  MPI_Initialized(&begun);
  if (!begun || comm == MPI_COMM_NULL) return false;  // sessions alone
  MPI_Comm_test_inter(comm, &between);
  return between == 0;
}

/// The ranks' numbers in MPI_COMM_WORLD; none if some are not of it.
std::vector<int> ranks_in_world(MPI_Comm comm) {
  int size = 0;
  MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size)), there(ranks.size());
  for (int i = 0; i < size; ++i) ranks[static_cast<std::size_t>(i)] = i;
  MPI_Group_translate_ranks(group, size, ranks.data(), world, there.data());
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  if (std::ranges::find(there, MPI_UNDEFINED) != there.end()) there.clear();
  return there;
}

/// For each neighbour, the how many-eth it is of the same rank.
std::vector<std::uint64_t> numbers_of(const std::vector<int>& ranks) {
  std::map<int, std::uint64_t> seen;
  std::vector<std::uint64_t> numbers;
  for (const int rank : ranks) numbers.push_back(seen[rank]++);
  return numbers;
}

/// What may be a device's is for MPI alone to read and write.
Data readable(Data data) {
  if (may_be_on_device()) data.dense = false;
  return data;
}

/// The first bytes of data: fewer than there is room for.
Data part_of(const Data& data, std::size_t bytes) {
  Data part = data;
  const std::size_t one = data.count > 0 ? data.bytes / static_cast<std::size_t>(data.count) : 0;
  part.count = one == 0 ? 0 : static_cast<MPI_Count>(bytes / one);
  part.bytes = one == 0 ? 0 : bytes / one * one;
  return part;
}

}  // namespace

// ---- one for each communicator or request ------------------------------------------------------

std::shared_ptr<Series> Series::of(MPI_Comm comm) {
  if (const auto found = known_series().find(comm); found != known_series().end())
    return found->second;
  std::shared_ptr<Series> made;
  if (can_have_neighbors(comm))
    if (auto neighbors = Neighbors::of(comm))
      made = std::make_shared<Series>(comm, std::move(*neighbors), false);
  return known_series()[comm] = std::move(made);
}

std::shared_ptr<Series> Series::of_persistent(MPI_Comm comm, const char* name) {
  if (!can_have_neighbors(comm)) return nullptr;
  auto neighbors = Neighbors::of(comm);
  if (!neighbors) return nullptr;
  auto made = std::make_shared<Series>(comm, std::move(*neighbors), true);
  made->entry_->what = name;
  if (!made->possible_) {
    static std::set<std::string> told;  // they may come by the thousand
    if (told.insert(made->where_ + name).second) made->report();
    return nullptr;
  }
  made->set_up();
  return made;
}

std::shared_ptr<Series> Series::forgotten(MPI_Comm comm) {
  const auto found = known_series().find(comm);
  if (found == known_series().end()) return nullptr;
  std::shared_ptr<Series> gone = std::move(found->second);
  known_series().erase(found);
  return gone;
}

/// Persistent requests outlive their communicator, too.
bool Series::leaves_comm() {
  if (!setup_.empty() && !is_set_up()) return false;
  comm_ = MPI_COMM_NULL;
  return true;
}

bool Series::all_leave_comms() {
  bool all = true;
  for (const auto& [comm, series] : known_series())
    all = (series == nullptr || series->leaves_comm()) && all;
  return all;
}

Series::Series(MPI_Comm comm, Neighbors neighbors, bool persistent)
    : comm_(comm),
      neighbors_(std::move(neighbors)),
      persistent_(persistent),
      entry_(std::make_shared<Entry>()),
      world_ranks_(ranks_in_world(comm)) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  speaks_ = rank == 0;
  where_ = std::string(neighbors_.topology) + " of " + std::to_string(ranks) + " ranks";
  const std::string scheme = Settings::get().scheme(Kind::neighbor);
  const Commons* const commons = Commons::get();
  const auto is_here = [&](int rank) { return commons->of(rank) != nullptr; };
  if (scheme != "auto" && !scheme.starts_with("shm:signal"))
    entry_->detail = scheme + " may wait for others when it starts; shm:signal does not";
  else if (commons == nullptr || world_ranks_.empty() ||
           !std::ranges::all_of(world_ranks_, is_here))
    entry_->detail = "its ranks do not all share memory";
  else
    possible_ = true;
  if (!possible_) entry_->why = Why::not_carried;
  // Differences are told of in all steps but the last before the turn.
  turn_ = watched_steps + Settings::get().compared + 2;
}

void Series::report() {
  auto entry = reported(Kind::neighbor, entry_->what + " on " + where_, speaks_);
  entry->steps = entry_->steps;
  entry->why = entry_->why;
  entry->detail = possible_ ? "too few steps" : entry_->detail;
  entry_ = std::move(entry);
}

// ---- where everything is -----------------------------------------------------------------------

void Series::set_up() {
  Commons& commons = *Commons::get();
  place_ = commons.take(sizeof(Said));
  mine_ = reinterpret_cast<Said*>(commons.mine() + place_);
  for (auto* word : {&mine_->started, &mine_->differs_at, &mine_->way}) word->store(0);
  told_.assign(neighbors_.out.size() + 1, {});
  heard_.assign(neighbors_.in.size() + 1, {});
  const auto numbers = numbers_of(neighbors_.out);
  places_.assign(world_ranks_.size(), 0);
  for (std::size_t i = 0; i < neighbors_.out.size(); ++i) {
    out_.emplace_back(commons);
    told_[i] = {out_.back().queue(), numbers[i]};
  }
  setup_.assign(2, MPI_REQUEST_NULL);
  HALOCLINE_MPI(MPI_Iallgather, &place_, 1, MPI_UINT64_T, places_.data(), 1, MPI_UINT64_T, comm_,
                &setup_[0]);
  HALOCLINE_MPI(MPI_Ineighbor_alltoall, told_.data(), 2, MPI_UINT64_T, heard_.data(), 2,
                MPI_UINT64_T, comm_, &setup_[1]);
}

bool Series::is_set_up() {
  if (is_set_up_) return true;
  if (setup_.empty()) return false;
  int done = 0;
  HALOCLINE_MPI(MPI_Testall, 2, setup_.data(), &done, MPI_STATUSES_IGNORE);
  if (!done) return false;
  const Commons& commons = *Commons::get();
  const auto memory = [&](int rank) {
    return commons.of(world_ranks_[static_cast<std::size_t>(rank)]);
  };
  for (std::size_t rank = 0; rank < world_ranks_.size(); ++rank)
    all_.push_back(reinterpret_cast<Said*>(memory(static_cast<int>(rank)) + places_[rank]));
  for (std::size_t i = 0; i < neighbors_.in.size(); ++i)
    in_.push_back(neighbors_.in[i] < 0 ? Inbox()
                                       : Inbox(memory(neighbors_.in[i]), heard_[i].queue));
  // Several edges between the same ranks of a graph go in their order. If this MPI's functions do
  // not agree on that (MPICH 4.0.2's do not), it is better left alone.
  const auto numbers = numbers_of(neighbors_.in);
  for (std::size_t i = 0; i < neighbors_.in.size(); ++i)
    if (!neighbors_.is_grid && neighbors_.in[i] >= 0 && heard_[i].number != numbers[i])
      differs(watched_steps + 1);
  return is_set_up_ = true;
}

// ---- steps -------------------------------------------------------------------------------------

std::uint64_t Series::count(const char* name) {
  const std::uint64_t number = ++entry_->steps;
  if (entry_->what.empty()) entry_->what = name;
  if (number == turn_ && possible_) decide();
  return number;
}

bool Series::goes_by_native(std::uint64_t number) const {
  return number < turn_ || way_ != queues;
}

bool Series::goes_by_queues(std::uint64_t number) const {
  return possible_ && number > watched_steps && (number < turn_ || way_ == queues);
}

void Series::after_native_start(std::uint64_t number) {
  if (number != watched_steps) return;
  report();
  if (possible_ && !persistent_) set_up();
}

void Series::decide() {
  bool same = true;
  const auto look = [&](const Said& said) {
    const std::uint64_t at = said.differs_at.load(std::memory_order_acquire);
    same = same && (at == 0 || at + 2 > turn_);
  };
  look(*mine_);
  if (is_set_up())
    for (const Said* said : all_) look(*said);
  way_ = same ? queues : native;
  if (same) {
    entry_->taken_at = turn_;
    entry_->scheme = "shm:signal";
    entry_->why = Why::none;
    entry_->detail.clear();
  } else {
    entry_->back_at = turn_;
    entry_->why = Why::bytes_differ;
    entry_->detail.clear();
  }
  mine_->way.store(way_, std::memory_order_relaxed);
}

void Series::send(OpenStep& step) {
  if (step.by_queues) {
    for (std::size_t i = 0; i < out_.size(); ++i) {
      if (neighbors_.out[i] < 0) continue;
      const Data data = readable(step.data.out[i]);
      if (!data.pack(out_[i].room(data.bytes)))
        throw halocline::Error("MPI cannot pack a message of " + std::to_string(data.bytes) +
                               " bytes");
      out_[i].post();
    }
    step.received.assign(neighbors_.in.size(), 0);
    step.missing = 0;
    for (std::size_t i = 0; i < neighbors_.in.size(); ++i)
      if (neighbors_.in[i] < 0)
        step.received[i] = 1;
      else
        ++step.missing;
    if (!step.by_native) ++entry_->carried;
  }
  if (mine_ != nullptr) mine_->started.store(step.number, std::memory_order_release);
}

bool Series::all_have_started(std::uint64_t number) const {
  return std::ranges::all_of(all_, [&](const Said* said) {
    return said->started.load(std::memory_order_acquire) >= number;
  });
}

bool Series::receivers_have_started(std::uint64_t number) const {
  return std::ranges::all_of(neighbors_.out, [&](int rank) {
    return rank < 0 ||
           all_[static_cast<std::size_t>(rank)]->started.load(std::memory_order_acquire) >= number;
  });
}

void Series::check_ways() const {
  for (const Said* said : all_)
    if (said->started.load(std::memory_order_acquire) >= turn_ &&
        said->way.load(std::memory_order_relaxed) != way_)
      throw halocline::Error(entry_->what +
                             ": what MPI and shm:signal have received differed while steps were "
                             "open; run this program without the substitute");
}

bool Series::advance(OpenStep& step) {
  if (step.by_native && step.native != MPI_REQUEST_NULL) {
    int done = 0;
    const int code = MPI_Test(&step.native, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) step.error = code, step.native = MPI_REQUEST_NULL;
    if (code == MPI_SUCCESS && !done) {
      if (step.number == turn_ && is_set_up()) check_ways();
      return false;
    }
    if (persistent_) step.native = MPI_REQUEST_NULL;
  }
  if (mine_ == nullptr || (!step.by_queues && step.number != turn_)) return true;
  if (!is_set_up()) return false;
  if (step.number == turn_) check_ways();
  if (step.by_queues)
    for (std::size_t i = 0; step.missing > 0 && i < in_.size(); ++i)
      if (!step.received[i] && in_[i].taken() == step.number - watched_steps - 1) receive(step, i);
  if (step.missing > 0) return false;
  return step.number == turn_ || step.number == turn_ - 1 ? all_have_started(step.number)
                                                          : receivers_have_started(step.number);
}

void Series::receive(OpenStep& step, std::size_t neighbor) {
  Inbox& from = in_[neighbor];
  Message* const message = from.next();
  if (message == nullptr) return;
  const Data data = readable(step.data.in[neighbor]);
  const auto bytes = static_cast<std::size_t>(message->bytes);
  if (step.by_native) {
    if (step.number + 1 < turn_ &&
        !(bytes <= data.bytes && part_of(data, bytes).equals(message->data())))
      differs(step.number);
  } else {
    const Data part = bytes < data.bytes ? part_of(data, bytes) : data;
    if (bytes > data.bytes) step.error = MPI_ERR_TRUNCATE;
    if (!part.unpack(message->data()))
      throw halocline::Error("MPI cannot unpack a message of " + std::to_string(bytes) + " bytes");
  }
  from.take();
  step.received[neighbor] = 1;
  --step.missing;
}

void Series::differs(std::uint64_t number) {
  std::uint64_t none = 0;
  mine_->differs_at.compare_exchange_strong(none, number, std::memory_order_acq_rel);
}

bool Series::clear() {
  if (open > 0) return false;
  bool all = true;
  for (Outbox& out : out_) all = out.clear() && all;
  return all;
}

}  // namespace substitute
