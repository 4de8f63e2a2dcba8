#include "policies/lips/demand/waiting_weights.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "policies/waiting_price.h"
#include "tests/model/difference.h"
#include "tests/policies/lips/lips_case.h"

namespace lips {
namespace {

using testing::Case;
using testing::ClusterBuilder;

LipsSettings by(Billing billing) {
  LipsSettings settings;
  settings.billing = billing;
  return settings;
}

ClusterSnapshot two_pools(double first, double second, double first_work, double second_work) {
  ClusterSnapshot cluster;
  cluster.pools.push_back({"first", 1, {}, {}, {}, {}, first});
  cluster.pools.push_back({"second", 1, {}, {}, {}, {}, second});
  for (std::uint32_t pool = 0; pool < 2; ++pool) {
    Job job;
    job.pool = PoolId(pool);
    job.pending_work = CpuSeconds(pool == 0 ? first_work : second_work);
    cluster.pending.push_back(cluster.jobs.push_back(job));
  }
  return cluster;
}

TEST(WaitingWeights, AreOneWhereAllPoolsWaitAtOnePrice) {
  const WaitingWeights weights = job_weights(two_pools(0.3, 0.3, 10, 70), by(Billing::invoice)).in_price;
  EXPECT_EQ(weights.mean, 0.3);
  EXPECT_TRUE(weights.of_job.empty());
  EXPECT_EQ(job_weights(ClusterSnapshot{}, by(Billing::invoice)).in_price.mean, 1);
}

// The target of another pool moves nobody's price of waiting.
TEST(WaitingWeights, AreRelativeToTheTargetFactorOfMostPendingWork) {
  const WaitingWeights weights = job_weights(two_pools(4, 1, 10, 20), by(Billing::invoice)).in_price;
  EXPECT_EQ(weights.mean, 1);
  EXPECT_DOUBLE_EQ(weights.of(JobId(0)), 4);
  EXPECT_DOUBLE_EQ(weights.urgency_of(JobId(0)), 4);
  EXPECT_EQ(weights.of(JobId(1)), 1);
  EXPECT_EQ(weights.urgency_of(JobId(1)), 1);
  const WaitingWeights other = job_weights(two_pools(4, 1, 30, 20), by(Billing::invoice)).in_price;
  EXPECT_EQ(other.mean, 4);
  EXPECT_EQ(other.urgency_of(JobId(0)), 1);
  EXPECT_DOUBLE_EQ(other.urgency_of(JobId(1)), 0.25);
}

// Twenty jobs with different times left; the one that is not due has no part in it.
TEST(WaitingWeights, LeaveEachDeadlineToItsJobAndRoundThemWhereTheyAreMany) {
  for (const int due : {3, 20}) {
    ClusterBuilder builder;
    builder.node({.slots = 1, .cpu = 1});
    Case test("lips", builder);
    const JobId plain = test.add({.maps = 1, .cpu = 600});
    for (int i = 0; i < due; ++i) {
      JobArrived arrived = testing::job(test.state.snapshot(), {.maps = 1, .cpu = 600});
      arrived.job.due.complete_by = TimePoint(seconds(1500 + 97 * i));
      test.state.apply(arrived);
    }
    const JobWeights weights = job_weights(test.state.snapshot(), by(Billing::invoice));
    EXPECT_EQ(weights.in_price.mean, 1);
    EXPECT_EQ(weights.in_price.of(plain), 1);
    EXPECT_EQ(weights.in_order.of(plain), 1);
    double before = 1e9;
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(due); ++i) {
      const JobId job(plain.index() + 1 + i);
      const double exact = deadline_factor(1200, 1500 + 97 * i), priced = weights.in_price.urgency_of(job);
      EXPECT_DOUBLE_EQ(weights.in_order.of(job), exact);
      EXPECT_LE(priced, before);
      before = priced;
      if (due == 3) {
        EXPECT_DOUBLE_EQ(priced, exact);
      } else {
        EXPECT_EQ(priced, std::exp2(std::round(std::log2(exact))));
      }
    }
  }
}

TEST(PriceOfWait, IsHigherByDefaultWhereNodesArePaidForAnyway) {
  ClusterSnapshot fixed = two_pools(1, 1, 10, 10);
  fixed.nodes.push_back(Node{});
  ClusterSnapshot grows = fixed, shrinks = fixed;
  grows.offers.push_back(Offer{});
  shrinks.nodes.push_back(Node{}), shrinks.nodes[NodeId(1)].fleet = FleetKind::elastic;
  LipsSettings settings;
  EXPECT_EQ(price_of_wait(fixed, settings, {}), 8);
  EXPECT_EQ(price_of_wait(grows, settings, {}), 1);
  EXPECT_EQ(price_of_wait(shrinks, settings, {}), 1) << "an autoscaler that nobody told us of";
  settings.billing = Billing::use;
  EXPECT_EQ(price_of_wait(fixed, settings, {}), 1) << "each CPU-second is paid for";
  settings.billing = Billing::invoice, settings.waiting_price = 0;
  EXPECT_EQ(price_of_wait(fixed, settings, {}), 0) << "0 is a price";
  settings.waiting_price = 2;
  EXPECT_EQ(price_of_wait(fixed, settings, {3, {}, {}}), 6);
  EXPECT_EQ(price_of_wait(grows, settings, {3, {}, {}}), 6);
}

TEST(PriceOfWait, OfAJobCountsByDefaultWhereNodesComeAndGo) {
  ClusterSnapshot fixed = two_pools(1, 1, 10, 10);
  fixed.nodes.push_back(Node{});
  ClusterSnapshot grows = fixed;
  grows.offers.push_back(Offer{});
  EXPECT_EQ(waiting_per_job(fixed, by(Billing::invoice)), 0);
  EXPECT_EQ(waiting_per_job(grows, by(Billing::invoice)), 2);
  EXPECT_EQ(waiting_per_job(grows, by(Billing::use)), 0) << "as the LiPS paper counts";
  LipsSettings settings;
  settings.waiting_per_job = 0;
  EXPECT_EQ(waiting_per_job(grows, settings), 0);
}

// An hour's wait of each costs so much more, whatever its work.
TEST(WaitingWeights, CountAJobBesideItsWork) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const double first = random.uniform(1, 1e5), second = random.uniform(1, 1e5);
    LipsSettings settings;
    settings.waiting_per_job = random.uniform(0.01, 20);
    const WaitingWeights weights = job_weights(two_pools(1, 1, first, second), settings).in_price;
    const auto hour_of = [&](JobId job, double work) { return work * weights.of(job) * weights.mean; };
    EXPECT_NEAR(hour_of(JobId(0), first), first + 3600 * *settings.waiting_per_job, 1e-6 * (first + 1e5)) << seed;
    EXPECT_NEAR(hour_of(JobId(1), second), second + 3600 * *settings.waiting_per_job, 1e-6 * (second + 1e5)) << seed;
  }
}

// Pods that arrive in batches are parts of one job.
TEST(WaitingWeights, CountAJobOnceInHoweverManyPartsItCame) {
  ClusterBuilder builder;
  builder.node({.slots = 1, .cpu = 1});
  LipsSettings settings;
  settings.waiting_per_job = 2;
  for (const int parts : {1, 2, 14, 40}) {
    Case test("lips", builder);
    for (int part = 0; part < parts; ++part) {
      JobArrived arrived = testing::job(test.state.snapshot(), {.arrival = 1.0 * part, .maps = 280 / parts, .cpu = 10});
      arrived.job.whole.id = WholeJobId(0);
      test.state.apply(arrived);
    }
    const WaitingWeights weights = job_weights(test.state.snapshot(), settings).in_price;
    EXPECT_NEAR(weights.mean, 1 + 2 * 3600 / 2800.0, 1e-9) << parts;
    EXPECT_TRUE(weights.of_job.empty()) << parts;
  }
}

// A job of an hour's work on one core, asked with so many seconds left.
double factor_with(double left, std::optional<double> wait_left = std::nullopt) {
  ClusterBuilder builder;
  builder.node({.slots = 1, .cpu = 1});
  Case test("lips", builder);
  const JobId job = test.add({.maps = 1, .cpu = 3600});
  test.at(1000);
  ClusterSnapshot cluster = test.state.snapshot();
  if (left > 0) cluster.jobs[job].due.complete_by = TimePoint(seconds(1000 + left));
  if (wait_left) cluster.jobs[job].due.start_by = TimePoint(seconds(1000 + *wait_left));
  return job_weights(cluster, by(Billing::invoice)).in_price.mean;
}

TEST(WaitingWeights, GrowAsADeadlineComesNear) {
  EXPECT_EQ(factor_with(0), 1);
  EXPECT_DOUBLE_EQ(factor_with(14'400), 1);  // it needs 7200 s: its work on all nodes, and then its longest task
  EXPECT_DOUBLE_EQ(factor_with(100'000), cheapest_with_slack);
  EXPECT_DOUBLE_EQ(factor_with(10'800), 4);
  EXPECT_DOUBLE_EQ(factor_with(7000), dearest_when_due);
}

TEST(WaitingWeights, AreNeverLowerForAJobThatItsControllerEnds) {
  const auto factor = [](double left, bool by_its_owner) {
    ClusterBuilder builder;
    builder.node({.slots = 1, .cpu = 1});
    Case test("lips", builder);
    const JobId job = test.add({.maps = 1, .cpu = 3600});
    test.at(1000);
    ClusterSnapshot cluster = test.state.snapshot();
    cluster.jobs[job].due.ends_by = TimePoint(seconds(1000 + left));
    if (by_its_owner) cluster.jobs[job].due.complete_by = TimePoint(seconds(1000 + 100'000));
    return job_weights(cluster, by(Billing::invoice)).in_price.mean;
  };
  EXPECT_EQ(factor(100'000, false), 1);
  EXPECT_DOUBLE_EQ(factor(10'800, false), 4);
  EXPECT_DOUBLE_EQ(factor(7000, false), dearest_when_due);
  EXPECT_DOUBLE_EQ(factor(10'800, true), 4);
  EXPECT_LT(factor(100'000, true), 1) << "its owner has time";
}

TEST(WaitingWeights, GrowAsTheLongestWaitComesNear) {
  EXPECT_DOUBLE_EQ(factor_with(0, 1000), 1);
  EXPECT_DOUBLE_EQ(factor_with(0, 500), 4);
  EXPECT_DOUBLE_EQ(factor_with(0, -1), dearest_when_due);
  EXPECT_DOUBLE_EQ(factor_with(100'000, 500), 4);  // the more urgent of the two
}

// Ten tasks of 100 s on two cores: the last starts after 400 s if all goes well.
TEST(WaitingWeights, CountTheTasksThatHaveToGoFirstIntoTheLongestWait) {
  ClusterBuilder builder;
  builder.node({.slots = 2, .cpu = 2});
  Case test("lips", builder);
  const JobId job = test.add({.maps = 10, .cpu = 100});
  ClusterSnapshot cluster = test.state.snapshot();
  const auto factor = [&](double longest_wait) {
    cluster.jobs[job].due.start_by = cluster.jobs[job].arrival + seconds(longest_wait);
    return job_weights(cluster, by(Billing::invoice)).in_price.mean;
  };
  EXPECT_NEAR(factor(800), 1, 1e-4);
  EXPECT_NEAR(factor(600), 4, 1e-4);
  EXPECT_DOUBLE_EQ(factor(399), dearest_when_due);
  cluster.nodes[NodeId(0)].schedulable = false;
  EXPECT_DOUBLE_EQ(factor(399), cheapest_with_slack) << "nobody is to pay for what cannot start";
}

TEST(WaitingWeights, CountALastTaskForAllOfItsJobUnlessByUse) {
  ClusterSnapshot cluster = two_pools(1, 1, 10, 10);
  cluster.jobs[JobId(0)].work = CpuSeconds(10), cluster.jobs[JobId(1)].work = CpuSeconds(20);
  const WaitingWeights weights = job_weights(cluster, by(Billing::invoice)).in_price;
  EXPECT_DOUBLE_EQ(weights.mean, 1.5);
  EXPECT_DOUBLE_EQ(weights.of(JobId(1)) / weights.of(JobId(0)), 2);
  cluster.jobs[JobId(1)].work = CpuSeconds(1000);
  EXPECT_DOUBLE_EQ(job_weights(cluster, by(Billing::invoice)).in_price.mean, (1 + most_of_last_tasks) / 2);
  EXPECT_TRUE(job_weights(cluster, by(Billing::use)).in_price.of_job.empty());
}

TEST(WaitingWeights, LetALastTaskGoEarlierOnlyWhereNodesCanBeBought) {
  ClusterSnapshot cluster = two_pools(1, 1, 10, 10);
  cluster.jobs[JobId(0)].work = CpuSeconds(10), cluster.jobs[JobId(1)].work = CpuSeconds(20);
  const auto times_as_much = [&](const WaitingWeights& weights) { return weights.of(JobId(1)) / weights.of(JobId(0)); };
  const JobWeights fixed = job_weights(cluster, by(Billing::invoice));
  EXPECT_DOUBLE_EQ(times_as_much(fixed.in_price), 2);
  EXPECT_DOUBLE_EQ(times_as_much(fixed.in_order), 1);
  cluster.offers.push_back({});
  const JobWeights bought = job_weights(cluster, by(Billing::invoice));
  EXPECT_GT(times_as_much(bought.in_price), 1);
  EXPECT_DOUBLE_EQ(times_as_much(bought.in_order), times_as_much(bought.in_price));
}

// The node that has the data is full for 100 s, and one in another zone is free. Does the last task of a job go there,
// when so many of its others have started?
bool last_task_crosses(std::uint32_t started) {
  ClusterBuilder builder(2);
  const NodeId near = builder.node({.zone = ZoneId(0), .slots = 4, .cpu = 4});
  builder.node({.zone = ZoneId(1), .slots = 1, .cpu = 1});
  std::vector<BlockId> blocks;
  for (std::uint32_t i = 0; i <= started; ++i) blocks.push_back(builder.block({near}));
  PolicySettings settings;
  settings.lips.waiting_price = 1;
  settings.lips.fast_path_limit = Usd(0);
  settings.lips.keep_copies = false;
  Case test("lips", builder, settings, UsdPerMebibyte(0.09));
  const JobId job = test.add({.blocks = blocks, .cpu = 100});
  const JobId others = test.add({.maps = static_cast<int>(4 - started), .cpu = 100});
  for (std::uint32_t i = 0; i < started; ++i) EXPECT_TRUE(test.state.assume({test.task(job, i), near, {}, {}}));
  for (std::uint32_t i = 0; i < 4 - started; ++i) EXPECT_TRUE(test.state.assume({test.task(others, i), near, {}, {}}));
  return !test.plan().assignments.empty();
}

TEST(WaitingWeights, OnFixedNodesToo) {
  EXPECT_FALSE(last_task_crosses(0)) << "a wait of 100 s costs less than the transfer";
  EXPECT_TRUE(last_task_crosses(3)) << "it holds up three other tasks";
}

// A queue for one node in two zones: data is in the first zone.
struct Queue {
  explicit Queue(double factor_of_all, double factor_of_second, double waiting_price) {
    ClusterBuilder builder(2);
    builder.pool();
    const NodeId near = builder.node({.zone = ZoneId(0), .slots = 1, .cpu = 1});
    far = builder.node({.zone = ZoneId(1), .slots = 1, .cpu = 1});
    const std::vector<BlockId> blocks{builder.block({near}), builder.block({near}), builder.block({near}),
                                      builder.block({near})};
    PolicySettings settings;
    settings.lips.billing = Billing::use;
    settings.lips.waiting_price = waiting_price;
    settings.lips.fast_path_limit = Usd(0);
    settings.lips.keep_copies = false;
    test.emplace("lips", builder, settings, UsdPerMebibyte(10));
    test->state.price_waiting(
        IdVector<PoolId, double>(std::vector<double>{factor_of_all, factor_of_all * factor_of_second}));
    test->at(60);
    first = test->add({.pool = PoolId(0), .blocks = {blocks[0], blocks[1]}, .cpu = 600});
    second = test->add({.pool = PoolId(1), .arrival = 30, .blocks = {blocks[2], blocks[3]}, .cpu = 600});
  }
  std::optional<Case> test;
  NodeId far;
  JobId first, second;
  JobId job_of(const Assignment& assignment) const { return test->state.snapshot().tasks[assignment.task].job; }
};

TEST(WaitingWeights, OneFactorOfAllPoolsIsAnotherWaitingPrice) {
  for (const double factor : {0.25, 4.0, 32.0}) {
    Queue moved(factor, 1, 2), said(1, 1, 2 * factor);
    EXPECT_EQ(lips::testing::difference(moved.test->plan(), said.test->plan()), "") << factor;
  }
}

TEST(WaitingWeights, ADearerWaitGoesFirst) {
  const auto first_to_start = [](double factor_of_second) {
    ClusterBuilder builder;
    builder.pool();
    builder.node({.slots = 1, .cpu = 1});
    PolicySettings settings;
    settings.lips.fast_path_limit = Usd(0);
    Case test("lips", builder, settings);
    test.state.price_waiting(IdVector<PoolId, double>(std::vector<double>{1, factor_of_second}));
    test.add({.pool = PoolId(0), .maps = 1, .cpu = 600});
    test.add({.pool = PoolId(1), .arrival = 30, .maps = 1, .cpu = 600});
    test.at(60);
    return test.state.snapshot().tasks[test.plan().assignments.at(0).task].job;
  };
  EXPECT_EQ(first_to_start(1), JobId(0));
  EXPECT_EQ(first_to_start(30), JobId(1));
}

// At a price of waiting of 1 nobody pays for the transfer; a pool whose wait counts enough does, and it alone.
TEST(WaitingWeights, OnlyAPoolWhoseWaitIsDearPaysForTheOtherZone) {
  const auto crossing = [](Queue& queue) {
    std::vector<JobId> jobs;
    for (const Assignment& assignment : queue.test->plan().assignments)
      if (assignment.node == queue.far) jobs.push_back(queue.job_of(assignment));
    return jobs;
  };
  Queue even(1, 1, 1), dear(1, 60, 1);
  EXPECT_TRUE(crossing(even).empty());
  EXPECT_EQ(crossing(dear), std::vector<JobId>{dear.second});
}

}  // namespace
}  // namespace lips
