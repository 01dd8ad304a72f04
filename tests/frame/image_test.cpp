// Images of fields that are spread over ranks, read back by libpng.

#include "common/complaint.hpp"

#include <frame/image.hpp>

#include <gtest/gtest.h>
#include <png.h>
#include <cstdio>
#include <filesystem>
#include <vector>

namespace {

namespace mpi = halocline::mpi;
using halocline::world;

struct Image {
  std::int64_t width, height;
  std::vector<png_byte> bytes;  ///< red, green, blue

  /// Red and green together: each more the higher the value.
  int brightness(std::int64_t row, std::int64_t column) const {
    const auto at = static_cast<std::size_t>(3 * (row * width + column));
    return bytes[at] + 2 * bytes[at + 1];
  }
};

Image read(const std::string& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_TRUE(png_image_begin_read_from_file(&image, file.c_str())) << image.message;
  image.format = PNG_FORMAT_RGB;
  Image all{image.width, image.height, std::vector<png_byte>(PNG_IMAGE_SIZE(image))};
  EXPECT_TRUE(png_image_finish_read(&image, nullptr, all.bytes.data(), 0, nullptr))
      << image.message;
  return all;
}

/// Rows dealt out in turn.
frame::Field of_my_rows(double (*value)(std::int64_t row, std::int64_t column)) {
  return [=](std::int64_t row, std::int64_t column) -> std::optional<double> {
    if (row % mpi::size(world()) != mpi::rank(world())) return std::nullopt;
    return value(row, column);
  };
}

class Images : public testing::Test {
 protected:
  void TearDown() override {
    HALOCLINE_MPI(MPI_Barrier, world());
    std::filesystem::remove(file);
  }
  const std::string file = "frame_image_" + std::to_string(mpi::size(world())) + ".png";
};

TEST_F(Images, LowIsDarkHighIsBright) {
  frame::write_image(world(), file, 5, 7,
                     of_my_rows([](std::int64_t row, std::int64_t column) -> double {
                       return static_cast<double>(-7 * row - column);
                     }));
  if (mpi::rank(world()) != 0) return;
  const Image image = read(file);
  ASSERT_EQ(image.width, 7);
  ASSERT_EQ(image.height, 5);
  EXPECT_EQ(image.bytes[0], 253);  // the palette's end, at the top on the left
  EXPECT_EQ(image.bytes[1], 231);
  EXPECT_EQ(image.bytes.back(), 84);  // its beginning
  for (std::int64_t i = 1; i < 35; ++i)
    EXPECT_LT(image.brightness(i / 7, i % 7), image.brightness((i - 1) / 7, (i - 1) % 7)) << i;
}

TEST_F(Images, AConstantFieldIsDark) {
  frame::write_image(world(), file, 3, 3,
                     of_my_rows([](std::int64_t, std::int64_t) { return 4.0; }));
  if (mpi::rank(world()) == 0) {
    EXPECT_EQ(read(file).bytes[0], 68);
  }
}

TEST_F(Images, LargeFieldsAreThinnedOut) {
  frame::write_image(world(), file, 3000, 2, of_my_rows([](std::int64_t row, std::int64_t) {
                       return row < 1500 ? 0.0 : 1.0;
                     }));
  if (mpi::rank(world()) != 0) return;
  const Image image = read(file);
  ASSERT_EQ(image.height, 1024);
  EXPECT_LT(image.brightness(511, 0), image.brightness(512, 0));
  EXPECT_EQ(image.brightness(0, 1), image.brightness(511, 1));
}

TEST_F(Images, AFileThatCannotBeWrittenIsNamedOnAllRanks) {
  const auto rows = of_my_rows([](std::int64_t, std::int64_t) { return 0.0; });
  EXPECT_EQ(complaint([&] { frame::write_image(world(), "no/such/folder.png", 2, 2, rows); }),
            "--image no/such/folder.png: No such file or directory");
}

}  // namespace
