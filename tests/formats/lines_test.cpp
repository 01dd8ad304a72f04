// Lines as editors and systems end them, and errors that name them.

#include "common/complaint.hpp"

#include <formats/lines.hpp>
#include <formats/shown.hpp>

#include <gtest/gtest.h>

#include <filesystem>

using namespace formats;

namespace {

std::vector<std::string> all(Lines& lines) {
  std::vector<std::string> texts;
  while (lines.next()) texts.emplace_back(lines.text());
  return texts;
}

std::vector<std::string> all(const std::string& text) {
  Lines lines(text, "f", 0);
  return all(lines);
}

class File : public testing::Test {
 protected:
  File() { std::filesystem::create_directory(folder); }
  ~File() override { std::filesystem::remove_all(folder); }
  std::string file(const std::string& content) {
    std::ofstream(name, std::ios::binary) << content;
    return name;
  }
  const std::string folder = testing::TempDir() + "formats-" +
                             testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string name = folder + "/f.txt";
};

}  // namespace

TEST(Lines, EndAsEverySystemEndsThem) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(all("a\nb\n"), (Texts{"a", "b"}));
  EXPECT_EQ(all("a\nb"), (Texts{"a", "b"}));
  EXPECT_EQ(all("a\r\nb\r\n"), (Texts{"a", "b"}));
  EXPECT_EQ(all("a\rb\r"), (Texts{"a", "b"}));
  EXPECT_EQ(all("\xef\xbb\xbf"
                "a\n\nb"),
            (Texts{"a", "", "b"}));
  EXPECT_EQ(all(""), Texts{});
  EXPECT_EQ(all("\n"), Texts{""});
}

TEST(Lines, KnowTheirNumberTheirWordsAndWhereTheyEnd) {
  Lines lines("\xef\xbb\xbf one\ttwo  \r\n\nthree", "f", 0);
  ASSERT_TRUE(lines.next());
  EXPECT_EQ(lines.words(), (std::vector<std::string_view>{"one", "two"}));
  EXPECT_EQ(lines.number(), 1);
  EXPECT_EQ(lines.end(), 15);
  ASSERT_TRUE(lines.next());
  EXPECT_TRUE(lines.words().empty());
  ASSERT_TRUE(lines.next());
  EXPECT_EQ(lines.number(), 3);
  EXPECT_EQ(lines.end(), 21);
  EXPECT_FALSE(lines.next());
  EXPECT_FALSE(lines.next());
}

TEST(Lines, NameWhatIsWrongOnThem) {
  Lines lines("7 1e400\n8 \xff\x01 x\n", "--input f", 10);
  ASSERT_TRUE(lines.next());
  EXPECT_EQ(lines.as<int>(0, "row"), 7);
  EXPECT_EQ(complaint([&] { lines.as<double>(1, "value"); }),
            "--input f:11: value '1e400' is too large, the most is 1.8e308");
  EXPECT_EQ(complaint([&] { lines.as<int>(2, "column"); }), "--input f:11: has no column");
  EXPECT_EQ(complaint([&] { lines.at_most(1); }), "--input f:11: has '1e400', which is too much");
  ASSERT_TRUE(lines.next());
  EXPECT_EQ(complaint([&] { lines.as<int>(1, "column"); }),
            "--input f:12: column '\xef\xbf\xbd\xef\xbf\xbd' is no number");
  EXPECT_FALSE(lines.next());
  EXPECT_EQ(complaint([&] { lines.end_of_file("an entry"); }),
            "--input f:13: ends where an entry should be");
}

TEST(Lines, AreText) {
  const std::string with_nul("a\nb\0c\n", 6);
  EXPECT_EQ(complaint([&] { all(with_nul); }), "f:2: is no text, as it has a byte of 0");
  EXPECT_EQ(complaint([] { all("\x1f\x8b\x08"); }), "f: is compressed; gunzip unpacks it");
  EXPECT_EQ(complaint([] {
              all("\xff\xfe"
                  "a");
            }),
            "f: is UTF-16; it must be UTF-8 or ASCII");
}

TEST_F(File, IsReadPieceByPiece) {
  std::string text = "\xef\xbb\xbf";
  std::vector<std::string> wanted;
  for (int i = 0; i < 3000; ++i) {
    wanted.push_back(std::string(static_cast<std::size_t>(i % 100), 'x') + std::to_string(i));
    text += wanted.back() + (i % 7 == 0 ? "\r\n" : "\n");
  }
  wanted.emplace_back(200'000, 'y');  // longer than a piece, and without an end
  text += wanted.back();
  Lines lines(file(text));
  EXPECT_EQ(all(lines), wanted);
  EXPECT_EQ(lines.end(), static_cast<std::int64_t>(text.size()));
  EXPECT_EQ(lines.number(), 3001);
}

TEST_F(File, MustBeThereAndText) {
  EXPECT_EQ(complaint([&] { Lines(folder + "/none", "--x none"); }),
            "--x none: No such file or directory");
  EXPECT_EQ(complaint([&] { Lines lines(folder, "d"); }), "d: Is a directory");
  Lines zeros("/dev/zero");  // which has no lines, and no end
  EXPECT_EQ(complaint([&] { zeros.next(); }), "/dev/zero:1: is no text, as it has a byte of 0");
}

TEST(Lines, AreCountedAsTheyAreRead) {
  for (const std::string text :
       {"", "a\n", "a\r\nb\r\n", "a\rb\n", "\n\n", "a\r\r\n", "a", "\xef\xbb\xbf"}) {
    EXPECT_EQ(count_lines(text), static_cast<std::int64_t>(all(text).size())) << text;
  }
}

TEST(Shown, IsShortAndValid) {
  EXPECT_EQ(shown("gr\xc3\xb6\xc3\x9f"
                  "e"),
            "gr\xc3\xb6\xc3\x9f"
            "e");
  EXPECT_EQ(shown("a\tb\x1b[31m"), "a b\xef\xbf\xbd[31m");
  EXPECT_EQ(shown("\xe4 \xc0\x80 \xed\xa0\x80"),
            "\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(quoted(std::string(100, 'x'), 10), "'xxxxxxxxxx...'");
}
