#include "records/digest.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/model/variations.h"

namespace lips {
namespace {

TEST(PlanDigest, DiffersWithAnyBitOfThePlan) {
  Plan plan = testing::filled<Plan>();
  std::set<std::string> seen{plan_digest(plan)};
  std::size_t tried = 0, times = 0;
  testing::each_variation(plan, "", [&](const std::string& path) {
    const bool wall_time = path.starts_with("account.seconds.");
    EXPECT_EQ(seen.insert(plan_digest(plan)).second, !wall_time) << path;
    ++tried, times += wall_time;
  });
  EXPECT_GT(tried, 100u);
  EXPECT_EQ(times, StageTimes::fields.size());
  EXPECT_FALSE(seen.insert(plan_digest(plan)).second) << "each variation is taken back";
}

TEST(PlanDigest, DiffersWithTheLastBitOfANumberAndTheEndOfAList) {
  Plan plan;
  const std::string before = plan_digest(plan);
  plan.account.gap = 1e-300;
  EXPECT_NE(plan_digest(plan), before);
  plan.account.gap = 0;
  EXPECT_EQ(plan_digest(plan), before);
  // The same rows in two lists, cut elsewhere.
  plan.drops = {{BlockId(1), StoreId(2)}, {BlockId(3), StoreId(4)}};
  const std::string two = plan_digest(plan);
  plan.drops = {{BlockId(1), StoreId(2)}};
  EXPECT_NE(plan_digest(plan), two);
}

TEST(Digest, TellsTextsApartThatAreCutElsewhere) {
  const auto digest = [](std::string_view first, std::string_view second) {
    Digest result;
    result.add(first), result.add(second);
    return result.text();
  };
  EXPECT_NE(digest("abcdefghi", "j"), digest("abcdefgh", "ij"));
  EXPECT_NE(digest("", std::string_view("\0", 1)), digest(std::string_view("\0", 1), ""));
  EXPECT_EQ(digest("a", "b").size(), 32u);
}

}  // namespace
}  // namespace lips
