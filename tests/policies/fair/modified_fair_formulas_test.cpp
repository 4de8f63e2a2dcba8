// Every printed formula and table of the modified fair scheduler, on examples worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/random.h"
#include "policies/papers/fair/adaptive_delays.h"
#include "policies/papers/fair/classification.h"
#include "policies/papers/fair/demand_shares.h"
#include "policies/papers/fair/order.h"
#include "policies/papers/fair/priority_change.h"

namespace lips::fair {
namespace {

using ::testing::ElementsAre;

// ---- 3.1

TEST(JobClassification, CallsTheSmallestJobsSmall) {
  EXPECT_EQ(least_job_size(std::vector<std::uint32_t>{10, 6, 25, 6}), 6u);
  EXPECT_EQ(least_job_size({}), 0u);
}

TEST(JobClassification, IsOffWhereMoreJobsAreSmallThanOneANode) {
  // Four map slots a node: at most a quarter of the jobs may be small.
  const std::vector<std::uint32_t> quarter = {6, 10, 16, 21}, third = {6, 10, 16};
  EXPECT_TRUE(small_pool_is_useful(quarter, 4));
  EXPECT_FALSE(small_pool_is_useful(third, 4));
  EXPECT_TRUE(small_pool_is_useful(third, 2));
}

TEST(JobClassification, IsOffWhereAllJobsAreEqualAsInExperimentA) {
  EXPECT_FALSE(small_pool_is_useful(std::vector<std::uint32_t>(5, 6), 4));
  EXPECT_FALSE(small_pool_is_useful({}, 4));
}

TEST(JobClassification, GivesTheSmallPoolHalfOfWhatTheSmallestJobNeedsRoundedUp) {
  EXPECT_EQ(small_pool_slots(4), 2u);  // the paper's example: four map tasks, two map slots
  EXPECT_EQ(small_pool_slots(25), 13u);
  EXPECT_EQ(small_pool_slots(1), 1u);
}

// ---- 3.2

TEST(DemandShares, SplitFreeSlotsByPendingTasks) {
  EXPECT_THAT(split_by_demand(12, {{10, 0, 0}, {20, 0, 0}, {30, 0, 0}}), ElementsAre(2, 4, 6));
}

TEST(DemandShares, StopAtTheMaximumAndGiveTheRestToOthers) {
  EXPECT_THAT(split_by_demand(12, {{10, 0, 0}, {50, 0, 6}}), ElementsAre(6, 6));
  EXPECT_THAT(split_by_demand(16, {{10, 2, 6}, {50, 0, 6}, {1, 0, 6}}), ElementsAre(4, 6, 6));
}

TEST(DemandShares, GiveWholeSlotsByLargestRemainder) {
  EXPECT_THAT(split_by_demand(4, {{1, 0, 0}, {1, 0, 0}, {4, 0, 0}}), ElementsAre(1, 1, 2));
  EXPECT_THAT(split_by_demand(1, {{3, 0, 0}, {5, 0, 0}}), ElementsAre(0, 1));
}

TEST(DemandShares, GiveNothingToPoolsThatAskForNothing) {
  EXPECT_THAT(split_by_demand(8, {{0, 3, 0}, {2, 0, 0}}), ElementsAre(0, 8));
  EXPECT_THAT(split_by_demand(8, {}), ElementsAre());
}

TEST(DemandShares, AddFreeSlotsToWhatRunsOrDivideAllSlots) {
  const std::vector<PoolDemand> pools = {{10, 6, 0}, {10, 0, 0}};
  EXPECT_THAT(demand_shares(4, pools, ShareBase::free_slots), ElementsAre(8, 2));
  EXPECT_THAT(demand_shares(4, pools, ShareBase::all_slots), ElementsAre(5, 5));
}

TEST(DemandShares, NeverExceedMaximaAndUseAllSlotsThatCanBeUsed) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<PoolDemand> pools(1 + random.below(6));
    double usable = 0;
    for (PoolDemand& pool : pools) {
      pool.pending = static_cast<double>(random.below(40));
      pool.running = static_cast<double>(random.below(5));
      pool.maximum = random.below(2) ? static_cast<double>(1 + random.below(10)) : 0;
      if (pool.pending > 0) usable += pool.maximum > 0 ? std::max(0.0, pool.maximum - pool.running) : 1e9;
    }
    const auto free = static_cast<double>(random.below(30));
    const std::vector<double> given = split_by_demand(free, pools);
    double sum = 0;
    for (std::size_t i = 0; i < pools.size(); ++i) {
      sum += given[i];
      EXPECT_GE(given[i], 0);
      EXPECT_EQ(given[i], std::floor(given[i]));
      if (pools[i].maximum > 0 && given[i] > 0) {
        EXPECT_LE(pools[i].running + given[i], pools[i].maximum);
      }
    }
    EXPECT_NEAR(sum, std::min(free, usable), 1e-6);
  }
}

// ---- 3.3

TEST(JobOrder, ComputesTheRatiosAsPrinted) {
  EXPECT_DOUBLE_EQ(job_pending_ratio(6, 24), 0.25);   // (1)
  EXPECT_DOUBLE_EQ(job_occupied_ratio(3, 12), 0.25);  // (2)
  EXPECT_DOUBLE_EQ(job_pending_ratio(0, 0), 0);
  EXPECT_DOUBLE_EQ(job_occupied_ratio(0, 0), 0);
}

JobLoad job(std::uint32_t id, double priority, double pending, double running, double arrival) {
  return {JobId(id), priority, pending, running, TimePoint(seconds(arrival))};
}

TEST(JobOrder, ExaminesPriorityPendingOccupiedArrivalAndIdInThisOrder) {
  EXPECT_LT(modified_job_key(job(9, 1, 1, 9, 9)), modified_job_key(job(1, 0, 9, 1, 1)));
  EXPECT_LT(modified_job_key(job(9, 0, 5, 9, 9)), modified_job_key(job(1, 0, 4, 1, 1)));
  EXPECT_LT(modified_job_key(job(9, 0, 5, 1, 9)), modified_job_key(job(1, 0, 5, 2, 1)));
  EXPECT_LT(modified_job_key(job(9, 0, 5, 1, 1)), modified_job_key(job(1, 0, 5, 1, 2)));
  EXPECT_LT(modified_job_key(job(1, 0, 5, 1, 1)), modified_job_key(job(2, 0, 5, 1, 1)));
}

TEST(JobOrder, TakesTheLeastPendingFirstWhenAsked) {
  const auto key = [](const JobLoad& load) { return modified_job_key(load, PendingFirst::least); };
  EXPECT_LT(key(job(9, 0, 4, 9, 9)), key(job(1, 0, 5, 1, 1)));
  EXPECT_LT(key(job(9, 1, 5, 9, 9)), key(job(1, 0, 4, 1, 1))) << "priority comes before";
}

TEST(JobOrder, IsTheOrderOfTheRatios) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto drawn = [&](std::uint32_t id) {
      return job(id, 0, static_cast<double>(random.below(4)), static_cast<double>(random.below(4)), 0);
    };
    const JobLoad a = drawn(1), b = drawn(2);
    const double pending = a.pending + b.pending, slots = static_cast<double>(random.below(9));
    const auto ratios = [&](const JobLoad& of) {
      return std::tuple(-job_pending_ratio(of.pending, pending), job_occupied_ratio(of.running, slots));
    };
    if (slots == 0) continue;  // no slots, nothing runs
    EXPECT_EQ(modified_job_key(a) < modified_job_key(b), ratios(a) <= ratios(b));
  }
}

TEST(JobOrder, OfTheFairSchedulerDividesWhatRunsByWhatAPriorityIsWorth) {
  EXPECT_LT(fair_job_key(job(2, 0, 9, 1, 9)), fair_job_key(job(1, 0, 1, 2, 1)));
  EXPECT_LT(fair_job_key(job(2, 2, 9, 3, 9)), fair_job_key(job(1, 0, 1, 1, 1))) << "3 / 4 before 1 / 1";
  EXPECT_LT(fair_job_key(job(1, 1000, 9, 3, 1)), fair_job_key(job(2, 2, 9, 3, 1))) << "no more than VERY_HIGH";
}

PoolLoad pool(double workload, double demand, double minimum, double weight = 1) {
  return {workload, demand, minimum, weight, 0};
}

TEST(PoolOrder, ComputesTheRatiosAsPrinted) {
  EXPECT_DOUBLE_EQ(tuned_minimum(pool(1, 2, 3)), 2) << "PoolDemand below minAllocated";
  EXPECT_DOUBLE_EQ(tuned_minimum(pool(1, 9, 3)), 3);
  EXPECT_DOUBLE_EQ(pool_occupied_ratio(pool(2, 9, 3), EmptyRatio::zero), 2.0 / 3);  // (5)
  EXPECT_DOUBLE_EQ(weighted_workload(pool(6, 9, 3, 2)), 3);                         // (6)
}

TEST(PoolOrder, HasAReadingForThePoolThatOccupiesNothingOfNothing) {
  EXPECT_EQ(pool_occupied_ratio(pool(0, 5, 0), EmptyRatio::zero), 0);
  EXPECT_EQ(pool_occupied_ratio(pool(0, 5, 0), EmptyRatio::one), 1);
}

TEST(PoolOrder, PutsPoolsWithinTheirMinimumFirst) {
  const auto key = [](const PoolLoad& of) { return modified_pool_key(of, EmptyRatio::zero); };
  EXPECT_LT(key(pool(3, 9, 3, 0.1)), key(pool(4, 9, 3, 100)));
  EXPECT_LT(key(pool(1, 9, 3)), key(pool(2, 9, 3)));
  EXPECT_LT(key(pool(6, 9, 3, 3)), key(pool(5, 9, 3, 1)));
  EXPECT_LT(key(pool(2, 9, 3)), key(pool(2, 1, 3))) << "its minimum sank to what it asks for";
}

TEST(PoolOrder, OfHadoopPutsPoolsBelowTheirMinimumFirst) {
  EXPECT_LT(fair_pool_key(pool(2, 9, 3, 0.1)), fair_pool_key(pool(3, 9, 3, 100)));
  EXPECT_LT(fair_pool_key(pool(1, 9, 3)), fair_pool_key(pool(2, 9, 3)));
  EXPECT_LT(fair_pool_key(pool(6, 9, 3, 3)), fair_pool_key(pool(5, 9, 3, 1)));
}

// ---- 3.4

TEST(AdaptiveDelays, AreTheMeanWaitsOfThoseThatFoundLocality) {
  ClusterSnapshot cluster;
  cluster.jobs.resize(3);
  cluster.jobs[JobId(0)].memory.node_waits = {std::chrono::seconds(6), 2};
  cluster.jobs[JobId(1)].memory.node_waits = {std::chrono::seconds(0), 1};
  cluster.jobs[JobId(2)].memory.rack_waits = {std::chrono::seconds(5), 2};
  const Delays delays = mean_waits(cluster, {std::chrono::seconds(3), std::chrono::seconds(3)});
  EXPECT_EQ(delays.node, std::chrono::seconds(2));          // (7)
  EXPECT_EQ(delays.rack, std::chrono::milliseconds(2500));  // (8)
}

TEST(AdaptiveDelays, AreTheConfiguredOnesBeforeAnySample) {
  const Delays delays = mean_waits({}, {std::chrono::seconds(3), std::chrono::seconds(4)});
  EXPECT_EQ(delays.node, std::chrono::seconds(3));
  EXPECT_EQ(delays.rack, std::chrono::seconds(4));
}

// ---- 3.5

struct Row {
  Level before, now;
  std::array<int, 5> printed;  // from VERY_HIGH to VERY_LOW
};

// Table 3 as printed.
constexpr std::array<Row, 9> table_3 = {{{Level::node, Level::node, {2, 1, 0, -1, -2}},
                                         {Level::node, Level::rack, {1, 0, -1, -2, -1}},
                                         {Level::node, Level::none, {0, -1, -2, -2, -1}},
                                         {Level::rack, Level::node, {1, 2, 1, 0, -1}},
                                         {Level::rack, Level::rack, {2, 1, 0, -1, -2}},
                                         {Level::rack, Level::none, {1, 0, -1, -2, -1}},
                                         {Level::none, Level::node, {1, 0, -1, -2, -1}},
                                         {Level::none, Level::rack, {1, 2, 1, 0, -1}},
                                         {Level::none, Level::none, {2, 1, 0, -1, -2}}}};

std::array<int, 5> moved(Level before, Level now, const ModifiedFairSettings& readings) {
  std::array<int, 5> row{};
  for (int i = 0; i < 5; ++i)
    row[static_cast<std::size_t>(i)] = moved_priority(static_cast<PriorityLevel>(2 - i), before, now, readings);
  return row;
}

TEST(PriorityChange, FollowsTable3AsPrintedInThatReading) {
  ModifiedFairSettings readings;
  readings.none_to_node = NoneToNode::printed;
  for (const Row& row : table_3) EXPECT_EQ(moved(row.before, row.now, readings), row.printed);
}

TEST(PriorityChange, RaisesByTwoFromNoneToNodeAsTheTextSays) {
  for (const Row& row : table_3) {
    const bool misprinted = row.before == Level::none && row.now == Level::node;
    const std::array<int, 5> text = {1, 2, 2, 1, 0};  // HIGH, VERY_HIGH, VERY_HIGH, HIGH, NORMAL
    EXPECT_EQ(moved(row.before, row.now, {}), misprinted ? text : row.printed);
  }
}

TEST(PriorityChange, AdjustsIdleExtremesInTheReadingOfTheProse) {
  ModifiedFairSettings readings;
  readings.minor_adjustment = MinorAdjustment::text;
  EXPECT_EQ(moved(Level::rack, Level::rack, readings), (std::array<int, 5>{1, 1, 0, -1, -1}));
  EXPECT_EQ(moved(Level::rack, Level::node, readings), (std::array<int, 5>{2, 2, 1, 0, -1}));
  readings.minor_adjustment = MinorAdjustment::off;
  EXPECT_EQ(moved(Level::rack, Level::rack, readings), (std::array<int, 5>{2, 1, 0, -1, -2}));
  EXPECT_EQ(moved(Level::node, Level::rack, readings), (std::array<int, 5>{1, 0, -1, -2, -2}));
}

TEST(PriorityChange, TakesForeignPrioritiesForTheNearestOfTheFive) {
  EXPECT_EQ(priority_level(1000000), 2);
  EXPECT_EQ(priority_level(-7), -2);
  EXPECT_EQ(priority_level(1), 1);
}

}  // namespace
}  // namespace lips::fair
