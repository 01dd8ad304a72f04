#pragma once
// Lists of fields, as exchanges take them.

#include <halocline/field.hpp>
#include <halocline/scheme.hpp>

#include <initializer_list>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

namespace detail {
template <class T>
constexpr bool is_vector = false;
template <class T, class Allocator>
constexpr bool is_vector<std::vector<T, Allocator>> = true;

/// What a caller might take for a field.
template <class T>  // clang-format off
constexpr bool is_memory = std::is_pointer_v<T> || std::is_array_v<T> ||
                           requires(const T& x) { x.data(); } ||
                           requires(const T& x) { x.data_handle(); };  // clang-format on

/// Says what to give instead.
template <class T>
void is_no_field() {
  if constexpr (is_vector<T>)
    static_assert(sizeof(T) == 0, "halocline: give field(x.data(), x.size()) for a std::vector x");
  else if constexpr (std::is_pointer_v<T> || std::is_array_v<T>)
    static_assert(sizeof(T) == 0, "halocline: give field(x, elements) for a pointer x");
  else
    static_assert(sizeof(T) == 0, "halocline: give field(x) for a view or a span x");
}
}  // namespace detail

/// One field or several, as functions take them: `u`, `{u, v}`, a std::vector or a std::span of
/// fields. It looks at them as long as the call lasts.
class FieldList {
 public:
  FieldList() = default;  ///< none
  FieldList(const Field& field) : all_(&field, 1) {}
  FieldList(std::initializer_list<Field> fields) : all_(fields.begin(), fields.size()) {}
  /// An Array, or what else is a field.
  template <class T>  // clang-format off
    requires std::is_convertible_v<const T&, Field>
  FieldList(const T& array) : one_(array), all_(&*one_, 1) {}
  template <class T>
    requires std::is_convertible_v<const T&, std::span<const Field>>
  FieldList(const T& fields) : all_(fields) {}
  /// What is no field says so.
  template <class T>
    requires(detail::is_memory<T> && !std::is_convertible_v<const T&, Field> &&
             !std::is_convertible_v<const T&, std::span<const Field>> &&
             !std::is_convertible_v<const T&, Scheme>)
  FieldList(const T&) { detail::is_no_field<T>(); }  // clang-format on
  FieldList(const FieldList&) = delete;
  FieldList& operator=(const FieldList&) = delete;

  std::span<const Field> all() const noexcept { return all_; }

 private:
  std::optional<Field> one_{};
  std::span<const Field> all_{};
};

}  // namespace halocline

#pragma GCC visibility pop
