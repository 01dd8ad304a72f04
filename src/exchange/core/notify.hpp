#pragma once
// Notification: how a rank learns that a peer has come one step further.
//
// Passive-target calls do not notify their target. A rank that waits for a peer's put, or for the
// permission to put, is notified by an empty message (`message`), by the number of the step written
// into its memory (`flag`), or by a count added up there (`counter`).

#include "method.hpp"

namespace halocline::detail {

/// Signals along a set of links, step by step.
class Notifier {
 public:
  virtual ~Notifier() = default;
  /// I have come one step further on link `link` to target `link`.
  virtual void signal(std::size_t link) = 0;
  void signal_all() {
    for (std::size_t link = 0; link < targets_; ++link) signal(link);
  }
  /// Until every source has come one step further than at the last call.
  virtual void await() = 0;
  bool has_targets() const noexcept { return targets_ > 0; }

 protected:
  explicit Notifier(std::size_t targets) : targets_(targets) {}

 private:
  std::size_t targets_;
};

/// `how` is "message", "flag" or "counter". Collective over `comm`.
/// Between a source's signals for step k and k+2 its target must have awaited step k.
/// `tag` distinguishes streams on the same communicator.
std::unique_ptr<Notifier> make_notifier(const std::string& how, const Channel& comm,
                                        const std::vector<int>& targets,
                                        const std::vector<int>& sources, int tag, const char* what);

/// Both directions of signals that a passive-target exchange needs, whichever side moves the data:
/// the sender of a link says when its message is there, and its receiver says when the sender's
/// next one may overwrite what it used.
class Handshake {
 public:
  /// `slots`: messages that the memory under a link holds, used in turn; a sender may begin as many
  /// steps without its receiver's permission. 0: messages are put into, or taken from, the fields
  /// themselves. Two slots and a link the other way need no permissions: a sender comes to step k+2
  /// only after its peer's step k+1, which begins when the peer has used step k.
  Handshake(const Setup& setup, int slots, const char* what);
  ~Handshake();
  Handshake(const Handshake&) = delete;
  Handshake& operator=(const Handshake&) = delete;

  void arrived(std::size_t send) {
    const trace::Event event(Activity::signal, targets_[send]);
    arrivals_->signal(send);
  }  ///< at the receiver's, or for it to get
  void all_arrived() {
    if (!arrivals_->has_targets()) return;
    const trace::Event event(Activity::signal);
    arrivals_->signal_all();
  }
  void await_arrivals() { arrivals_->await(); }

  void permit() {  ///< all my senders to use the slot or halo again
    if (!permits_ || !permits_->has_targets()) return;
    const trace::Event event(Activity::post);
    permits_->signal_all();
  }
  void await_permits();

 private:
  const Channel& channel_;
  std::unique_ptr<Notifier> arrivals_, permits_;
  std::vector<int> targets_;
  int slots_, unasked_ = 0;
};

}  // namespace halocline::detail
