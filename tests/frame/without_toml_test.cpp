// What is said of a file of settings where there is no toml++.

#include "common/complaint.hpp"

#include <frame/settings_file.hpp>

#include <halocline/more/mpi.hpp>

#include <gtest/gtest.h>

namespace {

TEST(SettingsFile, IsRefusedWithTheRemedy) {
  const std::string words = complaint([] { frame::settings_of("melt.toml", "steps = 1\n"); });
  EXPECT_TRUE(words.starts_with("melt.toml: ")) << words;
  EXPECT_NE(words.find("libtomlplusplus-dev"), words.npos) << words;
}

}  // namespace
