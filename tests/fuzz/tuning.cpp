// The tuning file: what is read, and what is written back.

#include "fuzz.hpp"

#include "tuner/choices.hpp"
#include "tuner/file_shape.hpp"

namespace {

using namespace halocline::detail;

void read(std::string_view text) {
  const std::string file = fuzz::file_of(text, ".json");
  Choices choices(file);
  for (const std::string& remark : remarks_on(choices.content()))
    fuzz::must(remark.find('\n') == remark.npos);
  for (const Json& entry : list(member(choices.content(), "choices"))) {
    const Situation situation = situation_in(entry);
    fuzz::must(situation_in(as_json(situation)) == situation);
    fuzz::must(!choices.entry(situation).is_null());
    choices.elsewhere(situation);
    choices.nearest(situation);
  }
  const std::string laid_out = layout(choices.content());
  fuzz::must(layout(Choices(fuzz::file_of(laid_out, ".json")).content()) == laid_out);
}

const fuzz::Target target("tuning", read);

}  // namespace
