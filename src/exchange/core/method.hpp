#pragma once
// Methods: ways to carry out an exchange. One derived class, in one file, for each.

#include "commons.hpp"
#include "layout.hpp"

#include <halocline/exchange.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace halocline::detail {

/// Links that are frames (frames.hpp): one contiguous block each, whose first word says how many
/// bytes follow that are in use. A method need not move the rest. Off while a scheme is tried with
/// test values, which would be taken for that word.
struct Framing {
  static constexpr std::size_t header = sizeof(std::uint64_t);
  bool on = false;
};

/// What an exchange is built from, checked across ranks.
struct Setup {
  Channel comm;  ///< the tags are the exchange's own
  Pattern pattern;
  std::vector<Field> fields;  ///< the first `travelling()` leave; where `apart`, others land
  Scheme scheme;
  /// On every rank each peer that I send to sends to me, and the other way round. Then a peer
  /// reaches step k+2 only after it has seen my step k+1, so two buffers in turn never overrun.
  bool two_way = false;
  /// Null if links are cells.
  std::shared_ptr<const Framing> framing{};
  /// Other than `replace` for methods that combine themselves what arrives (MethodFacts).
  Combine combine = Combine::replace;
  /// Messages come from one half of the fields and land in the other. Else both are the same.
  bool apart = false;
  /// Whether cells may stay with the neighbour: the caller's word, never a scheme's (make_method).
  Halos halos = Halos::landed;
  /// What the fields lie in, where that is the library's own.
  std::shared_ptr<const void> memory{};

  /// Whether the fields of this layout lie in memory that lives as long as the library wants, and
  /// not in the caller's own.
  bool keeps(const Layout& layout) const;

  /// Bytes of a message of `whole` bytes that have to travel.
  std::size_t in_use(const std::byte* message, std::size_t whole) const noexcept {
    if (!framing || !framing->on) return whole;
    std::uint64_t used = 0;
    std::memcpy(&used, message, sizeof used);
    return Framing::header + std::min<std::uint64_t>(used, whole - Framing::header);
  }

  /// Fields that a message is made of.
  std::size_t travelling() const noexcept { return apart ? fields.size() / 2 : fields.size(); }
  /// The number of the first field that is landed in.
  std::size_t lands_from() const noexcept { return apart ? travelling() : 0; }
  std::span<const Field> leaving_fields() const { return {fields.data(), travelling()}; }
  std::span<const Field> landing_fields() const {
    return {fields.data() + lands_from(), travelling()};
  }
  /// Of all fields of a message together.
  std::size_t element_bytes() const { return detail::element_bytes(leaving_fields()); }
  /// One past the largest element that leaves, or lands.
  std::size_t leaving_extent() const { return apart ? pattern.leaving_extent() : pattern.extent(); }
  std::size_t landing_extent() const { return apart ? pattern.landing_extent() : pattern.extent(); }
  /// The bytes of a link that is sent, or received, in the fields.
  Layout leaving(const Link& link) const { return {link.blocks, leaving_fields()}; }
  Layout landing(const Link& link) const { return {link.blocks, landing_fields(), lands_from()}; }

  /// For another scheme and pattern in the same fields, on a channel of its own.
  Setup another(const Scheme& with, const Pattern& of) const;

  std::vector<int> targets() const;  ///< peers of the sends
  std::vector<int> sources() const;  ///< peers of the receives
};

/// The place of these links in the trace's table of exchanges; see trace::detail::describe.
/// Collective.
std::uint16_t traced_as(const Scheme& scheme, MPI_Comm comm, const Pattern& pattern,
                        std::size_t element_bytes);

/// Where a step is: start, finish, start, ... in this order. A step that has thrown never ends.
class Step {
 public:
  Step();
  ~Step();
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  /// Before a step of the exchange `who`: throws Error if one is under way.
  void begin(const Scheme& who);
  /// The same where parts are marked ready one by one.
  void open(const Scheme& who);
  void must_be_open(const Scheme& who) const;
  /// Before it is finished: throws Error if none has begun.
  void finish(const Scheme& who);
  void end() noexcept { state_ = State::idle; }
  bool under_way() const noexcept { return state_ != State::idle; }

 private:
  enum class State { idle, started, opened, finishing } state_ = State::idle;
};

/// A scope that a trace shows, and whose time is added to a sum, if asked to.
class Timed {
 public:
  Timed(Activity activity, bool on, double& sum, int peer = trace::nobody)
      : phase_(activity, peer), sum_(on ? &sum : nullptr) {
    if (sum_) begin_ = std::chrono::steady_clock::now();
  }
  ~Timed() {
    if (sum_)
      *sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  trace::detail::Phase phase_;
  double* sum_;
  std::chrono::steady_clock::time_point begin_;
};

using mpi::abandoning;

/// Whether waiting in a blocking call of any of these ranks could keep a core from another rank.
/// Collective; the same on all.
bool takes_turns(MPI_Comm comm);

/// Ends a method, or frames. In the middle of a step peers may still use what it has: then that is
/// left as it is.
template <class Stepped>
void end(std::unique_ptr<Stepped>& one) {
  const mpi::Abandoning unfinished(one && one->step.under_way());
  one.reset();
}

class Method {
 public:
  explicit Method(Setup setup);
  virtual ~Method();
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;

  virtual void start() = 0;
  virtual void finish() = 0;
  /// Part by part (see Exchange). Unless a method says otherwise, all leave with the last of them.
  virtual void open();
  virtual void ready(std::size_t link, std::size_t first, std::size_t count);
  virtual bool await(std::size_t link, std::size_t first, std::size_t count);
  virtual bool direct() const noexcept { return false; }
  /// In my own halo unless a method says otherwise.
  virtual View view(std::size_t link, std::size_t block, std::size_t field) const;
  /// Other blocks for the same peers.
  virtual Pattern change(Pattern pattern, std::vector<Field> fields);

  const Setup& setup() const noexcept { return setup_; }
  /// For another method in place of this one, which is not used any more.
  Setup take_setup() { return std::move(setup_); }
  /// Elements that have not been marked ready in this step.
  std::size_t missing() const noexcept { return missing_.load(std::memory_order_relaxed); }
  Step step;  ///< the caller's
  bool measuring = false;
  ExchangeTimes times;
  DeviceTraffic traffic;
  /// The caller's, of fields on a device; else the host waits.
  std::optional<DeviceStream> stream;

 protected:
  MPI_Comm comm() const noexcept { return setup_.comm; }
  /// Of my messages on it; see Channel::tag.
  int tag(int which = 0) const noexcept { return setup_.comm.tag(which); }
  const Pattern& pattern() const noexcept { return setup_.pattern; }
  const Bases& bases() const noexcept { return bases_; }
  const Scheme& scheme() const noexcept { return setup_.scheme; }
  /// The scheme's name, for messages of waits.
  const char* what() const noexcept { return name_.c_str(); }
  /// Elements that stay on this rank, and whether there are any.
  void copy_local() const;
  bool keeps() const noexcept { return !pattern().copies_from().blocks.empty(); }

  Timed packing(int peer = trace::nobody) { return {Activity::pack, measuring, times.pack, peer}; }
  Timed transferring() { return {Activity::transfer, measuring, times.transfer}; }
  Timed waiting() { return {Activity::wait, measuring, times.wait}; }

  /// The scheme that it has become.
  void become(const Scheme& scheme) {
    setup_.scheme = scheme;
    name_ = scheme.str();
  }
  /// Other cells; returns the pattern until now. What stays on this rank is the caller's then, and
  /// no longer copied by `copy_local`.
  Pattern replace(Pattern pattern, std::vector<Field> fields);

 private:
  Setup setup_;
  Bases bases_;
  LayoutCopy local_;
  std::string name_;
  std::atomic<std::size_t> missing_{0};  ///< elements that are not ready yet
};

}  // namespace halocline::detail
