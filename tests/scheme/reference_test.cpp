// docs/reference/schemes.md has a table of all methods: what their facts say.

#include "exchange/core/registry.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace halocline::detail {

namespace {

std::string row(const MethodFacts& method) {
  std::string text = "| `" + method.name + "` | " + method.summary;
  text += method.frames.whole ? " | all" : " | what is in use";
  text += method.frames.made_alone ? " | by both ends" : " | by all ranks";
  text += method.device_addresses ? " | yes" : " | no";
  text += method.combines ? " | never" : method.trusted ? " | unchecked" : " | when checked";
  return text + " |";
}

TEST(Reference, HasARowForEachMethodAsItsFactsAre) {
  std::ifstream file(HALOCLINE_SCHEMES_PAGE);
  ASSERT_TRUE(file);
  std::stringstream page;
  page << file.rdbuf();
  std::string rows;
  for (const MethodFacts& method : registry())
    if (!method.chooses) rows += row(method) + "\n";
  EXPECT_NE(page.str().find("|---|---|---|---|---|---|\n" + rows + "\n"), std::string::npos)
      << "the table of methods in docs/reference/schemes.md must be:\n"
      << rows;
}

}  // namespace

}  // namespace halocline::detail
