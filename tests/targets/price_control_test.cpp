#include "targets/price_control.h"

#include <gtest/gtest.h>

namespace lips {
namespace {

constexpr double gain = 10;

TEST(PriceControl, MakesWaitsCheaperOrDearerByTheDebtUntilItIsPaidBack) {
  PriceControl control;
  EXPECT_DOUBLE_EQ(control.factor(DebtMakesWaiting::cheaper, gain), 1);
  control.charge(0.1, gain);
  EXPECT_NEAR(control.factor(DebtMakesWaiting::cheaper, gain), std::exp(-1), 1e-12);
  EXPECT_NEAR(control.factor(DebtMakesWaiting::dearer, gain), std::exp(1), 1e-12);
  control.charge(-0.1, gain);
  EXPECT_NEAR(control.factor(DebtMakesWaiting::dearer, gain), 1, 1e-12);
}

TEST(PriceControl, StaysWithinItsBoundsAndTurnsBackAtOnce) {
  PriceControl control;
  for (int day = 0; day < 100; ++day) control.charge(1, gain);
  EXPECT_TRUE(control.exhausted(gain));
  EXPECT_NEAR(control.factor(DebtMakesWaiting::cheaper, gain), least_waiting_factor, 1e-12);
  EXPECT_NEAR(control.factor(DebtMakesWaiting::dearer, gain), most_waiting_factor, 1e-9);
  control.charge(-0.05, gain);
  EXPECT_FALSE(control.exhausted(gain));
  EXPECT_NEAR(control.factor(DebtMakesWaiting::dearer, gain), most_waiting_factor * std::exp(-0.5), 1e-9);
}

// Whatever the plant answers to the price, as long as dearer waits shorten it, the mean settles on the target.
TEST(PriceControl, SettlesAPlantOfUnknownStrengthOnItsTarget) {
  for (const double strength : {0.1, 0.5, 1.0}) {
    PriceControl control;
    double last_day = 0;
    constexpr int steps = 288;
    for (int step = 0; step < 20 * steps; ++step) {
      const double wait = 2 * std::pow(control.factor(DebtMakesWaiting::dearer, gain), -strength);  // wanted: 1.7
      control.charge((wait / 1.7 - 1) / steps, gain);
      if (step >= 19 * steps) last_day += wait / steps;
    }
    EXPECT_NEAR(last_day, 1.7, 0.01) << strength;
  }
}

}  // namespace
}  // namespace lips
