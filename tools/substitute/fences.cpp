#include "fences.hpp"

#include "die.hpp"

#include <halocline/more/mpi.hpp>
#include <preload/behind.hpp>

#include <algorithm>
#include <climits>
#include <cstring>
#include <map>
#include <tuple>

namespace substitute {

namespace {

std::mutex windows;
std::map<MPI_Win, std::shared_ptr<FencedWindow>>& known_windows() {
  static auto* const all = new std::map<MPI_Win, std::shared_ptr<FencedWindow>>;
  return *all;
}

/// How often a handle that an operation has had has been freed: such a handle may come back.
std::mutex freeing;
std::map<MPI_Datatype, std::uint64_t>& frees() {
  static auto* const all = new std::map<MPI_Datatype, std::uint64_t>;
  return *all;
}
std::uint64_t times_freed(MPI_Datatype type) {
  const std::lock_guard lock(freeing);
  const auto found = frees().find(type);
  return found == frees().end() ? 0 : found->second;
}

/// An attribute of the window's own; null if it has none.
template <class Value>
Value* attribute(MPI_Win window, int key) {
  void* value = nullptr;
  int there = 0;
  MPI_Win_get_attr(window, key, static_cast<void*>(&value), &there);
  return there ? static_cast<Value*>(value) : nullptr;
}

/// Whether others reach it by MPI alone, and by places in it.
bool has_places(MPI_Win window) {
  const int* const flavor = attribute<int>(window, MPI_WIN_CREATE_FLAVOR);
  return flavor != nullptr &&
         (*flavor == MPI_WIN_FLAVOR_CREATE || *flavor == MPI_WIN_FLAVOR_ALLOCATE);
}

bool is_window_of_world(MPI_Win window) {
  int begun = 0;
  MPI_Initialized(&begun);
  if (!begun) return false;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Win_get_group(window, &group);
  const bool ours = is_of_world(group);
  MPI_Group_free(&group);
  return ours;
}

}  // namespace

// ---- operations
// ----------------------------------------------------------------------------------

bool Operation::operator==(const Operation& other) const {
  const auto key = [](const Operation& one) {
    return std::tie(one.call, one.target, one.displacement, one.origin_count, one.origin_type,
                    one.target_count, one.target_type, one.freed);
  };
  return key(*this) == key(other);
}

int Operation::issue(MPI_Win window) const {
  switch (call) {
#if MPI_VERSION >= 4
    case Call::put:
      return MPI_Put_c(origin, origin_count, origin_type, target, displacement, target_count,
                       target_type, window);
    case Call::get:
      return MPI_Get_c(result, result_count, result_type, target, displacement, target_count,
                       target_type, window);
    case Call::accumulate:
      return MPI_Accumulate_c(origin, origin_count, origin_type, target, displacement, target_count,
                              target_type, op, window);
    case Call::get_accumulate:
      return MPI_Get_accumulate_c(origin, origin_count, origin_type, result, result_count,
                                  result_type, target, displacement, target_count, target_type, op,
                                  window);
#else
    case Call::put:
      return MPI_Put(origin, static_cast<int>(origin_count), origin_type, target, displacement,
                     static_cast<int>(target_count), target_type, window);
    case Call::get:
      return MPI_Get(result, static_cast<int>(result_count), result_type, target, displacement,
                     static_cast<int>(target_count), target_type, window);
    case Call::accumulate:
      return MPI_Accumulate(origin, static_cast<int>(origin_count), origin_type, target,
                            displacement, static_cast<int>(target_count), target_type, op, window);
    case Call::get_accumulate:
      return MPI_Get_accumulate(origin, static_cast<int>(origin_count), origin_type, result,
                                static_cast<int>(result_count), result_type, target, displacement,
                                static_cast<int>(target_count), target_type, op, window);
#endif
    case Call::fetch_and_op:
      return MPI_Fetch_and_op(origin, result, origin_type, target, displacement, op, window);
    case Call::compare_and_swap:
      return MPI_Compare_and_swap(origin, compared, result, origin_type, target, displacement,
                                  window);
  }
  return MPI_ERR_OTHER;
}

// ---- one for each window
// -------------------------------------------------------------------------

FencedWindow* FencedWindow::of(MPI_Win window) {
  const std::lock_guard lock(windows);
  if (const auto found = known_windows().find(window); found != known_windows().end())
    return found->second.get();
  std::shared_ptr<FencedWindow> made;
  if (window != MPI_WIN_NULL && is_window_of_world(window))
    made = std::make_shared<FencedWindow>(window, has_places(window), std::make_shared<Entry>());
  return (known_windows()[window] = std::move(made)).get();
}

void FencedWindow::forget(MPI_Win window) {
  std::shared_ptr<FencedWindow> gone;
  {
    const std::lock_guard lock(windows);
    const auto found = known_windows().find(window);
    if (found == known_windows().end()) return;
    gone = std::move(found->second);
    known_windows().erase(found);
  }
  if (gone == nullptr) return;
  gone->give_notes_to_mpi();
  // Communicators are few, and windows may come by the thousand.
  if (gone->talk_ != nullptr && gone->plans_.empty()) gone->talk_->end();
}

void FencedWindow::forget_type(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return;
  {
    const std::lock_guard lock(freeing);
    const auto found = frees().find(type);
    if (found == frees().end()) return;  // no operation has had it
    ++found->second;
  }
  const std::lock_guard lock(windows);
  for (auto& [handle, window] : known_windows())
    if (window != nullptr) window->duplicate_types(type);
}

bool FencedWindow::notes(const Operation& given) {
  const std::lock_guard lock(mutex_);
  if (phase_ == Phase::native) return false;
  // This one will not be taken over any more.
  if (phase_ == Phase::watching && surprised_ != Why::none) return false;
  if (std::this_thread::get_id() != thread_) surprise(Why::other_thread);
  if (otherwise_ > 0) return false;
  Operation operation = given;
  for (const MPI_Datatype type : {given.origin_type, given.target_type, given.result_type}) {
    if (type == MPI_DATATYPE_NULL) continue;
    operation.freed += times_freed(type);
    if (!is_named(type)) {
      const std::lock_guard freeing_lock(freeing);
      frees().try_emplace(type, 0);
    }
  }
  if (phase_ != Phase::carrying) {
    too_many_ = too_many_ || epoch_.size() >= most_operations;
    if (!too_many_) epoch_.push_back(operation);
    return false;
  }
  // What MPI would refuse it refuses at once.
  const bool sound = given.origin_count >= 0 && given.target_count >= 0 &&
                     given.target >= MPI_PROC_NULL && given.target < talk_->size() &&
                     given.origin_type != MPI_DATATYPE_NULL;
  if (!sound && given.call == Operation::Call::put) return false;
  epoch_.push_back(operation);
  return true;
}

void FencedWindow::synchronised_otherwise(bool begins, bool ends) {
  const std::lock_guard lock(mutex_);
  if (phase_ == Phase::native) return;
  surprise(Why::other_operations);
  if (begins) ++otherwise_;
  if (ends && otherwise_ > 0) --otherwise_;
  if (phase_ == Phase::carrying) give_notes_to_mpi();
}

void FencedWindow::give_notes_to_mpi() {
  if (phase_ != Phase::carrying) return;
  for (const Operation& operation : epoch_) operation.issue(window_);
  epoch_.clear();
  for (MPI_Datatype& type : duplicates_) MPI_Type_free(&type);
  duplicates_.clear();
}

/// The program is about to free a datatype; notes still need it.
void FencedWindow::duplicate_types(MPI_Datatype type) {
  const std::lock_guard lock(mutex_);
  const auto has = [type](const Operation& one) {
    return one.origin_type == type || one.target_type == type || one.result_type == type;
  };
  for (const Plan& plan : plans_)
    if (std::ranges::any_of(plan.epoch, has)) surprise(Why::freed_type);
  if (phase_ != Phase::carrying || std::ranges::none_of(epoch_, has)) return;
  surprise(Why::freed_type);
  MPI_Datatype other = MPI_DATATYPE_NULL;
  MPI_Type_dup(type, &other);
  duplicates_.push_back(other);
  for (Operation& one : epoch_)
    for (MPI_Datatype* const mine : {&one.origin_type, &one.target_type, &one.result_type})
      if (*mine == type) *mine = other;
}

// ---- fences ------------------------------------------------------------------------------------

int FencedWindow::fence(int assertion) {
  ++entry_->steps;
  try {
    switch (phase_) {
      case Phase::watching: return fence_watching(assertion);
      case Phase::comparing: return fence_comparing(assertion);
      case Phase::carrying: return fence_carrying(assertion);
      case Phase::native: break;
    }
  } catch (const std::exception& problem) {
    die(problem);
  }
  return fence_of_mpi(assertion);
}

int FencedWindow::fence_of_mpi(int assertion) {
  return PMPI(Win_fence)(assertion, window_);
}

int FencedWindow::fence_watching(int assertion) {
  const int result = fence_of_mpi(assertion);
  std::swap(watched_.next(), epoch_);
  epoch_.clear();
  if (meets_after(entry_->steps)) meet();
  return result;
}

void FencedWindow::meet() {
  if (talk_ == nullptr) {
    MPI_Group group = MPI_GROUP_NULL;
    HALOCLINE_MPI(MPI_Win_get_group, window_, &group);
    talk_ = Talk::among_group(group);
    MPI_Group_free(&group);
    const std::uint64_t steps = entry_->steps;
    entry_ = reported(Kind::fence,
                      "MPI_Win_fence on a window of " + std::to_string(talk_->size()) + " ranks",
                      talk_->rank() == 0);
    entry_->steps = steps;
  }
  const bool able = possible_ && !too_many_ && surprised_ == Why::none &&
                    std::this_thread::get_id() == thread_ && !may_be_on_device() && can_keep_more();
  const std::uint64_t periods = common_periods(talk_->comm(), able ? watched_.periods() : 0);
  if (const std::size_t period = shortest(periods); period > 0) {
    if (make(period)) phase_ = Phase::comparing;
  } else if (is_last_meeting(entry_->steps)) {
    hand_back(Why::not_repeated, entry_->steps + 1);
  }
}

/// Where the puts of a cycle go, told to their targets. What is wrong with them, if anything.
std::string FencedWindow::place_puts(std::size_t period) {
  const auto ranks = static_cast<std::size_t>(talk_->size());
  std::string problem;
  // For each target: for each epoch how many runs, and these.
  std::vector<std::vector<std::int64_t>> told(ranks);
  plans_.assign(period, {});
  for (std::size_t i = 0; i < period; ++i) {
    Plan& plan = plans_[i];
    plan.epoch = watched_.ago(period - 1 - i);
    std::vector<std::vector<std::int64_t>> runs_to(ranks);
    std::map<int, Outgoing> out;
    for (std::size_t number = 0; number < plan.epoch.size(); ++number) {
      const Operation& operation = plan.epoch[number];
      if (operation.call != Operation::Call::put) {
        problem = "not by puts alone";
        continue;
      }
      if (operation.target == MPI_PROC_NULL) continue;
      const Data data = Data::of(operation.origin, operation.origin_count, operation.origin_type);
      std::vector<Run> runs;
      if (!runs_of(operation.target_count, operation.target_type, runs))
        problem = "a datatype spreads too far";
      std::size_t put = 0;
      auto& words = runs_to[static_cast<std::size_t>(operation.target)];
      for (const Run& run : runs) {
        words.insert(words.end(), {operation.displacement, run.at, run.bytes});
        put += static_cast<std::size_t>(run.bytes);
      }
      if (put != data.bytes) problem = "a put whose two ends differ in length";
      Outgoing& to = out.try_emplace(operation.target, operation.target).first->second;
      to.operations.push_back(number);
      to.bytes += put;
      if (to.bytes > INT_MAX) problem = "more than 2 GiB for one rank";
    }
    for (auto& [target, outgoing] : out) plan.out.push_back(std::move(outgoing));
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      told[rank].push_back(static_cast<std::int64_t>(runs_to[rank].size() / 3));
      told[rank].insert(told[rank].end(), runs_to[rank].begin(), runs_to[rank].end());
    }
  }

  std::vector<int> counts(ranks), begins(ranks), counts_in(ranks), begins_in(ranks);
  std::vector<std::int64_t> words;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    begins[rank] = static_cast<int>(words.size());
    counts[rank] = static_cast<int>(told[rank].size());
    words.insert(words.end(), told[rank].begin(), told[rank].end());
  }
  if (!talk_->all(words.size() <= INT_MAX / 8)) return "too many places";
  HALOCLINE_MPI(MPI_Alltoall, counts.data(), 1, MPI_INT, counts_in.data(), 1, MPI_INT,
                talk_->comm());
  std::int64_t all = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    begins_in[rank] = static_cast<int>(all), all += counts_in[rank];
  if (!talk_->all(all <= INT_MAX)) return "too many places";
  std::vector<std::int64_t> heard(static_cast<std::size_t>(all));
  HALOCLINE_MPI(MPI_Alltoallv, words.data(), counts.data(), begins.data(), MPI_INT64_T,
                heard.data(), counts_in.data(), begins_in.data(), MPI_INT64_T, talk_->comm());

  base_ = attribute<std::byte>(window_, MPI_WIN_BASE);
  const MPI_Aint* const size = attribute<MPI_Aint>(window_, MPI_WIN_SIZE);
  const int* const unit = attribute<int>(window_, MPI_WIN_DISP_UNIT);
  if (size == nullptr || unit == nullptr) return "a window that says nothing of itself";
  std::vector<std::size_t> next(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    next[rank] = static_cast<std::size_t>(begins_in[rank]);
  for (Plan& plan : plans_) {
    std::vector<Run> written;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      Incoming in{static_cast<int>(rank), {}, 0};
      for (std::int64_t left = heard[next[rank]++]; left > 0; --left, next[rank] += 3) {
        const Run run{heard[next[rank]] * *unit + heard[next[rank] + 1], heard[next[rank] + 2]};
        if (run.at < 0 || run.at + run.bytes > *size) problem = "a put that leaves the window";
        in.bytes += static_cast<std::size_t>(run.bytes);
        if (!in.runs.empty() && in.runs.back().at + in.runs.back().bytes == run.at)
          in.runs.back().bytes += run.bytes;
        else
          in.runs.push_back(run);
        written.push_back(run);
      }
      if (in.bytes > 0) plan.in.push_back(std::move(in));
    }
    std::ranges::sort(written, {}, &Run::at);
    for (std::size_t i = 1; i < written.size(); ++i)
      if (written[i - 1].at + written[i - 1].bytes > written[i].at) problem = "puts that overlap";
    std::erase_if(plan.out, [](const Outgoing& out) { return out.bytes == 0; });
  }
  return problem;
}

bool FencedWindow::make(std::size_t period) {
  std::string problem = place_puts(period);
  bool fits = talk_->all(problem.empty());
  if (fits) {
    first_ = entry_->steps + 1;
    std::vector<std::uint64_t> puts;
    for (const Plan& plan : plans_) puts.push_back(plan.out.empty() ? 0 : 1);
    talk_->largest(puts);
    fits = std::ranges::find(puts, std::uint64_t{1}) != puts.end();
    if (!fits) problem = "nothing is put";
    try {
      const halocline::Scheme scheme(Settings::get().scheme(Kind::fence));
      for (std::size_t i = 0; i < plans_.size(); ++i) {
        Plan& plan = plans_[i];
        if (puts[i] == 0) continue;
        std::vector<End> out, in;
        for (const Outgoing& to : plan.out) out.push_back({to.target, to.bytes});
        for (const Incoming& from : plan.in) in.push_back({from.origin, from.bytes});
        plan.carrier = std::make_shared<Carrier>(talk_->comm(), out, in, scheme);
        keep(plan.carrier);
        entry_->scheme = plan.carrier->scheme();
      }
    } catch (const std::exception& error) {
      problem = halocline::words_of(error);
      fits = false;
    }
    fits = talk_->all(fits);
  }
  if (fits) return true;
  if (std::ranges::all_of(plans_, [](const Plan& plan) { return plan.carrier == nullptr; }))
    plans_.clear();
  entry_->detail = problem;
  hand_back(Why::not_carried, entry_->steps + 1);
  return false;
}

Why FencedWindow::why_not_expected() const {
  Why why = surprised_;
  if (std::this_thread::get_id() != thread_) why = std::max(why, Why::other_thread);
  if (may_be_on_device()) why = std::max(why, Why::on_device);
  if (too_many_ || epoch_ != plan().epoch) why = std::max(why, Why::other_operations);
  return why;
}

bool FencedWindow::pack(Plan& plan) {
  bool packed = true;
  for (std::size_t i = 0; i < plan.out.size(); ++i) {
    plan.carrier->outgoing_word(i) = 0;
    std::byte* to = plan.carrier->outgoing(i);
    for (const std::size_t number : plan.out[i].operations) {
      const Operation& operation = epoch_[number];
      const Data data = Data::of(operation.origin, operation.origin_count, operation.origin_type);
      packed = data.pack(to) && packed;
      to += data.bytes;
    }
  }
  return packed;
}

bool FencedWindow::compare(const Plan& plan) const {
  for (std::size_t i = 0; i < plan.in.size(); ++i) {
    const std::byte* from = plan.carrier->incoming(i);
    for (const Run& run : plan.in[i].runs) {
      if (std::memcmp(base_ + run.at, from, static_cast<std::size_t>(run.bytes)) != 0) return false;
      from += run.bytes;
    }
  }
  return true;
}

void FencedWindow::unpack(const Plan& plan) {
  for (std::size_t i = 0; i < plan.in.size(); ++i) {
    const std::byte* from = plan.carrier->incoming(i);
    for (const Run& run : plan.in[i].runs) {
      std::memcpy(base_ + run.at, from, static_cast<std::size_t>(run.bytes));
      from += run.bytes;
    }
  }
}

int FencedWindow::fence_comparing(int assertion) {
  const auto why = static_cast<Why>(talk_->largest(static_cast<std::uint64_t>(why_not_expected())));
  if (why != Why::none) {
    hand_back(why, entry_->steps);
    return fence_of_mpi(assertion);
  }
  Plan& here = plan();
  const bool packed = here.carrier == nullptr || pack(here);
  const int result = fence_of_mpi(assertion & ~MPI_MODE_NOSUCCEED);
  bool same = packed && result == MPI_SUCCESS;
  if (here.carrier != nullptr) {
    here.carrier->start();
    here.carrier->finish();
    same = compare(here) && same;
  }
  epoch_.clear();
  if (!talk_->all(same)) {
    hand_back(Why::bytes_differ, entry_->steps + 1);
  } else if (++compared_ >= std::max<std::uint64_t>(Settings::get().compared, 2 * plans_.size())) {
    phase_ = Phase::carrying;
    entry_->taken_at = entry_->steps + 1;
    entry_->why = Why::none;
  }
  return result;
}

int FencedWindow::fence_carrying(int assertion) {
  const std::lock_guard lock(mutex_);
  Why mine = why_not_expected();
  Plan& here = plan();
  if (mine == Why::none && here.carrier != nullptr && !pack(here)) mine = Why::not_carried;
  const auto why = static_cast<Why>(talk_->largest(static_cast<std::uint64_t>(mine)));
  if (why != Why::none) {
    give_notes_to_mpi();
    hand_back(why, entry_->steps);
    return fence_of_mpi(assertion & ~MPI_MODE_NOSTORE);
  }
  if (here.carrier != nullptr) {
    here.carrier->start();
    here.carrier->finish();
    unpack(here);
  }
  epoch_.clear();
  ++entry_->carried;
  return MPI_SUCCESS;
}

void FencedWindow::hand_back(Why why, std::uint64_t step) {
  phase_ = Phase::native;
  entry_->back_at = step;
  entry_->why = why;
  epoch_ = {};
}

}  // namespace substitute
