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
            {"nodes", situation.nodes},
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

std::optional<RememberedStyle> remembered_style(const StyleSituation& situation) {
  if (Tuning::current().fresh) return std::nullopt;
  const Json here = as_json(situation);
  const Choices choices(Tuning::current().path());
  for (const Json& entry : list(member(choices.content(), list_of_styles)))
    if (is_of(entry, here))
      return RememberedStyle{text(member(entry, "style")), member(entry, "decided") != Json(false)};
  return std::nullopt;
}

void remember_style(const StyleSituation& situation, const RememberedStyle& chosen,
                    const std::vector<TriedStyle>& tried) {
  Json found = as_json(situation);
  found["style"] = chosen.style;
  found["decided"] = chosen.decided;
  found["time"] = utc_now();
  for (const TriedStyle& one : tried) {
    Json row = {{"style", one.style}};
    if (one.seconds > 0) row["median_us"] = std::round(one.seconds * 1e9) / 1e3;
    found["candidates"].push_back(std::move(row));
  }
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

std::optional<RememberedStyle> remembered_style(const StyleSituation&) {
  return std::nullopt;
}
void remember_style(const StyleSituation&, const RememberedStyle&, const std::vector<TriedStyle>&) {
}

#endif

}  // namespace halocline::detail
