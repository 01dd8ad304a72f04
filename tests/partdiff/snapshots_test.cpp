// Returning to an earlier sweep: which copy comes back, and when copies are worth making.

#include <snapshots.hpp>

#include <gtest/gtest.h>

using namespace partdiff;

TEST(Snapshots, BringBackTheNewestThatIsNotTooNew) {
  Snapshots snapshots(2, 8);
  snapshots.forget();
  std::vector<double> array(2);
  EXPECT_FALSE(snapshots.restore(100, array.data())) << "there is none yet";
  for (std::int64_t k = 40; k < 400; k += 8) {
    array = {static_cast<double>(k), -static_cast<double>(k)};
    snapshots.take(k, array.data());
  }
  const auto newest = snapshots.restore(400, array.data());
  ASSERT_TRUE(newest);
  EXPECT_EQ(array,
            (std::vector<double>{static_cast<double>(*newest), -static_cast<double>(*newest)}));
  const auto before = snapshots.restore(*newest - 1, array.data());
  ASSERT_TRUE(before);
  EXPECT_GE(*newest - *before, 8);
  EXPECT_EQ(array[0], static_cast<double>(*before));
  EXPECT_FALSE(snapshots.restore(*before - 1, array.data())) << "older copies are gone";
  snapshots.forget();
  EXPECT_FALSE(snapshots.restore(400, array.data()));
}

TEST(Forecast, ExpectsTheEndInTimeAndNotLongBefore) {
  // The residuum falls by a tenth a sweep: below 1e-6 after 132 sweeps.
  Forecast forecast(1e-6);
  EXPECT_TRUE(forecast.may_end(16)) << "nothing is known yet";
  double residuum = 1;
  for (int k = 1; k <= 100; ++k) forecast.add(residuum *= 0.9);
  EXPECT_EQ(forecast.known(), 100);
  EXPECT_FALSE(forecast.may_end(116));
  EXPECT_FALSE(forecast.may_end(131));
  EXPECT_TRUE(forecast.may_end(133));
  // It does not believe in growth.
  Forecast growing(1e-6);
  for (int k = 1; k <= 20; ++k) growing.add(k);
  EXPECT_FALSE(growing.may_end(1000));
}
