#include "messages.hpp"

#include "chance.hpp"

#include <algorithm>
#include <list>
#include <map>
#include <tuple>

namespace emulated {

namespace {

/// Posted by the program and not by the layer, in the program's order.
std::list<Shared> waiting;
/// Those that MPI has.
std::list<Shared> on_their_way;

/// The message before on the same channel, for a fault.
using Channel = std::tuple<MPI_Comm, int, int>;
std::map<Channel, std::vector<char>> last_sent;

/// Mostly soon, now and then after all others.
unsigned some_calls() {
  constexpr unsigned longest[] = {1, 4, 16, 64};
  return dice(longest[dice(4)]);
}

}  // namespace

std::recursive_mutex& one_at_a_time() {
  static auto& mutex = *new std::recursive_mutex;
  return mutex;
}

Message::Message(const Call& call) : call_(call) {}

int Message::size() const {
  int of_type = 0;
  PMPI_Type_size(call_.type, &of_type);
  return call_.count * of_type;
}

std::vector<char> Message::packed() const {
  std::vector<char> bytes(static_cast<std::size_t>(size()));
  int end = 0;
  if (!bytes.empty())
    PMPI_Pack(call_.buffer, call_.count, call_.type, bytes.data(), size(), &end, call_.comm);
  return bytes;
}

void Message::unpack(std::vector<char> bytes) const {
  int end = 0;
  if (!bytes.empty())
    PMPI_Unpack(bytes.data(), size(), &end, call_.buffer, call_.count, call_.type, call_.comm);
}

bool Message::same_channel(const Message& other) const {
  return call_.sends == other.call_.sends && call_.comm == other.call_.comm &&
         call_.peer == other.call_.peer && call_.tag == other.call_.tag;
}

void Message::post() {
  state_ = State::waiting;
  patience_ = some_calls();
  if (call_.peer == MPI_PROC_NULL) {
    state_ = State::complete;
    return;
  }
  if (!call_.sends) {
    before_ = packed();
    now_.resize(before_.size());
    const auto rubbish = static_cast<char>(0x81 + dice(64));
    std::fill(now_.begin(), now_.end(), rubbish);
    unpack(now_);
    if (call_.of_step() &&
        fault(now_.empty() ? "a wait for a notice forgotten" : "a wait for a receive forgotten")) {
      late_ = !now_.empty();
      state_ = State::complete;
    }
    return;
  }
  if (call_.ready) make_ready();
}

void Message::make_ready() {
  if (state_ != State::waiting) return;
  call_.ready = true;
  patience_ = some_calls();
  eager_ = !call_.synchronous && dice(2) == 0;
  before_ = now_ = packed();
  bytes_ = before_;
  const bool has_content = !before_.empty() && call_.of_step();
  const Channel channel{call_.comm, call_.peer, call_.tag};
  if (has_content && last_sent.contains(channel) && last_sent[channel] != before_ &&
      last_sent[channel].size() == before_.size() && fault("a message not packed again")) {
    eager_ = true;
    bytes_ = last_sent[channel];
  }
  if (has_content) last_sent[channel] = before_;
  if (has_content && fault("a buffer used again")) {
    std::vector<char> other = before_;
    other.back() = static_cast<char>(other.back() + 1);
    unpack(other);
  }
  if (has_content && fault("a message cut short")) {
    eager_ = true;
    bytes_.pop_back();
  }
  if (has_content && fault("a tag mixed up")) ++call_.tag;
  if (has_content && fault("a wait for a send forgotten")) {
    eager_ = false;
    late_ = true;
    state_ = State::complete;
    return;
  }
  if (eager_) state_ = State::complete;
}

void Message::issue() {
  if (!call_.sends) {
    bytes_.resize(static_cast<std::size_t>(size()));
    error_ =
        PMPI_Irecv(bytes_.data(), size(), MPI_PACKED, call_.peer, call_.tag, call_.comm, &request_);
  } else {
    if (!eager_) bytes_ = packed();
    const auto send = eager_ ? PMPI_Isend : PMPI_Issend;
    error_ = send(bytes_.data(), static_cast<int>(bytes_.size()), MPI_PACKED, call_.peer, call_.tag,
                  call_.comm, &request_);
  }
  if (state_ == State::waiting) state_ = State::on_its_way;
  if (error_ != MPI_SUCCESS) state_ = State::complete;
}

/// Whether MPI has done with it.
void Message::look() {
  int done = 0;
  const int error = PMPI_Test(&request_, &done, &status_);
  if (done == 0 && error == MPI_SUCCESS) return;
  if (error != MPI_SUCCESS) {
    error_ = error;
    request_ = MPI_REQUEST_NULL;
  }
  state_ = State::complete;
}

void Message::check_untouched() {
  if (now_.empty() || (late_ && call_.sends) || packed() == now_) return;
  forbidden(call_.sends ? "the buffer of a message was written before its send was complete"
                        : "a buffer was written before its receive was complete");
}

int Message::finish(MPI_Status* status) {
  if (call_.peer == MPI_PROC_NULL) return MPI_SUCCESS;
  check_untouched();
  if (call_.sends) return error_;
  int length = 0, cancelled = cancelled_ ? 1 : 0;
  if (cancelled == 0) PMPI_Test_cancelled(&status_, &cancelled);
  if (cancelled == 0) PMPI_Get_count(&status_, MPI_PACKED, &length);
  if (length > 0 && length <= static_cast<int>(std::min(bytes_.size(), before_.size())))
    std::copy_n(bytes_.begin(), length, before_.begin());
  unpack(before_);
  if (cancelled_) PMPI_Status_set_cancelled(&status_, 1);
  if (status != MPI_STATUS_IGNORE) *status = status_;
  return error_;
}

void Message::cancel() {
  if (state_ == State::on_its_way && !call_.sends) PMPI_Cancel(&request_);
  if (state_ != State::waiting || call_.sends) return;
  waiting.remove_if([&](const Shared& one) { return one.get() == this; });
  cancelled_ = true;
  state_ = State::complete;
}

void Message::let_go(bool all, MPI_Comm receives_on) {
  std::vector<Shared> held;
  for (auto one = waiting.begin(); one != waiting.end();) {
    Message& message = **one;
    const bool asked = all || (receives_on != MPI_COMM_NULL && !message.call_.sends &&
                               message.call_.comm == receives_on);
    const bool behind = std::any_of(held.begin(), held.end(), [&](const Shared& earlier) {
      return message.same_channel(*earlier);
    });
    if (message.patience_ > 0) --message.patience_;
    const bool early = message.patience_ > 0 || (message.late_ && message.packed() == message.now_);
    if (behind || !message.call_.ready || (!asked && early)) {
      held.push_back(*one++);
      continue;
    }
    message.issue();
    on_their_way.push_back(*one);
    one = waiting.erase(one);
  }
}

void Message::progress(bool all) {
  let_go(all, MPI_COMM_NULL);
  for (auto one = on_their_way.begin(); one != on_their_way.end();) {
    if ((*one)->request_ != MPI_REQUEST_NULL) (*one)->look();
    one = (*one)->request_ == MPI_REQUEST_NULL ? on_their_way.erase(one) : std::next(one);
  }
}

void Message::post_receives(MPI_Comm comm) {
  let_go(false, comm);
}

void post(const Shared& message) {
  message->post();
  if (message->call().peer == MPI_PROC_NULL) return;
  const bool overtakes =
      message->call().sends && message->call().of_step() && message->call().count > 0 &&
      std::any_of(waiting.begin(), waiting.end(),
                  [&](const Shared& one) { return message->same_channel(*one); }) &&
      fault("messages overtaking");
  overtakes ? waiting.push_front(message) : waiting.push_back(message);
}

}  // namespace emulated
