#pragma once
// What threads throw in a parallel region, kept until the region has ended: all threads come to the
// same barriers.

#include <atomic>
#include <exception>
#include <mutex>

namespace halocline::detail {

/// The first exception of any thread. After a sweep has failed no thread sweeps, but exchanges go
/// on: other ranks wait for what this one sends.
class Problems {
 public:
  template <class Work>
  void exchange(Work&& work) noexcept {
    if (!exchange_failed_.load(std::memory_order_acquire)) keep(work, exchange_failed_);
  }
  template <class Work>
  void sweep(Work&& work) noexcept {
    if (!any_.load(std::memory_order_acquire)) keep(work, any_);
  }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  template <class Work>
  void keep(Work& work, std::atomic<bool>& failed) noexcept {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!first_) first_ = std::current_exception();
      failed.store(true, std::memory_order_release);
      any_.store(true, std::memory_order_release);
    }
  }

  std::atomic<bool> any_{false}, exchange_failed_{false};
  std::mutex mutex_;
  std::exception_ptr first_;
};

}  // namespace halocline::detail
