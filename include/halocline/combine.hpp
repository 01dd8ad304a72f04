#pragma once
// Combining: what an exchange does with arriving elements.

#include <halocline/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)

namespace halocline {

namespace methods {

/// Loops that combine numbers of one type with those of a message. The numbers of an element follow
/// each other; messages need not be aligned for them.
struct CombineLoops {
  /// `rows` rows of `count` numbers, `stride` bytes from one to the next.
  void (*rows)(const void* function, std::byte* to, std::ptrdiff_t stride, const std::byte* from,
               std::int64_t rows, std::size_t count);
  /// Elements of `count` numbers that begin at `to` + index * `unit` bytes.
  void (*narrow)(const void* function, std::byte* to, std::span<const std::int32_t> indices,
                 std::ptrdiff_t unit, const std::byte* from, std::size_t count);
  void (*wide)(const void* function, std::byte* to, std::span<const std::int64_t> indices,
               std::ptrdiff_t unit, const std::byte* from, std::size_t count);
};

}  // namespace methods

namespace detail::combining {

using methods::CombineLoops;

template <class T>
concept Adds = requires(const T& number) {
  static_cast<T>(number + number);
};

/// How Combine::of combines where no function is given.
template <class T>
struct Plus {
  T operator()(const T& here, const T& arrived) const requires Adds<T> {
    return static_cast<T>(here + arrived);
  }
};

template <class T, class Function>
inline void one(const Function& function, std::byte* to, const std::byte* from) {
  T here, arrived;
  std::memcpy(&here, to, sizeof(T));
  std::memcpy(&arrived, from, sizeof(T));
  here = function(here, arrived);
  std::memcpy(to, &here, sizeof(T));
}

template <class T, class Function>
void rows(const void* function, std::byte* to, std::ptrdiff_t stride,
          const std::byte* __restrict from, std::int64_t rows, std::size_t count) {
  const Function& how = *static_cast<const Function*>(function);
  for (std::int64_t row = 0; row < rows; ++row, to += stride, from += count * sizeof(T))
    for (std::size_t i = 0; i < count; ++i) one<T>(how, to + i * sizeof(T), from + i * sizeof(T));
}

/// For elements whose count of numbers and bytes from index to index are constants.
template <class T, class Function, class Index, class Unit, class Count>
void list(const Function& how, std::byte* to, std::span<const Index> indices, Unit unit,
          const std::byte* __restrict from, Count count) {
  for (const Index index : indices) {
    std::byte* const element = to + static_cast<std::ptrdiff_t>(index) * unit;
    for (std::size_t i = 0; i < count; ++i, from += sizeof(T))
      one<T>(how, element + i * sizeof(T), from);
  }
}

template <class T, class Function>
void narrow(const void* function, std::byte* to, std::span<const std::int32_t> indices,
            std::ptrdiff_t unit, const std::byte* from, std::size_t count) {
  const Function& how = *static_cast<const Function*>(function);
  constexpr std::integral_constant<std::ptrdiff_t, static_cast<std::ptrdiff_t>(sizeof(T))> number;
  if (unit != number) return list<T>(how, to, indices, unit, from, count);
  switch (count) {
    case 1:
      return list<T>(how, to, indices, number, from, std::integral_constant<std::size_t, 1>());
    case 3:
      return list<T>(how, to, indices, number, from, std::integral_constant<std::size_t, 3>());
    default: return list<T>(how, to, indices, number, from, count);
  }
}

template <class T, class Function>
void wide(const void* function, std::byte* to, std::span<const std::int64_t> indices,
          std::ptrdiff_t unit, const std::byte* from, std::size_t count) {
  list<T>(*static_cast<const Function*>(function), to, indices, unit, from, count);
}

template <class T, class Function>
inline constexpr CombineLoops loops{rows<T, Function>, narrow<T, Function>, wide<T, Function>};

}  // namespace detail::combining

/// What an exchange does with arriving elements: they replace those in the field, or are combined
/// with them.
///
/// `sum`, `min` and `max` work on numbers of a known type (Field::number), the same at both ends of
/// a link, which the constructor of an exchange checks. Complex numbers have a sum only. Of `bool`
/// the sum and the greatest are `or`, the least is `and`. `Combine::of` takes any function.
///
/// An exchange combines in the order of the pattern: local copies, then link by link, block by
/// block. So sums have the same bits in any order of arrival, and with any scheme. With
/// `rma:accumulate` MPI combines in an order of its own: of integers and `bool` that makes no
/// difference, and for numbers with a floating point it is refused unless
/// ExchangeOptions::any_order says that it makes none. It takes no functions, and no numbers that
/// MPI has no type for (float16).
class Combine {
 public:
  enum Known { replace, sum, min, max };
  Combine(Known known = replace) noexcept : known_(known) {}
  Combine(const Combine&) = default;
  Combine(Combine&&) noexcept = default;
  Combine& operator=(const Combine&) = default;
  Combine& operator=(Combine&&) noexcept = default;
  ~Combine() = default;

  /// By a function of the caller's, `T function(const T& here, const T& arrived)`, which should be
  /// commutative; without one by `here + arrived`. T is a field's element or a part of it that
  /// elements consist of, such as a number of a std::array or a structure of the caller's; its
  /// bytes must be all of it (trivially copyable). All ranks give the same function. The exchange
  /// keeps it, and calls it in `finish`, in the thread that calls that.
  template <class T, class Function = detail::combining::Plus<T>>
  static Combine of(Function function = {}) {
    static_assert(detail::elements_are_bytes<T>());
    constexpr bool fits = std::is_default_constructible_v<T> &&
                          std::is_invocable_r_v<T, const Function&, const T&, const T&>;
    if constexpr (std::is_same_v<Function, detail::combining::Plus<T>>)
      static_assert(fits,
                    "halocline: the type has no +, so give a function to combine elements by");
    else
      static_assert(fits,
                    "halocline: the function must take two elements, the one here and the "
                    "one that arrives, and return one");
    Combine combine;
    combine.function_ = std::make_shared<const Function>(std::move(function));
    if constexpr (fits) combine.loops_ = &detail::combining::loops<T, Function>;
    combine.number_ = number_of<T>();
    combine.bytes_ = sizeof(T);
    return combine;
  }

  /// The same by loops of one's own, for callers that know only at run time how many bytes what the
  /// function takes has. The loops are given `function`.
  static Combine by(const methods::CombineLoops& loops, std::shared_ptr<const void> function,
                    std::size_t bytes) {
    Combine combine;
    combine.function_ = std::move(function);
    combine.loops_ = &loops;
    combine.bytes_ = bytes;
    return combine;
  }

  /// Whether it is one of the known ways, and this one.
  friend bool operator==(const Combine& one, Known known) noexcept {
    return one.loops_ == nullptr && one.known_ == known;
  }

  /// For methods: one of the known ways, unless there are loops for a function.
  Known known() const noexcept { return known_; }
  const methods::CombineLoops* loops() const noexcept { return loops_; }
  const void* function() const noexcept { return function_.get(); }
  Number number() const noexcept { return number_; }     ///< of what the function takes
  std::size_t bytes() const noexcept { return bytes_; }  ///< of the same

 private:
  Known known_ = replace;
  const methods::CombineLoops* loops_ = nullptr;
  std::shared_ptr<const void> function_{};
  Number number_ = Number::unknown;
  std::size_t bytes_ = 0;
};

}  // namespace halocline

#pragma GCC visibility pop
