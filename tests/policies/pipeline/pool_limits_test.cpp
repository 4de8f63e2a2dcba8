#include "policies/papers/pipeline/pool_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace lips::pipeline {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

auto near(double value) { return DoubleNear(value, 1e-6); }

TEST(MaxMinShares, DividesByWeight) {
  EXPECT_THAT(max_min_shares(8, {{1, 0, 0, 20}, {3, 0, 0, 20}}), ElementsAre(near(2), near(6)));
}

TEST(MaxMinShares, GivesTheRestToTheUnsatisfied) {
  EXPECT_THAT(max_min_shares(9, {{1, 0, 0, 1}, {1, 0, 0, 20}, {1, 0, 2, 20}}), ElementsAre(near(1), near(6), near(2)));
}

TEST(MaxMinShares, KeepsMinimaOfThoseThatWantThem) {
  EXPECT_THAT(max_min_shares(8, {{1, 6, 0, 20}, {1, 0, 0, 20}, {1, 5, 0, 0}}), ElementsAre(near(6), near(2), near(0)));
}

TEST(MaxMinShares, GivesEverybodyWhatItWantsWhereThereIsEnough) {
  EXPECT_THAT(max_min_shares(100, {{1, 0, 0, 3}, {2, 0, 4, 9}}), ElementsAre(near(3), near(4)));
  EXPECT_THAT(max_min_shares(5, {}), ElementsAre());
}

TEST(MaxMinShares, AddUpToAllSlotsOrAllThatIsWanted) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<PoolNeed> pools(1 + random.below(6));
    double wanted = 0;
    for (PoolNeed& pool : pools) {
      pool.weight = random.uniform(0.1, 5);
      pool.wanted = static_cast<double>(random.below(20));
      pool.maximum = random.below(2) ? static_cast<double>(1 + random.below(9)) : 0;
      wanted += pool.maximum > 0 ? std::min(pool.maximum, pool.wanted) : pool.wanted;
    }
    const double slots = static_cast<double>(random.below(40));
    double sum = 0;
    for (const double share : max_min_shares(slots, pools)) sum += share;
    EXPECT_NEAR(sum, std::min(slots, wanted), 1e-6);
  }
}

}  // namespace
}  // namespace lips::pipeline
