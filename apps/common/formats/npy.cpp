#include "npy.hpp"

#include "number.hpp"
#include "shown.hpp"

#include <base/text.hpp>

#include <halocline/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <istream>
#include <optional>

namespace formats {

using halocline::Error;

namespace {

constexpr std::string_view magic = "\x93NUMPY";
// NumPy itself takes no header of more than 10,000 bytes unless it is told to.
constexpr std::size_t longest = std::size_t{1} << 20;

/// What the dictionary of a header says, a literal of Python.
class Dictionary {
 public:
  Dictionary(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  /// Fills all of the header but its begin.
  void read(NpyHeader& header) {
    std::vector<std::string> keys;
    expect('{');
    while (!take('}')) {
      if (!keys.empty()) {
        expect(',');
        if (take('}')) break;
      }
      keys.push_back(string());
      expect(':');
      const std::string& key = keys.back();
      if (key == "descr")
        header.swapped = is_swapped();
      else if (key == "fortran_order")
        header.by_columns = truth();
      else if (key == "shape")
        header.shape = tuple();
      else
        refuse("has the key " + quoted(key));
    }
    if (!at_end()) refuse("goes on with " + quoted(rest_, 20));
    std::ranges::sort(keys);
    if (keys != std::vector<std::string>{"descr", "fortran_order", "shape"})
      refuse("must have descr, fortran_order and shape, once each");
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(name_ + ": the header of this .npy file " + what);
  }
  void skip_blanks() {
    const auto first = std::ranges::find_if_not(
        rest_, [](char letter) { return std::string_view(" \t\n\r\f\v").find(letter) < 6; });
    rest_.remove_prefix(static_cast<std::size_t>(first - rest_.begin()));
  }
  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }
  bool take(char letter) {
    skip_blanks();
    if (!rest_.starts_with(letter)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char letter) {
    if (!take(letter))
      refuse((rest_.empty() ? "ends" : "has " + quoted(rest_, 20)) + " where a " + letter +
             " should be");
  }
  std::string string() {
    skip_blanks();
    if (rest_.starts_with('u')) rest_.remove_prefix(1);  // as Python 2 had it
    const char quote = rest_.empty() ? '\0' : rest_.front();
    const std::size_t end = rest_.find(quote, 1);
    if ((quote != '\'' && quote != '"') || end == rest_.npos)
      refuse("has " + quoted(rest_, 20) + ", which must be a string");
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool truth() {
    skip_blanks();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    refuse("has the fortran_order " + quoted(rest_, 20) + ", which must be True or False");
  }
  /// "(3, 4)", "(3,)" or "()".
  std::vector<std::int64_t> tuple() {
    expect('(');
    std::vector<std::int64_t> lengths;
    bool comma = true;
    while (!take(')')) {
      if (!comma) expect(',');
      skip_blanks();
      const std::size_t end = std::min(rest_.find_first_of(" \t\n\r\f\v,)L"), rest_.size());
      const auto length = number<std::int64_t>(rest_.substr(0, end));
      if (!length || *length < 0)
        refuse("has the shape's length " + (length ? std::to_string(*length) : length.why()) +
               "; there must be a whole number >= 0");
      lengths.push_back(*length);
      rest_.remove_prefix(end);
      if (rest_.starts_with('L')) rest_.remove_prefix(1);  // Python 2's long integers
      comma = take(',');
      if (comma && lengths.size() > 32) refuse("has a shape of more than 32 axes");
      if (!comma) {
        expect(')');
        break;
      }
    }
    if (lengths.size() == 1 && !comma) refuse("has a shape that is no tuple");
    return lengths;
  }
  /// Whether the type, which must be one of doubles, has the other byte order.
  bool is_swapped() {
    skip_blanks();
    if (rest_.starts_with('[')) refuse("says that it holds records; they must be doubles, '<f8'");
    const std::string type = string();
    const bool says_order = std::string_view("<>=|").find(type.empty() ? ' ' : type[0]) < 4;
    const std::string_view kind = std::string_view(type).substr(says_order ? 1 : 0);
    const auto names = {"f8", "d", "float64", "double", "float"};
    if (std::ranges::find(names, kind) == names.end())
      refuse("says that it holds numbers of type " + quoted(type) +
             "; they must be doubles, '<f8'");
    const char other = std::endian::native == std::endian::little ? '>' : '<';
    return type[0] == other;
  }

  std::string_view rest_;
  const std::string& name_;
};

/// Reads as many bytes as there are, at most so many.
std::string some(std::istream& file, std::size_t bytes) {
  std::string text(bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(bytes));
  text.resize(static_cast<std::size_t>(file.gcount()));
  file.clear();
  return text;
}

/// The bytes of a file with numbers of that shape; nothing if no number can say how many.
std::optional<std::int64_t> bytes_of(const NpyHeader& header) {
  std::int64_t bytes = sizeof(double);
  if (std::ranges::find(header.shape, 0) != header.shape.end()) return header.begin;
  for (const std::int64_t length : header.shape)
    if (__builtin_mul_overflow(bytes, length, &bytes)) return std::nullopt;
  if (__builtin_add_overflow(bytes, header.begin, &bytes)) return std::nullopt;
  return bytes;
}

}  // namespace

std::string npy_header(std::initializer_list<std::int64_t> shape) {
  std::string text = "{'descr': '<f8', 'fortran_order': False, 'shape': (";
  for (const std::int64_t length : shape) text += std::to_string(length) + ", ";
  // One number is a tuple by its comma.
  text.resize(text.size() - (shape.size() == 1 ? 1 : 2));
  text += "), }";
  // Magic, version 1.0, length.
  const std::size_t before = magic.size() + 4;
  text.resize((before + text.size() + 1 + 63) / 64 * 64 - before - 1, ' ');
  text += '\n';
  const auto length = static_cast<unsigned>(text.size());
  std::string all(magic);
  all += {1, 0, static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  return all + text;
}

bool is_npy(std::string_view file) {
  return file.starts_with(magic);
}

NpyHeader read_npy_header(std::istream& file, const std::string& name) {
  const auto refuse = [&](const std::string& what) { throw Error(name + ": " + what); };
  const std::string cut = "is cut short in its header";
  std::string head = some(file, 8);
  if (!is_npy(head)) refuse("is no .npy file");
  if (head.size() < 8) refuse(cut);
  const int major = static_cast<unsigned char>(head[6]),
            minor = static_cast<unsigned char>(head[7]);
  if (major < 1 || major > 3 || minor != 0)
    refuse("is a .npy file of version " + std::to_string(major) + "." + std::to_string(minor) +
           "; it must be 1.0, 2.0 or 3.0");
  const std::size_t width = major == 1 ? 2 : 4;
  const std::string size = some(file, width);
  if (size.size() < width) refuse(cut);
  std::size_t length = 0;
  for (std::size_t i = width; i-- > 0;) length = length << 8 | static_cast<unsigned char>(size[i]);
  if (length > longest)
    refuse("says that its header has " + std::to_string(length) + " bytes; at most " +
           std::to_string(longest) + " are read");
  const std::string text = some(file, length);
  if (text.size() < length) refuse(cut);

  NpyHeader header;
  Dictionary(text, name).read(header);
  header.begin = static_cast<std::int64_t>(8 + width + length);
  std::string shape = halocline::base::sizes(header.shape);
  if (shape.empty()) shape = "one number";
  const std::optional<std::int64_t> wanted = bytes_of(header);
  if (!wanted) {
    double gib = sizeof(double) / 0x1p30;
    for (const std::int64_t axis : header.shape) gib *= static_cast<double>(axis);
    refuse("says that it holds " + shape + " numbers; no file has " +
           halocline::base::formatted("%.4g GiB", gib));
  }
  file.seekg(0, std::ios::end);
  const auto there = static_cast<std::int64_t>(file.tellg());
  file.seekg(header.begin);
  if (!file || there != *wanted)
    refuse("has " + std::to_string(there) + " bytes; an array of " + shape + " needs " +
           std::to_string(*wanted));
  return header;
}

void swap_bytes(std::span<double> numbers) {
  for (double& number : numbers) {
    auto bytes = std::bit_cast<std::array<char, sizeof number>>(number);
    std::ranges::reverse(bytes);
    number = std::bit_cast<double>(bytes);
  }
}

}  // namespace formats
