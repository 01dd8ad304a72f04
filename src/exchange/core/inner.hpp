#pragma once
// A method that carries out a part of another one's step: the links to other islands, or a stage.
// A trace shows it as an exchange of its own within the other one.

#include "method.hpp"
#include "registry.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace halocline::detail {

class Inner {
 public:
  Inner() = default;
  /// Collective over the setup's communicator.
  explicit Inner(Setup of) : method_(make_method(std::move(of))) {
    const Setup& setup = method_->setup();
    traced_ = traced_as(setup, setup.comm);
  }

  explicit operator bool() const noexcept { return method_ != nullptr; }
  const Method& method() const noexcept { return *method_; }

  void rebind(std::span<const Field> fields) { method_->rebind(fields); }
  /// For fields on a device: sets the caller's stream; takes what was copied since the last call.
  void follow(const std::optional<DeviceStream>& stream) { method_->stream = stream; }
  DeviceTraffic take_traffic() { return std::exchange(method_->traffic, {}); }

  void start(bool measuring) {
    const Scope scope(Activity::begin_step, traced_, ++step_);
    method_->measuring = measuring;
    method_->start();
  }
  /// In place of `start`: part by part, as of an Exchange.
  void open(bool measuring) {
    const Scope scope(Activity::begin_step, traced_, ++step_);
    method_->measuring = measuring;
    method_->open();
  }
  void ready(std::size_t link, std::size_t first, std::size_t count) {
    method_->ready(link, first, count);
  }
  bool await(std::size_t link, std::size_t first, std::size_t count) {
    return method_->await(link, first, count);
  }
  /// Adds its times to `times`.
  void finish(ExchangeTimes& times) {
    const Scope scope(Activity::end_step, traced_, step_);
    method_->finish();
    times += std::exchange(method_->times, {});
  }

 private:
  /// What is recorded in it belongs to this part; afterwards to what the thread was in before.
  class Scope {
   public:
    Scope(Activity part, std::uint16_t exchange, std::uint32_t step) noexcept {
      if (!trace::detail::on) [[likely]]
        return;
      if (trace::detail::Thread* const t = trace::detail::thread()) {
        exchange_ = std::exchange(t->exchange, exchange);
        step_ = std::exchange(t->step, step);
        finishing_ = std::exchange(t->finishing, part == Activity::end_step);
        maybe_.open = trace::detail::Open(*t, part, trace::detail::now());
        is_open_ = true;
      }
    }
    ~Scope() {
      if (!is_open_) [[likely]]
        return;
      trace::detail::Thread& t = maybe_.open.thread();
      maybe_.open.finish(trace::nobody, 0, 0, trace::detail::now());
      t.exchange = exchange_, t.step = step_, t.finishing = finishing_;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    trace::detail::Maybe maybe_;
    bool is_open_ = false, finishing_ = false;
    std::uint16_t exchange_ = 0;
    std::uint32_t step_ = 0;
  };

  std::unique_ptr<Method> method_;
  std::uint16_t traced_ = 0;
  std::uint32_t step_ = 0;
};

}  // namespace halocline::detail
