// docs/explanation/asynchronous.md has a table of all asynchronous methods: what their facts say.

#include "async/async_registry.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace halocline::detail {

namespace {

std::string options_of(const AsyncMethodFacts& method) {
  std::string text;
  for (const std::string& option : method.options)
    text += (text.empty() ? "`" : ", `") + option + "`";
  return text.empty() ? "none" : text;
}

const char* words(Unread unread) {
  return unread == Unread::kept ? "sends are skipped" : "the oldest is overwritten";
}

std::string row(const AsyncMethodFacts& method) {
  std::string text = "| `" + method.name + "` | " + method.summary + " | " + options_of(method);
  text += std::string(" | ") + words(method.unread);
  text += std::string(" | ") + (method.unread_racy ? words(*method.unread_racy) : "cannot be racy");
  text += method.may_wait ? " | in `MPI_Win_flush`" : " | no";
  return text + " |";
}

TEST(AsyncReference, HasARowForEachMethodAsItsFactsAre) {
  std::ifstream file(HALOCLINE_ASYNC_PAGE);
  ASSERT_TRUE(file);
  std::stringstream page;
  page << file.rdbuf();
  std::string rows;
  for (const AsyncMethodFacts& method : async_registry()) rows += row(method) + "\n";
  EXPECT_NE(page.str().find("|---|---|---|---|---|---|\n" + rows + "\n"), std::string::npos)
      << "the table of schemes in docs/explanation/asynchronous.md must be:\n"
      << rows;
}

/// Options of an asynchronous method are some of those of the method with its name.
TEST(AsyncReference, OptionsAreThoseOfTheSchemes) {
  for (const AsyncMethodFacts& method : async_registry()) {
    const MethodFacts* const facts = find_method(method.name);
    ASSERT_NE(facts, nullptr) << method.name;
    for (const std::string& option : method.options)
      EXPECT_TRUE(find_named(facts->options, option)) << method.name << ", option " << option;
  }
}

}  // namespace

}  // namespace halocline::detail
