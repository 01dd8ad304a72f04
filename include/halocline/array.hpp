#pragma once
// Arrays: fields in the memory that a scheme works best on.

#include <halocline/field.hpp>
#include <halocline/grid.hpp>
#include <halocline/scheme.hpp>

#include <cstddef>
#include <span>

#pragma GCC visibility push(default)

namespace halocline {

/// Memory of the kind that suits the scheme: see Memory. Collective.
inline Memory memory_for(MPI_Comm comm, std::size_t bytes, const Scheme& scheme = {}) {
  return Memory(comm, bytes, scheme.memory(), scheme.islands());
}

/// An array of `T` in `Memory`. `T` must be copyable by bytes. It is a handle: copies share the
/// elements, which a `const` one may change, too. They live as long as the last copy or exchange of
/// them, also when MPI has ended.
template <class T>
class Array {
  static_assert(detail::elements_are_bytes<T>());

 public:
  Array() = default;
  Array(MPI_Comm comm, std::size_t elements, const Scheme& scheme)
      : memory_(memory_for(comm, elements * sizeof(T), scheme)), elements_(elements) {}
  Array(MPI_Comm comm, std::size_t elements, MemoryKind kind = MemoryKind::plain)
      : memory_(comm, elements * sizeof(T), kind), elements_(elements) {}
  /// My part of the grid, halos included.
  explicit Array(const Grid& grid) : Array(grid, Scheme()) {}
  Array(const Grid& grid, const Scheme& scheme) : Array(grid.comm(), grid.elements(), scheme) {}

  T* data() const noexcept { return reinterpret_cast<T*>(memory_.data()); }
  std::size_t size() const noexcept { return elements_; }
  T& operator[](std::size_t i) const noexcept { return data()[i]; }
  std::span<T> span() const noexcept { return {data(), elements_}; }
  T* begin() const noexcept { return data(); }
  T* end() const noexcept { return data() + elements_; }
  const Memory& memory() const noexcept { return memory_; }
  operator Field() const {
    return {.data = data(),
            .element_bytes = sizeof(T),
            .elements = elements_,
            .memory = memory_,
            .number = number_of<T>()};
  }

 private:
  Memory memory_;
  std::size_t elements_ = 0;
};

}  // namespace halocline

#pragma GCC visibility pop
