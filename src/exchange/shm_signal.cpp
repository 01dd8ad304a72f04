// shm:signal: every rank counts its steps in shared memory, where its peers watch the counters.
// A release store of a counter, seen by an acquire load, orders the cells before it: no MPI call.
// A small message is written into one of two slots in turn, so that nobody waits for its reader;
// one of a few words brings its counter along in its cache line.

#include "memory/cache_line.hpp"
#include "methods.hpp"
#include "shm.hpp"

#include <atomic>
#include <optional>

namespace halocline::detail {

namespace {

/// A counter of steps: one rank writes, others read.
class Counter {
 public:
  explicit Counter(std::byte* memory) : value_(reinterpret_cast<std::uint64_t*>(memory)) {}
  void set(std::uint64_t step) const {
    std::atomic_ref(*value_).store(step, std::memory_order_release);
  }
  bool reached(std::uint64_t step) const {
    return std::atomic_ref(*value_).load(std::memory_order_acquire) >= step;
  }

 private:
  static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free,
                "counters are shared by processes");
  std::uint64_t* value_;
};

/// The small messages of one link: two letters in turn, as every link has one in the other
/// direction. A peer reaches step k+2 only after it has seen that I have used its step k.
class Letters {
 public:
  Letters(std::byte* memory, std::size_t message) : memory_(memory), message_(message) {}

  /// Larger messages are read from the fields: one copy less, one wait more.
  static bool suit(std::size_t message) {
    constexpr std::size_t largest = 4096;
    return message <= largest;
  }
  /// Bytes of both.
  static std::size_t bytes(std::size_t message) { return 2 * apart(message); }

  std::byte* text(std::uint64_t step) const { return memory_ + step % 2 * apart(message_); }
  /// A letter of one line has the number of its step at the end: what says that it is there brings
  /// it along.
  bool numbered() const { return message_ <= cache_line - sizeof(std::uint64_t); }
  Counter number(std::uint64_t step) const {
    return Counter(text(step) + cache_line - sizeof(std::uint64_t));
  }

 private:
  /// Processors fetch lines in pairs.
  static std::size_t apart(std::size_t message) {
    return 2 * whole_lines((whole_lines(message) + 1) / 2);
  }
  std::byte* memory_;
  std::size_t message_;
};

/// A link's messages.
struct Mail {
  Layout cells;
  std::optional<Letters> letters;  // none: the cells are read where they are
};

class ShmSignal final : public ShmExchange<ShmSignal> {
 public:
  explicit ShmSignal(Setup s)
      : ShmExchange(std::move(s), Telling::by_memory),
        // Line 0: my cells are ready; line 1+r: I have read those of the island's rank r.
        memory_(island_memory(cache_line *
                              static_cast<std::size_t>(1 + mpi::size(islands().island())))),
        ready_(memory_.data()) {
    const auto line_of = [&](int rank) {
      return cache_line * static_cast<std::size_t>(1 + islands().local_rank(rank));
    };
    for (const int source : sources()) {
      source_ready_.emplace_back(memory_.of_peer(comm(), source));
      read_.emplace_back(memory_.data() + line_of(source));
    }
    make_letters();
    for (std::size_t i = 0; i < targets().size(); ++i)
      if (!to_[i].letters)
        target_read_.emplace_back(memory_.of_peer(comm(), targets()[i]) +
                                  line_of(mpi::rank(comm())));
  }

 private:
  friend ShmExchange;

  void make_letters() {
    to_.resize(targets().size());
    from_.resize(sources().size());
    if (!two_way_inside() || !copies_from_fields()) return;
    std::vector<std::int64_t> places;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < to_.size(); ++i) {
      to_[i].cells = layout(sends()[i]);
      places.push_back(static_cast<std::int64_t>(bytes));
      if (Letters::suit(to_[i].cells.bytes())) bytes += Letters::bytes(to_[i].cells.bytes());
    }
    post_ = island_memory(bytes);
    const auto theirs = trade(comm(), targets(), places, sources(), 1);
    const auto open = [](Mail& mail, std::byte* memory) {
      if (Letters::suit(mail.cells.bytes())) mail.letters.emplace(memory, mail.cells.bytes());
    };
    for (std::size_t i = 0; i < to_.size(); ++i) open(to_[i], post_.data() + places[i]);
    for (std::size_t i = 0; i < from_.size(); ++i) {
      from_[i].cells = layout(receives()[i]);
      open(from_[i], post_.of_peer(comm(), sources()[i]) + theirs[i]);
    }
  }

  void announce() {
    ++step_;
    bool all_numbered = true;
    for (const Mail& mail : to_) {
      if (mail.letters) mail.cells.pack(bases(), mail.letters->text(step_));
      if (mail.letters && mail.letters->numbered())
        mail.letters->number(step_).set(step_);
      else
        all_numbered = false;
    }
    if (!all_numbered) ready_.set(step_);
  }
  bool arrived(std::size_t source) const {
    const auto& letters = from_[source].letters;
    if (letters && letters->numbered()) return letters->number(step_).reached(step_);
    return source_ready_[source].reached(step_);
  }
  void take(std::size_t source) {
    const Mail& mail = from_[source];
    if (!mail.letters) return Shm::take(source);
    const auto time = packing();
    mail.cells.unpack(bases(), mail.letters->text(step_));
  }
  void release(std::size_t source) const {
    if (reading_is_told() && !from_[source].letters) read_[source].set(step_);
  }
  bool reclaimed() const {
    if (!reading_is_told()) return true;
    for (const Counter& target : target_read_)
      if (!target.reached(step_)) return false;
    return true;
  }

  Memory memory_, post_;
  Counter ready_;
  std::vector<Counter> source_ready_, read_, target_read_;
  std::vector<Mail> to_, from_;
  std::uint64_t step_ = 0;
};

}  // namespace

MethodFacts shm_signal() {
  return shm_facts("shm:signal",
                   "loads and stores, synchronised by atomic step counters in shared memory",
                   make<ShmSignal>);
}

}  // namespace halocline::detail
