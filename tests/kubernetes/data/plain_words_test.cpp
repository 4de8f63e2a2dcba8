#include "kubernetes/data/plain_words.h"

#include <gtest/gtest.h>

#include <limits>

namespace lips::kubernetes {
namespace {

TEST(PlainWords, SaySizesWithOneDigitInTheUnitThatSuits) {
  EXPECT_EQ(size_words(0), "0 B");
  EXPECT_EQ(size_words(1023), "1023 B");
  EXPECT_EQ(size_words(1024), "1.0 KiB");
  EXPECT_EQ(size_words(1024 * 1024 - 1), "1.0 MiB") << "not 1024.0 KiB";
  EXPECT_EQ(size_words(std::int64_t{3} << 29), "1.5 GiB");
  EXPECT_EQ(size_words(std::numeric_limits<std::int64_t>::max()), "8.0 EiB");
}

TEST(PlainWords, NameEachZoneThatHoldsABlockOnce) {
  StoreMap stores;
  for (const char* name : {"a-1", "a-2", "b-1", "far"}) {
    DataStoreResource& store = stores[name];
    store.spec.zone = std::string(name) == "far" ? "" : std::string("zone-") + name[0];
    store.spec.region = std::string(name) == "far" ? "eu-west-1" : "";
  }
  DataSetStatus status;
  for (const char* name : {"a-1", "a-2", "b-1", "far", "gone"}) {
    HeldBlocks& held = status.replicas.emplace_back();
    held.store = name;
    if (held.store != "b-1") held.blocks = *BlockRanges::parse("0-3");
  }
  EXPECT_EQ(zone_words(status, stores), "eu-west-1, zone-a");
}

TEST(PlainWords, SayWhatAMoveCostsAndWhatEarnsItOnceItHasBegun) {
  DataMoveSpec move;
  move.from = "a", move.to = "b";
  DataStoreResource to;
  to.spec.zone = "zone-b";
  DataMoveStatus status;
  status.bytes = std::int64_t{10} << 30;
  status.phase = MovePhase::pending;
  EXPECT_EQ(with_words(move, status, &to, UsdPerMebibyte(2e-5)), status);
  status.phase = MovePhase::copying;
  const DataMoveStatus begun = with_words(move, status, &to, UsdPerMebibyte(2e-5));
  EXPECT_EQ(begun.size_text, "10.0 GiB");
  EXPECT_EQ(begun.usd, "0.2");
  EXPECT_EQ(begun.pays_back, "read once in zone-b");
  EXPECT_EQ(with_words(move, begun, &to, UsdPerMebibyte(9)), begun) << "the prices of the beginning stay";
  EXPECT_EQ(with_words(move, status, &to, UsdPerMebibyte(0)).usd, "0");
  EXPECT_EQ(with_words(move, status, &to, std::nullopt).usd, "") << "not known";
}

TEST(PlainWords, SayHowAPoolsTargetsAreHeldAndWhyItIsLeftAlone) {
  TargetReport budget, wait;
  budget.target = 50, budget.reached = 41.2, budget.forecast = 48.1, budget.state = TargetState::held;
  wait.kind = TargetKind::mean_wait, wait.target = 600, wait.reached = 700, wait.forecast = 900;
  wait.state = TargetState::cannot, wait.why = "it takes about 12 more cores";
  PoolUse use{"etl", Cores(1), 0.1, UsdPerHour(1), 0, 0, {budget}, {}};
  PoolStatus status = pool_words(use);
  EXPECT_EQ(status.targets, "held");
  ASSERT_EQ(status.conditions.size(), 1u);
  EXPECT_EQ(status.conditions[0].type, "TargetsHeld");
  EXPECT_EQ(status.conditions[0].status, ConditionStatus::yes);
  EXPECT_EQ(status.conditions[0].message, "budgetPerDay: 41.20 of 50.00 USD spent today, about 48.10 foreseen");
  use.targets.push_back(wait);
  use.left_alone = {LeftAlone::budget_overspent, "60.00 USD of the 50.00 USD of this day are spent"};
  status = pool_words(use);
  EXPECT_EQ(status.targets, "cannot");
  ASSERT_EQ(status.conditions.size(), 2u);
  EXPECT_EQ(status.conditions[0].status, ConditionStatus::no);
  EXPECT_EQ(status.conditions[0].reason, "CannotBeHeld");
  EXPECT_TRUE(status.conditions[0].message.ends_with(
      "meanWait: 700 of 600 s today, about 900 s foreseen; it cannot be held: it takes about 12 more cores"));
  EXPECT_EQ(status.conditions[1].type, "Steered");
  EXPECT_EQ(status.conditions[1].status, ConditionStatus::no);
  EXPECT_EQ(status.conditions[1].reason, "BudgetOverspent");
  use.targets = {TargetReport{}};
  EXPECT_EQ(pool_words(use).conditions[0].status, ConditionStatus::unknown);
}

TEST(PlainWords, SayWhatAPoolUses) {
  const PoolStatus status = pool_words({"etl", Cores(12.5), 0.314, UsdPerHour(1.2349), 3, 4});
  EXPECT_EQ(status.cores, "12.5");
  EXPECT_EQ(status.share, "31%");
  EXPECT_EQ(status.usd_per_hour, "1.23");
  EXPECT_EQ(status.running + status.pending, 7);
  EXPECT_EQ(status.entitlement + status.dominant_share + status.price_of_sharing, "") << "there are no shares";
}

TEST(PlainWords, SayHowAPoolStandsToItsShare) {
  PoolUse use{"etl", Cores(12.5), 0.314, UsdPerHour(1.2349), 3, 4};
  use.standing = {{"etl", 0.5, 0.3, 0.9, 0, 0.2, 0, 0.01251}, TimePoint(std::chrono::milliseconds(90'700))};
  const PoolStatus status = pool_words(use);
  EXPECT_EQ(status.entitlement, "50%");
  EXPECT_EQ(status.dominant_share, "30%");
  EXPECT_EQ(status.lent, "20%");
  EXPECT_EQ(status.borrowed, "0%");
  EXPECT_EQ(status.price_of_sharing, "0.0125");
  EXPECT_EQ(status.below_since, TimePoint(std::chrono::seconds(90))) << "a status has whole seconds";
}

}  // namespace
}  // namespace lips::kubernetes
