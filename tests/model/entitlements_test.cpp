// Weighted max-min fair shares over dominant resources.
#include "model/entitlements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace lips {
namespace {

struct Claims {
  IdVector<PoolId, Pool> pools;
  IdVector<PoolId, PoolClaim> claims;
  PoolId add(ResourceAmounts wanted, double weight = 1, double minimum = 0, double maximum = 0) {
    claims.push_back({ResourceAmounts(wanted.size(), 0.0), std::move(wanted)});
    return pools.push_back({"pool-" + std::to_string(pools.size()), weight, Cores(minimum), Cores(maximum), {}});
  }
  std::vector<double> shares(const ResourceAmounts& capacity) const {
    std::vector<double> result;
    for (const Entitlement& pool : entitlements(pools, claims, capacity)) result.push_back(pool.share);
    return result;
  }
};

// The example of the paper: 9 cores and 18 GB; tasks of (1 core, 4 GB) and of (3 cores, 1 GB).
TEST(Entitlements, AreThoseOfThePapersExample) {
  Claims test;
  test.add({100, 400});
  test.add({300, 100});
  const std::vector<double> shares = test.shares({9, 18});
  EXPECT_NEAR(shares[0], 2.0 / 3, 1e-9);  // 3 tasks: 12 of 18 GB
  EXPECT_NEAR(shares[1], 2.0 / 3, 1e-9);  // 2 tasks: 6 of 9 cores
}

TEST(Entitlements, FollowWeightsMinimaAndMaxima) {
  Claims test;
  test.add({100, 0}, 10);
  test.add({100, 0}, 1);
  EXPECT_NEAR(test.shares({11, 0})[0], 10.0 / 11, 1e-9);
  test.add({100, 0}, 1, 5);
  EXPECT_NEAR(test.shares({16, 0})[2], 5.0 / 16, 1e-9);
  EXPECT_NEAR(test.shares({16, 0})[0], 10.0 / 16, 1e-9);
  test.add({100, 0}, 100, 0, 2);
  EXPECT_NEAR(test.shares({18, 0})[3], 2.0 / 18, 1e-9);
}

TEST(Entitlements, FillWeightsBetweenMinimumAndMaximum) {
  const auto shares = [](const std::vector<double>& wanted, double minimum, double maximum) {
    Claims test;
    test.add({wanted[0], 0}, 1, minimum);
    test.add({wanted[1], 0}, 3, 0, maximum);
    test.add({wanted[2], 0});
    std::vector<double> cores;
    for (const double share : test.shares({10, 0})) cores.push_back(10 * share);
    return cores;
  };
  using ::testing::DoubleNear;
  const auto are = [](double a, double b, double c) {
    return ::testing::ElementsAre(DoubleNear(a, 1e-6), DoubleNear(b, 1e-6), DoubleNear(c, 1e-6));
  };
  EXPECT_THAT(shares({10, 10, 10}, 0, 0), are(2, 6, 2));
  EXPECT_THAT(shares({1, 10, 10}, 0, 0), are(1, 6.75, 2.25));
  EXPECT_THAT(shares({1, 2, 3}, 0, 0), are(1, 2, 3));
  EXPECT_THAT(shares({10, 10, 10}, 4, 0), are(4, 4.5, 1.5));
  EXPECT_THAT(shares({10, 10, 10}, 4, 3), are(4, 3, 3));
}

TEST(Entitlements, ScaleMinimaThatDoNotFit) {
  Claims test;
  test.add({100, 0}, 1, 30);
  test.add({100, 0}, 1, 10);
  const std::vector<double> shares = test.shares({20, 0});
  EXPECT_NEAR(shares[0], 0.75, 1e-9);
  EXPECT_NEAR(shares[1], 0.25, 1e-9);
}

TEST(Entitlements, LeaveAResourceThatIsUsedUpToThoseThatDoNotTakeIt) {
  Claims test;
  test.add({4, 0, 8});
  test.add({4, 0, 8});
  test.add({100, 0, 0});
  const std::vector<double> shares = test.shares({20, 0, 4});
  EXPECT_NEAR(shares[0], 0.5, 1e-9);  // two devices, and a core beside them
  EXPECT_NEAR(shares[1], 0.5, 1e-9);
  EXPECT_NEAR(shares[2], 0.9, 1e-9);  // the other cores
}

// Weighted max-min fair shares of CPU, in another way: bounded shares freeze by the sign of the total violation, as CSS
// flexible boxes resolve lengths.
std::vector<double> shares_of_cpu(const IdVector<PoolId, Pool>& pools, const std::vector<double>& demand,
                                  double capacity) {
  const std::size_t n = demand.size();
  std::vector<double> low(n), high(n), share(n);
  double wanted = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Pool& pool = pools.items()[i];
    high[i] = pool.maximum.value() > 0 ? std::min(demand[i], pool.maximum.value()) : demand[i];
    low[i] = std::min(pool.minimum.value(), high[i]);
    wanted += high[i];
  }
  if (wanted <= capacity) return high;
  std::vector<bool> frozen(n, false);
  for (std::size_t round = 0; round <= n; ++round) {
    double left = capacity, weights = 0, violation = 0;
    for (std::size_t i = 0; i < n; ++i) frozen[i] ? left -= share[i] : weights += pools.items()[i].weight;
    if (weights <= 0) break;
    std::vector<double> fair(n);
    for (std::size_t i = 0; i < n; ++i) {
      if (frozen[i]) continue;
      fair[i] = std::max(0.0, left) * pools.items()[i].weight / weights;
      share[i] = std::clamp(fair[i], low[i], high[i]);
      violation += share[i] - fair[i];
    }
    for (std::size_t i = 0; i < n; ++i)
      if (!frozen[i] && ((violation <= 0 && share[i] < fair[i]) || (violation >= 0 && share[i] > fair[i])))
        frozen[i] = true;
  }
  return share;
}

// With one resource they are the fair shares of CPU. With several: nobody above its demand, nothing above capacity, and
// whoever wants more meets a resource that is used up and of which nobody has a larger part for its weight, unless its
// minimum says so.
TEST(Entitlements, AreMaxMinFairOnRandomClaims) {
  int several = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Random random(seed);
    const std::size_t resources = 1 + random.below(3), count = 1 + random.below(8);
    Claims test;
    std::vector<double> demand;
    ResourceAmounts capacity{100, 0, 0};
    for (std::size_t r = 1; r < resources; ++r) capacity[r] = 50.0 * static_cast<double>(1 + random.below(4));
    for (std::size_t i = 0; i < count; ++i) {
      ResourceAmounts wanted(3, 0.0);
      for (std::size_t r = 0; r < resources; ++r) wanted[r] = static_cast<double>(random.below(r == 0 ? 60 : 90));
      demand.push_back(wanted[0]);
      test.add(wanted, static_cast<double>(1 + random.below(10)), random.below(3) == 0 ? 5 : 0,
               random.below(4) == 0 ? 30 : 0);
    }
    const std::vector<double> shares = test.shares(capacity);
    if (resources == 1) {
      const std::vector<double> fair = shares_of_cpu(test.pools, demand, 100);
      for (std::size_t i = 0; i < count; ++i) ASSERT_NEAR(shares[i] * 100, fair[i], 1e-6) << "seed " << seed;
      continue;
    }
    ++several;
    const auto result = entitlements(test.pools, test.claims, capacity);
    ResourceAmounts used(3, 0.0);
    const auto part = [&](PoolId id, std::size_t r) {
      const double all = dominant_share(test.claims[id].wanted, capacity);
      return all > 0 ? result[id].share / all * test.claims[id].wanted[r] : 0;
    };
    for (const PoolId id : result.ids())
      for (std::size_t r = 0; r < resources; ++r) used[r] += part(id, r);
    for (std::size_t r = 0; r < resources; ++r) ASSERT_LE(used[r], capacity[r] * (1 + 1e-6)) << "seed " << seed;
    for (const PoolId id : result.ids()) {
      ASSERT_LE(result[id].share, result[id].wanted + 1e-9) << "seed " << seed;
      if (!result[id].limits()) continue;
      bool blocked = false;
      for (std::size_t r = 0; r < resources; ++r) {
        if (part(id, r) <= 0 || used[r] < capacity[r] * (1 - 1e-6)) continue;
        bool least = true;
        for (const PoolId other : result.ids())
          least = least || part(other, r) <= 0;
        for (const PoolId other : result.ids())
          if (part(other, r) > 0 && test.pools[other].minimum == Cores(0))
            least = least && result[other].share / test.pools[other].weight <=
                                 result[id].share / test.pools[id].weight * (1 + 1e-6);
        blocked = blocked || least;
      }
      ASSERT_TRUE(blocked) << "seed " << seed << " pool " << id.index();
    }
  }
  EXPECT_GT(several, 1000);
}

}  // namespace
}  // namespace lips
