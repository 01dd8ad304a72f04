#pragma once
// The adviser: what rank 0 of an exchange knows before anything is measured. The others ask it.

#include "candidates.hpp"
#include "situation.hpp"
#include "tournament.hpp"

#include <halocline/more/section.hpp>

#include <memory>
#include <string>
#include <vector>

namespace halocline::detail {

/// One that knows nothing but what is sound under any MPI, and forgets what was found.
class Adviser {
 public:
  explicit Adviser(Scheme asked) : asked_(std::move(asked)) {}
  virtual ~Adviser() = default;

  /// The scheme chosen before, if it may be used again; else empty. And the time it took, 0 if that
  /// is not known.
  virtual std::string remembered() const { return {}; }
  virtual double remembered_us() const { return 0; }
  /// What the first laps use, for `when=running`: what laps have chosen before, or measuring.
  virtual std::string favourite() const;
  /// What laps have found before, times as long as one and the same of these.
  virtual std::vector<Section::Tried> lapped() const { return {}; }
  /// A first wave: all methods, and what has been fast for a similar pattern.
  virtual std::vector<Scheme> first() const { return methods_for(asked_); }
  /// Why a scheme may not be tried; empty if it may.
  virtual std::string objection(const Scheme& scheme) const { return soundness_.objection(scheme); }
  /// The choice known is not used, for this reason: what else was measured then may be as wrong.
  virtual void distrust(const std::string& why) { static_cast<void>(why); }
  /// Called with each scheme before it is measured.
  virtual Tournament::Announce announce() const { return {}; }
  /// The end of a tournament; `fresh` if its choice was not known before.
  virtual void conclude(const Tournament& tournament, const std::string& scheme, bool fresh) {
    static_cast<void>(tournament), static_cast<void>(scheme), static_cast<void>(fresh);
  }

  /// Laps use a scheme for the first time, until it has survived them; what has failed, or is not
  /// followed by either, later jobs do not try.
  virtual void trying(const Scheme& scheme) { static_cast<void>(scheme); }
  virtual void survived(const Scheme& scheme) { static_cast<void>(scheme); }
  virtual void failed(const Scheme& scheme) { static_cast<void>(scheme); }
  /// What laps have found until now, or at their end. Does not wait unless it is the end.
  virtual void conclude(const Section::Findings& laps, const Section::Chosen& mine, bool end) {
    static_cast<void>(laps), static_cast<void>(mine), static_cast<void>(end);
  }

 protected:
  const Scheme asked_;
  Soundness soundness_;
};

/// One that reads and writes the file of choices; without a JSON library one that does not, which
/// is said once.
std::unique_ptr<Adviser> make_adviser(const Scheme& asked, const Situation& situation);

}  // namespace halocline::detail
