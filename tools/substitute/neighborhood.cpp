#include "neighborhood.hpp"

#include "die.hpp"

#include <halocline/more/mpi.hpp>

#include <algorithm>
#include <climits>
#include <map>
#include <mutex>
#include <numeric>

namespace substitute {

namespace {

/// The tag of messages to myself that are from no neighbour. A rank has fewer neighbours than this.
constexpr int own_tag = 32767;

std::mutex neighborhoods;
std::map<MPI_Comm, std::unique_ptr<Neighborhood>>& known() {
  static auto* const all = new std::map<MPI_Comm, std::unique_ptr<Neighborhood>>;
  return *all;
}

bool can_be_looked_after(MPI_Comm comm) {
  int begun = 0, between = 0;
  MPI_Initialized(&begun);
  if (!begun) return false;  // sessions alone
  MPI_Comm_test_inter(comm, &between);
  if (between) return false;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &group);
  const bool ours = is_of_world(group);
  MPI_Group_free(&group);
  return ours;
}

/// For each message, the how many-eth it is from or to the same rank.
std::vector<int> ordinals(const std::vector<int>& peers, const std::vector<std::size_t>& order) {
  std::map<int, int> seen;
  std::vector<int> numbers;
  for (const std::size_t neighbor : order) numbers.push_back(seen[peers[neighbor]]++);
  return numbers;
}

/// Those that are ranks.
std::vector<std::size_t> in_order_of(const std::vector<int>& peers, bool crosswise) {
  std::vector<std::size_t> order(peers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (crosswise)
    std::sort(order.begin(), order.end(),
              [](std::size_t a, std::size_t b) { return (a ^ 1) < (b ^ 1); });
  std::erase_if(order, [&](std::size_t neighbor) { return peers[neighbor] < 0; });
  return order;
}

}  // namespace

// ---- neighbours ------------------------------------------------------------------------------

std::optional<Neighbors> Neighbors::of(MPI_Comm comm) {
  int kind = MPI_UNDEFINED, rank = 0;
  MPI_Topo_test(comm, &kind);
  MPI_Comm_rank(comm, &rank);
  Neighbors found;
  if (kind == MPI_CART) {
    int axes = 0;
    MPI_Cartdim_get(comm, &axes);
    for (int axis = 0; axis < axes; ++axis) {
      int before = MPI_PROC_NULL, after = MPI_PROC_NULL;
      MPI_Cart_shift(comm, axis, 1, &before, &after);
      found.out.insert(found.out.end(), {before, after});
    }
    found.in = found.out;
    found.topology = "a grid";
    found.is_grid = true;
  } else if (kind == MPI_GRAPH) {
    int count = 0;
    MPI_Graph_neighbors_count(comm, rank, &count);
    found.out.resize(static_cast<std::size_t>(count));
    MPI_Graph_neighbors(comm, rank, count, found.out.data());
    found.in = found.out;
    found.topology = "a graph";
  } else if (kind == MPI_DIST_GRAPH) {
    int sources = 0, targets = 0, weighted = 0;
    MPI_Dist_graph_neighbors_count(comm, &sources, &targets, &weighted);
    found.in.resize(static_cast<std::size_t>(sources));
    found.out.resize(static_cast<std::size_t>(targets));
    std::vector<int> weights_in(found.in.size() + 1), weights_out(found.out.size() + 1);
    MPI_Dist_graph_neighbors(comm, sources, found.in.data(),
                             weighted ? weights_in.data() : MPI_UNWEIGHTED, targets,
                             found.out.data(), weighted ? weights_out.data() : MPI_UNWEIGHTED);
    found.topology = "a distributed graph";
  } else {
    return std::nullopt;
  }
  return found;
}

std::vector<std::size_t> Neighbors::out_order() const {
  return in_order_of(out, false);
}

/// What a rank sends towards lower coordinates comes to its neighbour from higher ones.
std::vector<std::size_t> Neighbors::in_order(bool by_number) const {
  return in_order_of(in, is_grid && !by_number);
}

// ---- one for each communicator -----------------------------------------------------------------

Neighborhood* Neighborhood::of(MPI_Comm comm) {
  {
    const std::lock_guard lock(neighborhoods);
    if (const auto found = known().find(comm); found != known().end()) return found->second.get();
  }
  std::unique_ptr<Neighborhood> made;
  if (comm != MPI_COMM_NULL && can_be_looked_after(comm))
    if (auto neighbors = Neighbors::of(comm))
      made = std::make_unique<Neighborhood>(comm, std::move(*neighbors));
  const std::lock_guard lock(neighborhoods);
  return (known()[comm] = std::move(made)).get();
}

void Neighborhood::forget(MPI_Comm comm) {
  const std::lock_guard lock(neighborhoods);
  known().erase(comm);
}

Neighborhood::Neighborhood(MPI_Comm comm, Neighbors neighbors)
    : comm_(comm), neighbors_(std::move(neighbors)), entry_(std::make_shared<Entry>()) {
  data_.out.resize(neighbors_.out.size());
  data_.in.resize(neighbors_.in.size());
}

// ---- watching ----------------------------------------------------------------------------------

void Neighborhood::note(const char* name) {
  Step& step = watched_.next();
  step.out.clear(), step.in.clear();
  for (std::size_t i = 0; i < data_.out.size(); ++i)
    step.out.push_back(neighbors_.out[i] < 0 ? 0 : data_.out[i].bytes);
  for (std::size_t i = 0; i < data_.in.size(); ++i)
    step.in.push_back(neighbors_.in[i] < 0 ? 0 : data_.in[i].bytes);
  for (const auto* bytes : {&step.out, &step.in})
    for (const std::size_t one : *bytes) possible_ = possible_ && one <= INT_MAX;
  if (entry_->what.empty()) entry_->what = name;
}

Why Neighborhood::seen_now() const {
  if (std::this_thread::get_id() != thread_) return Why::other_thread;
  if (may_be_on_device()) return Why::on_device;
  return Why::none;
}

void Neighborhood::report() {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(comm_, &rank);
  MPI_Comm_size(comm_, &ranks);
  auto entry = reported(
      Kind::neighbor,
      entry_->what + " on " + neighbors_.topology + " of " + std::to_string(ranks) + " ranks",
      rank == 0);
  entry->steps = entry_->steps;
  entry_ = entry;
  reported_ = true;
}

/// The first question is asked on the program's own communicator: all of its ranks are in the same
/// call of it. So one that never repeats costs none of ours.
void Neighborhood::meet() {
  try {
    if (!reported_) report();
    const bool able = possible_ && seen_now() == Why::none && can_keep_more();
    const std::uint64_t periods = common_periods(comm_, able ? watched_.periods() : 0);
    if (const std::size_t period = shortest(periods); period > 0) {
      talk_ = Talk::among(comm_);
      first_ = entry_->steps + 1;
      for (std::size_t i = 0; i < period; ++i)
        plans_.push_back({.step = watched_.ago(period - 1 - i), .carrier = nullptr});
      if (make(false)) phase_ = Phase::comparing;
    } else if (is_last_meeting(entry_->steps)) {
      hand_back(seen_now() == Why::on_device ? Why::on_device : Why::not_repeated);
    }
  } catch (const std::exception& problem) {
    die(problem);
  }
}

bool Neighborhood::make(bool by_number) {
  by_number_ = by_number;
  out_order_ = neighbors_.out_order();
  in_order_ = neighbors_.in_order(by_number);
  out_tags_ = ordinals(neighbors_.out, out_order_);
  in_tags_ = ordinals(neighbors_.in, in_order_);
  std::string problem;
  try {
    const halocline::Scheme scheme(Settings::get().scheme(Kind::neighbor));
    for (Plan& plan : plans_) {
      std::vector<End> out, in;
      for (const std::size_t i : out_order_) out.push_back({neighbors_.out[i], plan.step.out[i]});
      for (const std::size_t i : in_order_) in.push_back({neighbors_.in[i], plan.step.in[i]});
      plan.carrier = std::make_shared<Carrier>(talk_->comm(), out, in, scheme);
      keep(plan.carrier);
    }
  } catch (const std::exception& error) {
    problem = halocline::words_of(error);
  }
  if (talk_->all(problem.empty())) {
    entry_->scheme = plans_.front().carrier->scheme();
    return true;
  }
  entry_->detail = problem;
  hand_back(Why::not_carried);
  return false;
}

// ---- comparing ---------------------------------------------------------------------------------

bool Neighborhood::expected_by_all() {
  Why why = seen_now();
  const Plan& here = plan();
  for (const std::size_t i : out_order_)
    if (data_.out[i].bytes != here.step.out[i]) why = Why::other_arguments;
  for (const std::size_t i : in_order_)
    if (data_.in[i].bytes != here.step.in[i]) why = Why::other_arguments;
  try {
    why = static_cast<Why>(talk_->largest(static_cast<std::uint64_t>(why)));
  } catch (const std::exception& problem) {
    die(problem);
  }
  if (why != Why::none) hand_back(why);
  return why == Why::none;
}

void Neighborhood::compare(bool done) {
  try {
    Carrier& carrier = *plan().carrier;
    bool same = done;
    for (std::size_t i = 0; i < out_order_.size(); ++i) {
      carrier.outgoing_word(i) = 0;
      same = data_.out[out_order_[i]].pack(carrier.outgoing(i)) && same;
    }
    carrier.start();
    carrier.finish();
    for (std::size_t i = 0; i < in_order_.size(); ++i)
      same = data_.in[in_order_[i]].equals(carrier.incoming(i)) && same;
    if (!talk_->all(same)) {
      // Once more, with the neighbours of a periodic grid paired the other way?
      if (neighbors_.is_grid && !by_number_) {
        const std::uint64_t next = (entry_->steps + 1 - first_) % plans_.size();
        std::rotate(plans_.begin(), plans_.begin() + static_cast<std::ptrdiff_t>(next),
                    plans_.end());
        first_ = entry_->steps + 1;
        compared_ = 0;
        make(true);
        return;
      }
      hand_back(Why::bytes_differ);
      return;
    }
    if (++compared_ < std::max<std::uint64_t>(Settings::get().compared, 2 * plans_.size())) return;
    phase_ = Phase::carrying;
    entry_->taken_at = entry_->steps + 1;
    entry_->why = Why::none;
  } catch (const std::exception& problem) {
    die(problem);
  }
}

// ---- carrying ----------------------------------------------------------------------------------

int Neighborhood::carry() {
  int result = MPI_SUCCESS;
  const auto heed = [&](int code) {
    if (code != MPI_SUCCESS && result == MPI_SUCCESS) result = code;
  };
  try {
    Plan& here = plan();
    Carrier& carrier = *here.carrier;
    const Why why = seen_now();
    if (why != Why::none) surprise(why);
    for (std::size_t i = 0; i < out_order_.size(); ++i) {
      const Data& data = data_.out[out_order_[i]];
      const bool agreed = data.bytes == here.step.out[out_order_[i]] && why != Why::on_device &&
                          data.pack(carrier.outgoing(i));
      carrier.outgoing_word(i) = agreed ? 0 : 1;
      if (!agreed) heed(send_apart(i, data));
    }
    carrier.start();
    carrier.finish();
    for (std::size_t i = 0; i < in_order_.size(); ++i) heed(receive(here, i));
    if (!requests_.empty()) {
      heed(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
      requests_.clear();
    }
    if (looks_back_after(++entry_->carried)) {
      const auto all = static_cast<Why>(talk_->largest(static_cast<std::uint64_t>(surprised_)));
      if (all != Why::none) hand_back(all);
    }
  } catch (const std::exception& problem) {
    die(problem);
  }
  if (result != MPI_SUCCESS) MPI_Comm_call_errhandler(comm_, result);
  return result;
}

int Neighborhood::send_apart(std::size_t message, const Data& data) {
  surprise(Why::other_arguments);
  const int peer = neighbors_.out[out_order_[message]];
  requests_.push_back(MPI_REQUEST_NULL);
#if MPI_VERSION >= 4
  return MPI_Isend_c(data.at, data.count, data.type, peer, out_tags_[message], talk_->comm(),
                     &requests_.back());
#else
  return MPI_Isend(data.at, static_cast<int>(data.count), data.type, peer, out_tags_[message],
                   talk_->comm(), &requests_.back());
#endif
}

int Neighborhood::receive(Plan& plan, std::size_t message) {
  const std::size_t neighbor = in_order_[message];
  const Data& data = data_.in[neighbor];
  const std::size_t agreed = plan.step.in[neighbor];
  const bool apart = plan.carrier->incoming_word(message) != 0;
  if (!apart && data.bytes == agreed && !may_be_on_device())
    if (data.unpack(plan.carrier->incoming(message))) return MPI_SUCCESS;
  surprise(Why::other_arguments);
  const int peer = neighbors_.in[neighbor], tag = in_tags_[message];
  if (!apart) {
    // The sender has sent what was agreed on, and this rank asks for something else: MPI says what
    // becomes of that.
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = MPI_Isend(plan.carrier->incoming(message), static_cast<int>(agreed),
                               MPI_PACKED, talk_->rank(), own_tag, talk_->comm(), &request);
    if (code != MPI_SUCCESS) return code;
    requests_.push_back(request);
  }
  const int from = apart ? peer : talk_->rank(), with = apart ? tag : own_tag;
#if MPI_VERSION >= 4
  return MPI_Recv_c(data.at, data.count, data.type, from, with, talk_->comm(), MPI_STATUS_IGNORE);
#else
  return MPI_Recv(data.at, static_cast<int>(data.count), data.type, from, with, talk_->comm(),
                  MPI_STATUS_IGNORE);
#endif
}

void Neighborhood::hand_back(Why why) {
  phase_ = Phase::native;
  entry_->back_at = entry_->steps + 1;
  entry_->why = why;
}

}  // namespace substitute
