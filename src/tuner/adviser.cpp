#include "adviser.hpp"

#ifdef HALOCLINE_HAVE_JSON
#include "remembering.hpp"
#else
#include <halocline/more/tuner.hpp>

#include <utility>
#endif

namespace halocline::detail {

std::string Adviser::favourite() const {
  if (std::string known = remembered(); !known.empty()) return known;
  std::vector<Scheme> list = first();
  list.insert(list.begin(), Scheme("p2p:nonblocking"));
  for (const Scheme& scheme : list)
    if (objection(scheme).empty()) return scheme.str();
  return list.front().str();
}

#ifdef HALOCLINE_HAVE_JSON

std::unique_ptr<Adviser> make_adviser(const Scheme& asked, const Situation& situation) {
  return std::make_unique<Remembering>(asked, situation);
}

#else

std::unique_ptr<Adviser> make_adviser(const Scheme& asked, const Situation&) {
  static bool said = false;
  if (!std::exchange(said, true))
    Tuning::tell(
        "auto: built without nlohmann/json, so the file of choices and the doctor's word are not "
        "read, and the choice is not kept for later jobs");
  return std::make_unique<Adviser>(asked);
}

#endif

}  // namespace halocline::detail
