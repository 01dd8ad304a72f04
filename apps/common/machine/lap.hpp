#pragma once
// A step of a program as a lap, in which `auto+when=running` chooses; of other schemes nothing.

#include <halocline/more/section.hpp>
#include <halocline/scheme.hpp>

#include <optional>
#include <string>

namespace machine {

/// Whether an exchange that is asked for by this scheme chooses in laps.
inline bool chooses_in_laps(const halocline::Scheme& asked) {
  return asked.has("when") && asked.is("when", "running");
}

/// One lap, until this ends, of a section that need not be there.
class Lap {
 public:
  /// `work` as of Section::lap.
  explicit Lap(std::optional<halocline::Section>& section, double work = 1)
      : section_(section ? &*section : nullptr), work_(work) {
    if (section_ != nullptr) section_->begin();
  }
  ~Lap() {
    if (section_ != nullptr) section_->end(work_);
  }
  Lap(const Lap&) = delete;
  Lap& operator=(const Lap&) = delete;

 private:
  halocline::Section* section_;
  double work_;
};

/// What its laps have found.
inline std::optional<halocline::Section::Findings> findings(
    const std::optional<halocline::Section>& section) {
  return section ? std::optional(section->findings()) : std::nullopt;
}

/// The scheme of its first exchange in nearly all laps; `now` where there is no section.
inline std::string scheme_of(const std::optional<halocline::Section>& section,
                             const halocline::Scheme& now) {
  if (section)
    if (const auto found = section->findings(); !found.chosen.empty()) return found.chosen[0].what;
  return now.str();
}

}  // namespace machine
