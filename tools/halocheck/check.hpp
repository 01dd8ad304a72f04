#pragma once
// Runs one case through one scheme and compares every byte with what belongs there.

#include "case.hpp"

#include <memory>
#include <string>

namespace halocheck {

/// The fields of a case in memory, with an exchange for each set of fields; or, `unbound`, one
/// exchange that is given other arrays at each step. Construction throws Error if the library
/// refuses; the same on all ranks of the case.
class Check {
 public:
  Check(const Case& the_case, const halocline::Scheme& scheme, bool unbound = false);
  ~Check();

  /// `steps` exchanges. Returns the first difference found on this rank, or nothing; differences do
  /// not stop the steps, so the ranks stay together. Throws what the library throws.
  std::string run(int steps, unsigned seed);

 private:
  struct FieldSet;
  FieldSet& set_of(int step);
  std::string step(FieldSet& set, int step, bool overlap);

  const Case& case_;
  halocline::Scheme scheme_;
  std::vector<const Case*> parts_;  ///< the case, and the others of the same exchange
  bool direct_ = false;
  std::unique_ptr<halocline::Exchange> unbound_;
  std::vector<std::vector<bool>> sent_;  ///< elements that the pattern of each part sends
  std::vector<std::unique_ptr<FieldSet>> sets_;
};

}  // namespace halocheck
