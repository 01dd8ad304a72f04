// LAMMPS' data files (https://docs.lammps.org/read_data.html) with one type of atoms of style
// atomic.

#include "formats.hpp"

namespace md {

using namespace halocline;

namespace {

class Lammps final : public ParticleFormat {
 public:
  explicit Lammps(const std::string& file) : ParticleFormat(file) {
    lines_.next();  // a title
    bool box[3] = {};
    while (section_.empty()) {
      if (!advance())
        throw Error("--input " + file + ": has no section Atoms: no data file of LAMMPS");
      header(box);
    }
    if (head_.particles < 1) lines_.fail("there is no line 'N atoms' before the first section");
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (!box[axis])
        lines_.fail(std::string("there is no line 'LOW HIGH ") + "xyz"[axis] + "lo " + "xyz"[axis] +
                    "hi' before the first section");
    while (section_ != "Atoms") {
      if (section_ == "Velocities") lines_.fail("Velocities come after Atoms");
      if (!advance()) throw Error("--input " + file + ": has no section Atoms");
      coefficients();
    }
  }

  bool next(std::vector<Said>& said) override {
    for (;;) {
      if (!advance()) {
        if (read_ < head_.particles) too_short(read_);
        return false;
      }
      if (is_section()) {
        if (section_ == "Atoms" && read_ < head_.particles)
          lines_.fail("a new section after " + std::to_string(read_) + " of " +
                      std::to_string(head_.particles) + " atoms");
        enter();
        continue;
      }
      if (section_ == "Atoms") return atom(said);
      if (section_ == "Velocities") return velocity(said);
    }
  }

 private:
  /// The next line that says something, without its comment in `words_`.
  bool advance() {
    while (lines_.next()) {
      words_.clear();
      comment_.clear();
      bool comment = false;
      for (const std::string_view word : lines_.words()) {
        if (!comment && word.starts_with('#')) {
          comment = true;
          if (word.size() > 1) comment_ = word.substr(1);
        } else if (!comment) {
          words_.push_back(word);
        } else if (comment_.empty()) {
          comment_ = word;
        }
      }
      if (!words_.empty()) return true;
    }
    return false;
  }

  bool is_section() const { return words_[0][0] >= 'A' && words_[0][0] <= 'Z'; }

  void enter() {
    section_.clear();
    for (const std::string_view word : words_) {
      if (!section_.empty()) section_ += ' ';
      section_ += word;
    }
    if (section_ == "Atoms" && !comment_.empty() && comment_ != "atomic")
      lines_.fail("atoms are of style " + comment_ + ", md reads style atomic");
    if (section_ != "Atoms" && section_ != "Velocities" && section_ != "Masses" &&
        section_ != "Pair Coeffs")
      lines_.fail("md has no use for a section " + section_);
  }

  void header(bool (&box)[3]) {
    if (is_section()) return enter();
    const auto ends_with = [&](std::initializer_list<const char*> words) {
      return words_.size() >= words.size() &&
             std::equal(words.begin(), words.end(),
                        words_.end() - static_cast<std::ptrdiff_t>(words.size()));
    };
    if (ends_with({"atoms"})) {
      head_.particles = lines_.as<std::int64_t>(0, "number of atoms");
      if (head_.particles < 1) lines_.fail("there must be at least one atom");
    } else if (ends_with({"atom", "types"})) {
      if (lines_.as<std::int64_t>(0, "number of types") != 1)
        lines_.fail("md knows one type of particles");
    } else if (ends_with({"xy", "xz", "yz"})) {
      for (const double tilt : lines_.vector(0, "tilt"))
        if (tilt != 0) lines_.fail("the box must be rectangular");
    } else {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const char low[] = {"xyz"[axis], 'l', 'o', 0}, high[] = {"xyz"[axis], 'h', 'i', 0};
        if (!ends_with({low, high})) continue;
        head_.origin[axis] = lines_.as<double>(0, "coordinate");
        head_.edges[axis] = lines_.as<double>(1, "coordinate") - head_.origin[axis];
        if (!(head_.edges[axis] > 0)) lines_.fail("the box must have a positive length");
        box[axis] = true;
        return;
      }
      // "0 bonds" and the like.
      if (lines_.as<std::int64_t>(0, "number, as a line before the first section begins with") != 0)
        lines_.fail("md has no use for '" + lines_.text() + "'");
    }
  }

  /// A line before Atoms.
  void coefficients() {
    if (is_section()) return enter();
    type(0);
    if (section_ == "Masses") {
      head_.mass = lines_.as<double>(1, "mass");
    } else {
      head_.epsilon = lines_.as<double>(1, "epsilon");
      head_.sigma = lines_.as<double>(2, "sigma");
    }
  }

  void type(std::size_t word) const {
    if (lines_.as<std::int64_t>(word, "type") != 1)
      lines_.fail("there is one type of particles, 1");
  }

  bool atom(std::vector<Said>& said) {
    if (++read_ > head_.particles)
      lines_.fail("there are more atoms than the " + std::to_string(head_.particles) + " it says");
    // With numbers of periodic images, or without.
    if (words_.size() != 5 && words_.size() != 8)
      lines_.fail("has " + std::to_string(words_.size()) +
                  " columns; an atom is: id type x y z, perhaps three image numbers");
    type(1);
    said.push_back({lines_.number(), lines_.as<std::int64_t>(0, "number of an atom"),
                    lines_.vector(2, "coordinate"), 0});
    return true;
  }

  bool velocity(std::vector<Said>& said) {
    if (words_.size() != 4)
      lines_.fail("has " + std::to_string(words_.size()) + " columns; a velocity is: id vx vy vz");
    said.push_back({lines_.number(), lines_.as<std::int64_t>(0, "number of an atom"),
                    lines_.vector(1, "velocity"), 1});
    return true;
  }

  std::vector<std::string_view> words_;
  std::string comment_, section_;
  std::int64_t read_ = 0;
};

}  // namespace

std::unique_ptr<ParticleFormat> lammps_format(const std::string& file) {
  return std::make_unique<Lammps>(file);
}

}  // namespace md
