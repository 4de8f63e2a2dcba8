#include "kubernetes/adapter/quota_grants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/random.h"

namespace lips::kubernetes {
namespace {

class QuotaGrantsTest : public ::testing::Test {
 protected:
  // Milli-cores.
  void limit(const std::string& name_space, std::int64_t hard, std::int64_t used) {
    ResourceQuota quota;
    quota.meta.name_space = name_space, quota.meta.name = "quota";
    quota.hard = {{"cpu", hard}}, quota.used = {{"cpu", used}};
    quotas_.update(std::move(quota));
    quotas_.settle();
  }
  std::int64_t grant(const std::string& application, std::int64_t count, std::int64_t each = 1000,
                     const std::string& name_space = "n") {
    return grants_.grant(name_space, application, {{{"cpu", each}}}, count);
  }
  Quotas quotas_;
  QuotaGrants grants_{quotas_};
};

TEST_F(QuotaGrantsTest, AreWhatTheQuotaLeavesToAllOfANamespace) {
  limit("n", 10'000, 2'000);
  EXPECT_EQ(grant("a", 5), 5);
  EXPECT_EQ(grant("b", 100'000), 3) << "beside the five of the first";
  EXPECT_EQ(grant("c", 1), 0);
  EXPECT_EQ(grant("c", 7, 1000, "other"), 7) << "nothing limits it";
  EXPECT_EQ(grants_.kept(), 2u);
}

TEST_F(QuotaGrantsTest, EndWithTheWaitForThem) {
  limit("n", 4'000, 0);
  EXPECT_EQ(grant("a", 4), 4);
  EXPECT_EQ(grant("b", 4), 0);
  grants_.forget("n", "a");
  EXPECT_EQ(grant("b", 4), 4);
  limit("n", 4'000, 3'000);
  EXPECT_EQ(grant("b", 1), 1) << "three of them have come, and count in the quota";
}

TEST_F(QuotaGrantsTest, AreAskedForAgainOnceQuotasAreKnown) {
  EXPECT_FALSE(grants_.asked());
  EXPECT_EQ(grant("a", 50), 50);
  EXPECT_TRUE(grants_.asked());
  EXPECT_TRUE(grants_.awaits_quotas());
  limit("n", 4'000, 0);
  EXPECT_FALSE(grants_.awaits_quotas());
  EXPECT_EQ(grant("a", 50), 4);
}

// The server counts a pod before or after it is seen.
TEST_F(QuotaGrantsTest, EndOnceTheQuotaHasBeenUsedUpForAWhile) {
  limit("n", 4'000, 1'000);
  ASSERT_EQ(grant("a", 3), 3);
  EXPECT_THAT(grants_.take_refused(), ::testing::IsEmpty());
  limit("n", 4'000, 4'000);
  EXPECT_THAT(grants_.take_refused(), ::testing::IsEmpty()) << "they may be about to be seen";
  limit("n", 4'000, 2'000);
  EXPECT_THAT(grants_.take_refused(), ::testing::IsEmpty());
  limit("n", 4'000, 4'000);
  EXPECT_THAT(grants_.take_refused(), ::testing::IsEmpty());
  EXPECT_THAT(grants_.take_refused(), ::testing::ElementsAre("a"));
  EXPECT_THAT(grants_.take_refused(), ::testing::IsEmpty());
  EXPECT_EQ(grants_.kept(), 0u);
}

// Applications come, get some of their pods and go, in any order: what is granted fits into the quota at any time.
TEST_F(QuotaGrantsTest, NeverExceedTheQuotaTogether) {
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const auto draw = [&](std::uint64_t most) { return static_cast<std::int64_t>(random.below(most)); };
    Quotas quotas;
    QuotaGrants grants(quotas);
    const std::int64_t hard = 1000 * (1 + draw(50));
    std::int64_t used = 0;
    const auto say = [&] {
      ResourceQuota quota;
      quota.meta.name_space = "n", quota.meta.name = "quota";
      quota.hard = {{"cpu", hard}}, quota.used = {{"cpu", used}};
      quotas.update(std::move(quota));
    };
    say(), quotas.settle();
    struct Application {
      std::int64_t each = 0, awaited = 0, granted = 0;
    };
    std::map<std::string, Application> applications;
    for (int step = 0; step < 60; ++step) {
      const std::string name = std::to_string(random.below(6));
      Application& one = applications[name];
      const auto kind = random.below(3);
      if (kind == 0) {  // it announces more, or anew
        if (one.each == 0) one.each = 100 * (1 + draw(40));
        one.awaited = 1 + draw(100'000);
      } else if (kind == 1 && one.granted > 0) {  // some come
        const std::int64_t come = 1 + draw(static_cast<std::uint64_t>(one.granted));
        one.awaited -= come, used += come * one.each;
        say();
      } else {
        grants.forget("n", name);
        applications.erase(name);
        continue;
      }
      if (one.each == 0) continue;
      if (one.awaited == 0) grants.forget("n", name), one.granted = 0;
      if (one.awaited > 0) one.granted = grants.grant("n", name, {{{"cpu", one.each}}}, one.awaited);
      refused += one.granted < one.awaited;
      std::int64_t sum = used;
      for (const auto& [key, each] : applications) sum += each.granted * each.each;
      ASSERT_LE(sum, hard) << "seed " << seed << " step " << step;
      ASSERT_TRUE(one.granted == one.awaited || sum + one.each > hard) << "seed " << seed << " step " << step;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace lips::kubernetes
