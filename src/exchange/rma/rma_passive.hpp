#pragma once
// Passive-target exchanges: who waits for whom. The calls themselves do not notify targets,
// so every message is followed by a notification, and every slot used again is permitted first
// (notify.hpp). What an epoch is made of is the method's own.

#include "exchange/core/notify.hpp"
#include "rma_facts.hpp"
#include "rma_windows.hpp"

#include <functional>

namespace halocline::detail {

class PassiveMethod : public Method {
 public:
  void rebound() final;
  void start() final;
  void finish() final;

 protected:
  explicit PassiveMethod(Setup setup);

  /// Before data move to or from one target.
  virtual void open_target(const RmaAccess&) const {}
  /// Afterwards: what has been put is at the target, what was got is here.
  virtual void complete(const RmaAccess& access) const = 0;

  using Use = std::function<void()>;
  /// Around loads, from memory under my windows, of what others have put there.
  virtual void load(const Use& use) const = 0;
  /// Around stores, there, of what others will get.
  virtual void store(const Use& use) const = 0;
  /// Before others may put or accumulate into my fields, which I have used since.
  virtual void lend() const {}

  const RmaWindows& rma() const noexcept { return rma_; }

 private:
  void pack();
  void unpack();
  void await_permits();
  void open_and_move(const RmaAccess& access) const;
  void complete_one(const RmaAccess& access) const;

  RmaWindows rma_;
  Handshake handshake_;
};

/// The facts of such a method (rma_facts).
MethodFacts passive_method(const std::string& operation, const std::string& synchronisation,
                           const std::string& calls, std::unique_ptr<Method> (*make)(Setup));

}  // namespace halocline::detail
