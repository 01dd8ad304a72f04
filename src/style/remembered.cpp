#include "remembered.hpp"

#ifdef HALOCLINE_HAVE_JSON
#include "tuner/choices.hpp"

#include <halocline/more/tuner.hpp>

#include <cmath>
#endif

namespace halocline::detail {

#ifdef HALOCLINE_HAVE_JSON

namespace {

constexpr const char* list_of_styles = "styles";

Json as_json(const StyleSituation& situation) {
  return {{"machine", as_json(this_site())},
          {"job",
           {{"ranks", situation.ranks},
            {"threads", situation.threads},
            {"yielding", situation.yielding},
            {"scheme", situation.scheme}}},
          {"step",
           {{"inner", situation.inner}, {"border", situation.border}, {"bytes", situation.bytes}}}};
}

bool is_of(const Json& entry, const Json& situation) {
  for (const char* part : {"machine", "job", "step"})
    if (member(entry, part) != member(situation, part)) return false;
  return true;
}

}  // namespace

std::optional<std::string> remembered_style(const StyleSituation& situation) {
  if (Tuning::current().fresh) return std::nullopt;
  const Json here = as_json(situation);
  const Choices choices(Tuning::current().path());
  for (const Json& entry : list(member(choices.content(), list_of_styles)))
    if (is_of(entry, here)) return text(member(entry, "style"));
  return std::nullopt;
}

void remember_style(const StyleSituation& situation, const Contest& contest) {
  Json found = as_json(situation);
  found["style"] = contest.style().str();
  found["time"] = utc_now();
  for (const Contest::Entrant& one : contest.all())
    found["candidates"].push_back(
        {{"style", one.style.str()}, {"median_us", std::round(one.median() * 1e9) / 1e3}});
  const std::string problem = Choices(Tuning::current().path()).edit([&](Json& content) {
    Json& styles = content[list_of_styles];
    if (!styles.is_array()) styles = Json::array();
    for (Json& entry : styles)
      if (is_of(entry, found)) {
        entry = found;
        return;
      }
    styles.push_back(found);
  });
  if (!problem.empty())
    Tuning::tell("style auto: the choice is not kept for later jobs: " + problem);
}

#else

std::optional<std::string> remembered_style(const StyleSituation&) {
  return std::nullopt;
}
void remember_style(const StyleSituation&, const Contest&) {}

#endif

}  // namespace halocline::detail
