#include "policies/lips/demand/expected_room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "model/work_left.h"
#include "policies/lips/supply/classes.h"
#include "simulation/random_snapshot.h"
#include "tests/policies/lips/busy_cheap_zone.h"

namespace lips::testing {
namespace {

TimeSlotSettings time_slots(Billing billing = Billing::use) {
  TimeSlotSettings slots;
  slots.edges = LipsSettings{}.time_slot_edges;
  slots.billing = billing;
  return slots;
}

CountedWork counted(const ClusterSnapshot& cluster, Duration reach = std::chrono::hours(2)) {
  return count_on(cluster, reach, LipsSettings{}.keep_budget);
}

TEST(ExpectedRoom, PendingWorkDoesNotWaitForRoomThatExpectedWorkNeeds) {
  const BusyCheapZone zones;
  EXPECT_TRUE(zones.at_work({}).plan().assignments.empty()) << "waiting for the cheap zone costs less";
  // It comes before the room is free and would keep both zones busy for hours: waiting costs more than the dear zone.
  ExpectedWork nightly = hours_of_work(6, 300);
  Case busy = zones.at_work({nightly});
  const Plan plan = busy.plan();
  EXPECT_EQ(plan.assignments.size(), 4u);
  for (const Assignment& assignment : plan.assignments) EXPECT_EQ(assignment.node, zones.dear);
  EXPECT_GT(plan.account.expected_room().value(), 0);
}

// Wherever in a time slot it comes: what comes free a little later is not left for pending work to wait for.
TEST(ExpectedRoom, IsKeptFromTheMomentAtWhichTheWorkComes) {
  const BusyCheapZone zones;
  for (double busy = 130; busy < 3600; busy += 53)
    for (const double before : {2.0, 10.0, 45.0}) {
      if (busy - before <= 120) continue;  // nothing is kept of the first time slot
      EXPECT_TRUE(zones.at_work({}, busy).plan().assignments.empty()) << busy;
      const Plan plan = zones.at_work({hours_of_work(6, busy - before)}, busy).plan();
      EXPECT_EQ(plan.assignments.size(), 4u) << before << " s before " << busy;
      for (const Assignment& assignment : plan.assignments) EXPECT_EQ(assignment.node, zones.dear);
    }
}

TEST(ExpectedRoom, CountsOnNothingThatIsFarOffOverdueOrUnlikely) {
  const BusyCheapZone zones;
  ExpectedWork never = hours_of_work(6, 300);
  never.chance = 0;
  const ExpectedWork late = hours_of_work(6, 3 * 3600);
  for (const ExpectedWork& work : {never, late}) {
    const Plan plan = zones.at_work({work}).plan();
    EXPECT_TRUE(plan.assignments.empty());
    EXPECT_EQ(plan.account.expected_room().value(), 0);
  }
  Case overdue = zones.at_work({hours_of_work(6, -29 * 60)});
  EXPECT_FALSE(overdue.plan().assignments.empty());
  overdue = zones.at_work({hours_of_work(6, -31 * 60)});
  EXPECT_TRUE(overdue.plan().assignments.empty());
}

TEST(ExpectedRoom, EndsWhenTheJobArrives) {
  const BusyCheapZone zones;
  Case setting = zones.at_work({hours_of_work(6, 300), hours_of_work(1, 400, "hourly")});
  ASSERT_EQ(setting.state.snapshot().expected.size(), 2u);
  setting.add({.name = "nightly", .maps = 1});
  ASSERT_EQ(setting.state.snapshot().expected.size(), 1u);
  EXPECT_EQ(setting.state.snapshot().expected.front().job, "hourly");
}

TEST(ExpectedRoom, ASettingTurnsItOff) {
  const BusyCheapZone zones;
  Case setting = zones.at_work({hours_of_work(6, 300)});
  NodeClasses classes = make_classes(setting.state.snapshot(), time_slots());
  const ClusterSnapshot& cluster = setting.state.snapshot();
  EXPECT_TRUE(keep_expected_room(cluster, setting.costs, counted(cluster, Duration(0)), classes).empty());
  EXPECT_FALSE(keep_expected_room(cluster, setting.costs, counted(cluster), classes).empty());
}

// All of its data lies in the dear zone and a third in the cheap one too; to read elsewhere costs more than the work.
// Its reduces are where all of the data lies, and its maps would send them what they leave.
TEST(ExpectedRoom, KeepsAJobWithShuffleInOneZone) {
  BusyCheapZone zones;
  zones.builder.block({zones.cheap, zones.dear}, 1e9);
  zones.builder.block({zones.dear}, 2e9);
  const auto kept_in_the_cheap_zone = [&](Mebibytes shuffle) {
    ExpectedWork work = hours_of_work(0.5, 300);
    work.shuffle = shuffle;
    Case setting = zones.at_work({work});
    NodeClasses classes = make_classes(setting.state.snapshot(), time_slots());
    CpuSeconds kept;
    for (const KeptRoom& room :
         keep_expected_room(setting.state.snapshot(), setting.costs, counted(setting.state.snapshot()), classes))
      if (room.zone == ZoneId(0)) kept += room.work;
    return kept.value();
  };
  EXPECT_NEAR(kept_in_the_cheap_zone(Mebibytes(0)), 2400, 1);
  EXPECT_NEAR(kept_in_the_cheap_zone(Mebibytes(1e11)), 0, 1);
}

// A pool that names a thousand times more than ever comes takes from no other pool what that one is entitled to, and
// has no more than these leave.
TEST(CountedWork, IsWithinSharesWhateverAPoolNames) {
  int cut = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    simulation::SnapshotShape shape = simulation::random_full_shape(seed);
    shape.announcements = 4 + seed % 20;
    ClusterSnapshot cluster = simulation::random_cluster(shape).snapshot();
    for (Pool& pool : cluster.pools) pool.minimum = pool.maximum = Cores(0);
    const PoolId tenant(static_cast<std::uint32_t>(seed % cluster.pools.size()));
    for (ExpectedWork& work : cluster.expected)
      if (work.pool == tenant) work.work *= 1000;
    const Duration reach = std::chrono::hours(2);
    const CountedWork counts = counted(cluster, reach);
    IdVector<PoolId, double> here(cluster.pools.size(), 0.0), named = here, counted_on = here;
    for (const JobId id : cluster.pending) here[cluster.jobs[id].pool] += cluster.jobs[id].pending_work.value();
    for (const RunningTask& run : cluster.running) {
      const double left = std::clamp(to_seconds(run.expected_end - cluster.now), 0.0, to_seconds(reach));
      const Job& job = cluster.jobs[run.job];
      here[job.pool] += job.request.cpu.value() * cluster.nodes[run.node].speed * left;
    }
    for (std::size_t i = 0; i < cluster.expected.size(); ++i) {
      const ExpectedWork& work = cluster.expected[i];
      const double most = work.counts(cluster.now, reach) ? work.chance : 0;
      EXPECT_LE(counts.chances[i], most);
      if (work.pool.valid()) {
        named[work.pool] += most * work.work.value(), counted_on[work.pool] += counts.work(cluster, i);
      } else {
        EXPECT_EQ(counts.chances[i], most);
      }
    }
    double weights = 0, left = work_rate(cluster) * to_seconds(reach);
    const double all = left;
    for (const PoolId pool : here.ids())
      if (here[pool] + named[pool] > 0) weights += cluster.pools[pool].weight;
    for (const PoolId pool : here.ids()) {
      const double due =
          weights > 0 ? std::min(here[pool] + named[pool], cluster.pools[pool].weight / weights * all) : 0;
      if (pool == tenant) continue;
      left -= due;
      EXPECT_GE(here[pool] + counted_on[pool], due * (1 - 1e-6) - 1e-6) << "pool " << pool.index();
    }
    if (weights > cluster.pools[tenant].weight) {
      EXPECT_LE(counted_on[tenant], std::max(0.0, left - here[tenant]) + 1e-6 * all);
    }
    cut += counted_on[tenant] < 0.9 * named[tenant];
  }
  EXPECT_GT(cut, 100);
}

double all_work(const NodeClasses& classes) {
  double work = 0;
  for (const auto& steps : classes.steps)
    for (const CapacityStep& step : steps) work += step.work;
  return work;
}

// The kept room comes off the steps, no step grows or falls below nothing, and no more is kept than is expected.
TEST(ExpectedRoom, TakesWhatItKeepsOffTheStepsAndNoMoreThanIsExpected) {
  int kept_some = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    simulation::SnapshotShape shape = simulation::random_full_shape(seed);
    shape.offers = false;
    shape.announcements = 1 + seed % 9;
    const ClusterState state = simulation::random_cluster(shape);
    const ClusterSnapshot& cluster = state.snapshot();
    const NodeClasses before = make_classes(cluster, time_slots(seed % 2 ? Billing::use : Billing::invoice));
    NodeClasses after = before;
    const Duration reach = std::chrono::hours(2);
    double kept = 0;
    std::vector<double> of(cluster.expected.size(), 0.0);
    for (const KeptRoom& room :
         keep_expected_room(cluster, simulation::random_costs(shape), counted(cluster, reach), after))
      kept += room.work.value(), of[room.expected] += room.work.value();
    for (std::size_t i = 0; i < of.size(); ++i) {
      const ExpectedWork& work = cluster.expected[i];
      const double most = work.counts(cluster.now, reach) ? work.chance * work.work.value() : 0;
      EXPECT_LE(of[i], most * (1 + 1e-6)) << seed << ": " << work.job;
    }
    EXPECT_NEAR(all_work(before) - all_work(after), kept, 1e-6 * (1 + kept)) << seed;
    for (const ClassId c : before.classes.ids())
      for (std::size_t i = 0; i < before.steps[c].size(); ++i) {
        EXPECT_GE(after.steps[c][i].work, 0) << seed;
        EXPECT_LE(after.steps[c][i].work, before.steps[c][i].work) << seed;
      }
    kept_some += kept > 0;
  }
  EXPECT_GT(kept_some, 200);
}

// The room that is free now is offered to pending work alone, and where pending and expected work wait, pending work
// goes first.
TEST(ExpectedRoom, DelaysNoPendingWorkThatHasRoomNow) {
  ClusterBuilder builder(2);
  const NodeId cheap = builder.node({.zone = ZoneId(0), .price = 1, .slots = 8, .cpu = 8});
  builder.node({.zone = ZoneId(1), .price = 1.1, .slots = 8, .cpu = 8});
  PolicySettings settings;
  settings.lips.fast_path_limit = Usd(0);
  Case setting("lips", builder, settings);
  setting.state.apply(WorkExpected{{{"soon", TimePoint(seconds(1)), 1, CpuSeconds(1e6), {}, 1, {}, {}}}});
  setting.add({.maps = 8, .cpu = 100});
  const Plan plan = setting.plan();
  EXPECT_EQ(plan.assignments.size(), 8u);
  for (const Assignment& assignment : plan.assignments) EXPECT_EQ(assignment.node, cheap);

  // Two free cores and two that come free: what is late would like to have them all.
  ClusterBuilder busy(1);
  const NodeId node = busy.node({.slots = 4, .cpu = 4});
  Case late("lips", busy, settings);
  late.state.apply(WorkExpected{{{"late", TimePoint(seconds(-60)), 1, CpuSeconds(1e6), {}, 1, {}, {}}}});
  const JobId running = late.add({.maps = 2, .cpu = 30});
  for (std::uint32_t i = 0; i < 2; ++i) late.state.apply(TaskFound{late.task(running, i), node, TimePoint{}});
  late.add({.maps = 2, .cpu = 100});
  EXPECT_EQ(late.plan().assignments.size(), 2u);
}

}  // namespace
}  // namespace lips::testing
