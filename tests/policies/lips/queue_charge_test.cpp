#include "policies/lips/supply/queue_charge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "model/cluster_state.h"

namespace lips {
namespace {

TimePoint at(double hour) { return TimePoint(seconds(3600 * hour)); }

// A cluster to which work arrives at this rate, evenly, for so many hours.
ClusterSnapshot loaded(double rate, double hours) {
  ClusterSnapshot cluster;
  for (double hour = 0; hour <= hours; hour += 0.01) cluster.arrivals.count(CpuSeconds(36 * rate), at(hour));
  cluster.now = at(hours);
  return cluster;
}

TEST(QueueCharge, IsTheTimeThatABacklogTakesToDrainOverThatOfItsWorkAlone) {
  for (const double load : {0.2, 0.5, 0.8})
    EXPECT_NEAR(queue_charge(loaded(100 * load, 30), 100), 1 / (1 - load), 0.02 / (1 - load)) << load;
  EXPECT_DOUBLE_EQ(queue_charge(loaded(99, 30), 100), most_queue_charge);
  EXPECT_DOUBLE_EQ(queue_charge(loaded(500, 30), 100), most_queue_charge);
}

TEST(QueueCharge, IsOneWithoutArrivalsWithoutNodesAndWhereNodesCanBeAdded) {
  EXPECT_DOUBLE_EQ(queue_charge(ClusterSnapshot{}, 100), 1);
  ClusterSnapshot cluster = loaded(80, 30);
  EXPECT_DOUBLE_EQ(queue_charge(cluster, 0), 1);
  cluster.offers.push_back({NodeId(0), 3, {}, {}, 0});
  EXPECT_DOUBLE_EQ(queue_charge(cluster, 100), 1);
  cluster.offers[OfferId(0)].left = 0;
  EXPECT_GT(queue_charge(cluster, 100), 2);
}

TEST(QueueCharge, LeavesOutWorkThatIsPlannedForByName) {
  ClusterSnapshot cluster = loaded(80, 30);
  const Duration reach = std::chrono::hours(2);
  cluster.expected = {{"nightly", cluster.now + std::chrono::hours(1), 0.5, CpuSeconds(80 * 7200), {}, 1, {}, {}},
                      {"later", cluster.now + std::chrono::hours(3), 1, CpuSeconds(1e9), {}, 1, {}, {}}};
  EXPECT_NEAR(queue_charge(cluster, 100, count_on(cluster, reach, seconds(120))), 1 / (1 - 0.4), 0.05);
  EXPECT_NEAR(queue_charge(cluster, 100), 5, 0.2);
}

TEST(QueueCharge, FadesWhenNothingArrives) {
  ClusterSnapshot cluster = loaded(80, 30);
  cluster.now = at(30 + 24);
  EXPECT_NEAR(queue_charge(cluster, 100), 1, 1e-3);
}

// A job counts once, however often the cluster is listed.
TEST(QueueCharge, CountsAJobOnceThoughTheClusterIsListedAgain) {
  ClusterSnapshot start;
  start.zones.push_back({"a"});
  start.pools.push_back({"default", 1, {}, {}, {}});
  start.constraints.push_back({});
  ClusterState state(start);
  JobArrived arrived;
  arrived.job.name = "j", arrived.job.pool = PoolId(0), arrived.job.constraint = ConstraintId(0);
  arrived.job.map_tasks = 1;
  arrived.job.arrival = at(1);
  Task task;
  task.cpu = CpuSeconds(50);
  arrived.tasks = {task};
  state.advance(at(1));
  state.apply(arrived);
  EXPECT_DOUBLE_EQ(state.snapshot().arrivals.work.value(), 50);
  state.advance(at(1.5));
  state.apply(ClusterListed{std::make_shared<ClusterSnapshot>(start), CostModel()});
  state.apply(arrived);
  EXPECT_DOUBLE_EQ(state.snapshot().arrivals.work.value(), 50);
  arrived.job.arrival = at(2);
  state.advance(at(2));
  state.apply(arrived);
  EXPECT_NEAR(state.snapshot().arrivals.work.value(), 50 * std::exp(-1.0 / 3) + 50, 1e-9);
}

// Jobs come, are reported up to a few seconds later, with a listing or without, and go when they have ended.
TEST(QueueCharge, CountsEachJobOnceWheneverItIsReportedFirst) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    ClusterSnapshot start;
    start.zones.push_back({"a"});
    start.pools.push_back({"default", 1, {}, {}, {}});
    start.constraints.push_back({});
    ClusterState state(start);
    ArrivalMemory expected;
    std::vector<JobArrived> here;
    TimePoint now = at(1);
    for (int i = 0; i < 60; ++i) {
      now += seconds(random.exponential(60));
      JobArrived arrived;
      arrived.job.name = "j" + std::to_string(i), arrived.job.pool = PoolId(0);
      arrived.job.constraint = ConstraintId(0);
      arrived.job.arrival = now;
      arrived.job.map_tasks = 1;
      arrived.tasks = {Task{}};
      arrived.tasks[0].cpu = CpuSeconds(random.uniform(1, 100));
      expected.count(arrived.tasks[0].cpu, now);
      now += seconds(random.uniform(0, 5));  // until it is reported
      state.advance(now);
      if (random.below(2) == 0) {
        state.apply(arrived);
        here.push_back(arrived);
        continue;
      }
      std::erase_if(here, [&](const JobArrived&) { return random.below(3) == 0; });  // they have ended
      here.push_back(arrived);
      state.apply(ClusterListed{std::make_shared<ClusterSnapshot>(start), CostModel()});
      for (const JobArrived& job : here) state.apply(job);
    }
    EXPECT_NEAR(state.snapshot().arrivals.faded(now).value(), expected.faded(now).value(), 1e-6);
  }
}

}  // namespace
}  // namespace lips
