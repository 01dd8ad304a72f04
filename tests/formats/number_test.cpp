// Numbers as others write them.

#include <formats/number.hpp>

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>

using namespace formats;

TEST(Number, IsReadAsOthersWriteIt) {
  const std::pair<const char*, double> cases[] = {{"1.5", 1.5},
                                                  {"+1.5", 1.5},
                                                  {"-1.5", -1.5},
                                                  {".5", 0.5},
                                                  {"5.", 5},
                                                  {"-.5e1", -5},
                                                  {"1e3", 1000},
                                                  {"1E+03", 1000},
                                                  {"1.0D+00", 1},
                                                  {"-2.5d-1", -0.25},
                                                  {"+1.d2", 100},
                                                  {"007", 7},
                                                  {"1e-400", 0},
                                                  {"1D-400", 0},
                                                  {"1e-310", 1e-310},
                                                  {"0e999", 0},
                                                  {"0.0001e308", 1e304},
                                                  {"1000e-310", 1e-307},
                                                  {"12345678901234567890", 12345678901234567890.0}};
  for (const auto& [word, value] : cases) {
    const auto read = number<double>(word);
    ASSERT_TRUE(read) << word << ": " << read.why();
    EXPECT_EQ(*read, value) << word;
  }
  EXPECT_TRUE(std::signbit(*number<double>("-1e-400")));
  for (const char* word : {"inf", "-Inf", "NaN", "nan", "Infinity", "+inf"})
    EXPECT_TRUE(number<double>(word, Values::any)) << word;
  EXPECT_EQ(*number<std::int64_t>("+42"), 42);
  EXPECT_EQ(*number<std::int64_t>("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(*number<int>("-0"), 0);
}

TEST(Number, SaysWhyAWordIsNone) {
  const std::pair<const char*, const char*> cases[] = {
      {"1e400", "'1e400' is too large, the most is 1.8e308"},
      {"-1.0D+400", "'-1.0D+400' is too small, the least is -1.8e308"},
      {"1e9223372036854775807", "'1e9223372036854775807' is too large, the most is 1.8e308"},
      {"1e99999999999999999999", "'1e99999999999999999999' is too large, the most is 1.8e308"},
      {"nan", "'nan' is not finite"},
      {"-inf", "'-inf' is not finite"},
      {"", "'' is no number"},
      {"+", "'+' is no number"},
      {"+-1", "'+-1' is no number"},
      {"++1", "'++1' is no number"},
      {"1,5", "'1,5' is no number"},
      {"0x10", "'0x10' is no number"},
      {"1e", "'1e' is no number"},
      {"1d", "'1d' is no number"},
      {"d5", "'d5' is no number"},
      {"1dd5", "'1dd5' is no number"},
      {"1 2", "'1 2' is no number"},
      {"1.5x", "'1.5x' is no number"}};
  for (const auto& [word, why] : cases) {
    const auto read = number<double>(word);
    ASSERT_FALSE(read) << word;
    EXPECT_EQ(read.why(), why);
  }
}

TEST(Number, OfWholeOnesHasNoFractionAndFits) {
  const std::pair<const char*, const char*> cases[] = {
      {"99999999999999999999", "is too large, the most is 9223372036854775807"},
      {"-99999999999999999999", "is too small, the least is -9223372036854775808"},
      {"3.0", "is no whole number"},
      {"3e0", "is no whole number"},
      {"inf", "is no whole number"},
      {"three", "is no number"},
      {"+-3", "is no number"},
      {"3x", "is no number"}};
  for (const auto& [word, why] : cases) {
    const auto read = number<std::int64_t>(word);
    ASSERT_FALSE(read) << word;
    EXPECT_EQ(read.why(), std::string("'").append(word).append("' ").append(why));
  }
  EXPECT_EQ(number<int>("3000000000").why(), "'3000000000' is too large, the most is 2147483647");
  EXPECT_EQ(number<int>("-3000000000").why(),
            "'-3000000000' is too small, the least is -2147483648");
}

TEST(Number, DoesNotCareForTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* commas : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"})
    if (std::setlocale(LC_ALL, commas)) break;
  EXPECT_EQ(*number<double>("0.5"), 0.5);
  EXPECT_FALSE(number<double>("0,5"));
  std::setlocale(LC_ALL, before.c_str());
}
