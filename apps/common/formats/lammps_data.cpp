#include "lammps_data.hpp"

#include "shown.hpp"

#include <halocline/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace formats {

namespace {

/// How the columns of an atom are told, by style.
struct AtomStyle {
  const char *name, *columns;
  std::size_t type, charge, position;  ///< columns; a charge in column 0 is none
};
constexpr AtomStyle atom_styles[] = {
    {"atomic", "id type x y z", 1, 0, 2},
    {"charge", "id type charge x y z", 1, 2, 3},
    {"bond", "id molecule type x y z", 2, 0, 3},
    {"angle", "id molecule type x y z", 2, 0, 3},
    {"molecular", "id molecule type x y z", 2, 0, 3},
    {"full", "id molecule type charge x y z", 2, 3, 4},
};

/// Sections that are known by their name, and what they have a line for each of: what a line of the
/// header counts. Those of bonds and the like have no effect where there are no bonds.
struct SectionKind {
  const char *name, *counted;
  bool used;
};
constexpr SectionKind section_kinds[] = {
    {"Atoms", "atoms", true},
    {"Velocities", "atoms", true},
    {"Masses", "atom types", true},
    {"Atom Type Labels", "atom types", true},
    {"Pair Coeffs", "atom types", true},
    {"PairIJ Coeffs", "pairs of types", true},
    {"Bond Coeffs", "bond types", false},
    {"Angle Coeffs", "angle types", false},
    {"Dihedral Coeffs", "dihedral types", false},
    {"Improper Coeffs", "improper types", false},
    {"BondBond Coeffs", "angle types", false},
    {"BondAngle Coeffs", "angle types", false},
    {"MiddleBondTorsion Coeffs", "dihedral types", false},
    {"EndBondTorsion Coeffs", "dihedral types", false},
    {"AngleTorsion Coeffs", "dihedral types", false},
    {"AngleAngleTorsion Coeffs", "dihedral types", false},
    {"BondBond13 Coeffs", "dihedral types", false},
    {"AngleAngle Coeffs", "improper types", false},
    {"Bond Type Labels", "bond types", false},
    {"Angle Type Labels", "angle types", false},
    {"Dihedral Type Labels", "dihedral types", false},
    {"Improper Type Labels", "improper types", false},
};

/// Without the endings of accelerated variants.
std::string_view plain_style(std::string_view style) {
  for (const std::string_view ending : {"/opt", "/omp", "/gpu", "/intel", "/kk"})
    if (style.ends_with(ending)) return style.substr(0, style.size() - ending.size());
  return style;
}

std::string in_words(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", number);
  return text;
}

class LammpsData final : public ParticleReader {
 public:
  LammpsData(const std::string& file, const std::string& named) : ParticleReader(file, named) {
    counts_ = {{"atom types", 1}};
    lines_.next();  // a title
    do {
      if (!advance()) missing("has no section Atoms: it is no data file of LAMMPS");
    } while (header());
    if (head_.particles < 1)
      lines_.refuse(
          "there is no line 'N atoms' before the first section (the first line is a title)");
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (!(head_.edges[axis] > 0))
        lines_.refuse(std::string("there is no line 'LOW HIGH ") + "xyz"[axis] + "lo " +
                      "xyz"[axis] + "hi' before the first section");
    const std::int64_t types = counts_["atom types"];
    if (types < 1 || types > most_types)
      lines_.refuse("there are " + std::to_string(types) + " atom types; there can be 1 to " +
                    std::to_string(most_types));
    counts_["pairs of types"] = types * (types + 1) / 2;
    enter();
  }

  bool next(std::vector<ParticleFact>& facts) override {
    while (advance()) {
      if (in_section_ < expected_ && !known()) {
        ++in_section_;
        if (entry(facts)) return true;
        continue;
      }
      leave();
      enter();
    }
    if (section_ && in_section_ < expected_)
      too_short(in_section_, expected_, is("Atoms") ? "particles" : things());
    if (!seen_.contains("Atoms")) missing("has no section Atoms");
    section_ = nullptr;
    agree();
    return false;
  }

 private:
  static constexpr std::int64_t most_types = 1'000'000;
  struct Coefficients {
    double epsilon, sigma;
    std::optional<double> cutoff;
    bool operator==(const Coefficients&) const = default;
  };
  /// What a line says of a type, or of a pair of them.
  template <class Value>
  struct Told {
    std::int64_t line;
    Value value;
  };

  [[noreturn]] void missing(const char* what) const {
    throw halocline::Error(named_ + ": " + what);
  }

  bool is(std::string_view section) const { return section_ && section == section_->name; }
  std::string things() const {
    if (is("Atoms")) return "atoms";
    if (is("Velocities")) return "velocities";
    return std::string("lines of ") + section_->name;
  }

  /// On to the next line that says something, with its words in `words_`, less the comment, and the
  /// comment's first word in `comment_`.
  bool advance() {
    while (lines_.next()) {
      words_.clear();
      comment_ = {};
      for (const std::string_view& word : lines_.words()) {
        const std::size_t sign = word.find('#');
        if (sign != 0) words_.push_back(word.substr(0, sign));
        if (sign == word.npos) continue;
        comment_ = word.substr(sign + 1);
        const auto next = static_cast<std::size_t>(&word - lines_.words().data()) + 1;
        if (comment_.empty() && next < lines_.words().size()) comment_ = lines_.words()[next];
        break;
      }
      if (!words_.empty()) return true;
    }
    return false;
  }

  template <class Number>
  Number as(std::size_t word, const char* what) const {
    if (word >= words_.size()) lines_.refuse(std::string("has no ") + what);
    const Reading<Number> reading = number<Number>(words_[word]);
    if (!reading) lines_.refuse(std::string(what) + " " + reading.why());
    return *reading;
  }
  double positive(std::size_t word, const char* what) const {
    const double value = as<double>(word, what);
    if (!(value > 0)) lines_.refuse(std::string(what) + " " + in_words(value) + " must be above 0");
    return value;
  }
  Vector vector(std::size_t word, const char* what) const {
    return {as<double>(word, what), as<double>(word + 1, what), as<double>(word + 2, what)};
  }

  std::string joined(std::size_t from = 0) const {
    std::string text;
    for (std::size_t i = from; i < words_.size(); ++i) {
      if (i > from) text += ' ';
      text += words_[i];
    }
    return text;
  }

  // --- The header ---

  /// Takes a line of it; false for the first line after it.
  bool header() {
    // "2 atoms", "0 10 xlo xhi": numbers, then what they are.
    const auto is_number = [](std::string_view word) {
      return number<double>(word, Values::any).fault != Fault::no_number;
    };
    const auto name =
        static_cast<std::size_t>(std::ranges::find_if_not(words_, is_number) - words_.begin());
    if (name == 0) return false;
    const std::string what = joined(name);
    const auto takes = [&](std::size_t numbers) {
      if (name != numbers)
        lines_.refuse("has " + std::to_string(name) + " numbers before '" + shown(what) +
                      "', which has " + std::to_string(numbers));
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const char letter = "xyz"[axis];
      if (what != std::string{letter, 'l', 'o', ' ', letter, 'h', 'i'}) continue;
      takes(2);
      head_.origin[axis] = as<double>(0, "coordinate");
      head_.edges[axis] = as<double>(1, "coordinate") - head_.origin[axis];
      if (!(head_.edges[axis] > 0) || !std::isfinite(head_.edges[axis]))
        lines_.refuse("the box must have a positive length");
      return true;
    }
    if (what == "xy xz yz") {
      takes(3);
      for (const double tilt : vector(0, "tilt"))
        if (tilt != 0)
          lines_.refuse("the box is tilted; it must be rectangular, with edges along x, y and z");
    } else if (what == "avec" || what == "bvec" || what == "cvec" || what == "abc origin") {
      lines_.refuse("a box of general vectors; it must be told by xlo xhi, ylo yhi and zlo zhi");
    } else {
      takes(1);
      const auto count = as<std::int64_t>(0, "number of things");
      counts_[what] = count;
      if (what == "atoms") {
        head_.particles = count;
        if (count < 1) lines_.refuse("there must be at least one atom");
      } else if (count < 0) {
        lines_.refuse("there cannot be " + std::to_string(count) + " " + shown(what));
      } else if (count > 0 && !what.ends_with(" types") && !what.starts_with("extra ")) {
        lines_.refuse("there are " + quoted(what) +
                      "; particles have no more than a position, a "
                      "velocity and a type here");
      }
    }
    return true;
  }

  // --- Sections ---

  /// The section that this line begins, if it is one that has a name here.
  const SectionKind* known() const {
    const std::string name = joined();
    const auto kind = std::ranges::find(section_kinds, name, &SectionKind::name);
    return kind != std::end(section_kinds) ? &*kind : nullptr;
  }

  void leave() {
    if (!section_) return;
    if (in_section_ < expected_)
      lines_.refuse("a new section after " + std::to_string(in_section_) + " of " +
                    std::to_string(expected_) + " " + things());
    if (!known() && number<double>(words_[0], Values::any))
      lines_.refuse("there are more " + things() + " than the " + std::to_string(expected_) +
                    " it says");
  }

  void enter() {
    section_ = known();
    if (!section_)
      lines_.refuse("section " + quoted(joined()) +
                    " is not one that is read: Atoms, Velocities, Masses, Atom Type Labels, Pair "
                    "Coeffs and PairIJ Coeffs are");
    if (const auto [before, first] = seen_.emplace(section_->name, lines_.number()); !first)
      lines_.refuse("there is a section " + before->first + " in line " +
                    std::to_string(before->second) + " already");
    const auto count = counts_.find(section_->counted);
    expected_ = count != counts_.end() ? count->second : 0;
    in_section_ = 0;
    if (!section_->used) notes_.push_back(named_ + ": section " + section_->name + " is not used");
    if (is("Velocities") && !seen_.contains("Atoms")) lines_.refuse("Velocities come after Atoms");
    if (is("Atoms")) enter_atoms();
    if ((is("Pair Coeffs") || is("PairIJ Coeffs")) && !comment_.empty() &&
        plain_style(comment_) != "lj/cut")
      lines_.refuse("coefficients are of pair style " + shown(comment_) + "; lj/cut is read");
  }

  void enter_atoms() {
    style_ = nullptr;
    if (comment_.empty()) return;  // then columns tell
    const auto known = std::ranges::find(atom_styles, plain_style(comment_), &AtomStyle::name);
    if (known == std::end(atom_styles))
      lines_.refuse("atoms are of style " + shown(comment_) +
                    "; atomic, charge, bond, angle, molecular and full are read");
    style_ = &*known;
  }

  /// A line of the section; true if it is about a particle.
  bool entry(std::vector<ParticleFact>& facts) {
    if (is("Atoms")) return atom(facts);
    if (is("Velocities")) return velocity(facts);
    if (is("Masses")) {
      columns(2, "type mass");
      told(masses_, type(0), positive(1, "mass"));
    } else if (is("Atom Type Labels")) {
      columns(2, "type label");
      labels_[std::string(words_[1])] = type(0);
    } else if (is("Pair Coeffs")) {
      const std::int64_t of = type(0);
      told(pairs_, std::pair(of, of), coefficients(1, "type epsilon sigma"));
    } else if (is("PairIJ Coeffs")) {
      const auto [low, high] = std::minmax({type(0), type(1)});
      told(pair_ijs_, std::pair(low, high), coefficients(2, "type type epsilon sigma"));
    }
    return false;
  }

  void columns(std::size_t count, const char* are) const {
    if (words_.size() != count)
      lines_.refuse("has " + std::to_string(words_.size()) + " columns; they are: " + are);
  }

  Coefficients coefficients(std::size_t first, const char* are) const {
    if (words_.size() != first + 2 && words_.size() != first + 3)
      lines_.refuse("has " + std::to_string(words_.size()) +
                    " columns; those of lj/cut are: " + are + ", perhaps a cut-off");
    Coefficients told{positive(first, "epsilon"), positive(first + 1, "sigma"), {}};
    if (words_.size() > first + 2) told.cutoff = positive(first + 2, "cut-off");
    return told;
  }

  template <class Of, class Value>
  void told(std::map<Of, Told<Value>>& all, const Of& of, const Value& value) {
    if (const auto [before, first] = all.emplace(of, Told<Value>{lines_.number(), value}); !first)
      lines_.refuse("the same is said in line " + std::to_string(before->second.line) + " already");
  }

  std::int64_t type(std::size_t word) const {
    const std::int64_t types = counts_.at("atom types");
    if (word < words_.size())
      if (const auto label = labels_.find(words_[word]); label != labels_.end())
        return label->second;
    const auto type = as<std::int64_t>(word, "type");
    if (type < 1 || type > types)
      lines_.refuse(types == 1 ? "there is one type of particles, 1"
                               : "type " + std::to_string(type) + "; there are 1 to " +
                                     std::to_string(types));
    return type;
  }

  bool atom(std::vector<ParticleFact>& facts) {
    const std::size_t count = words_.size();
    if (!style_) {
      if (count == 6 || count == 7 || count == 9 || count == 10)
        lines_.refuse("has " + std::to_string(count) +
                      " columns; what they are must be said, such as 'Atoms # charge' or 'Atoms # "
                      "full'");
      style_ = &atom_styles[0];
    }
    const std::size_t place = style_->position;
    if (count != place + 3 && count != place + 6)
      lines_.refuse("has " + std::to_string(count) + " columns; an atom is: " + style_->columns +
                    ", perhaps three image numbers");
    const auto id = as<std::int64_t>(0, "number of an atom");
    check_id(id);
    used_.emplace(type(style_->type), lines_.number());
    if (style_->charge != 0 && as<double>(style_->charge, "charge") != 0)
      lines_.refuse("charge " + shown(words_[style_->charge]) + "; particles have no charge here");
    // They say where it would be had it not been moved into the box, which concerns nobody here.
    for (std::size_t image = place + 3; image < count; ++image)
      as<std::int64_t>(image, "image number");
    facts.push_back(
        {lines_.number(), id, vector(place, "coordinate"), ParticleFact::Kind::position});
    return true;
  }

  bool velocity(std::vector<ParticleFact>& facts) {
    if (words_.size() != 4)
      lines_.refuse("has " + std::to_string(words_.size()) +
                    " columns; a velocity is: id vx vy vz");
    const auto id = as<std::int64_t>(0, "number of an atom");
    check_id(id);
    facts.push_back({lines_.number(), id, vector(1, "velocity"), ParticleFact::Kind::velocity});
    return true;
  }

  // --- All types that occur are one kind of particles ---

  void agree() {
    const auto first_of = [&](const auto& all, auto is_used, auto& common) {
      for (const auto& [of, told] : all) {
        if (!is_used(of)) continue;
        if (!common) common = told;
        if (common->value == told.value) continue;
        lines_.refuse(std::max(told.line, common->line),
                      "says something else than line " +
                          std::to_string(std::min(told.line, common->line)) +
                          "; particles are of one kind here, with one mass, epsilon, sigma and "
                          "cut-off");
      }
    };
    const auto used = [&](std::int64_t type) { return used_.contains(type); };
    const auto both_used = [&](const std::pair<std::int64_t, std::int64_t>& types) {
      return used(types.first) && used(types.second);
    };
    std::optional<Told<double>> mass;
    std::optional<Told<Coefficients>> pair;
    first_of(masses_, used, mass);
    first_of(pairs_, both_used, pair);
    first_of(pair_ijs_, both_used, pair);
    // Without any, types that differ only by their number are the same.
    if (mass) head_.mass = mass->value;
    if (!pair) return;
    head_.epsilon = pair->value.epsilon;
    head_.sigma = pair->value.sigma;
    head_.cutoff = pair->value.cutoff;
  }

  std::vector<std::string_view> words_;
  std::string_view comment_;
  std::map<std::string, std::int64_t, std::less<>> counts_, labels_, seen_;
  const SectionKind* section_ = nullptr;
  std::int64_t expected_ = 0, in_section_ = 0;  ///< lines of the section
  const AtomStyle* style_ = nullptr;
  std::map<std::int64_t, Told<double>> masses_;
  std::map<std::pair<std::int64_t, std::int64_t>, Told<Coefficients>> pairs_, pair_ijs_;
  std::map<std::int64_t, std::int64_t> used_;  ///< types, and where they occur first
};

}  // namespace

std::unique_ptr<ParticleReader> lammps_data(const std::string& file, const std::string& named) {
  return std::make_unique<LammpsData>(file, named);
}

}  // namespace formats
