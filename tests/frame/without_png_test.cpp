// What is said of --image where there is no libpng.

#include <frame/image.hpp>

#include <gtest/gtest.h>

namespace {

TEST(Image, IsRefusedBeforeAnythingIsComputed) {
  try {
    frame::check_image("u.png");
    FAIL() << "no error";
  } catch (const halocline::Error& problem) {
    const std::string words = problem.what();
    EXPECT_TRUE(words.starts_with("--image u.png: ")) << words;
    EXPECT_NE(words.find("libpng-dev"), words.npos) << words;
  }
}

}  // namespace
