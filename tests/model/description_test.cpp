// Every method has a description, which does something for each of its links and waits for each
// that it receives.

#include <halocline/more/model.hpp>
#include <halocline/more/mpi.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace halocline::model {
namespace {

Links star(int neighbours, bool two_way) {
  Links links{.rank = 0, .ranks = neighbours + 2};
  for (int peer = 1; peer <= neighbours; ++peer) {
    links.sends.push_back({.peer = peer, .bytes = 800, .pieces = 10, .inside = peer % 2 == 0});
    if (two_way || peer > 1)
      links.receives.push_back({.peer = peer, .bytes = 400, .pieces = 5, .inside = peer % 2 == 0});
  }
  links.two_way = two_way;
  return links;
}

std::vector<Operation> whole(const Step& step) {
  std::vector<Operation> all = step.start;
  all.insert(all.end(), step.finish.begin(), step.finish.end());
  return all;
}

std::vector<std::string> all_schemes() {
  std::vector<std::string> schemes = described_methods();
  for (const std::string& combination : scheme_combinations())
    if (!Scheme(combination).has("heads") || Scheme(combination).is("heads", "off"))
      schemes.push_back(combination);
  return schemes;
}

Step step_of(const std::string& scheme, const Links& links) {
  const auto methods = described_methods();
  return std::find(methods.begin(), methods.end(), scheme) != methods.end()
             ? describe_method(scheme, links)
             : describe(Scheme(scheme), links);
}

bool waits(const Operation& operation) {
  return operation.verb == Verb::receive || operation.verb == Verb::await ||
         operation.verb == Verb::flush || operation.verb == Verb::unlock;
}

TEST(Description, KnowsEveryMethodButAuto) {
  EXPECT_EQ(described_methods().size(), known_schemes().size());
  EXPECT_THROW(describe(Scheme("auto"), star(2, true)), Error);
}

TEST(Description, OfEverySchemeServesEveryLink) {
  for (const bool two_way : {true, false})
    for (const std::string& scheme : all_schemes()) {
      SCOPED_TRACE(scheme);
      const Links links = star(4, two_way);
      const auto operations = whole(step_of(scheme, links));
      const bool meets = std::any_of(operations.begin(), operations.end(),
                                     [](const auto& one) { return one.verb == Verb::barrier; });
      for (const LinkSize& link : links.receives)
        EXPECT_TRUE(meets ||
                    std::any_of(operations.begin(), operations.end(),
                                [&](const auto& o) { return o.peer == link.peer && waits(o); }))
            << "nothing waits for rank " << link.peer;
      for (const LinkSize& link : links.sends)
        EXPECT_TRUE(meets || std::any_of(operations.begin(), operations.end(),
                                         [&](const auto& o) {
                                           return o.peer == link.peer &&
                                                  (o.verb == Verb::send || o.verb == Verb::put ||
                                                   o.verb == Verb::notify);
                                         }))
            << "nothing goes to rank " << link.peer;
    }
}

TEST(Description, WithoutLinksOnlyMeets) {
  for (const std::string& scheme : all_schemes())
    for (const Operation& operation : whole(step_of(scheme, {.rank = 0, .ranks = 3})))
      EXPECT_TRUE(operation.verb == Verb::barrier || operation.verb == Verb::call)
          << scheme << ": " << name(operation.verb);
}

TEST(Description, CountsMemory) {
  const Links links = star(4, true);  // receives 1600 bytes, sends 3200
  EXPECT_EQ(describe("rma:put:flush", links).window_bytes, 2 * 1600U);
  EXPECT_EQ(describe("rma:get:pscw", links).window_bytes, 3200U);
  EXPECT_EQ(describe("rma:put:flush+pack=off", links).window_bytes, 0U);
  EXPECT_EQ(describe("p2p:nonblocking", links).buffer_bytes, 4800U);
}

TEST(Description, FencesOncePerStepWhereSlotsTakeTurns) {
  const auto fences = [](const char* scheme) {
    const auto operations = whole(describe(scheme, star(2, true)));
    return std::count_if(operations.begin(), operations.end(),
                         [](const auto& one) { return one.verb == Verb::barrier; });
  };
  EXPECT_EQ(fences("rma:put:fence"), 1);
  EXPECT_EQ(fences("rma:get:fence"), 2);
  EXPECT_EQ(fences("rma:put:fence+pack=off"), 2);
  EXPECT_EQ(fences("rma:put:fence+group=neighbors"), 3);  // around itself and two neighbours
}

TEST(Description, AsksForPermissionOnlyOneWay) {
  const auto permits = [](bool two_way) {
    const auto operations = whole(describe("rma:put:flush", star(2, two_way)));
    return std::count_if(operations.begin(), operations.end(), [](const auto& one) {
      return one.verb == Verb::await && one.word == Word::permit;
    });
  };
  EXPECT_EQ(permits(true), 0);
  EXPECT_EQ(permits(false), 2);
}

TEST(Description, IsReadable) {
  std::ostringstream text;
  text << describe("rma:put:flush", {.rank = 0, .ranks = 2, .sends = {{1, 64, 1}}}).start.front();
  EXPECT_EQ(text.str(), "put 64 bytes to 1");
}

}  // namespace
}  // namespace halocline::model
