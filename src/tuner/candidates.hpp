#pragma once
// Candidates: which schemes `auto` may choose from.

#include <halocline/scheme.hpp>

#include <map>
#include <string>
#include <vector>

namespace halocline::detail {

/// Every method that this MPI has, with its default options, and `shm:signal` also from field to
/// field, in the order in which they are worth a try: the yardstick first, then what has been fast
/// where ranks share memory. `asked` is `auto` with its options.
std::vector<Scheme> methods_for(const Scheme& asked);

/// The schemes that differ from this one in one option. None has an `island` other than asked for;
/// without `several_islands` none differs in what joins islands or goes by heads, without
/// `has_stages` none forwards corners, without `on_device` none says how messages leave a device.
/// None uses a window of the fields' memory, on which another
/// exchange may have an epoch open.
std::vector<Scheme> variants(const Scheme& scheme, const Scheme& asked, bool several_islands,
                             bool has_stages, bool on_device = false);

/// What is known of schemes on this machine, from the doctor's memory, jobs that ended while a
/// scheme was measured, and the user's wishes.
class Soundness {
 public:
  /// The objection to what the doctor has not seen; it may see it later.
  static constexpr const char* not_checked = "not checked here yet: 'halocline doctor' does it";

  /// Schemes that a glob matches are not to be used, for this reason.
  void forbid(const std::string& glob, std::string why) { forbidden_[glob] = std::move(why); }
  /// A job ended while this scheme was measured: neither it nor its variants are to be used.
  void ended(const std::string& scheme, std::string why) { unfinished_[scheme] = std::move(why); }
  /// A verdict of the doctor (docs/reference/results.md) that holds here; other words say nothing.
  /// If there are several of a scheme, it must be sound in all.
  void learn(const std::string& scheme, const std::string& outcome);
  /// Only schemes that this glob matches; the doctor's word is then not needed.
  void pin(std::string glob) { pinned_ = std::move(glob); }
  /// Why a scheme may not be tried; empty if it may.
  std::string objection(const Scheme& scheme) const;

 private:
  std::map<std::string, std::string> forbidden_, unfinished_, broken_;
  std::map<std::string, bool> sound_;
  std::string pinned_;
};

}  // namespace halocline::detail
