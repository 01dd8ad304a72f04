// Command lines: what is taken, what is refused and in which words, what the help looks like.

#include "common/complaint.hpp"

#include <frame/command_line.hpp>
#include <frame/lists.hpp>

#include <gtest/gtest.h>

namespace {

using frame::CommandLine;
using frame::Value;
using halocline::Error;

bool parse(CommandLine& line, std::vector<std::string> words) {
  words.insert(words.begin(), "program");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return line.parse(static_cast<int>(words.size()), pointers.data());
}

TEST(Numbers, AreAllThereOrNone) {
  using List = std::vector<std::int64_t>;
  EXPECT_EQ(frame::numbers("64x+32x1", 'x'), (List{64, 32, 1}));
  EXPECT_EQ(frame::numbers("7", 'x'), List{7});
  EXPECT_EQ(frame::numbers("0/2", '/', 0, 2), (List{0, 2}));
  for (const char* text : {"", "x", "6x", "x6", "6x0", "6xx6", "6x6 ", "6x-6", "6x1.5", "6,6",
                           "99999999999999999999x1"})
    EXPECT_EQ(frame::numbers(text, 'x'), List{}) << text;
  EXPECT_EQ(frame::three({"--grid", "1,2,3"}, 3, "right"), (std::array<std::int64_t, 3>{1, 2, 3}));
  for (const char* text : {"1,2", "1,2,3,3", "1,2,4", "0,1,2", "1;2;3"})
    EXPECT_EQ(complaint([&] {
                frame::three({"--grid", text}, 3, "right");
              }),
              std::string("--grid ") + text + ": must be right");
}

TEST(Value, IsAnIntegerWithinLimits) {
  EXPECT_EQ((Value{"--n", "7"}.integer(1, 7)), 7);
  EXPECT_EQ((Value{"--n", "-3"}.integer(-3, 7)), -3);
  for (const char* text : {"0", "8", "1.5", "x", "7 ", "99999999999999999999"})
    EXPECT_EQ(complaint([&] {
                Value{"--n", text}.integer(1, 7);
              }),
              std::string("--n ") + text + ": must be an integer from 1 to 7");
  EXPECT_EQ(complaint([] {
              Value{"--n", ""}.integer(1, 7);
            }),
            "--n '': must be an integer from 1 to 7");
  EXPECT_EQ(complaint([] {
              Value{"--check every=", "0"}.integer(1, 7);
            }),
            "--check every=0: must be an integer from 1 to 7");
}

TEST(Value, IsAFiniteNumber) {
  const auto above = [](double v) { return v > 0; };
  EXPECT_EQ((Value{"--t", "1e-3"}.real("a number above 0", above)), 1e-3);
  for (const char* text : {"0", "inf", "nan", "1s", ""})
    EXPECT_NE(complaint([&] { Value{"--t", text}.real("a number above 0", above); }), "") << text;
  EXPECT_EQ(complaint([&] {
              Value{"--t", "nan"}.real("a number above 0", above);
            }),
            "--t nan: must be a number above 0");
}

TEST(Value, IsOneOfSeveral) {
  const auto of_two = [](const char* text) {
    return Value{"--pin", text}.choose<int>({{"auto", 1}, {"off", 2}});
  };
  EXPECT_EQ(of_two("off"), 2);
  EXPECT_EQ(complaint([&] { of_two("on"); }), "--pin on: must be auto or off");
  EXPECT_EQ(complaint([] {
              Value{"--mode", "lazy"}.choose<int>({{"a", 1}, {"b", 2}, {"c", 3}});
            }),
            "--mode lazy: must be one of a, b, c");
}

TEST(CommandLine, HandsOverWhatIsGiven) {
  CommandLine line;
  std::string text = "default", other = "default";
  std::int64_t number = 1;
  bool flag = false;
  std::vector<std::string> words;
  line.words(words);
  line.option("--text T", "", text);
  line.option("--other T", "", other);
  line.option("--number N", "", [&](const Value& value) { number = value.integer(2, 9); });
  line.flag("--flag", "", flag);
  EXPECT_TRUE(parse(line, {"one", "--text", "t", "--number", "3", "--flag", "two"}));
  EXPECT_EQ(number, 1);  // not before everything is known
  line.take();
  EXPECT_EQ(number, 3);
  EXPECT_EQ(text, "t");
  EXPECT_EQ(other, "default");
  EXPECT_TRUE(flag);
  EXPECT_EQ(words, (std::vector<std::string>{"one", "two"}));
}

TEST(CommandLine, JudgesValuesOnlyWhenTheyAreTaken) {
  CommandLine line;
  line.option("--number N", "", [](const Value& value) { value.integer(2, 9); });
  EXPECT_FALSE(parse(line, {"--number", "1", "--help"}));
  CommandLine again;
  again.option("--number N", "", [](const Value& value) { value.integer(2, 9); });
  EXPECT_TRUE(parse(again, {"--number", "1"}));
  EXPECT_EQ(complaint([&] { again.take(); }), "--number 1: must be an integer from 2 to 9");
}

TEST(CommandLine, AsksForHelpWithoutWords) {
  CommandLine line;
  EXPECT_FALSE(parse(line, {}));
}

TEST(CommandLine, NamesWhatItDoesNotKnow) {
  CommandLine line;
  EXPECT_NE(complaint([&] {
              parse(line, {"--colour", "red"});
            }).find("--colour"),
            std::string::npos);
}

TEST(CommandLine, WritesTheOutputsThatAreWantedOnceTheyAreChecked) {
  CommandLine line;
  std::vector<std::string> written;
  const auto write = [&](const std::string& file) { written.push_back(file); };
  line.output("--output F", "", write);
  line.output("--image F", "", write, [](const std::string& file) {
    if (!file.ends_with(".png")) throw Error("--image " + file + ": must be *.png");
  });
  line.output("--trace F", "", write);
  EXPECT_TRUE(parse(line, {"--image", "a.png", "--output", "b"}));
  line.take();
  line.write_outputs();
  EXPECT_EQ(written, (std::vector<std::string>{"b", "a.png"}));

  CommandLine wrong;
  wrong.output("--image F", "", write,
               [](const std::string& file) { throw Error("--image " + file + ": must be *.png"); });
  EXPECT_TRUE(parse(wrong, {"--image", "a.gif"}));
  EXPECT_EQ(complaint([&] { wrong.take(); }), "--image a.gif: must be *.png");
}

TEST(CommandLine, HelpHasSectionsAndLinesOfBoundedLength) {
  CommandLine line;
  std::string text;
  line.section("Problem");
  line.option("--points N", "points a side", text);
  line.section(frame::results);
  line.option("--json F", "a file", text);
  line.section(frame::how);
  line.option("--an-option-as-long-as-this VALUE", "first " + std::string(90, 'x') + " last", text);
  line.section("Problem");
  line.option("--steps N", "in time", text);
  EXPECT_EQ(line.help(),
            "\nProblem:\n"
            "  --points N            points a side\n"
            "  --steps N             in time\n"
            "\nHow:\n"
            "  --an-option-as-long-as-this VALUE  first\n"
            "                        " +
                std::string(90, 'x') +
                "\n"
                "                        last\n"
                "\nResults:\n"
                "  --json F              a file\n");
}

}  // namespace
