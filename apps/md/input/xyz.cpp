// Extended XYZ: a line with the number of particles, one of key=value pairs, one for each particle.
// Its columns are told by Properties=name:type:number:...

#include "formats.hpp"

#include <map>

namespace md {

using namespace halocline;

namespace {

/// key=value or key="a value"; keys without a value are true.
std::map<std::string, std::string, std::less<>> pairs_of(std::string_view text) {
  std::map<std::string, std::string, std::less<>> pairs;
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  for (std::size_t at = 0; at < text.size();) {
    if (is_space(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !is_space(text[end]) && text[end] != '=') ++end;
    const std::string key(text.substr(at, end - at));
    std::string value = "T";
    if (end < text.size() && text[end] == '=') {
      ++end;
      const char quote =
          end < text.size() && (text[end] == '"' || text[end] == '\'') ? text[end] : 0;
      const std::size_t begin = quote ? end + 1 : end;
      end = begin;
      while (end < text.size() && (quote ? text[end] != quote : !is_space(text[end]))) ++end;
      value = text.substr(begin, end - begin);
      if (quote && end < text.size()) ++end;
    }
    pairs[key] = value;
    at = end;
  }
  return pairs;
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

class XyzFormat final : public ParticleFormat {
 public:
  explicit XyzFormat(const std::string& file) : ParticleFormat(file) {
    if (!lines_.next()) throw Error("--input " + file + ": is empty");
    head_.particles = lines_.as<std::int64_t>(0, "number of particles");
    if (head_.particles < 1 || lines_.words().size() > 1)
      lines_.fail("must be the number of particles, from 1");
    if (!lines_.next()) too_short(0);
    const auto pairs = pairs_of(lines_.text());
    read_box(pairs);
    const auto properties = pairs.find("Properties");
    read_columns(properties == pairs.end() ? "species:S:1:pos:R:3" : properties->second);
  }

  bool next(std::vector<Said>& said) override {
    if (read_ == head_.particles) {
      // The next frame may follow, with its number of particles; another particle may not.
      if (lines_.next() && lines_.words().size() > 1)
        lines_.fail("there are more particles than the " + std::to_string(read_) + " it says");
      return false;
    }
    if (!lines_.next()) too_short(read_);
    ++read_;
    if (lines_.words().size() != columns_)
      lines_.fail("has " + std::to_string(lines_.words().size()) + " columns, its properties are " +
                  std::to_string(columns_));
    const std::int64_t id = id_ ? lines_.as<std::int64_t>(*id_, "number of a particle") : read_;
    said.push_back({lines_.number(), id, lines_.vector(*position_, "coordinate"), 0});
    if (velocity_) said.push_back({lines_.number(), id, lines_.vector(*velocity_, "velocity"), 1});
    return true;
  }

 private:
  using Pairs = std::map<std::string, std::string, std::less<>>;

  std::vector<double> numbers(const Pairs& pairs, const char* key, std::size_t count) const {
    std::vector<double> numbers;
    for (const std::string& word : split(pairs.find(key)->second, ' ')) {
      if (word.empty()) continue;
      const auto number = frame::number<double>(word);
      if (!number || !std::isfinite(*number))
        lines_.fail(std::string(key) + ": " + word + " is no number");
      numbers.push_back(*number);
    }
    if (numbers.size() != count)
      lines_.fail(std::string(key) + " must be " + std::to_string(count) + " numbers");
    return numbers;
  }

  void read_box(const Pairs& pairs) {
    if (!pairs.contains("Lattice"))
      lines_.fail("has no Lattice=\"...\": the box must be known, as extended XYZ tells it");
    const std::vector<double> lattice = numbers(pairs, "Lattice", 9);
    for (std::size_t i = 0; i < 9; ++i) {
      if (i % 4 == 0 && !(lattice[i] > 0)) lines_.fail("Lattice: edges must be positive");
      if (i % 4 != 0 && lattice[i] != 0)
        lines_.fail("Lattice: the box must be rectangular, with edges along x, y and z");
    }
    for (std::size_t axis = 0; axis < 3; ++axis) head_.edges[axis] = lattice[4 * axis];
    if (pairs.contains("Origin"))
      std::ranges::copy(numbers(pairs, "Origin", 3), head_.origin.begin());
    if (const auto pbc = pairs.find("pbc"); pbc != pairs.end()) {
      std::size_t axis = 0;
      for (const char c : pbc->second) {
        if (c == ' ') continue;
        if (axis == 3 || (c != 'T' && c != 'F')) lines_.fail("pbc must be three of T and F");
        head_.walls[axis++] = c == 'F';
      }
      if (axis < 3) lines_.fail("pbc must be three of T and F");
    }
  }

  void read_columns(const std::string& properties) {
    const std::vector<std::string> words = split(properties, ':');
    const auto bad = [&](const std::string& why) {
      lines_.fail("Properties=" + properties + ": " + why);
    };
    if (words.size() % 3 != 0) bad("must be name:type:columns, again and again");
    for (std::size_t i = 0; i < words.size(); i += 3) {
      const std::string &name = words[i], &type = words[i + 1];
      const auto count = frame::number<std::size_t>(words[i + 2]);
      if (!count || *count < 1 || *count > 1000) bad(words[i + 2] + " is no number of columns");
      const auto expect = [&](const char* right_type, std::size_t right) {
        if (type != right_type || *count != right)
          bad(name + " must be " + name + ":" + right_type + ":" + std::to_string(right));
      };
      if (name == "pos") {
        expect("R", 3);
        position_ = columns_;
      } else if (name == "velo" || name == "vel" || name == "velocity" || name == "velocities") {
        expect("R", 3);
        velocity_ = columns_;
      } else if (name == "id") {
        expect("I", 1);
        id_ = columns_;
      } else if (type != "S" && type != "R" && type != "I" && type != "L") {
        bad(type + " is none of the types S, R, I, L");
      }
      columns_ += *count;
    }
    if (!position_) bad("has no pos:R:3");
  }

  std::int64_t read_ = 0;
  std::size_t columns_ = 0;
  std::optional<std::size_t> position_, velocity_, id_;
};

}  // namespace

std::unique_ptr<ParticleFormat> xyz_format(const std::string& file) {
  return std::make_unique<XyzFormat>(file);
}

}  // namespace md
