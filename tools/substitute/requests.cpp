#include "requests.hpp"

#include <halocline/error.hpp>
#include <halocline/more/mpi.hpp>

#include <algorithm>
#include <atomic>

namespace substitute {

namespace {

/// Steps and persistent requests.
std::atomic<std::size_t> watched{0};
/// Steps in which something went wrong.
std::atomic<std::size_t> failed{0};

}  // namespace

Requests& Requests::here() {
  static auto* const all = new Requests;
  return *all;
}

void Requests::begin() {
  MPI_Comm_dup(MPI_COMM_SELF, &here().self_);
}

void Requests::end() {
  Requests& all = here();
  if (all.self_ == MPI_COMM_NULL) return;
  try {
    halocline::wait_until("a step whose request was freed", [&] {
      const Lock lock = all.locked();
      all.go_on_locked();
      return Series::all_leave_comms() &&
             std::ranges::all_of(
                 all.persistent_,
                 [](const auto& one) { return one.second->series->leaves_comm(); }) &&
             std::ranges::none_of(
                 all.open_, [](const auto& step) { return step->request == MPI_REQUEST_NULL; });
    });
  } catch (const std::exception& problem) {
    die(problem);
  }
  MPI_Comm_free(&all.self_);
}

bool Requests::any() {
  return watched.load(std::memory_order_relaxed) > 0;
}

// ---- what the program holds --------------------------------------------------------------------

int Requests::tag() {
  if (!tags_.empty()) {
    const int old = tags_.back();
    tags_.pop_back();
    return old;
  }
  return next_tag_++;
}

int Requests::receive_nothing(int tag, bool persistent, MPI_Request* request) const {
  return persistent ? MPI_Recv_init(nullptr, 0, MPI_BYTE, 0, tag, self_, request)
                    : MPI_Irecv(nullptr, 0, MPI_BYTE, 0, tag, self_, request);
}

OpenStep& Requests::opened(const std::shared_ptr<Series>& series, std::uint64_t number) {
  if (spare_.empty()) spare_.push_back(std::make_unique<OpenStep>());
  open_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  watched.fetch_add(1, std::memory_order_relaxed);
  OpenStep& step = *open_.back();
  step.series = series;
  step.number = number;
  step.data.out.resize(series->neighbors().out.size());
  step.data.in.resize(series->neighbors().in.size());
  step.native = MPI_REQUEST_NULL;
  step.by_native = series->goes_by_native(number);
  step.by_queues = series->goes_by_queues(number);
  step.missing = 0;
  step.error = MPI_SUCCESS;
  step.request = MPI_REQUEST_NULL;
  ++series->open;
  return step;
}

void Requests::dismiss(OpenStep& step) {
  --step.series->open;
  step.series.reset();
  const auto place =
      std::ranges::find_if(open_, [&](const auto& one) { return one.get() == &step; });
  spare_.push_back(std::move(*place));
  open_.erase(place);
  watched.fetch_sub(1, std::memory_order_relaxed);
}

std::size_t Requests::started(std::span<const MPI_Request> requests) {
  if (!any()) return requests.size();
  Requests& all = here();
  std::size_t others = 0;
  const Lock lock = all.locked();
  try {
    for (const MPI_Request request : requests) {
      const auto found = all.persistent_.find(request);
      if (found == all.persistent_.end()) {
        ++others;
        continue;
      }
      Persistent& one = *found->second;
      const std::uint64_t number = one.series->count("");
      OpenStep& step = all.opened(one.series, number);
      step.data = one.data;
      if (step.by_native) {
        HALOCLINE_MPI(MPI_Start, &one.native);
        step.native = one.native;
      }
      one.series->after_native_start(number);
      one.series->send(step);
      step.tag = one.tag;
      step.request = request;
    }
  } catch (const std::exception& problem) {
    die(problem);
  }
  return others;
}

void Requests::over(OpenStep& step) {
  HALOCLINE_MPI(MPI_Send, nullptr, 0, MPI_BYTE, 0, step.tag, self_);
  if (step.error != MPI_SUCCESS && step.request != MPI_REQUEST_NULL) {
    errors_[step.request] = step.error;
    failed.fetch_add(1, std::memory_order_relaxed);
    if (!step.by_native && step.series->comm() != MPI_COMM_NULL)
      MPI_Comm_call_errhandler(step.series->comm(), step.error);
  }
  if (!step.series->is_persistent()) tags_.push_back(step.tag);
  dismiss(step);
  std::erase_if(kept_, [&](MPI_Datatype type) {
    for (const auto& other : open_)
      for (const Data& data : other->data.in)
        if (data.type == type) return false;
    MPI_Type_free(&type);
    return true;
  });
}

// ---- completing --------------------------------------------------------------------------------

OpenStep* Requests::step_of(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) return nullptr;
  for (const auto& step : open_)
    if (step->request == request) return step.get();
  return nullptr;
}

void Requests::go_on_locked() {
  for (std::size_t i = 0; i < open_.size();) {
    OpenStep& step = *open_[i];
    if (step.series->advance(step))
      over(step);
    else
      ++i;
  }
}

void Requests::go_on() {
  Requests& all = here();
  const Lock lock = all.locked();
  try {
    all.go_on_locked();
  } catch (const std::exception& problem) {
    die(problem);
  }
}

bool Requests::are_open(std::span<const MPI_Request> requests) {
  Requests& all = here();
  const Lock lock = all.locked();
  return std::ranges::any_of(requests,
                             [&](MPI_Request one) { return all.step_of(one) != nullptr; });
}

void Requests::complete(std::span<const MPI_Request> requests) {
  go_on_until([&] { return !are_open(requests); });
}

bool Requests::any_error() {
  return failed.load(std::memory_order_relaxed) > 0;
}

int Requests::error_of(MPI_Request request) {
  Requests& all = here();
  const Lock lock = all.locked();
  const auto found = all.errors_.find(request);
  if (found == all.errors_.end()) return MPI_SUCCESS;
  const int code = found->second;
  all.errors_.erase(found);
  return code;
}

// ---- what is freed -----------------------------------------------------------------------------

void Requests::bury(std::shared_ptr<Series> series) {
  buried_.push_back(std::move(series));
  std::erase_if(buried_, [](const auto& one) { return one->clear(); });
}

void Requests::forget(MPI_Request request) {
  Requests& all = here();
  const Lock lock = all.locked();
  OpenStep* const step = all.step_of(request);
  if (step != nullptr) step->request = MPI_REQUEST_NULL;
  const auto found = all.persistent_.find(request);
  if (found == all.persistent_.end()) return;
  Persistent& one = *found->second;
  if (step == nullptr) {
    MPI_Request_free(&one.native);
    for (MPI_Datatype& type : one.types) MPI_Type_free(&type);
    all.tags_.push_back(one.tag);
  }
  all.bury(one.series);
  all.persistent_.erase(found);
  watched.fetch_sub(1, std::memory_order_relaxed);
}

void Requests::forget_comm(MPI_Comm comm) {
  Requests& all = here();
  std::vector<std::shared_ptr<Series>> gone;
  {
    const Lock lock = all.locked();
    if (auto series = Series::forgotten(comm)) {
      gone.push_back(series);
      all.bury(series);
    }
    for (const auto& [request, one] : all.persistent_)
      if (one->series->comm() == comm) gone.push_back(one->series);
  }
  if (gone.empty()) return;
  try {
    halocline::wait_until("the substitute's places", [&] {
      const Lock lock = all.locked();
      std::erase_if(gone, [](const auto& series) { return series->leaves_comm(); });
      return gone.empty();
    });
  } catch (const std::exception& problem) {
    die(problem);
  }
}

bool Requests::keeps(MPI_Datatype type) {
  if (!any() || type == MPI_DATATYPE_NULL) return false;
  Requests& all = here();
  const Lock lock = all.locked();
  for (const auto& step : all.open_)
    for (const Data& data : step->data.in)
      if (data.type == type) {
        all.kept_.push_back(type);
        return true;
      }
  return false;
}

/// The program may free its datatypes as soon as the request is made.
void Requests::keep_types(Persistent& one) {
  watched.fetch_add(1, std::memory_order_relaxed);
  std::unordered_map<MPI_Datatype, MPI_Datatype> duplicates;
  for (auto* all : {&one.data.out, &one.data.in})
    for (Data& data : *all) {
      if (data.type == MPI_DATATYPE_NULL || is_named(data.type)) continue;
      auto [found, is_new] = duplicates.try_emplace(data.type, MPI_DATATYPE_NULL);
      if (is_new) {
        HALOCLINE_MPI(MPI_Type_dup, data.type, &found->second);
        one.types.push_back(found->second);
      }
      data.type = found->second;
    }
}

}  // namespace substitute
