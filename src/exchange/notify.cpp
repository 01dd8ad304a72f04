#include "notify.hpp"

#include <atomic>

namespace halocline::detail {

namespace {

/// Empty messages, told apart by order alone.
class MessageNotifier final : public Notifier {
 public:
  MessageNotifier(MPI_Comm comm, const std::vector<int>& listeners,
                  const std::vector<int>& speakers, int tag, const char* what)
      : Notifier(listeners.size()),
        comm_(comm),
        listeners_(listeners),
        speakers_(speakers),
        tag_(tag),
        what_(what),
        sends_(2 * listeners.size(), MPI_REQUEST_NULL),
        receives_(speakers.size(), MPI_REQUEST_NULL),
        odd_(listeners.size(), 0) {}

  ~MessageNotifier() override {
    if (abandoning()) return;
    try {
      wait_all(what_, sends_);
    } catch (const Error&) {  // the peer is gone; who waits for it will say so
    }
  }

  void signal(std::size_t link) override {
    // The message of two steps ago has been received, by contract.
    MPI_Request& request = sends_[2 * link + odd_[link]];
    odd_[link] ^= 1;
    wait(what_, request);
    HALOCLINE_MPI(MPI_Isend, nullptr, 0, MPI_BYTE, listeners_[link], tag_, comm_, &request);
  }

  void await() override {
    for (std::size_t i = 0; i < speakers_.size(); ++i)
      HALOCLINE_MPI(MPI_Irecv, nullptr, 0, MPI_BYTE, speakers_[i], tag_, comm_, &receives_[i]);
    wait_all(what_, receives_);
  }

 private:
  MPI_Comm comm_;
  std::vector<int> listeners_, speakers_;
  int tag_;
  const char* what_;
  std::vector<MPI_Request> sends_, receives_;
  std::vector<std::uint8_t> odd_;
};

/// Words that peers change by atomic accumulates while their owner looks at them.
class Words {
 public:
  using Word = std::int64_t;

  Words(MPI_Comm comm, std::size_t count, const char* what) : comm_(comm), what_(what) {
    const Blocking guard(what_);
    // A cache line for each, so that a poll meets no other writer.
    HALOCLINE_MPI(MPI_Win_allocate, static_cast<MPI_Aint>(count * line), 1, MPI_INFO_NULL, comm,
                  &base_, window_.address());
    HALOCLINE_MPI(MPI_Win_set_errhandler, window_, MPI_ERRORS_RETURN);
    int* model = nullptr;
    int found = 0;
    HALOCLINE_MPI(MPI_Win_get_attr, window_, MPI_WIN_MODEL, &model, &found);
    unified_ = found != 0 && *model == MPI_WIN_UNIFIED;

    HALOCLINE_MPI(MPI_Win_lock_all, MPI_MODE_NOCHECK, window_);  // nobody ever locks exclusively
    std::fill_n(base_, count * line, std::byte{});
    HALOCLINE_MPI(MPI_Win_sync, window_);
    HALOCLINE_MPI(MPI_Barrier, comm);  // nobody accumulates into words not yet zero
  }

  ~Words() {
    if (abandoning()) return;
    const Blocking guard(what_);
    MPI_Win_unlock_all(window_);
    window_ = {};
  }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  /// MPI_REPLACE or MPI_SUM on word `word` of `rank`.
  void change(int rank, std::size_t word, MPI_Op operation, Word value) {
    const Blocking guard(what_);
    HALOCLINE_MPI(MPI_Accumulate, &value, 1, MPI_INT64_T, rank, static_cast<MPI_Aint>(word * line),
                  1, MPI_INT64_T, operation, window_);
    HALOCLINE_MPI(MPI_Win_flush, rank, window_);
  }

  /// Until my word has come to `value`.
  void await(std::size_t word, Word value) {
    wait_until(what_, [&] { return read(word) >= value || (progress(comm_), false); });
  }

 private:
  static constexpr std::size_t line = 64;

  Word read(std::size_t word) {
    std::byte* address = base_ + word * line;
    Word value = 0;
    if (unified_) {
      HALOCLINE_MPI(MPI_Win_sync, window_);
      value = std::atomic_ref(*reinterpret_cast<Word*>(address)).load(std::memory_order_acquire);
    } else {
      const Word ignored = 0;
      const int me = mpi::rank(comm_);
      HALOCLINE_MPI(MPI_Fetch_and_op, &ignored, &value, MPI_INT64_T, me,
                    static_cast<MPI_Aint>(word * line), MPI_NO_OP, window_);
      HALOCLINE_MPI(MPI_Win_flush, me, window_);
    }
    return value;
  }

  MPI_Comm comm_;
  const char* what_;
  mpi::Window window_;
  std::byte* base_ = nullptr;
  bool unified_ = false;
};

/// Each speaker has a word of its own, which holds the number of its step.
class FlagNotifier final : public Notifier {
 public:
  FlagNotifier(MPI_Comm comm, const std::vector<int>& listeners, const std::vector<int>& speakers,
               const char* what)
      : Notifier(listeners.size()),
        words_(comm, speakers.size(), what),
        listeners_(listeners),
        speakers_(speakers.size()),
        sent_(listeners.size(), 0) {
    std::vector<std::int64_t> mine(speakers.size());
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = static_cast<std::int64_t>(i);
    places_ = trade(comm, speakers, mine, listeners, 1);
  }

  void signal(std::size_t link) override {
    words_.change(listeners_[link], static_cast<std::size_t>(places_[link]), MPI_REPLACE,
                  ++sent_[link]);
  }

  void await() override {
    ++step_;
    for (std::size_t i = 0; i < speakers_; ++i) words_.await(i, step_);
  }

 private:
  Words words_;
  std::vector<int> listeners_;
  std::size_t speakers_;
  std::vector<std::int64_t> places_;  // of my word at each listener
  std::vector<Words::Word> sent_;
  Words::Word step_ = 0;
};

/// All speakers add to one word. There are two, for even and odd steps: a speaker may be one step
/// ahead of the others, but never two.
class CounterNotifier final : public Notifier {
 public:
  CounterNotifier(MPI_Comm comm, const std::vector<int>& listeners,
                  const std::vector<int>& speakers, const char* what)
      : Notifier(listeners.size()),
        words_(comm, 2, what),
        listeners_(listeners),
        speakers_(static_cast<Words::Word>(speakers.size())),
        sent_(listeners.size(), 0) {}

  void signal(std::size_t link) override {
    words_.change(listeners_[link], sent_[link]++ % 2, MPI_SUM, 1);
  }

  void await() override {
    const std::size_t parity = step_++ % 2;
    expected_[parity] += speakers_;
    words_.await(parity, expected_[parity]);
  }

 private:
  Words words_;
  std::vector<int> listeners_;
  Words::Word speakers_;
  std::vector<std::size_t> sent_;
  std::size_t step_ = 0;
  Words::Word expected_[2] = {0, 0};
};

}  // namespace

std::unique_ptr<Notifier> make_notifier(const std::string& how, MPI_Comm comm,
                                        const std::vector<int>& listeners,
                                        const std::vector<int>& speakers, int tag,
                                        const char* what) {
  if (how == "flag") return std::make_unique<FlagNotifier>(comm, listeners, speakers, what);
  if (how == "counter") return std::make_unique<CounterNotifier>(comm, listeners, speakers, what);
  return std::make_unique<MessageNotifier>(comm, listeners, speakers, tag, what);
}

Handshake::Handshake(const Setup& setup, int slots, const char* what) : slots_(slots) {
  const std::string how = setup.scheme.option("notify");
  arrivals_ = make_notifier(how, setup.comm, setup.targets(), setup.sources(), 11, what);
  if (slots < 2 || !setup.two_way)
    permits_ = make_notifier(how, setup.comm, setup.sources(), setup.targets(), 12, what);
}

void Handshake::await_permits() {
  if (!permits_) return;
  if (unasked_ < slots_)
    ++unasked_;
  else
    permits_->await();
}

Handshake::~Handshake() {
  if (abandoning()) return;
  // The permissions for steps that do not come are on their way all the same.
  try {
    for (; permits_ && unasked_ > 0; --unasked_) permits_->await();
  } catch (const Error&) {
  }
}

}  // namespace halocline::detail
