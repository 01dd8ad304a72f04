#include "npy.hpp"

#include <halocline/mpi.hpp>

#include <algorithm>
#include <charconv>

namespace frame {

namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// What follows 'key': in the dictionary, without blanks.
std::string_view value_of(std::string_view dictionary, const std::string& key) {
  const std::size_t at = dictionary.find("'" + key + "':");
  if (at == dictionary.npos) return {};
  dictionary.remove_prefix(at + key.size() + 3);
  const bool is_tuple = dictionary.starts_with('(');
  const std::size_t end = is_tuple ? dictionary.find(')') : dictionary.find_first_of(",}");
  return dictionary.substr(0, end);
}

/// The numbers of "(3,4" or "(3,"; none of anything else.
std::vector<std::int64_t> numbers_of(std::string_view tuple) {
  std::vector<std::int64_t> numbers;
  while (tuple.size() > 1) {
    tuple.remove_prefix(1);
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(tuple.begin(), tuple.end(), number);
    if (problem != std::errc() || (end != tuple.end() && *end != ',')) return {};
    numbers.push_back(number);
    tuple.remove_prefix(static_cast<std::size_t>(end - tuple.begin()));
  }
  return numbers;
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

NpyHeader read_npy_header(std::string_view file) {
  const auto byte = [&](std::size_t at) {
    return at < file.size() ? std::size_t{static_cast<unsigned char>(file[at])} : 0;
  };
  const bool wide = byte(6) > 1;  // from version 2 on, the length has four bytes
  const std::size_t length = byte(8) | byte(9) << 8 | (wide ? byte(10) << 16 | byte(11) << 24 : 0);
  const std::size_t from = wide ? 12 : 10;
  if (from + length > file.size()) throw halocline::Error("is cut short in its header");
  std::string dictionary(file.substr(from, length));
  std::erase(dictionary, ' ');
  NpyHeader header;
  header.type = value_of(dictionary, "descr");
  header.by_columns = value_of(dictionary, "fortran_order") == "True";
  header.shape = numbers_of(value_of(dictionary, "shape"));
  header.begin = static_cast<std::int64_t>(from + length);
  return header;
}

}  // namespace frame
