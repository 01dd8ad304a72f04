#pragma once
// JSON, as much as the tuner's and the doctor's files need: the library depends on MPI alone.

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace halocline::detail {

/// A value. Objects keep the order of their members, so that people find them where they were.
class Json {
 public:
  using List = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() = default;  ///< null
  Json(bool value) : value_(value) {}
  Json(double value) : value_(value) {}
  Json(int value) : value_(static_cast<double>(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(List value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}

  /// Throws Error with the line that is wrong.
  static Json parse(std::string_view text);
  /// Indented; what is short stays on one line.
  std::string text() const;
  std::string line() const;

  bool is_object() const noexcept { return std::holds_alternative<Object>(value_); }
  bool is_list() const noexcept { return std::holds_alternative<List>(value_); }
  bool is_string() const noexcept { return std::holds_alternative<std::string>(value_); }

  /// A member; null if this is no object or has none of that name.
  const Json& operator[](std::string_view name) const;
  /// Adds a member if there is none. This must be an object, or null, which becomes one.
  Json& operator[](std::string_view name);
  void erase(std::string_view name);

  /// Empty, or the default, if the value is of another type.
  const List& list() const noexcept;
  List& list();  ///< null becomes an empty list
  const Object& members() const noexcept;
  const std::string& string() const noexcept;
  double number(double otherwise = 0) const noexcept;
  bool boolean(bool otherwise = false) const noexcept;

  bool operator==(const Json&) const = default;

 private:
  void write(std::string& to, int indent) const;

  std::variant<std::monostate, bool, double, std::string, List, Object> value_;
};

}  // namespace halocline::detail
