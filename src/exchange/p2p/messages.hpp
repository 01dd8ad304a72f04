#pragma once
// Messages: the links of a pattern as arguments of MPI's two-sided and collective calls.

#include "exchange/core/registry.hpp"
#include "mpi/under_way.hpp"

namespace halocline::detail {

struct Message {
  int peer;
  void* data;
  int count;
  MPI_Datatype type;
};

/// Where messages may be received.
enum class ReceiveInto {
  anywhere,  ///< those whose receives can be cancelled
  kept,      ///< in memory that the library keeps until they have come, unless pack=off
};

/// One message for each link: packed into a buffer, or, where that saves the copy, straight from
/// and into the fields (a contiguous block, or with `pack=off` an MPI datatype). Requests may
/// outlive the exchange, so they share this.
class Messages {
 public:
  Messages(const Setup& setup, const Bases& bases, bool pack,
           ReceiveInto into = ReceiveInto::anywhere);
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  std::vector<Message> sends, receives;

  /// The fields are elsewhere now: so are messages that lie in them. For calls that take addresses
  /// each time, and no datatypes.
  void rebind(const Bases& bases);

  void pack();
  void pack(std::size_t send) { sends_[send].pack(bases_); }
  /// Before each step, for calls that take other arguments each time: the sends of frames become
  /// what is in use, and bare messages what they are in this step (Framing).
  void fit();
  /// Throws Error if a bare message that has come has another length.
  void check_length(std::size_t receive, const MPI_Status& status) const;
  void unpack() const;
  void unpack(std::size_t receive) const { receives_[receive].unpack(bases_); }

  /// Sources whose message has not come, by the requests of the receives.
  std::vector<int> awaited(std::span<const MPI_Request> requests) const;
  /// Requests of these messages.
  static UnderWay receives_of(const std::shared_ptr<Messages>& all, std::size_t count) {
    return {UnderWay::receives, count, all, all->borrows_};
  }
  static UnderWay others_of(const std::shared_ptr<Messages>& all, std::size_t count) {
    return {UnderWay::others, count, all, all->borrows_};
  }

 private:
  struct Staged {
    Layout layout;
    std::vector<std::byte> buffer;  // empty if the message lies in the fields
    mpi::Datatype type;
    std::unique_ptr<mpi::Bytes> bytes;
    void pack(const Bases& bases) {
      if (!buffer.empty()) layout.pack(bases, buffer.data());
    }
    void unpack(const Bases& bases) const {
      if (!buffer.empty()) layout.unpack(bases, buffer.data());
    }
    Message message(int peer, const Bases& bases, bool pack, bool in_field);
    void fit(Message& message, std::byte* data, std::size_t size);
  };
  const Setup& setup_;
  Bases bases_;
  std::vector<Memory> memory_;           // of fields
  std::shared_ptr<const void> library_;  // the same, where it is the library's own
  std::shared_ptr<const Framing> framing_;
  bool borrows_ = false;  // some messages lie in memory that nobody keeps
  std::vector<Staged> sends_, receives_;
};

/// Whether a scheme makes messages without datatypes, which hold addresses (MethodFacts::rebinds).
inline bool packs(const Scheme& scheme) {
  return scheme.is("pack", "on");
}

/// How cells become messages in a description, and messages cells.
class DescribedMessages {
 public:
  DescribedMessages(const model::Chosen& chosen, model::Step& step)
      : typed_(chosen.is("pack", "off")), step_(step) {}

  void pack(model::Script& script, const model::LinkSize& link);
  void unpack(model::Script& script, const model::LinkSize& link);

 private:
  bool typed_;
  model::Step& step_;
};

}  // namespace halocline::detail
