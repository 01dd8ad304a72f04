#include "requests.hpp"

#include "chance.hpp"

#include <algorithm>
#include <map>

namespace emulated {

namespace {
std::map<MPI_Request, Request> requests;
}

Request::Request(std::vector<Call> calls, bool persistent)
    : calls_(std::move(calls)), persistent_(persistent) {}

void Request::start() {
  if (active()) forbidden("a request was started twice");
  if (!calls_.empty() && calls_.front().of_step()) {
    const Call& first = calls_.front();
    if (persistent_ && !first.sends && fault("a start of a receive forgotten")) return;
    if (first.sends && first.ready && first.count > 0 && fault("a message not sent")) {
      pending_empty_ = true;
      return;
    }
  }
  for (const Call& call : calls_) messages_.push_back(std::make_shared<Message>(call));
  pending_empty_ = messages_.empty();
  for (const Shared& message : messages_) post(message);
}

bool Request::complete() const {
  return std::all_of(messages_.begin(), messages_.end(),
                     [](const Shared& message) { return message->complete(); });
}

int Request::finish(MPI_Status* status) {
  int error = MPI_SUCCESS;
  for (const Shared& message : messages_)
    error = std::max(error, message->finish(messages_.size() == 1 ? status : MPI_STATUS_IGNORE));
  messages_.clear();
  pending_empty_ = false;
  return error;
}

void Request::cancel() {
  for (const Shared& message : messages_) message->cancel();
}

void Request::make_ready(int first, int last) {
  for (int partition = first; partition <= last; ++partition)
    if (!fault("a partition not marked ready"))
      messages_.at(static_cast<std::size_t>(partition))->make_ready();
}

bool Request::arrived(int partition) const {
  return messages_.empty() || messages_.at(static_cast<std::size_t>(partition))->complete();
}

void Request::make(std::vector<Call> calls, bool persistent, MPI_Request* handle) {
  PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_SELF, handle);
  const auto [made, is_new] = requests.try_emplace(*handle, std::move(calls), persistent);
  if (!is_new) forbidden("MPI has given a handle twice");
  if (!persistent) made->second.start();
}

Request* Request::of(MPI_Request handle) {
  const auto found = requests.find(handle);
  return found == requests.end() ? nullptr : &found->second;
}

void Request::forget(MPI_Request* handle) {
  requests.erase(*handle);
  PMPI_Request_free(handle);
}

}  // namespace emulated
