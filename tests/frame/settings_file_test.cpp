// Settings in a file: what they give options, what is refused with file, line and key.

#include "common/complaint.hpp"

#include <frame/command_line.hpp>
#include <frame/settings_file.hpp>

#include <gtest/gtest.h>

namespace {

using frame::CommandLine;
using frame::settings_of;
using frame::Value;
using halocline::Error;

/// A program with options of every kind.
struct Program {
  Program() {
    line.take_settings_file();
    line.option("--text T", "", text);
    line.option("--steps N", "",
                [this](const Value& value) { steps = value.integer(0, 1'000'000); });
    line.option("--dt T", "", [this](const Value& value) {
      dt = value.real("a number above 0", [](double x) { return x > 0; });
    });
    line.option("--lists L", "", [this](const Value& value) {
      lists = value.choose<bool>({{"on", true}, {"off", false}});
    });
    line.option("--grid X,Y,Z", "", [this](const Value& value) { grid = value.text; });
    line.option("--shape S", "", [](const Value& value) {
      throw Error(value.text.starts_with("--") ? value.text + " 7: must be round" : "odd shape");
    });
    line.flag("--progress", "", progress);
    line.output("--image F", "", [](const std::string&) {});
  }

  /// With these words on the command line, and this in the file.
  void start(std::vector<std::string> words, const std::string& content) {
    words.insert(words.begin(), {"program", "run.toml"});
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    line.parse(static_cast<int>(words.size()), pointers.data());
    EXPECT_EQ(line.settings_file(), "run.toml");
    line.read(line.settings_file(), content);
    line.take();
  }

  CommandLine line;
  std::string text = "default", grid;
  std::int64_t steps = -1;
  double dt = -1;
  bool lists = false, progress = false;
};

std::string error(const std::string& content) {
  return complaint([&] { Program().start({}, content); });
}

TEST(SettingsFile, FillsOptionsOfEveryKind) {
  Program program;
  program.start({}, R"(# a comment
text = "some words"
steps = 1_000
dt = 5e-4
lists = true
grid = [2, 2, 1]
progress = true
)");
  EXPECT_EQ(program.text, "some words");
  EXPECT_EQ(program.steps, 1000);
  EXPECT_EQ(program.dt, 5e-4);
  EXPECT_TRUE(program.lists);
  EXPECT_EQ(program.grid, "2,2,1");
  EXPECT_TRUE(program.progress);
}

TEST(SettingsFile, NumbersKeepAllTheirBits) {
  Program program;
  program.start({}, "dt = 0.1234567890123456789\n");
  EXPECT_EQ(program.dt, 0.1234567890123456789);
  Program other;
  other.start({}, "dt = 2\n");
  EXPECT_EQ(other.dt, 2);
}

TEST(SettingsFile, TheCommandLineIsStronger) {
  Program program;
  program.start({"--steps", "5", "--text", "mine"}, "steps = 7\ntext = 'theirs'\ndt = 0.5\n");
  EXPECT_EQ(program.steps, 5);
  EXPECT_EQ(program.text, "mine");
  EXPECT_EQ(program.dt, 0.5);
}

TEST(SettingsFile, ErrorsNameFileLineAndKey) {
  EXPECT_EQ(error("dt = 1.0\nstesp = 3\n"),
            "run.toml:2: stesp: there is no such setting; keys are the names of options");
  EXPECT_EQ(error("\n\nsteps = -3\n"),
            "run.toml:3: steps -3: must be an integer from 0 to 1000000");
  EXPECT_EQ(error("steps = \"3\"\n"), "run.toml:1: steps 3: must be an integer from 0 to 1000000");
  EXPECT_EQ(error("steps = 3.0\n"), "run.toml:1: steps 3.0: must be an integer from 0 to 1000000");
  EXPECT_EQ(error("steps = true\n"),
            "run.toml:1: steps true: must be an integer from 0 to 1000000");
  EXPECT_EQ(error("dt = nan\n"), "run.toml:1: dt nan: must be a number above 0");
  EXPECT_EQ(error("dt = '0.5'\n"), "run.toml:1: dt 0.5: must be a number above 0");
  EXPECT_EQ(error("lists = 'maybe'\n"), "run.toml:1: lists maybe: must be on or off");
  EXPECT_EQ(error("progress = 3\n"), "run.toml:1: progress 3: must be on or off");
}

TEST(SettingsFile, WhatAnOptionSaysElsewiseHasItsPlace) {
  EXPECT_EQ(error("shape = 'cube'\n"), "run.toml:1: shape: odd shape");
  EXPECT_EQ(error("shape = '--shape'\n"), "run.toml:1: shape 7: must be round");
}

TEST(SettingsFile, RefusesWhatIsNoValueOfAnOption) {
  const std::string right =
      "; it must be a string, a number, true or false, or an array of numbers";
  EXPECT_EQ(error("\nsteps = 1979-05-27\n"), "run.toml:2: steps is a date or a time" + right);
  EXPECT_EQ(error("[steps]\nmost = 3\n"), "run.toml:1: steps is a table" + right);
  EXPECT_EQ(error("grid = [1, 'x']\n"),
            "run.toml:1: grid is an array of something else than numbers" + right);
}

TEST(SettingsFile, SaysOnOneLineWhatAKeyIs) {
  EXPECT_TRUE(error("\"a\\nb\" = {}\n")
                  .starts_with("run.toml:1: a\xEF\xBF\xBD"
                               "b is a table; "));
  EXPECT_TRUE(error("\"a\\nb\" = 3\n")
                  .starts_with("run.toml:1: a\xEF\xBF\xBD"
                               "b: there is no "));
}

TEST(SettingsFile, DoesNotFollowAKeyIntoTablesWithoutEnd) {
  std::string key = "a";
  for (int i = 0; i < 100000; ++i) key += ".a";
  for (const std::string& content : {key + " = 1\n", "[" + key + "]\n"})
    EXPECT_EQ(error(content), "run.toml: it has 100000 dots; settings have at most 4096");
  EXPECT_TRUE(error(key.substr(0, 8193) + " = 1\n").ends_with("or an array of numbers"));
}

TEST(SettingsFile, NamesTheLineThatIsNotToml) {
  for (const char* content : {"dt = 1.0\nsteps 3\n", "dt = 1.0\nsteps = \n", "dt = 1.0\ndt = 2.0\n",
                              "dt = 1.0\nsteps = 'open\n", "dt = 1.0\n[[/a 3a 12\n",
                              "dt = 1.0\n\xC3\xB6rtlich = 3\n", "dt = 1.0\nsteps = \xC3\xB6\n"})
    EXPECT_TRUE(error(content).starts_with("run.toml:2: ")) << error(content);
}

TEST(SettingsFile, KeepsTheOrderOfLines) {
  std::string keys;
  for (const auto& setting : settings_of("f", "c = 1\na = 2\nb = 3\n")) keys += setting.key;
  EXPECT_EQ(keys, "cab");
}

}  // namespace
