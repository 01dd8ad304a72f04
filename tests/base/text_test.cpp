// Numbers and text, whatever the locale and whatever the bytes.

#include "common/comma_locale.hpp"

#include <base/limits.hpp>
#include <base/text.hpp>

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <limits>

namespace {

using namespace halocline;

TEST(Text, NumbersAreTheSameInAnyLocale) {
  const CommaLocale other;
  EXPECT_EQ(base::formatted("%.2f %g %e %d", 1234.5, 1.5, 0.25, 1234567),
            "1234.50 1.5 2.500000e-01 1234567");
  EXPECT_EQ(base::text(1.5), "1.5");
  EXPECT_EQ(base::number<double>("0.5"), 0.5);
  EXPECT_EQ(base::number<double>("1,5"), std::nullopt);
  EXPECT_EQ(base::number<int>("1.234"), std::nullopt);
  const std::string lack = base::shortage(1, 0x1.8p40, "it", {.node = 0x1.4p30});
  EXPECT_NE(lack.find("it needs 1536.0 GiB on node "), lack.npos) << lack;
  EXPECT_NE(lack.find(" 1.2 GiB are available"), lack.npos) << lack;
  if (!other.why_not_in_c().empty()) GTEST_SKIP() << other.why_not_in_c();
}

TEST(Text, TheCallersLocaleIsAsBefore) {
  const CommaLocale other;
  base::formatted("%g", 1.5);
  EXPECT_TRUE(other.is_left_alone());
}

TEST(Text, NumbersAreReadAsTheyWereWritten) {
  for (const double value : {0.1, -1.0 / 3, 1e300, 5e-324, 1234567.0, DBL_MAX, 0.0})
    EXPECT_EQ(base::number<double>(base::text(value)), value);
  EXPECT_EQ(base::text(0.1), "0.1");
  EXPECT_EQ(base::text(std::numeric_limits<double>::infinity()), "inf");
  for (const char* no : {"", " 1", "1 ", "1x", "0x10", "1e400", "--1"})
    EXPECT_EQ(base::number<double>(no), std::nullopt) << no;
}

TEST(Text, NumbersThatDoNotFitAreToldFromWordsThatAreNone) {
  double real = 0;
  int whole = 0;
  EXPECT_EQ(base::read("1e400", real), std::errc::result_out_of_range);
  EXPECT_EQ(base::read("3000000000", whole), std::errc::result_out_of_range);
  for (const char* none : {"", "-", "1e400x", "3000000000 ", "+1"})
    EXPECT_EQ(base::read(none, whole), std::errc::invalid_argument) << none;
}

TEST(Text, IsSplitAtEachSeparator) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(base::split("1,2", ','), (Parts{"1", "2"}));
  EXPECT_EQ(base::split(",1,,", ','), (Parts{"", "1", "", ""}));
  EXPECT_EQ(base::split("", ','), (Parts{""}));
}

TEST(Text, FormattedTextMayBeLong) {
  const std::string name(5000, 'n');
  EXPECT_EQ(base::formatted("<%s>", name.c_str()), "<" + name + ">");
  std::string text = "at ";
  base::append(text, "%d", 3);
  EXPECT_EQ(text, "at 3");
}

TEST(Text, BytesThatAreNoUtf8AreReplaced) {
  const std::string odd = "\xEF\xBF\xBD";
  const std::string fine = "größe \xE2\x82\xAC \xF0\x9F\x98\x80 \x7F";
  EXPECT_EQ(base::utf8(fine), fine);
  EXPECT_EQ(base::utf8("gr\xF6\xDF"
                       "e"),
            "gr" + odd + odd + "e");
  EXPECT_EQ(base::utf8("\xC0\xAF"), odd + odd) << "not the shortest form";
  EXPECT_EQ(base::utf8("\xED\xA0\x80"), odd + odd + odd) << "half of a pair";
  EXPECT_EQ(base::utf8("\xF4\x90\x80\x80"), odd + odd + odd + odd) << "beyond the last";
  EXPECT_EQ(base::utf8("cut \xE2\x82"), "cut " + odd + odd);
  EXPECT_EQ(base::utf8("\xE2\x28\xA1"), odd + "(" + odd);
}

TEST(Text, JsonStringsKeepAllThatIsText) {
  EXPECT_EQ(base::json_string("a\tb\nc\"d\\e\x01\r"), R"("a\tb\nc\"d\\e\u0001\u000d")");
  EXPECT_EQ(base::json_string("größe"), "\"größe\"");
  EXPECT_EQ(base::json_string("gr\xF6"), "\"gr\xEF\xBF\xBD\"");
}

TEST(Text, XmlHasNamesForItsOwnCharacters) {
  EXPECT_EQ(base::xml_text("a<b>&\"c\x01\xFF"), "a&lt;b&gt;&amp;&quot;c\xEF\xBF\xBD\xEF\xBF\xBD");
}

}  // namespace
