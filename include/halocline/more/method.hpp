#pragma once
// Methods: ways to carry out an exchange, for those who write one (docs/how-to/add-a-method.md).
// One derived class, in one file, for each, and what others know of it: MethodFacts. The library's
// own methods and those of other libraries are written alike, and are registered alike.

#include <halocline/exchange.hpp>
#include <halocline/more/channel.hpp>
#include <halocline/more/description.hpp>
#include <halocline/more/layout.hpp>
#include <halocline/more/trace.hpp>
#include <halocline/scheme.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline::detail {
class LayoutCopy;
}

namespace halocline::methods {

using mpi::abandoning;

/// Links that are frames (frames.hpp): one contiguous block each, whose first word says how many
/// bytes follow that are in use. A method need not move the rest. Off while a scheme is tried with
/// test values, which would be taken for that word.
struct Framing {
  static constexpr std::size_t header = sizeof(std::uint64_t);
  bool on = false;

  /// Where both ends know how long each message is and the method takes any
  /// (FrameFacts::any_message), messages need no header: each step says where they lie, link by
  /// link, and the blocks say nothing.
  bool bare = false;
  struct Message {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
  };
  std::vector<Message> sends{}, receives{};
};

/// What an exchange is built from, checked across ranks.
struct Setup {
  Channel comm;  ///< the tags are the exchange's own
  Pattern pattern;
  std::vector<Field> fields;  ///< the first `fields_in_message()` are sent from; where `apart`,
                              ///< the others are received into
  Scheme scheme;
  /// On every rank each peer that I send to sends to me, and the other way round. Then a peer
  /// reaches step k+2 only after it has seen my step k+1, so two buffers in turn never overrun.
  bool two_way = false;
  /// Null if links are cells.
  std::shared_ptr<const Framing> framing{};
  /// Other than `replace` for methods that combine themselves what arrives (MethodFacts).
  Combine combine{};
  /// Messages are sent from one half of the fields and received into the other. Else both are the
  /// same.
  bool apart = false;
  /// Whether cells may stay with the neighbour: the caller's word, never a scheme's (make_method).
  Halos halos = Halos::filled;
  /// Blocks and fields are of several parts (Block::part, Field::part), which need not be the same
  /// on all ranks; nor need the fields be. True on all ranks or on none.
  bool several = false;
  /// Each step is given its fields (Method::rebind). Those here say what they are like, and how
  /// many elements are exchanged at least; where they point to, if anywhere, is theirs while the
  /// method is made. True on all ranks or on none.
  bool unbound = false;
  /// What the fields lie in, where that is the library's own.
  std::shared_ptr<const void> memory{};
  /// ExchangeOptions::any_order.
  bool any_order = false;

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
  std::size_t fields_in_message() const noexcept {
    return apart ? fields.size() / 2 : fields.size();
  }
  /// The number of the first field that is received into.
  std::size_t first_receive_field() const noexcept { return apart ? fields_in_message() : 0; }
  std::span<const Field> send_fields() const { return {fields.data(), fields_in_message()}; }
  std::span<const Field> receive_fields() const {
    return {fields.data() + first_receive_field(), fields_in_message()};
  }
  /// Bytes of an element of all fields together, where there is one part.
  std::size_t element_bytes() const;
  /// Bytes of the message of a link.
  std::size_t bytes(const Link& link) const;
  std::size_t bytes_sent() const;  ///< of the messages to all other ranks
  /// Where in field `field` something is exchanged, in bytes from its element 0.
  Reach reach(std::size_t field) const;
  /// The bytes of a link that is sent, or received, in the fields.
  Layout send_layout(const Link& link) const { return {link.blocks, send_fields()}; }
  Layout receive_layout(const Link& link) const {
    return {link.blocks, receive_fields(), first_receive_field()};
  }

  /// For another scheme and pattern in the same fields, on a channel of its own.
  Setup another(const Scheme& with, const Pattern& of) const;

  std::vector<int> targets() const;  ///< peers of the sends
  std::vector<int> sources() const;  ///< peers of the receives
};

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
  std::chrono::steady_clock::time_point begin_{};
};

/// One exchange as one method carries it out. `start` may wait for nothing that a peer does in its
/// `finish`; when `finish` returns the halos are this step's, and the sent cells are free.
class Method {
 public:
  explicit Method(Setup setup);
  virtual ~Method();
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;

  virtual void start() = 0;
  virtual void finish() = 0;
  /// Before each step of an unbound exchange: where its fields are now. Local.
  void rebind(std::span<const Field> fields);
  /// Part by part (see Exchange). Unless a method says otherwise, all are sent with the last of
  /// them.
  virtual void open();
  virtual void ready(std::size_t link, std::size_t first, std::size_t count);
  virtual bool await(std::size_t link, std::size_t first, std::size_t count);
  virtual bool direct() const noexcept { return false; }
  /// In my own halo unless a method says otherwise.
  virtual HaloView view(std::size_t link, std::size_t block, std::size_t field) const;
  /// Other blocks for the same peers.
  virtual Pattern change(Pattern pattern, std::vector<Field> fields);

  /// Bytes that this rank copies in a step only because fields lie in memory of the caller's own,
  /// where the scheme cannot work on them (Scheme::memory).
  virtual std::size_t avoidable_bytes() const { return 0; }

  /// Lets the caller write and read frames where peers do, in memory of the method's own, if it
  /// can; from then on the caller does. Returns how long a message may be that is not to be written
  /// past the caches (Layout::stream).
  virtual std::optional<std::size_t> lend_frames() { return {}; }
  /// Where the next step's frame to a peer is to be written, before it starts. Null: in the field.
  /// What follows its header begins a cache line if it is longer than one.
  virtual std::byte* frame_to(int) { return nullptr; }
  /// Where this step's frame from a peer is, once it has finished, until the next one starts.
  virtual std::byte* frame_from(int) { return nullptr; }

  /// Whether a rank can end it without the others. If not, it stays where a rank destroys its
  /// exchange, until all have and meet, and they end it together. Unless a method says otherwise,
  /// what is FrameFacts::made_alone can.
  virtual bool ends_alone() const;
  /// The caller has destroyed its exchange. Local.
  virtual void leave() noexcept {}

  /// Peers whose cells have not come in this step, as far as the method knows.
  virtual std::vector<int> awaited() const { return {}; }

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
  /// The tag of my messages on it; see Channel::tag.
  int tag(int which = 0) const noexcept { return setup_.comm.tag(which); }
  const Pattern& pattern() const noexcept { return setup_.pattern; }
  const Bases& bases() const noexcept { return bases_; }
  const Scheme& scheme() const noexcept { return setup_.scheme; }
  /// The scheme's name and the peers, for messages of waits.
  const char* what() const noexcept { return awaited_.c_str(); }
  /// Elements that stay on this rank, and whether there are any.
  void copy_local() const;
  bool keeps() const noexcept { return !pattern().copies_from().blocks.empty(); }

  Timed packing(int peer = trace::nobody) { return {Activity::pack, measuring, times.pack, peer}; }
  Timed transferring() { return {Activity::transfer, measuring, times.transfer}; }
  Timed waiting() { return {Activity::wait, measuring, times.wait}; }

  /// `bases()`, and the setup's fields, are elsewhere now. A method that keeps addresses besides
  /// changes them here (MethodFacts::rebinds).
  virtual void rebound() {}
  /// The scheme that it has become.
  void become(const Scheme& scheme);
  /// Other cells; returns the pattern until now. What stays on this rank is the caller's then, and
  /// no longer copied by `copy_local`.
  Pattern replace(Pattern pattern, std::vector<Field> fields);

 private:
  Setup setup_;
  Bases bases_;
  std::unique_ptr<const detail::LayoutCopy> local_;
  std::string name_, awaited_;
  std::atomic<std::size_t> missing_{0};  ///< elements that are not ready yet
};

// ---- what others know of a method ----------------------------------------------------------

struct OptionFacts {
  std::string name{};
  std::vector<std::string> values{};  ///< the first is the default
  /// For free text (`island`, `outer`): throws Error on bad text. `values` holds examples.
  std::function<void(const std::string&)> check{};
};

/// How the ranks of a step wait for each other: a trace says it of each exchange, and its reader
/// knows by it whom a rank has waited for (docs/reference/trace-file.md).
namespace waits {
constexpr const char* for_messages = "messages";      ///< until a peer's message has come
constexpr const char* for_puts = "symmetric memory";  ///< until a peer's put has come
constexpr const char* for_memory = "shared memory";
constexpr const char* for_memory_epochs = "shared memory by epochs";  ///< empty ones
constexpr const char* at_memory_fences = "shared memory by fences";   ///< of the ranks with links
constexpr const char* at_fences = "fences";                           ///< for all ranks
constexpr const char* at_near_fences = "near fences";                 ///< for those with links
constexpr const char* for_epochs = "epochs";  ///< post, start, complete, wait
constexpr const char* for_epochs_of_gets = "epochs of gets";
constexpr const char* for_targets = "passive targets";  ///< for notifications
constexpr const char* for_targets_of_gets = "passive targets of gets";
constexpr const char* for_nobody = "nobody";  ///< asynchronous
}  // namespace waits

/// How a method deals with frames: messages of which each step says how much is in use.
struct FrameFacts {
  /// Whatever is in use of one, the whole of it travels: its size is settled at set-up.
  bool whole = false;
  /// Both ends of a link can make it anew without the other ranks.
  bool made_alone = false;
  /// Messages may be longer or shorter in each step, and lie elsewhere (Framing::bare).
  bool any_message = false;
};

/// All that others know of a method. Who asks what a method can asks here, never for its name.
struct MethodFacts {
  std::string name{};     ///< "rma:put:fence"
  std::string summary{};  ///< one line: what calls it makes
  std::vector<OptionFacts> options{};
  std::unique_ptr<Method> (*make)(Setup) = nullptr;
  /// What it does in a step. Null: the model refuses it.
  model::Step (*describe)(const model::Chosen&, const model::Links&) = nullptr;
  /// Options that other methods have and this one cannot, with the reason and the remedy.
  std::vector<std::pair<std::string, std::string>> refusals{};
  /// Why these options do not fit together; empty if they do.
  std::string (*conflict)(const Scheme&) = [](const Scheme&) { return std::string(); };
  /// Why this MPI cannot run it; empty if it can.
  std::string (*missing)() = [] { return std::string(); };
  /// What all ranks of MPI_COMM_WORLD do before exchanges of some of them (halocline::prepare): it
  /// is collective, and returns its seconds on this rank. Null: nothing.
  double (*prepare)() = nullptr;
  MemoryKind (*memory)(const Scheme&) = [](const Scheme&) { return MemoryKind::plain; };
  /// Whether a scheme leaves cells with the neighbour where the caller's code reads them there.
  /// Elsewhere its option `access` is `copy`.
  bool (*reads_in_place)(const Scheme&) = [](const Scheme&) { return false; };
  const char* (*waits)(const Scheme&) = [](const Scheme&) { return waits::for_messages; };

  /// Whether its steps may each be given other fields (Method::rebound). Where not, an unbound
  /// exchange brings cells to it in memory of the library.
  bool (*rebinds)(const Scheme&) = [](const Scheme&) { return false; };
  /// For a scheme whose memory is not plain, or by which others reach the fields: tells whether
  /// this rank's fields lie where the method can work on them. Where they do not on some rank,
  /// cells are brought to it in memory of the library. Null: the method sees to it itself.
  bool (*reaches)(const Setup&) = nullptr;

  /// No way of its own but a choice among the others; lists of schemes leave it out.
  bool chooses = false;
  /// Combines what arrives with the cells where they lie, in an order of its own; with the others
  /// the exchange does (framed.hpp).
  bool combines = false;
  /// The method that moves bytes between two buffers, where this one would combine them.
  std::string from_buffers{};
  /// With pack=off others reach the fields by windows that the exchange makes on them. So these lie
  /// in memory of the library, which stays until all ranks have destroyed the exchange.
  bool one_sided = false;
  /// Within an island only; its option `outer` says what carries the links between islands.
  bool within_islands = false;
  /// MPI is given the addresses of the cells; so an MPI that takes those of a device can carry
  /// them.
  bool device_addresses = false;
  FrameFacts frames{};
  /// Any MPI gets it right: `auto` may choose it before the doctor has seen it.
  bool trusted = false;
};

template <class M>
std::unique_ptr<Method> make(Setup setup) {
  return std::make_unique<M>(std::move(setup));
}

inline OptionFacts on_off(std::string name, bool on = true) {
  return on ? OptionFacts{std::move(name), {"on", "off"}}
            : OptionFacts{std::move(name), {"off", "on"}};
}

}  // namespace halocline::methods

namespace halocline {

/// Adds a method to those that schemes name. Throws Error if its name is taken or no name, if it
/// cannot be made, or if schemes have been read already: a program does it first, and a library
/// that HALOCLINE_METHODS names (paths with ':' between them) in `extern "C" void
/// halocline_methods()`.
void register_method(methods::MethodFacts facts);

/// What this scheme, and the one that it takes between islands, ask of all ranks at once, as GASPI
/// asks that all start it; done before, it does nothing. Returns the seconds that it has taken on
/// this rank, or 0.
///
/// Collective over MPI_COMM_WORLD. An exchange of all ranks does it by itself; programs whose
/// exchanges have fewer call this before. Throws Error on all ranks if it cannot be done.
double prepare(const Scheme& scheme);

}  // namespace halocline

#pragma GCC visibility pop
