#pragma once
// The adviser with a memory: the file of choices, the doctor's word, what jobs did not survive.

#include "adviser.hpp"
#include "choices.hpp"

#include <map>

namespace halocline::detail {

class Remembering final : public Adviser {
 public:
  /// `situation` is that of measuring, also for `asked` in laps.
  Remembering(const Scheme& asked, Situation situation);
  ~Remembering() override;

  std::string remembered() const override;
  double remembered_us() const override;
  std::string favourite() const override;
  std::vector<Section::Tried> lapped() const override;
  std::vector<Scheme> first() const override;
  std::string objection(const Scheme& scheme) const override;
  void distrust(const std::string& why) override;
  Tournament::Announce announce() const override;
  void conclude(const Tournament& tournament, const std::string& scheme, bool fresh) override;
  void trying(const Scheme& scheme) override;
  void survived(const Scheme& scheme) override;
  void failed(const Scheme& scheme) override;
  void conclude(const Section::Findings& laps, const Section::Chosen& mine, bool end) override;

 private:
  void heed(const Json& wishes, const std::string& where);
  void remark() const;
  void take_notes();
  void clear(Json& content, const Json& measured) const;
  void look_around();
  std::vector<std::string> untried(const Json& entry) const;
  bool allowed(const std::string& scheme) const;
  std::string reason() const;
  Json report(const std::string& scheme, const Tournament& tournament) const;
  void record(const Json& report);
  void append_to_log(const Situation& situation, const Json& report) const;

  const Situation situation_;
  Situation in_laps_;  ///< apart from what measuring finds
  double proof_;       ///< jobs that ended at a scheme: one may have been killed
  std::map<std::string, Note> trials_;
  Choices choices_;
  std::map<std::string, std::string> slow_elsewhere_;
  std::string pinned_;
  std::string why_;  ///< there is a tournament, or none
};

}  // namespace halocline::detail
