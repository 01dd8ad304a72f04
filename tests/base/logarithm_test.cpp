// Logarithms with the same bits on every machine.

#include "base/logarithm.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using halocline::base::logarithm;

TEST(Logarithm, IsThatOfLibmButForItsLastDigit) {
  for (double value = 1e-300; value < 1e300; value *= 1.37)
    EXPECT_NEAR(logarithm(value) / std::log(value), 1, 1e-15) << value;
  EXPECT_NEAR(logarithm(1 + 1e-9), std::log1p(1e-9), 1e-15);
}

TEST(Logarithm, HasTheSameBitsEverywhere) {
  EXPECT_EQ(logarithm(1), 0);
  EXPECT_EQ(logarithm(3), 0x1.193ea7aad030ap+0);
  EXPECT_EQ(logarithm(0.9), -0x1.af8e8210a415cp-4);
  EXPECT_EQ(logarithm(1e-12), -0x1.ba18a998fffa0p+4);
  EXPECT_EQ(logarithm(1e300), 0x1.5963447f87fb5p+9);
}

}  // namespace
