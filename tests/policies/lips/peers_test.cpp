// Jobs whose tasks exchange data with each other and start together.
#include "policies/lips/gangs/peers.h"

#include <map>

#include "base/random.h"
#include "model/peers.h"
#include "model/validate_plan.h"
#include "tests/policies/case.h"

namespace lips::testing {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr ZoneId a{0}, b{1}, c{2};
constexpr double dear = 4e-5, cheap = 1e-5, middle = 2e-5;  // USD per CPU-second
constexpr UsdPerMebibyte exchange_price{2e-5};
constexpr auto settle = std::chrono::milliseconds(1500);  // what the times below assume
constexpr double hurry = 1000;  // a price of waiting at which nothing waits for a cheaper zone

PolicySettings by_use(double waiting_price = 1) {
  PolicySettings settings;
  settings.lips.billing = Billing::use;
  settings.lips.waiting_price = waiting_price;
  settings.lips.settle = settle;
  return settings;
}

// Zones a (dear), b (cheap) and c (between) with room for so many tasks of a core.
class ThreeZones : public ::testing::Test {
 protected:
  static Case with_room(const std::vector<int>& in_a, const std::vector<int>& in_b, const std::vector<int>& in_c,
                        double waiting_price = 1) {
    ClusterBuilder builder(3);
    builder.pool();
    for (const int cores : in_a) add(builder, a, dear, cores);
    for (const int cores : in_b) add(builder, b, cheap, cores);
    for (const int cores : in_c) add(builder, c, middle, cores);
    return {"lips", builder, by_use(waiting_price), exchange_price};
  }
  static void add(ClusterBuilder& builder, ZoneId zone, double price, double cores) {
    builder.node({.zone = zone, .price = price, .slots = 100, .cpu = cores});
  }

  // It names how many workers will come, and what each needs.
  static JobArrived driver_of(const Case& with, std::uint32_t expected, double shuffle = 1000) {
    JobArrived driver = job(with.state.snapshot(), {.maps = 1, .cpu = 100, .shuffle = shuffle});
    WholeJob& whole = driver.job.whole;
    whole.id = WholeJobId(0);
    whole.peers = driver.job.coordinates = true;
    whole.expected = expected;
    whole.each = {Cores(1), Mebibytes(100), 1};
    return driver;
  }

  struct Of {
    int tasks = 4;
    std::uint32_t expected = 0;  // 0: as many as there are
    double shuffle = 1000, cores = 1, cpu = 100, arrived = 0;
    WholeJobId whole{0};
    std::uint32_t gang = 0;
  };
  static JobId add(Case& with, const Of& of) {
    JobArrived arrived =
        job(with.state.snapshot(), {.maps = of.tasks, .cpu = of.cpu, .shuffle = of.shuffle, .cores = of.cores});
    arrived.job.arrival = TimePoint(seconds(of.arrived));
    WholeJob& whole = arrived.job.whole;
    whole.id = of.whole;
    whole.peers = true;
    whole.maps = static_cast<std::uint32_t>(of.tasks);
    whole.expected = of.expected > 0 ? of.expected : whole.maps;
    whole.each = {Cores(1), Mebibytes(100), 1};
    whole.gang = of.gang;
    whole.arrived = arrived.job.arrival;
    with.state.apply(arrived);
    return JobId(static_cast<std::uint32_t>(with.state.snapshot().jobs.size() - 1));
  }
  static std::map<ZoneId, int> zones_of(const Case& with, const std::vector<Assignment>& assignments) {
    std::map<ZoneId, int> zones;
    for (const Assignment& assignment : assignments) ++zones[with.state.snapshot().nodes[assignment.node].zone];
    return zones;
  }
  using Zones = std::map<ZoneId, int>;
};

TEST_F(ThreeZones, AllStartInTheCheapestZoneWithRoomForAll) {
  Case with = with_room({4}, {2}, {4});
  add(with, {});
  EXPECT_EQ(zones_of(with, with.step()), (Zones{{c, 4}}));
  Case empty = with_room({4}, {4}, {4});
  add(empty, {});
  EXPECT_EQ(zones_of(empty, empty.step()), (Zones{{b, 4}}));
}

TEST_F(ThreeZones, RoomIsCountedInWholeTasksOnEachNode) {
  ClusterBuilder builder(3);
  for (int node = 0; node < 4; ++node) add(builder, b, cheap, 1.5);  // six cores, and four tasks of one
  for (int node = 0; node < 2; ++node) add(builder, c, middle, 4);
  Case with("lips", builder, by_use(), exchange_price);
  add(with, {.tasks = 4});
  EXPECT_EQ(zones_of(with, with.plan().assignments), (Zones{{b, 4}}));
  Case more("lips", builder, by_use(), exchange_price);
  add(more, {.tasks = 5});
  EXPECT_EQ(zones_of(more, more.plan().assignments), (Zones{{c, 5}}));
}

TEST_F(ThreeZones, ADriverWaitsForTheRoomOfAsManyAsEarlierRunsHadOnlyForAWhile) {
  for (const bool guessed : {false, true}) {
    Case with = with_room({2}, {3}, {2});
    add(with, {.tasks = 2, .whole = WholeJobId(1)});
    ASSERT_EQ(zones_of(with, with.step()), (Zones{{b, 2}}));
    JobArrived driver = driver_of(with, 3);
    driver.job.whole.guessed = guessed;
    with.state.apply(driver);
    with.at(5);
    EXPECT_EQ(with.plan().assignments.size(), 0u) << "three find room together when the others end";
    with.at(150);
    EXPECT_EQ(with.plan().assignments.size(), guessed ? 1u : 0u);
  }
}

TEST_F(ThreeZones, FewerThanAGangNeverStart) {
  const auto starts = [](std::uint32_t gang, int tasks) {
    Case with = with_room({2}, {2}, {1});  // five in all
    add(with, {.tasks = tasks, .gang = gang});
    with.at(3600);  // long after all turns
    return with.plan().assignments.size();
  };
  EXPECT_EQ(starts(0, 8), 5u) << "no zone will ever hold them";
  EXPECT_EQ(starts(6, 8), 0u);
  EXPECT_EQ(starts(5, 8), 5u) << "the others may come later";
  EXPECT_EQ(starts(5, 4), 0u) << "one has not come";
  EXPECT_EQ(starts(4, 4), 4u);
}

TEST_F(ThreeZones, WhatAGangLacksStartsWithoutTheOthers) {
  Case with = with_room({2}, {2}, {5});
  add(with, {.gang = 4});
  EXPECT_EQ(with.step().size(), 4u);
  add(with, {.tasks = 1, .expected = 5, .gang = 4});  // in the stead of one that was lost
  EXPECT_EQ(with.plan().assignments.size(), 1u);
}

TEST_F(ThreeZones, AGangThatItsPoolNeverAllowsWaits) {
  for (const double maximum : {3.0, 4.0}) {
    ClusterBuilder builder(1);
    add(builder, a, dear, 8);
    builder.start.pools[PoolId(0)].maximum = Cores(maximum);
    Case with("lips", builder, by_use(), exchange_price);
    add(with, {.tasks = 6, .gang = 4});
    EXPECT_EQ(with.plan().assignments.size(), maximum < 4 ? 0u : 4u);
  }
}

TEST_F(ThreeZones, StartApartWhereThatIsCheaper) {
  Case with = with_room({4}, {2}, {4});
  add(with, {.shuffle = 1});
  const Plan plan = with.plan();
  EXPECT_EQ(zones_of(with, plan.assignments), (Zones{{b, 2}, {c, 2}}));
  EXPECT_EQ(plan.account.jobs_apart, 1u);
  EXPECT_NEAR(plan.account.shuffle.value(), 1 * exchange_price.value() * (1 - 0.25 - 0.25), 1e-15);
}

TEST_F(ThreeZones, LaterTasksGoWhereTheirPeersRun) {
  Case with = with_room({4}, {2}, {8});
  add(with, {});
  EXPECT_EQ(zones_of(with, with.step()), (Zones{{c, 4}}));
  add(with, {.tasks = 2, .expected = 6});
  EXPECT_EQ(zones_of(with, with.step()), (Zones{{c, 2}})) << "though the cheap zone has room";
}

TEST_F(ThreeZones, ADriverDrawsItsWorkersOnlyWhereLittleElseDoes) {
  const auto workers_beside_driver = [](double shuffle, int in_b) {
    Case with = with_room({4}, {in_b}, {4});
    JobArrived arrived = job(with.state.snapshot(), {.maps = 1, .shuffle = shuffle});
    arrived.job.whole.id = WholeJobId(0);
    arrived.job.whole.peers = arrived.job.coordinates = true;
    with.state.apply(arrived);
    with.at(1000);
    EXPECT_EQ(zones_of(with, with.step()), (Zones{{b, 1}}));
    add(with, {.tasks = 2, .shuffle = shuffle, .arrived = 1000});
    with.at(2000);
    return zones_of(with, with.plan().assignments);
  };
  EXPECT_EQ(workers_beside_driver(1000, 3), (Zones{{b, 2}}));
  EXPECT_EQ(workers_beside_driver(1000, 2), (Zones{{c, 2}})) << "beside each other rather than one of them beside it";
}

// A driver in zone c, because zone b has no room for all five.
class BesideTheirDriver : public ThreeZones {
 protected:
  static Case driver_in_c(double shuffle = 1000, const std::vector<int>& in_b = {4}) {
    Case with = with_room({5}, in_b, {5});
    with.state.apply(driver_of(with, 5, shuffle));
    with.at(2);
    EXPECT_EQ(zones_of(with, with.step()), (Zones{{c, 1}}));
    return with;
  }
  static constexpr double come = 3;
};

TEST_F(BesideTheirDriver, WorkersStartThoughTheyWouldAllFitInACheaperZone) {
  Case with = driver_in_c();
  add(with, {.tasks = 4, .expected = 5, .arrived = come});
  with.at(come);
  EXPECT_EQ(zones_of(with, with.plan().assignments), (Zones{{c, 4}}));
}

TEST_F(BesideTheirDriver, TheFirstWorkersOfABatchStartToo) {
  Case with = driver_in_c();
  add(with, {.tasks = 2, .expected = 5, .arrived = come});
  with.at(come + 2);
  EXPECT_EQ(zones_of(with, with.step()), (Zones{{c, 2}}));
  add(with, {.tasks = 2, .expected = 5, .arrived = come + 3});
  with.at(come + 3);
  EXPECT_EQ(zones_of(with, with.plan().assignments), (Zones{{c, 2}}));
}

TEST_F(BesideTheirDriver, WorkersThatExchangeNothingGoWhereCpuIsCheapest) {
  Case with = driver_in_c(0);
  add(with, {.tasks = 4, .expected = 5, .shuffle = 0, .arrived = come});
  with.at(come);
  EXPECT_EQ(zones_of(with, with.plan().assignments), (Zones{{b, 4}}));
}

TEST_F(BesideTheirDriver, WorkersGoWhereTheirDataIs) {
  ClusterBuilder builder(3);
  add(builder, a, dear, 5), add(builder, b, cheap, 4), add(builder, c, middle, 5);
  const BlockId far = builder.block({NodeId(0)}, 1e6);
  Case with("lips", builder, by_use(), exchange_price);
  const JobArrived driver = driver_of(with, 5);
  with.state.apply(driver);
  with.at(2);
  ASSERT_EQ(zones_of(with, with.step()), (Zones{{c, 1}}));
  JobArrived workers = job(with.state.snapshot(), {.arrival = come, .blocks = {far, far, far, far}, .shuffle = 1000});
  workers.job.whole = driver.job.whole;
  workers.job.whole.arrived = TimePoint(seconds(come));
  with.state.apply(workers);
  with.at(come);
  EXPECT_EQ(zones_of(with, with.plan().assignments), (Zones{{a, 4}}));
}

TEST_F(BesideTheirDriver, ADriverStartsWhereItsWorkersWillRead) {
  ClusterBuilder builder(3);
  add(builder, a, dear, 5), add(builder, b, cheap, 5), add(builder, c, middle, 5);
  for (int i = 0; i < 3000; ++i) builder.block({NodeId(i % 10 == 0 ? 1 : 0)}, 300);
  builder.start.data_sets[DataSetId(0)].size = Mebibytes(9e5);
  Case with("lips", builder, by_use(), exchange_price);
  JobArrived driver = driver_of(with, 5);
  driver.job.inputs = {{DataSetId(0), 1}};
  with.state.apply(driver);
  with.at(2);
  EXPECT_EQ(zones_of(with, with.step()), (Zones{{a, 1}})) << "nine tenths of the data lie there";
}

TEST_F(BesideTheirDriver, ADriverStartsAtOnceIfTheNumberOfItsWorkersIsKnown) {
  for (const std::uint32_t expected : {5u, 0u}) {
    Case with = with_room({5}, {4}, {5});
    with.state.apply(driver_of(with, expected));
    with.at(0);
    EXPECT_THAT(with.plan().assignments, SizeIs(expected > 0 ? 1 : 0)) << "workers come after it alone";
    with.at(2);
    EXPECT_THAT(with.plan().assignments, SizeIs(1)) << "or nobody says that there will be any";
  }
}

TEST_F(ThreeZones, ADriverWithoutRoomForItsWorkersWaitsForAsLongAsItTakes) {
  Case with = with_room({}, {5}, {});
  const JobId busy = with.add({.maps = 3, .cpu = 1e5});
  with.step();
  with.state.apply(driver_of(with, 4));
  for (const double second : {2.0, 119.0, 121.0, 1000.0}) {
    with.at(second);
    EXPECT_THAT(with.plan().assignments, IsEmpty()) << "after " << second << " s";
  }
  for (std::uint32_t i = 0; i < 2; ++i) with.finish(with.task(busy, i));
  EXPECT_THAT(with.step(), SizeIs(1));
}

TEST_F(ThreeZones, ADriverWaitsForRoomInSeveralZonesWhereNoneHoldsAll) {
  Case with = with_room({2}, {2}, {2});
  const JobId busy = with.add({.maps = 2, .cpu = 1e5});
  with.step();
  with.state.apply(driver_of(with, 5));
  for (const double second : {2.0, 121.0, 1000.0}) {
    with.at(second);
    EXPECT_THAT(with.step(), IsEmpty()) << "after " << second << " s";
  }
  with.finish(with.task(busy, 0));
  EXPECT_THAT(with.step(), SizeIs(1));
  add(with, {.tasks = 4, .expected = 5, .arrived = 1001});
  with.at(1002);
  EXPECT_EQ(zones_of(with, with.plan().assignments).size(), 3u);
}

TEST_F(ThreeZones, WorkersStartOneByOneWhereTheirDriverIsAloneForTooLong) {
  Case with = with_room({}, {4}, {});
  with.state.apply(driver_of(with, 4));
  with.at(2);
  ASSERT_THAT(with.step(), SizeIs(1));
  with.at(200);
  with.add({.arrival = 200, .maps = 2, .cpu = 1e5});  // the room is no longer kept
  ASSERT_THAT(with.step(), SizeIs(2));
  add(with, {.tasks = 3, .expected = 4, .arrived = 200});
  with.at(210);
  EXPECT_THAT(with.step(), IsEmpty()) << "together, if there is room soon";
  with.at(321);
  EXPECT_THAT(with.step(), SizeIs(1));
}

// Every two minutes one of four tasks of eight minutes ends, and others wait for its room.
TEST_F(ThreeZones, ADriverThatNeedsABusyZoneGetsItWhenATurnOutlastsWhatRuns) {
  Case with = with_room({}, {4}, {});
  std::vector<std::pair<double, TaskId>> ends;
  for (int i = 1; i <= 4; ++i) ends.emplace_back(120 * i, with.task(with.add({.maps = 1, .cpu = 120.0 * i}), 0));
  with.step();
  with.state.apply(driver_of(with, 4));
  int others = 0;
  double started = 0;
  for (double second = 0; second < 7200 && started == 0; second += 30) {
    with.at(second);
    std::erase_if(ends, [&](const auto& end) {
      if (end.first <= second) with.finish(end.second);
      return end.first <= second;
    });
    if (with.state.snapshot().pending.size() < 3) with.add({.arrival = second, .maps = 2, .cpu = 480});
    for (const Assignment& assignment : with.step()) {
      const ClusterSnapshot& cluster = with.state.snapshot();
      if (cluster.jobs[cluster.tasks[assignment.task].job].coordinates)
        started = second;
      else
        ends.emplace_back(second + 480, assignment.task), ++others;
    }
  }
  EXPECT_GT(started, 120 * (2 + 4)) << "the first two turns are too short";
  EXPECT_LE(started, 120 * (2 + 4 + 4)) << "a turn of eight minutes is not";
  EXPECT_GE(others, 5) << "until then others start";
}

TEST_F(ThreeZones, OfAnUnknownNumberWaitUntilNoMoreCome) {
  Case with = with_room({4}, {4}, {4});
  const auto part = [&](double arrived) {
    JobArrived some = job(with.state.snapshot(), {.arrival = arrived, .maps = 2, .shuffle = 1000});
    some.job.whole.id = WholeJobId(0);
    some.job.whole.peers = true;
    some.job.whole.arrived = TimePoint(seconds(arrived));
    with.state.apply(some);
  };
  part(0);
  with.at(1);
  const Plan first = with.plan();
  EXPECT_THAT(first.assignments, IsEmpty());
  EXPECT_THAT(first.deferrals, SizeIs(2));
  EXPECT_THAT(first.deferrals, Each(::testing::Field(&Deferral::reason, DeferralReason::waits_for_peers)));
  EXPECT_EQ(first.replan_after, seconds(0.5));
  part(1);
  with.at(2);
  EXPECT_THAT(with.plan().assignments, IsEmpty());
  with.at(2.5);
  EXPECT_EQ(zones_of(with, with.step()), (Zones{{b, 4}}));
}

TEST_F(ThreeZones, TheFirstStartsWhereTheOthersWillFindRoomAndItIsKeptForThem) {
  Case with = with_room({5}, {4}, {5}, hurry);
  add(with, {.tasks = 1, .expected = 5});
  with.at(2);
  EXPECT_EQ(zones_of(with, with.step()), (Zones{{c, 1}}));
  with.add({.arrival = 2, .maps = 12, .cpu = 1000});
  EXPECT_EQ(zones_of(with, with.plan().assignments).count(c), 0u);
  add(with, {.tasks = 4, .expected = 5, .arrived = 2});
  Zones peers;
  for (const Assignment& assignment : with.plan().assignments)
    if (with.state.snapshot().tasks[assignment.task].job == JobId(2))
      ++peers[with.state.snapshot().nodes[assignment.node].zone];
  EXPECT_EQ(peers, (Zones{{c, 4}}));
}

TEST_F(ThreeZones, RoomIsKeptForABoundedTime) {
  Case with = with_room({5}, {4}, {5}, hurry);
  add(with, {.tasks = 1, .expected = 5});
  with.at(2);
  with.step();
  with.add({.arrival = 2, .maps = 13, .cpu = 1000});
  with.at(121);
  EXPECT_EQ(zones_of(with, with.plan().assignments)[c], 4);
}

TEST_F(ThreeZones, NoRoomIsKeptOnceNoMoreCome) {
  Case with = with_room({5}, {4}, {5}, hurry);
  const JobId peers = add(with, {.tasks = 3, .expected = 5});
  with.at(2);
  ASSERT_EQ(zones_of(with, with.step()), (Zones{{c, 3}}));
  with.state.apply(NoMorePeers{WholeJobId(0)});
  with.state.apply(TaskWithdrawn{with.task(peers, 0)});
  with.add({.arrival = 2, .maps = 12, .cpu = 1000});
  EXPECT_EQ(zones_of(with, with.plan().assignments)[c], 3) << "beside the two that are left";
}

TEST_F(ThreeZones, NoneStartsWhereNotAllCanAndOthersDoNotWaitForThem) {
  Case with = with_room({4}, {4}, {4});
  const JobId busy = with.add({.maps = 10, .cpu = 1e5});
  with.step();
  add(with, {.tasks = 4});
  EXPECT_THAT(with.step(), IsEmpty()) << "two slots are free";
  with.add({.maps = 2, .cpu = 10});
  EXPECT_THAT(with.step(), SizeIs(2));
  for (std::uint32_t i = 0; i < 10; ++i) with.finish(with.task(busy, i));
  EXPECT_EQ(zones_of(with, with.step()).size(), 1u);
}

TEST_F(ThreeZones, FreedRoomIsKeptForAJobThatWillFitSoon) {
  Case with = with_room({}, {4}, {});
  const JobId busy = with.add({.maps = 4, .cpu = 60});
  with.step();
  with.at(10);
  add(with, {.tasks = 4, .arrived = 10});
  with.finish(with.task(busy, 0));
  with.add({.arrival = 11, .maps = 1, .cpu = 1});
  EXPECT_THAT(with.step(), IsEmpty());
  for (std::uint32_t i = 1; i < 4; ++i) with.finish(with.task(busy, i));
  EXPECT_EQ(zones_of(with, with.step()), (Zones{{b, 4}}));
}

TEST_F(ThreeZones, TwoJobsOfWhichOneFitsStartOneAfterTheOther) {
  Case with = with_room({}, {4}, {});
  const JobId first = add(with, {.tasks = 3, .whole = WholeJobId(0)});
  const JobId second = add(with, {.tasks = 3, .whole = WholeJobId(1)});
  EXPECT_THAT(with.step(), SizeIs(3));
  EXPECT_THAT(with.step(), IsEmpty());
  for (std::uint32_t i = 0; i < 3; ++i) with.finish(with.task(first, i));
  const std::vector<Assignment> started = with.step();
  ASSERT_THAT(started, SizeIs(3));
  EXPECT_EQ(started.front().task, with.task(second, 0));
}

TEST_F(ThreeZones, ExecutorsGetTheRoomThatWasKeptForThemThoughAnotherApplicationHasWaitedForLonger) {
  Case with = with_room({}, {5}, {});
  const JobArrived driver = driver_of(with, 5);
  with.state.apply(driver);
  with.at(2);
  ASSERT_THAT(with.step(), SizeIs(1));
  JobArrived other = driver_of(with, 5);
  other.job.arrival = other.job.whole.arrived = TimePoint(seconds(3));
  other.job.whole.id = WholeJobId(1);
  with.state.apply(other);
  with.at(8);
  EXPECT_THAT(with.step(), IsEmpty());
  add(with, {.tasks = 4, .expected = 5, .arrived = 8});
  with.at(9);
  EXPECT_EQ(zones_of(with, with.plan().assignments), (Zones{{b, 4}}));
}

TEST_F(ThreeZones, WhereNoZoneIsLargeEnoughTheLeastCrosses) {
  Case with = with_room({3}, {2}, {4});
  add(with, {.tasks = 6});
  const Plan plan = with.plan();
  EXPECT_EQ(zones_of(with, plan.assignments), (Zones{{c, 4}, {b, 2}}));
  EXPECT_EQ(plan.account.jobs_apart, 1u);
  EXPECT_THAT(validate_single_wave(with.state.snapshot(), plan), IsEmpty());
}

TEST_F(ThreeZones, AJobLargerThanTheClusterStartsWithAsManyAsFit) {
  Case with = with_room({3}, {2}, {4});
  add(with, {.tasks = 20});
  EXPECT_THAT(with.plan().assignments, SizeIs(9));
}

TEST_F(ThreeZones, ExpectedTasksThatNoZoneHoldsHoldNobodyBack) {
  Case with = with_room({4}, {4}, {6});
  add(with, {.tasks = 5, .expected = 100});
  with.at(2);
  EXPECT_EQ(zones_of(with, with.plan().assignments), (Zones{{c, 5}}));
}

TEST_F(ThreeZones, APoolsMaximumHolds) {
  ClusterBuilder builder(1);
  builder.start.pools[PoolId(0)].maximum = Cores(3);
  builder.node({.slots = 100, .cpu = 8});
  Case with("lips", builder, by_use(), exchange_price);
  const JobId one = with.add({.maps = 1, .cpu = 1000});
  with.step();
  add(with, {.tasks = 3});
  const Plan plan = with.plan();
  EXPECT_THAT(plan.assignments, IsEmpty());
  EXPECT_THAT(plan.deferrals, Each(::testing::Field(&Deferral::reason, DeferralReason::pool_maximum)));
  with.finish(with.task(one, 0));
  EXPECT_THAT(with.plan().assignments, SizeIs(3));
}

// ---- beside every way to divide the tasks among the zones ----

struct Instance {
  ClusterBuilder builder{3};
  std::vector<int> running;  // peers, by zone
  int tasks = 0, shuffle = 0;
};

Instance random_instance(std::uint64_t seed) {
  Random random(seed);
  Instance instance;
  for (std::uint32_t zone = 0; zone < 3; ++zone) {
    for (std::uint64_t node = 0; node < 1 + random.below(3); ++node)
      instance.builder.node({.zone = ZoneId(zone),
                             .price = 1e-5 * static_cast<double>(1 + random.below(8)),
                             .slots = 100,
                             .cpu = 0.5 * static_cast<double>(1 + random.below(9))});
    instance.running.push_back(random.below(4) == 0 ? 1 : 0);
  }
  instance.tasks = 1 + static_cast<int>(random.below(6));
  instance.shuffle = static_cast<int>(random.below(4) == 0 ? 0 : 1 << random.below(14));
  return instance;
}

// USD of so many tasks in a zone on its cheapest free cores; none where they find no room.
std::optional<double> usd_in(const ClusterSnapshot& cluster, ZoneId zone, int tasks, double work) {
  std::vector<double> prices;
  for (const NodeId node : cluster.nodes.ids())
    if (cluster.nodes[node].zone == zone)
      for (double left = cluster.free[node].cpu.value(); left >= 1 - 1e-9; --left)
        prices.push_back(cluster.nodes[node].cpu_price.value());
  if (std::ssize(prices) < tasks) return std::nullopt;
  std::sort(prices.begin(), prices.end());
  double usd = 0;
  for (int i = 0; i < tasks; ++i) usd += work * prices[static_cast<std::size_t>(i)];
  return usd;
}

TEST(Peers, StartWhereAnExhaustiveSearchOverZonesPutsThem) {
  int whole = 0, apart = 0;
  constexpr double work = 100;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Instance instance = random_instance(seed);
    Case with("lips", instance.builder, by_use(), exchange_price);
    const auto arrive = [&](int tasks) {
      JobArrived arrived =
          job(with.state.snapshot(), {.maps = tasks, .cpu = work, .shuffle = double(instance.shuffle)});
      arrived.job.whole.id = WholeJobId(0);
      arrived.job.whole.peers = true;
      with.state.apply(arrived);
    };
    double all = instance.tasks;
    for (std::uint32_t zone = 0; zone < 3; ++zone)
      for (const NodeId node : with.state.snapshot().nodes.ids())
        if (instance.running[zone] == 1 && with.state.snapshot().nodes[node].zone == ZoneId(zone) &&
            with.state.snapshot().free[node].cpu >= Cores(1)) {
          arrive(1);
          const TaskId task(static_cast<std::uint32_t>(with.state.snapshot().tasks.size() - 1));
          ASSERT_TRUE(with.state.assume({task, node, {}, {}}));
          ++all;
          break;
        }
    arrive(instance.tasks);
    with.at(1000);
    const ClusterSnapshot& cluster = with.state.snapshot();
    std::array<double, 3> running{};
    for (const RunningTask& run : cluster.running) ++running[cluster.nodes[run.node].zone.index()];
    const auto exchange = [&](const std::array<int, 3>& tasks) {
      double stays = 0;
      for (std::size_t zone = 0; zone < 3; ++zone) stays += std::pow((running[zone] + tasks[zone]) / all, 2);
      return instance.shuffle * exchange_price.value() * (1 - stays);
    };
    double least = 1e300;
    for (int in_a = 0; in_a <= instance.tasks; ++in_a)
      for (int in_b = 0; in_a + in_b <= instance.tasks; ++in_b) {
        const std::array<int, 3> tasks{in_a, in_b, instance.tasks - in_a - in_b};
        double usd = exchange(tasks);
        for (std::uint32_t zone = 0; zone < 3; ++zone) {
          const std::optional<double> cpu = usd_in(cluster, ZoneId(zone), tasks[zone], work);
          usd += cpu.value_or(1e300);
        }
        least = std::min(least, usd);
      }
    if (least > 1e200) continue;  // they do not all fit now
    const Plan plan = with.plan();
    ASSERT_EQ(plan.assignments.size(), static_cast<std::size_t>(instance.tasks));
    std::array<int, 3> tasks{};
    double usd = 0;
    for (const Assignment& assignment : plan.assignments) {
      ++tasks[cluster.nodes[assignment.node].zone.index()];
      usd += work * cluster.nodes[assignment.node].cpu_price.value();
    }
    EXPECT_NEAR(usd + exchange(tasks), least, 1e-9 + 1e-9 * least);
    ++(plan.account.jobs_apart > 0 ? apart : whole);
    if (HasFailure()) return;
  }
  EXPECT_GT(whole, 150);
  EXPECT_GT(apart, 30);
}

}  // namespace
}  // namespace lips::testing
