#pragma once
// Memory for large arrays that nobody has touched yet, so that each thread can place its part.

#include <sys/mman.h>
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace machine {

/// Uninitialised elements, aligned to cache lines; large arrays to huge pages, which Linux is asked
/// for: TLBs do not hold that many small ones.
template <class T>
class Untouched {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Untouched() = default;
  explicit Untouched(std::size_t elements) : elements_(elements) {
    constexpr std::size_t line = 64, huge_page = 2 << 20, large = 16 << 20;
    const std::size_t bytes = std::max<std::size_t>(elements * sizeof(T), 1);
    const std::size_t unit = bytes >= large ? huge_page : line;
    const std::size_t rounded = (bytes + unit - 1) / unit * unit;
    memory_.reset(static_cast<T*>(std::aligned_alloc(unit, rounded)));
    if (!memory_) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    if (unit == huge_page) madvise(memory_.get(), rounded, MADV_HUGEPAGE);
#endif
  }

  T* data() const noexcept {
    return memory_.get();
  }
  std::size_t size() const noexcept {
    return elements_;
  }
  std::span<T> span() const noexcept {
    return {data(), elements_};
  }

 private:
  struct Free {
    void operator()(T* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<T, Free> memory_;
  std::size_t elements_ = 0;
};

}  // namespace machine
