#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

namespace lips {
namespace {

// Pearson's statistic of counts against equal shares. With d degrees of freedom its mean is d, its variance 2 d: six
// deviations above are never seen by chance.
double excess_over_equal_shares(const std::vector<int>& counts) {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double expected = total / static_cast<double>(counts.size());
  double statistic = 0;
  for (const int count : counts) statistic += (count - expected) * (count - expected) / expected;
  const double freedom = static_cast<double>(counts.size()) - 1;
  return (statistic - freedom) / std::sqrt(2 * freedom);
}

struct Moments {
  double mean = 0, variance = 0;
};

template <class Draw>
Moments moments_of(Draw draw, int count) {
  double sum = 0, squares = 0;
  for (int i = 0; i < count; ++i) {
    const double value = draw();
    sum += value, squares += value * value;
  }
  return {sum / count, squares / count - sum / count * (sum / count)};
}

TEST(Random, DrawsTheSameNumbersEverywhere) {
  Random random(5489);
  EXPECT_EQ(random.bits(), 14514284786278117030u) << "the first of std::mt19937_64, as the standard fixes it";
  EXPECT_DOUBLE_EQ(Random(1).uniform(), 0.13387664401253263);
}

TEST(Random, UniformFillsTheUnitIntervalEvenly) {
  Random random(1);
  std::vector<int> counts(100, 0);
  for (int i = 0; i < 100'000; ++i) {
    const double value = random.uniform();
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    ++counts[static_cast<std::size_t>(value * 100)];
  }
  EXPECT_LT(excess_over_equal_shares(counts), 6);
  const Moments between = moments_of([&] { return random.uniform(-3, 5); }, 100'000);
  EXPECT_NEAR(between.mean, 1, 0.05);
  EXPECT_NEAR(between.variance, 64.0 / 12, 0.1);
}

// 3/4 of 2^64: with a bare remainder the lower third of the numbers would come twice as often as the others.
TEST(Random, BelowHasNoBias) {
  Random random(2);
  const std::uint64_t count = (UINT64_MAX / 4) * 3;
  std::vector<int> thirds(3, 0);
  for (int i = 0; i < 30'000; ++i) ++thirds[random.below(count) / (count / 3 + 1)];
  EXPECT_LT(excess_over_equal_shares(thirds), 6);
  std::vector<int> sevenths(7, 0);
  for (int i = 0; i < 70'000; ++i) ++sevenths[random.below(7)];
  EXPECT_LT(excess_over_equal_shares(sevenths), 6);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, NormalAndExponentialHaveTheirMoments) {
  Random random(3);
  const Moments normal = moments_of([&] { return random.normal(10, 2); }, 200'000);
  EXPECT_NEAR(normal.mean, 10, 0.03);
  EXPECT_NEAR(normal.variance, 4, 0.08);
  int within = 0;
  for (int i = 0; i < 100'000; ++i) within += std::abs(random.normal(0, 1)) < 1.959964;
  EXPECT_NEAR(within / 1e5, 0.95, 0.005);
  const Moments waits = moments_of([&] { return random.exponential(5); }, 200'000);
  EXPECT_NEAR(waits.mean, 5, 0.08);
  EXPECT_NEAR(waits.variance, 25, 1);
  int beyond = 0;
  for (int i = 0; i < 100'000; ++i) beyond += random.exponential(5) > 5;
  EXPECT_NEAR(beyond / 1e5, std::exp(-1), 0.01);
}

TEST(Random, WeightedDrawsInProportionAndNeverWhatWeighsNothing) {
  Random random(4);
  const std::array<double, 5> weights{1, 0, 2, 5, 0};
  std::array<int, 5> counts{};
  for (int i = 0; i < 80'000; ++i) ++counts[random.weighted(weights)];
  EXPECT_EQ(counts[1], 0);
  EXPECT_EQ(counts[4], 0);
  EXPECT_NEAR(counts[0], 10'000, 600);
  EXPECT_NEAR(counts[2], 20'000, 800);
  EXPECT_NEAR(counts[3], 50'000, 900);
}

TEST(Random, ShuffleMakesEveryOrderEquallyOften) {
  Random random(5);
  std::vector<int> counts(24, 0);
  for (int i = 0; i < 48'000; ++i) {
    std::array<int, 4> items{0, 1, 2, 3};
    random.shuffle(std::span<int>(items));
    std::size_t rank = 0;
    std::array<int, 4> order{0, 1, 2, 3};
    while (order != items) ++rank, std::next_permutation(order.begin(), order.end());
    ++counts[rank];
  }
  EXPECT_LT(excess_over_equal_shares(counts), 6);
}

// Streams of one seed, and one stream of neighbouring seeds: no two alike, half of the bits differ.
TEST(DeriveSeed, GivesIndependentStreams) {
  std::set<std::uint64_t> seen;
  double flipped = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (std::uint64_t stream = 0; stream < 100; ++stream) {
      const std::uint64_t derived = derive_seed(seed, stream);
      EXPECT_TRUE(seen.insert(derived).second) << seed << ' ' << stream;
      flipped += std::popcount(derived ^ derive_seed(seed, stream + 1));
      flipped += std::popcount(derived ^ derive_seed(seed + 1, stream));
    }
  EXPECT_NEAR(flipped / 20'000, 32, 0.2);
  EXPECT_EQ(derive_seed(0, 0), 16294208416658607535u) << "SplitMix64's first output for state 0";
}

}  // namespace
}  // namespace lips
