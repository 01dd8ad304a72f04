// What is said of --image where there is no libpng.

#include "common/complaint.hpp"

#include <frame/image.hpp>

#include <gtest/gtest.h>

namespace {

TEST(Image, IsRefusedBeforeAnythingIsComputed) {
  const std::string words = complaint([] { frame::check_image("u.png"); });
  EXPECT_TRUE(words.starts_with("--image u.png: ")) << words;
  EXPECT_NE(words.find("libpng-dev"), words.npos) << words;
}

}  // namespace
