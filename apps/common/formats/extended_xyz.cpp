#include "extended_xyz.hpp"

#include "shown.hpp"

#include <halocline/error.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace formats {

namespace {

using Pairs = std::map<std::string, std::string, std::less<>>;

bool is_blank(char letter) {
  return letter == ' ' || letter == '\t';
}

/// key=value, with or without blanks at the sign. Values, and keys, that hold blanks are in quotes,
/// and arrays in braces or brackets, which may hold others. Keys without a value are true.
class PairsOf {
 public:
  PairsOf(const Lines& lines, std::string_view text) : lines_(lines), text_(text) {}

  Pairs all() {
    Pairs pairs;
    for (skip(); at_ < text_.size(); skip()) {
      const std::string key = quote() ? quoted_value() : word("=");
      skip();
      if (at_ == text_.size() || text_[at_] != '=') {
        pairs.emplace(key, "T");
        continue;
      }
      ++at_;
      skip();
      pairs[key] = quote() ? quoted_value() : bracket() ? array() : word("");
    }
    return pairs;
  }

 private:
  void skip() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool quote() const { return at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\''); }
  bool bracket() const { return at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '{'); }

  /// Up to a blank, or one of these.
  std::string word(std::string_view ends) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_blank(text_[at_]) && ends.find(text_[at_]) == ends.npos) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string quoted_value() {
    const std::size_t begin = at_;
    const char sign = text_[at_++];
    std::string value;
    for (; at_ < text_.size() && text_[at_] != sign; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      value += text_[at_];
    }
    if (at_ == text_.size()) no_end(begin);
    ++at_;
    return value;
  }

  /// With its brackets, one inside the other.
  std::string array() {
    const std::size_t begin = at_;
    std::string open;
    do {
      if (bracket()) open += text_[at_] == '[' ? ']' : '}';
      if (at_ < text_.size() && text_[at_] == open.back()) open.pop_back();
      if (at_++ >= text_.size()) no_end(begin);
    } while (!open.empty());
    return std::string(text_.substr(begin, at_ - begin));
  }

  [[noreturn]] void no_end(std::size_t begin) const {
    lines_.refuse("what begins with " + quoted(text_.substr(begin), 20) + " has no end");
  }

  const Lines& lines_;
  std::string_view text_;
  std::size_t at_ = 0;
};

/// The words of an array, whatever parts and surrounds them.
std::vector<std::string_view> elements(std::string_view array) {
  constexpr std::string_view between = " \t,[]{}\"'";
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = array.find_first_not_of(between, at)) != array.npos;) {
    const std::size_t end = std::min(array.find_first_of(between, at), array.size());
    words.push_back(array.substr(at, end - at));
    at = end;
  }
  return words;
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts(1);
  for (const char letter : text)
    if (letter == at)
      parts.emplace_back();
    else
      parts.back() += letter;
  return parts;
}

/// The logical value that a word is; nothing if it is none.
std::optional<bool> logical(std::string_view word) {
  for (const std::string_view yes : {"T", "t", "True", "true", "TRUE", "1"})
    if (word == yes) return true;
  for (const std::string_view no : {"F", "f", "False", "false", "FALSE", "0"})
    if (word == no) return false;
  return std::nullopt;
}

bool among(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

class ExtendedXyz final : public ParticleReader {
 public:
  ExtendedXyz(const std::string& file, const std::string& named) : ParticleReader(file, named) {
    if (!lines_.next()) throw halocline::Error(named_ + ": is empty");
    head_.particles = lines_.as<std::int64_t>(0, "number of particles");
    if (head_.particles < 1 || lines_.words().size() > 1)
      lines_.refuse("must be the number of particles, from 1");
    if (!lines_.next()) short_of();
    const Pairs pairs = PairsOf(lines_, lines_.text()).all();
    read_box(pairs);
    const auto properties = pairs.find("Properties");
    read_columns(properties == pairs.end() ? "species:S:1:pos:R:3" : properties->second);
  }

  bool next(std::vector<ParticleFact>& facts) override {
    if (read_ == head_.particles) {
      end_of_frame();
      return false;
    }
    if (!lines_.next()) short_of();
    ++read_;
    if (lines_.words().size() != columns_)
      lines_.refuse("has " + std::to_string(lines_.words().size()) +
                    " columns, its properties are " + std::to_string(columns_));
    for (Kind& kind : kinds_) one_kind(kind);
    if (mass_) one_mass();
    const std::int64_t id = id_ ? lines_.as<std::int64_t>(*id_, "number of a particle") : read_;
    check_id(id);
    const auto add = [&](std::size_t column, const char* what, ParticleFact::Kind kind) {
      facts.push_back({lines_.number(),
                       id,
                       {lines_.as<double>(column, what), lines_.as<double>(column + 1, what),
                        lines_.as<double>(column + 2, what)},
                       kind});
    };
    add(*position_, "coordinate", ParticleFact::Kind::position);
    if (velocity_)
      add(*velocity_, "velocity", ParticleFact::Kind::velocity);
    else if (momentum_)
      add(*momentum_, "momentum", ParticleFact::Kind::momentum);
    return true;
  }

 private:
  /// A column that tells kinds of particles apart.
  struct Kind {
    std::string name;
    std::size_t column;
    std::string first{};  ///< particle's
  };

  [[noreturn]] void short_of() const { too_short(read_, head_.particles, "particles"); }

  /// The next frame may follow, with its number of particles; another particle may not.
  void end_of_frame() {
    if (ended_) return;
    ended_ = true;
    while (lines_.next()) {
      const auto& words = lines_.words();
      if (words.empty()) continue;
      if (words.size() > 1 || !number<std::int64_t>(words[0]))
        lines_.refuse("there are more particles than the " + std::to_string(read_) + " it says");
      notes_.push_back(named_ + ": the first of several frames is read");
      return;
    }
  }

  std::vector<double> numbers(const Pairs& pairs, const char* key) const {
    std::vector<double> numbers;
    for (const std::string_view word : elements(pairs.find(key)->second)) {
      const Reading<double> reading = number<double>(word);
      if (!reading) lines_.refuse(std::string(key) + ": " + reading.why());
      numbers.push_back(*reading);
    }
    return numbers;
  }

  void read_box(const Pairs& pairs) {
    if (!pairs.contains("Lattice"))
      lines_.refuse("has no Lattice=\"...\": the box must be known, as extended XYZ tells it");
    std::vector<double> lattice = numbers(pairs, "Lattice");
    if (lattice.size() == 3)  // the edges alone
      lattice = {lattice[0], 0, 0, 0, lattice[1], 0, 0, 0, lattice[2]};
    if (lattice.size() != 9) lines_.refuse("Lattice must be 9 numbers, or 3 edges");
    for (std::size_t axis = 0; axis < 3; ++axis) {
      head_.edges[axis] = lattice[4 * axis];
      if (!(head_.edges[axis] > 0))
        lines_.refuse("Lattice: edges must be positive, along x, y and z in this order");
    }
    // Cosines of right angles are not quite 0 where a lattice was computed from lengths and angles.
    const double nothing = 1e-12 * std::ranges::min(head_.edges);
    for (std::size_t i = 0; i < 9; ++i)
      if (i % 4 != 0 && std::fabs(lattice[i]) > nothing)
        lines_.refuse("Lattice: the box must be rectangular, with edges along x, y and z");
    if (pairs.contains("Origin")) {
      const std::vector<double> origin = numbers(pairs, "Origin");
      if (origin.size() != 3) lines_.refuse("Origin must be 3 numbers");
      std::ranges::copy(origin, head_.origin.begin());
    }
    if (const auto pbc = pairs.find("pbc"); pbc != pairs.end()) read_periodic(pbc->second);
  }

  void read_periodic(std::string_view text) {
    std::vector<std::string_view> words = elements(text);
    if (words.size() == 1 && words[0].size() == 3 && !logical(words[0]))  // TTF
      words = {words[0].substr(0, 1), words[0].substr(1, 1), words[0].substr(2, 1)};
    if (words.size() == 1) words = {words[0], words[0], words[0]};  // of all axes
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto periodic = words.size() == 3 ? logical(words[axis]) : std::nullopt;
      if (!periodic) lines_.refuse("pbc must be three of T and F, not " + quoted(text));
      head_.open[axis] = !*periodic;
    }
  }

  void read_columns(const std::string& properties) {
    const std::vector<std::string> words = split(properties, ':');
    const auto bad = [&](const std::string& why) {
      lines_.refuse("Properties=" + shown(properties) + ": " + why);
    };
    if (words.size() % 3 != 0) bad("must be name:type:columns, again and again");
    std::string unused;
    for (std::size_t i = 0; i < words.size(); i += 3) {
      const std::string &name = words[i], &type = words[i + 1];
      const auto count = number<std::int64_t>(words[i + 2]);
      if (!count || *count < 1 || *count > 1000)
        bad(quoted(words[i + 2]) + " is no number of columns from 1 to 1000");
      if (!among(type, {"S", "R", "I", "L"}))
        bad(quoted(type) + " is none of the types S, R, I, L");
      const auto take = [&](std::optional<std::size_t>& column, std::string_view right_type,
                            std::int64_t right) {
        if (type != right_type || *count != right)
          bad(shown(name) + " must be " + shown(name) + ":" + std::string(right_type) + ":" +
              std::to_string(right));
        if (column) bad("says twice where a particle's " + shown(name) + " is");
        column = columns_;
      };
      if (name == "pos")
        take(position_, "R", 3);
      else if (among(name, {"velo", "vel", "velocity", "velocities"}))
        take(velocity_, "R", 3);
      else if (among(name, {"momenta", "momentum"}))
        take(momentum_, "R", 3);
      else if (name == "id")
        take(id_, "I", 1);
      else if (among(name, {"mass", "masses"}))
        take(mass_, "R", 1);
      else if (among(name, {"species", "element", "type", "Z"}) && *count == 1)
        kinds_.push_back({name, columns_});
      else
        unused += (unused.empty() ? "" : ", ") + shown(name);
      columns_ += static_cast<std::size_t>(*count);
    }
    if (!position_) bad("has no pos:R:3");
    if (!unused.empty()) notes_.push_back(named_ + ": not read are the columns " + unused);
  }

  void one_kind(Kind& kind) const {
    const std::string_view here = lines_.words()[kind.column];
    if (read_ == 1)
      kind.first = here;
    else if (here != kind.first)
      lines_.refuse(kind.name + " " + shown(here) + " beside " + shown(kind.first) +
                    "; particles are of one kind here");
  }

  void one_mass() {
    const double here = lines_.as<double>(*mass_, "mass");
    if (!(here > 0)) lines_.refuse("mass " + shown(lines_.words()[*mass_]) + " must be above 0");
    if (head_.mass && *head_.mass != here)
      lines_.refuse("mass " + shown(lines_.words()[*mass_]) +
                    " is not that of the particles before; they are of one kind here");
    head_.mass = here;
  }

  std::int64_t read_ = 0;
  bool ended_ = false;
  std::size_t columns_ = 0;
  std::optional<std::size_t> position_, velocity_, momentum_, id_, mass_;
  std::vector<Kind> kinds_;
};

}  // namespace

std::unique_ptr<ParticleReader> extended_xyz(const std::string& file, const std::string& named) {
  return std::make_unique<ExtendedXyz>(file, named);
}

}  // namespace formats
