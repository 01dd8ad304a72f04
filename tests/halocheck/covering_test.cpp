// Every two options that fit together meet in what halocheck's `pairs` tests.

#include "halocheck/covering.hpp"
#include "exchange/core/registry.hpp"

#include <halocline/scheme.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

using namespace halocline;

namespace {

/// Options whose combinations with others nobody tests (scheme_combinations()).
bool alone(const std::string& option) {
  return option == "corners" || option == "heads" || option == "device";
}

std::optional<Scheme> scheme_if_it_fits(const std::string& text) {
  try {
    return Scheme(text);
  } catch (const Error&) {
    return std::nullopt;
  }
}

TEST(Covering, EveryTwoOptionsThatFitTogetherMeet) {
  std::vector<Scheme> covering;
  for (const std::string& scheme : covering_pairs(scheme_combinations()))
    covering.emplace_back(scheme);
  int pairs = 0;
  for (const detail::MethodFacts& method : detail::registry()) {
    if (method.chooses || !method.missing().empty()) continue;
    for (const detail::OptionFacts& one : method.options)
      for (const detail::OptionFacts& other : method.options) {
        if (alone(one.name) || alone(other.name)) continue;
        for (const std::string& of_one : one.values)
          for (const std::string& of_other : other.values) {
            const auto together =
                scheme_if_it_fits(Scheme(method.name).str() + "+" + one.name + "=" + of_one +
                                  (&one == &other ? "" : "+" + other.name + "=" + of_other));
            if (!together) continue;
            ++pairs;
            EXPECT_TRUE(std::ranges::any_of(
                covering,
                [&](const Scheme& scheme) {
                  return scheme.method() == method.name &&
                         scheme.option(one.name) == together->option(one.name) &&
                         scheme.option(other.name) == together->option(other.name);
                }))
                << "none has both options of " << together->full();
          }
      }
  }
  EXPECT_GT(pairs, 500);
}

TEST(Covering, TakesSomeOfTheCombinationsInTheirOrder) {
  const std::vector<std::string> all = scheme_combinations(), some = covering_pairs(all);
  EXPECT_LT(some.size(), all.size() / 2);
  auto next = all.begin();
  for (const std::string& scheme : some) {
    next = std::find(next, all.end(), scheme);
    ASSERT_NE(next, all.end()) << scheme;
    ++next;
  }
  EXPECT_EQ(covering_pairs(all), some);
}

TEST(Covering, NamesEveryMethodAndEveryOptionThatStandsAlone) {
  const std::vector<std::string> some = covering_pairs(scheme_combinations());
  const std::set<std::string> found(some.begin(), some.end());
  for (const std::string& scheme : scheme_combinations()) {
    if (scheme.find("+corners=forwarded") != scheme.npos ||
        scheme.find("+heads=2") != scheme.npos) {
      EXPECT_TRUE(found.contains(scheme)) << scheme;
    }
  }
}

TEST(Covering, OfNothingIsNothing) {
  EXPECT_TRUE(covering_pairs({}).empty());
}

}  // namespace
