#include "json.hpp"

#include <halocline/mpi.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace halocline::detail {

namespace {

constexpr std::size_t short_line = 200;  // longer values are broken up
constexpr int deepest = 64;

/// The text being read.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Json whole() {
    Json value = any(0);
    space();
    if (at_ != text_.size()) fail("there is more behind the end");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<long>(at_), '\n');
    throw Error("line " + std::to_string(line) + ": " + why);
  }
  void space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void expect(char mark) {
    space();
    if (!take({&mark, 1})) fail(std::string("expected '") + mark + "'");
  }

  Json any(int depth) {
    if (depth > deepest) fail("too many brackets within each other");
    space();
    if (at_ == text_.size()) fail("the text ends too early");
    if (take("{")) return object(depth);
    if (take("[")) return list(depth);
    if (text_[at_] == '"') return quoted();
    if (take("true")) return true;
    if (take("false")) return false;
    if (take("null")) return {};
    double value = 0;
    const auto [end, problem] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (problem != std::errc()) fail("expected a value");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  Json object(int depth) {
    Json::Object members;
    space();
    if (take("}")) return members;
    do {
      space();
      if (at_ == text_.size() || text_[at_] != '"') fail("expected a name in quotes");
      std::string name = quoted();
      expect(':');
      members.emplace_back(std::move(name), any(depth + 1));
      space();
    } while (take(","));
    expect('}');
    return members;
  }

  Json list(int depth) {
    Json::List values;
    space();
    if (take("]")) return values;
    do {
      values.push_back(any(depth + 1));
      space();
    } while (take(","));
    expect(']');
    return values;
  }

  std::string quoted() {
    std::string value;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\n') fail("a text must end on its line");
      if (text_[at_] != '\\') {
        value += text_[at_];
        continue;
      }
      constexpr std::string_view escapes = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
      const char escape = ++at_ < text_.size() ? text_[at_] : ' ';
      if (const auto which = escapes.find(escape); which != escapes.npos)
        value += meant[which];
      else if (escape == 'u')
        append_code(value);
      else
        fail("unknown escape in a text");
    }
    if (at_ == text_.size()) fail("a text has no end");
    ++at_;
    return value;
  }

  unsigned code_unit() {
    unsigned unit = 0;
    const std::string_view digits = text_.substr(at_ + 1, 4);
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
    if (problem != std::errc() || end != digits.data() + 4) fail("\\u needs four digits");
    at_ += 4;
    return unit;
  }

  /// As UTF-8. Two units may stand for one character.
  void append_code(std::string& to) {
    unsigned code = code_unit();
    if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_ + 1, 2) == "\\u") {
      at_ += 2;
      code = 0x10000 + ((code - 0xD800) << 10) + (code_unit() - 0xDC00);
    }
    const auto byte = [&](unsigned bits) { to += static_cast<char>(bits); };
    const auto rest = [&](int shift) { byte(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) {
      byte(code);
    } else if (code < 0x800) {
      byte(0xC0 | (code >> 6)), rest(0);
    } else if (code < 0x10000) {
      byte(0xE0 | (code >> 12)), rest(6), rest(0);
    } else {
      byte(0xF0 | (code >> 18)), rest(12), rest(6), rest(0);
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void write_string(std::string& to, const std::string& text) {
  to += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      to += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char digits[] = "0123456789abcdef";
      to += {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
    } else {
      to += c;
    }
  }
  to += '"';
}

}  // namespace

Json Json::parse(std::string_view text) {
  return Reader(text).whole();
}

const Json& Json::operator[](std::string_view name) const {
  static const Json null;
  for (const auto& [key, value] : members())
    if (key == name) return value;
  return null;
}

Json& Json::operator[](std::string_view name) {
  if (std::holds_alternative<std::monostate>(value_)) value_ = Object{};
  Object& members = std::get<Object>(value_);
  for (auto& [key, value] : members)
    if (key == name) return value;
  return members.emplace_back(std::string(name), Json{}).second;
}

void Json::erase(std::string_view name) {
  if (is_object())
    std::erase_if(std::get<Object>(value_), [&](const auto& one) { return one.first == name; });
}

const Json::List& Json::list() const noexcept {
  static const List none;
  return is_list() ? std::get<List>(value_) : none;
}
Json::List& Json::list() {
  if (std::holds_alternative<std::monostate>(value_)) value_ = List{};
  return std::get<List>(value_);
}
const Json::Object& Json::members() const noexcept {
  static const Object none;
  return is_object() ? std::get<Object>(value_) : none;
}
const std::string& Json::string() const noexcept {
  static const std::string none;
  return is_string() ? std::get<std::string>(value_) : none;
}
double Json::number(double otherwise) const noexcept {
  const double* value = std::get_if<double>(&value_);
  return value ? *value : otherwise;
}
bool Json::boolean(bool otherwise) const noexcept {
  const bool* value = std::get_if<bool>(&value_);
  return value ? *value : otherwise;
}

/// `indent` below 0: in one line.
void Json::write(std::string& to, int indent) const {
  const auto inside = [&](const auto& values, char open, char close, auto&& write_one) {
    to += open;
    const int deeper = indent < 0 ? indent : indent + 1;
    bool first = true;
    for (const auto& value : values) {
      if (!first) to += indent < 0 ? ", " : ",";
      first = false;
      if (indent >= 0) to.append("\n").append(static_cast<std::size_t>(deeper), ' ');
      write_one(value, deeper);
    }
    if (indent >= 0 && !values.empty())
      to.append("\n").append(static_cast<std::size_t>(indent), ' ');
    to += close;
  };
  if (is_object() || is_list()) {
    if (indent >= 0) {
      std::string one_line;
      write(one_line, -1);
      if (one_line.size() <= short_line) {
        to += one_line;
        return;
      }
    }
    if (is_list())
      inside(list(), '[', ']', [&](const Json& value, int deeper) { value.write(to, deeper); });
    else
      inside(members(), '{', '}', [&](const auto& member, int deeper) {
        write_string(to, member.first);
        to += ": ";
        member.second.write(to, deeper);
      });
  } else if (is_string()) {
    write_string(to, string());
  } else if (const double* number = std::get_if<double>(&value_)) {
    char digits[40];
    const auto end = !std::isfinite(*number)
                         ? std::to_chars(digits, digits + sizeof digits, 0)
                         : std::to_chars(digits, digits + sizeof digits, *number);
    to.append(digits, end.ptr);
  } else if (const bool* yes = std::get_if<bool>(&value_)) {
    to += *yes ? "true" : "false";
  } else {
    to += "null";
  }
}

std::string Json::text() const {
  std::string to;
  write(to, 0);
  return to + "\n";
}

std::string Json::line() const {
  std::string to;
  write(to, -1);
  return to;
}

}  // namespace halocline::detail
