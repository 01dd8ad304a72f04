#pragma once
// Asynchronous methods: ways to bring the newest cells without waiting. One derived class, in one
// file, for each.

#include "exchange/core/method.hpp"

#include <halocline/async_exchange.hpp>

#include <memory>
#include <vector>

namespace halocline::detail {

/// A link's message is the iteration of its cells and then the cells, packed.
class AsyncMethod {
 public:
  /// The fields of `setup` have no addresses yet: every call brings its own.
  AsyncMethod(Setup setup, const AsyncOptions& options);
  virtual ~AsyncMethod();
  AsyncMethod(const AsyncMethod&) = delete;
  AsyncMethod& operator=(const AsyncMethod&) = delete;

  void send(const void* cells, std::uint64_t iteration);
  std::size_t receive(void* cells, void* twin);
  void drain(void* cells, void* twin);

  std::uint64_t iteration_of(std::size_t link) const { return iterations_.at(link); }
  const AsyncCounts& counts() const noexcept { return counts_; }

 protected:
  static constexpr std::size_t header = sizeof(std::uint64_t);

  /// Sends my cells on all links that have room.
  virtual void offer(std::uint64_t iteration) = 0;
  /// Takes the news of all sources; returns how many links had some.
  virtual std::size_t collect() = 0;
  /// Until nothing is under way. Collective.
  virtual void settle() = 0;

  MPI_Comm comm() const noexcept { return setup_.comm; }
  const Setup& setup() const noexcept { return setup_; }
  const char* what() const noexcept { return name_.c_str(); }
  int buffers() const noexcept { return options_.buffers; }
  bool racy() const noexcept { return options_.racy; }

  /// A link's cells, as in `Pattern::sends()` and `receives()`.
  const std::vector<Layout>& outgoing() const noexcept { return outgoing_; }
  const std::vector<Layout>& incoming() const noexcept { return incoming_; }

  /// What of a link travels together: all, or, racy, some thousand bytes.
  std::vector<Layout> parts_of(const Layout& cells) const;
  static constexpr std::size_t most_parts = 64;

  void pack(const Layout& cells, std::uint64_t iteration, std::byte* message) const;
  /// Puts the cells of a message from `peer` into all halos and returns their iteration.
  std::uint64_t unpack(const Layout& cells, const std::byte* message, int peer) const;

  AsyncCounts counts_;
  std::vector<std::uint64_t> iterations_;

 private:
  Setup setup_;
  AsyncOptions options_;
  std::string name_;
  std::vector<Layout> outgoing_, incoming_;
  Bases cells_;               // of this send
  std::vector<Bases> halos_;  // of this receive; none: what comes is discarded
};

/// Links whose messages have the numbers 1, 2, 3, ... that their receiver can see.
class NumberedMethod : public AsyncMethod {
 protected:
  NumberedMethod(Setup setup, const AsyncOptions& options);

  std::size_t collect() override;
  /// Takes the newest message of a link, if there is a new one.
  virtual bool collect_from(std::size_t link) = 0;
  void settle() override;
  /// Message `number` of a link has been read, and those before it will not be.
  void take(std::size_t link, std::uint64_t number, const std::byte* message);

  std::vector<std::uint64_t> sent_;  ///< number of the last message of each outgoing link
  std::vector<std::uint64_t> seen_;  ///< number of the last message taken of each incoming link
};

}  // namespace halocline::detail
