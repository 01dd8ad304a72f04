#pragma once
// Asynchronous methods: ways to bring the newest cells without waiting, for those who write one
// (docs/how-to/add-a-method.md). One derived class, in one file, for each, and what others know of
// it: AsyncMethodFacts. The library's own methods and those of other libraries are written alike.

#include <halocline/more/async_exchange.hpp>
#include <halocline/more/method.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline::methods {

/// One asynchronous exchange as one method carries it out. A link's message is the iteration of its
/// cells and then the cells, packed. `send` and `receive` wait for no other rank.
class AsyncMethod {
 public:
  /// The fields of `setup` have no addresses yet: every call brings its own.
  AsyncMethod(Setup setup, const AsyncOptions& options);
  virtual ~AsyncMethod();
  AsyncMethod(const AsyncMethod&) = delete;
  AsyncMethod& operator=(const AsyncMethod&) = delete;

  // The calls of AsyncExchange.
  void send(const void* cells, std::uint64_t iteration);
  std::size_t receive(void* cells, void* twin);
  void drain(void* cells, void* twin);
  std::uint64_t iteration_of(std::size_t link) const { return iterations_.at(link); }
  const AsyncCounts& counts() const noexcept { return counts_; }

 protected:
  /// Bytes of a message before its cells.
  static constexpr std::size_t header = sizeof(std::uint64_t);

  /// Sends my cells, which are of this iteration, on all links that have room.
  virtual void offer(std::uint64_t iteration) = 0;
  /// Takes the newest message of every source that has sent one; returns of how many links.
  virtual std::size_t collect() = 0;
  /// Waits until nothing is under way, and takes what comes. Collective.
  virtual void settle() = 0;
  /// For destructors: receives and discards what is under way. False if that cannot be, since a
  /// rank has failed: then messages may still come, and the tags of this exchange stay in use.
  bool come_to_rest() noexcept;

  MPI_Comm comm() const noexcept { return setup_.comm; }
  /// The tag of my messages on it; see Channel::tag.
  int tag(int which = 0) const noexcept { return setup_.comm.tag(which); }
  const Setup& setup() const noexcept { return setup_; }
  const Pattern& pattern() const noexcept { return setup_.pattern; }
  /// The scheme's name, for messages of waits.
  const char* what() const noexcept { return name_.c_str(); }
  int buffers() const noexcept { return options_.buffers; }
  bool racy() const noexcept { return options_.racy; }

  /// A link's cells, as in `Pattern::sends()` and `receives()`.
  const std::vector<Layout>& outgoing() const noexcept { return outgoing_; }
  const std::vector<Layout>& incoming() const noexcept { return incoming_; }

  /// Writes a message of `header + cells.bytes()` bytes.
  void pack(const Layout& cells, std::uint64_t iteration, std::byte* message) const;
  /// Puts the cells of a message from `peer` into the caller's halos; returns their iteration.
  std::uint64_t unpack(const Layout& cells, const std::byte* message, int peer) const;

  AsyncCounts counts_;                     ///< the method counts
  std::vector<std::uint64_t> iterations_;  ///< of the cells that have come by each receive link

 private:
  Setup setup_;
  AsyncOptions options_;
  std::string name_;
  std::vector<Layout> outgoing_, incoming_;
  Bases cells_;               // of this send
  std::vector<Bases> halos_;  // of this receive; none: what comes is discarded
};

/// For methods whose receivers may read a message only when all of it is there. So a racy link is
/// cut into parts that travel by themselves and are taken as they come.
class PartedMethod : public AsyncMethod {
 protected:
  using AsyncMethod::AsyncMethod;

  static constexpr std::size_t most_parts = 64;
  /// What of a link travels together: all, or, racy, some thousand bytes.
  std::vector<Layout> parts_of(const Layout& cells) const {
    if (!racy()) return {cells};
    constexpr std::size_t fine = 4096, word = 8;
    const std::size_t parts = std::clamp<std::size_t>(cells.bytes() / fine, 2, most_parts);
    return cells.cut((cells.bytes() / word + parts - 1) / parts * word);
  }

  /// Calls `take(i)` for each part, which returns whether something new has come; returns the
  /// number of links that have something new. A part has the number of its `link` and the
  /// `iteration` of its cells; the parts of a link follow each other.
  template <class Part, class Take>
  std::size_t collect_parts(const std::vector<Part>& parts, Take&& take) {
    std::size_t links = 0, last = parts.size();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!take(i)) continue;
      links += parts[i].link != last;
      last = parts[i].link;
    }
    for (std::size_t i = 0; links > 0 && i < parts.size(); ++i) {
      const bool first = i == 0 || parts[i - 1].link != parts[i].link;
      std::uint64_t& oldest = iterations_[parts[i].link];
      oldest = first ? parts[i].iteration : std::min(oldest, parts[i].iteration);
    }
    return links;
  }
};

/// What a sender does while all buffers hold messages that its receiver has not read.
enum class Unread : std::uint8_t {
  kept,         ///< it skips sends
  overwritten,  ///< it overwrites the oldest one
};

/// All that others know of an asynchronous method. Its schemes have the options of the method of
/// the same name that is not asynchronous (MethodFacts), and are missing where that is.
struct AsyncMethodFacts {
  std::string name{};     ///< "p2p:nonblocking"
  std::string summary{};  ///< one line: what a link has, and what calls it makes
  std::vector<std::string>
      options{};  ///< those that have a meaning here; others keep their default
  std::unique_ptr<AsyncMethod> (*make)(Setup, const AsyncOptions&) = nullptr;
  /// What it does to send, and to receive. Null: the model refuses it.
  void (*describe)(const model::Chosen&, const model::Links&, model::Script& send,
                   model::Script& receive) = nullptr;
  Unread unread = Unread::kept;
  /// The same of racy exchanges. None: it cannot be racy.
  std::optional<Unread> unread_racy{};
  /// A call may wait until a neighbour calls MPI, where the MPI needs that to complete a flush.
  bool may_wait = false;
};

template <class M>
std::unique_ptr<AsyncMethod> make_async(Setup setup, const AsyncOptions& options) {
  return std::make_unique<M>(std::move(setup), options);
}

/// The size of a link's message: the iteration of its cells and then the cells.
model::LinkSize numbered(model::LinkSize link);
/// What most do: each message is packed and offered, and each is looked for and unpacked. The names
/// are those of the costs.
void describe_offers(const model::Links& links, model::Script& send, model::Script& receive,
                     std::string_view offered, std::string_view looked,
                     std::string_view pack = "pack", std::string_view unpack = "unpack");

}  // namespace halocline::methods

namespace halocline {

/// Adds an asynchronous method to those that schemes name, as `register_method` does, and at the
/// same time: before schemes have been read, perhaps in `halocline_methods()`. Throws Error if
/// there is one of this name, or no method of this name that is not asynchronous, or if it comes
/// too late.
void register_async_method(methods::AsyncMethodFacts facts);

}  // namespace halocline

#pragma GCC visibility pop
