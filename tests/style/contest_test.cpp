// The fastest of several styles is found on steps that are made anyway.

#include "style/contest.hpp"

#include <gtest/gtest.h>

#include <map>

using halocline::Style;
using halocline::detail::Contest;

namespace {

/// Steps until it is decided, by styles; `seconds` tells what one takes.
template <class Seconds>
std::map<std::string, int> hold(Contest& contest, const Seconds& seconds) {
  std::map<std::string, int> steps;
  double visit = 0;
  while (!contest.decided()) {
    if (contest.begins()) visit = 0;
    const std::string style = contest.style().str();
    visit += seconds(style, ++steps[style]);
    if (contest.step()) contest.took(visit);
  }
  return steps;
}

TEST(Contest, FastestStays) {
  for (const std::string fastest : {"masteronly", "thread", "multiple"}) {
    Contest contest({"masteronly", "funneled", "thread", "tasks", "multiple"});
    hold(contest, [&](const std::string& style, int) { return style == fastest ? 1e-3 : 1.1e-3; });
    EXPECT_EQ(contest.style().str(), fastest);
  }
}

TEST(Contest, FirstOfEqualsStays) {
  Contest contest({"naive", "single", "tasks"});
  hold(contest, [](const std::string&, int) { return 1.0; });
  EXPECT_EQ(contest.style().str(), "naive");
}

TEST(Contest, VisitThatIsDisturbedDecidesNothing) {
  Contest contest({"naive", "single"});
  hold(contest, [](const std::string& style, int step) {
    if (style == "naive") return step == 3 ? 1.0 : 0.1;
    return 0.12;
  });
  EXPECT_EQ(contest.style().str(), "naive");
}

TEST(Contest, SlowOnesHaveFewerSteps) {
  Contest contest({"naive", "single", "thread", "tasks"});
  const auto steps = hold(contest, [](const std::string& style, int) {
    return style == "naive" ? 0.1 : style == "single" ? 0.2 : 0.3;
  });
  EXPECT_EQ(steps.at("naive"), 11);  // one to begin with, and two rounds
  EXPECT_EQ(steps.at("single"), 11);
  EXPECT_EQ(steps.at("tasks"), 6);
}

TEST(Contest, ShortStepsAreMeasuredTogether) {
  Contest contest({"naive", "single"});
  const auto steps = hold(contest, [](const std::string&, int) { return 1e-5; });
  EXPECT_EQ(steps.at("naive"), 1 + 5 * 200);
}

TEST(Contest, OfOneIsDecided) {
  EXPECT_TRUE(Contest({"tasks"}).decided());
}

}  // namespace
