// Nodes that are ordered for jobs of peers: for all of one or for none of it.
#include "policies/lips/gangs/gang_orders.h"

#include <map>

#include "model/validate_plan.h"
#include "tests/policies/case.h"
#include "tests/policies/elastic_builder.h"

namespace lips::testing {
namespace {

using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr ZoneId here{0}, there{1};
constexpr double keep_room = 120, boot = 40;  // seconds; as the settings and the builder have them

// Four-core nodes at 0.4 USD an hour in one zone and 0.3 in the other; all tasks are of one core.
struct NewNodes : ::testing::Test {
  ElasticBuilder builder{2};
  OfferId in_here, in_there;

  void offers(std::uint32_t left = 1000) {
    in_here = builder.offer(here, 0.4, left), in_there = builder.offer(there, 0.3, left);
  }
  static Case case_of(const ElasticBuilder& builder) {
    PolicySettings settings;
    settings.lips.settle = std::chrono::milliseconds(1500);  // what the times below assume
    settings.lips.waiting_per_job = 0;
    return {"lips", builder, settings, UsdPerMebibyte(2e-5)};
  }
  static JobId add(Case& with, int tasks, std::uint32_t expected, bool driver, double arrived = 0) {
    JobArrived made = job(with.state.snapshot(), {.arrival = arrived, .maps = tasks, .cpu = 1000, .shuffle = 1000});
    made.job.coordinates = driver;
    WholeJob& whole = made.job.whole;
    whole.id = WholeJobId(0);
    whole.peers = true;
    whole.maps = whole.expected = expected;
    whole.each = {Cores(1), Mebibytes(100), 1};
    whole.arrived = TimePoint(seconds(arrived));
    with.state.apply(made);
    return JobId(static_cast<std::uint32_t>(with.state.snapshot().jobs.size() - 1));
  }
  // A plan that is valid, and for how many tasks it orders nodes of each offer.
  static std::map<OfferId, std::uint32_t> ordered(Case& with, Plan* made = nullptr) {
    Plan plan = with.plan();
    EXPECT_THAT(validate_single_wave(with.state.snapshot(), plan), IsEmpty());
    std::map<OfferId, std::uint32_t> counts;
    for (const NodeRequest& request : plan.node_requests.value_or(std::vector<NodeRequest>()))
      counts[request.offer] += std::max(1u, request.to_come);
    if (made) *made = std::move(plan);
    return counts;
  }
  using Ordered = std::map<OfferId, std::uint32_t>;
  static NodeId boots(Case& with, ZoneId zone) {
    for (const NodeId node : with.state.snapshot().nodes.ids()) {
      const Node& booted = with.state.snapshot().nodes[node];
      if (booted.zone != zone || booted.schedulable || is_offer(with, node)) continue;
      Node now = booted;
      now.schedulable = true;
      with.state.apply(NodeChanged{node, now});
      return node;
    }
    ADD_FAILURE() << "no such node";
    return NodeId::none();
  }
  static bool is_offer(const Case& with, NodeId node) {
    const auto& offers = with.state.snapshot().offers;
    return std::any_of(offers.begin(), offers.end(), [&](const Offer& offer) { return offer.like == node; });
  }
  // Not there yet.
  void to_boot(ZoneId zone, int nodes) {
    for (int i = 0; i < nodes; ++i) builder.start.nodes[builder.elastic_node(zone, 0.3)].schedulable = false;
  }
};

TEST_F(NewNodes, AreOrderedForADriverAndItsExecutorsInOneZoneBeforeItStarts) {
  offers();
  const NodeId node = builder.elastic_node(here, 0.4);
  Case with = case_of(builder);
  const JobId busy = with.add({.maps = 3, .cpu = 1e5});
  for (std::uint32_t i = 0; i < 3; ++i) ASSERT_TRUE(with.state.assume({with.task(busy, i), node, {}, {}}));
  const JobId driver = add(with, 1, 9, true);
  with.at(2);
  Plan plan;
  EXPECT_EQ(ordered(with, &plan), (Ordered{{in_there, 9}}));
  EXPECT_THAT(plan.assignments, IsEmpty()) << "one slot is free, but not for the eight others";
  ASSERT_THAT(plan.deferrals, SizeIs(1));
  EXPECT_EQ(plan.deferrals.front().task, with.task(driver, 0));
  EXPECT_EQ(plan.deferrals.front().reason, DeferralReason::waits_for_node);
}

// The tasks run for 1,000 s.
TEST_F(NewNodes, ThatTheCloudWouldTakeBackAreOrderedWhereThatIsCheaperAllTheSame) {
  for (const double an_hour : {1, 12}) {
    builder = ElasticBuilder(2);
    offers();
    const OfferId spot = builder.offer(there, 0.12);
    builder.start.offers[spot].interruptions = an_hour;
    builder.start.nodes[builder.start.offers[spot].like].capacity_type = CapacityType::spot;
    Case with = case_of(builder);
    add(with, 8, 8, false);
    with.at(2);
    EXPECT_EQ(ordered(with), (Ordered{{an_hour < 10 ? spot : in_there, 8}})) << an_hour;
  }
}

// Without it the whole application starts anew. It runs for 1,000 s; interruptions of an executor are rare.
TEST_F(NewNodes, OfADriverAreSafeWhereThatCostsLessThanWhatHangsOnIt) {
  for (const auto& [executors, an_hour] : {std::pair{8U, 0.05}, {200U, 0.05}, {8U, 0.5}, {200U, 0.5}}) {
    builder = ElasticBuilder(1);
    const OfferId safe = builder.offer(here, 0.4), spot = builder.offer(here, 0.12);
    builder.start.offers[spot].interruptions = an_hour;
    builder.start.nodes[builder.start.offers[spot].like].capacity_type = CapacityType::spot;
    Case with = case_of(builder);
    add(with, 1, 1 + executors, true);
    with.at(2);
    // A node of four cores is dearer by 0.28 USD an hour, whoever uses it. What is lost: half of what was done.
    const double lost = an_hour * 1000 / 3600 / 2 * (1 + executors) * 0.12 / 4;
    const bool expected = lost > 0.28;
    Ordered wanted = expected ? Ordered{{safe, 4}, {spot, executors - 3}} : Ordered{{spot, executors + 1}};
    EXPECT_EQ(ordered(with), wanted) << executors << " executors, " << an_hour << " an hour: " << lost;
  }
}

// On nodes that are there, each with room for four.
TEST_F(NewNodes, TheDriverTakesTheSaferOfTwoThatAreThereWhereMuchHangsOnIt) {
  for (const std::uint32_t executors : {0U, 7U}) {
    builder = ElasticBuilder(1);
    const OfferId spot = builder.offer(here, 0.36, 0);
    builder.start.offers[spot].interruptions = 0.5;
    builder.start.nodes[builder.start.offers[spot].like].capacity_type = CapacityType::spot;
    const NodeId risky = builder.elastic_node(here, 0.36), safe = builder.elastic_node(here, 0.4);
    builder.start.nodes[risky].capacity_type = CapacityType::spot;
    Case with = case_of(builder);
    const JobId driver = add(with, 1, 1 + executors, true);
    with.at(2);
    const std::vector<Assignment> assigned = with.plan().assignments;
    ASSERT_THAT(assigned, SizeIs(1));
    EXPECT_EQ(assigned[0].task, with.task(driver, 0));
    EXPECT_EQ(assigned[0].node, executors > 0 ? safe : risky);
  }
}

// Those that run only together lose all with any of them.
TEST_F(NewNodes, OfAGangAreSafeWhereAllIsLostWithOne) {
  for (const std::uint32_t gang : {0U, 40U}) {
    builder = ElasticBuilder(1);
    const OfferId safe = builder.offer(here, 0.2), spot = builder.offer(here, 0.12);
    builder.start.offers[spot].interruptions = 0.3;
    builder.start.nodes[builder.start.offers[spot].like].capacity_type = CapacityType::spot;
    Case with = case_of(builder);
    JobArrived made = job(with.state.snapshot(), {.maps = 40, .cpu = 1000, .shuffle = 1000});
    WholeJob& whole = made.job.whole;
    whole.id = WholeJobId(0), whole.peers = true;
    whole.maps = whole.expected = 40, whole.gang = gang;
    with.state.apply(made);
    with.at(2);
    EXPECT_EQ(ordered(with), (Ordered{{gang > 0 ? safe : spot, 40}}));
  }
}

TEST_F(NewNodes, AreKeptUntilAllAreThere) {
  offers();
  to_boot(there, 3);
  Case with = case_of(builder);
  const JobId driver = add(with, 1, 9, true);
  with.at(2);
  EXPECT_EQ(ordered(with), (Ordered{{in_there, 9}}));
  with.at(40);
  boots(with, there);
  boots(with, there);
  EXPECT_EQ(ordered(with), (Ordered{{in_there, 9}})) << "the autoscaler would take empty nodes back";
  with.add({.arrival = 41, .maps = 1, .cpu = 1});
  EXPECT_THAT(with.plan().assignments, IsEmpty()) << "the room is the application's";
  boots(with, there);
  EXPECT_THAT(with.step(), ::testing::Contains(Field(&Assignment::task, with.task(driver, 0))));
  with.at(43);
  const JobId executors = add(with, 8, 9, false, 43);
  std::size_t beside = 0;
  for (const Assignment& assignment : with.plan().assignments)
    beside += with.state.snapshot().tasks[assignment.task].job == executors &&
              with.state.snapshot().nodes[assignment.node].zone == there;
  EXPECT_EQ(beside, 8u);
}

TEST_F(NewNodes, AreKeptForTheExecutorsFromTheStartOfTheirDriverForABoundedTime) {
  offers();
  to_boot(there, 3);
  Case with = case_of(builder);
  add(with, 1, 9, true);
  constexpr double start = keep_room + boot - 1;
  with.at(start);
  for (int i = 0; i < 3; ++i) boots(with, there);
  Plan plan;
  EXPECT_EQ(ordered(with, &plan), (Ordered{{in_there, 8}})) << "for the others";
  ASSERT_THAT(plan.assignments, SizeIs(1));
  with.step();
  with.at(start + 1);
  EXPECT_EQ(ordered(with), (Ordered{{in_there, 8}})) << "though nothing is pending";
  with.at(start + keep_room - 2);
  EXPECT_EQ(ordered(with, &plan), (Ordered{{in_there, 8}}));
  EXPECT_EQ(plan.replan_after, seconds(2));
  with.add({.arrival = start, .maps = 11, .cpu = 10});
  EXPECT_THAT(with.plan().assignments, SizeIs(3)) << "eight of twelve slots are kept, one is the driver's";
  with.at(start + keep_room + 1);
  EXPECT_THAT(ordered(with, &plan), IsEmpty());
  EXPECT_THAT(plan.assignments, SizeIs(11));
}

TEST_F(NewNodes, ThatDoNotComeAreGivenUpForAsLongAsTheyWereAwaited) {
  offers();
  to_boot(there, 1);
  Case with = case_of(builder);
  const JobId driver = add(with, 1, 9, true);
  constexpr double turn = keep_room + boot;
  with.at(1);
  boots(with, there);
  with.add({.arrival = 1, .maps = 1, .cpu = 10});
  with.at(turn - 1);
  Plan plan;
  EXPECT_GE(ordered(with, &plan)[in_there], 9u);
  EXPECT_EQ(plan.replan_after, seconds(1));
  with.at(turn + 1);
  EXPECT_THAT(ordered(with, &plan), IsEmpty());
  ASSERT_THAT(plan.assignments, SizeIs(1)) << "the room is others' again";
  EXPECT_NE(plan.assignments.front().task, with.task(driver, 0)) << "and the driver does not start without the others";
  with.at(2 * turn + 1);
  EXPECT_GE(ordered(with, &plan)[in_there], 9u);
}

TEST_F(NewNodes, AreOrderedForThoseThatFindNoRoomOnNodesThatStay) {
  offers();
  const NodeId stays = builder.node({.zone = there, .price = 1e-6, .slots = 4, .cpu = 4});
  Case with = case_of(builder);
  add(with, 1, 9, true);
  with.at(2);
  EXPECT_EQ(ordered(with), (Ordered{{in_there, 5}}));
  with.add({.arrival = 2, .maps = 4, .cpu = 10});
  for (const Assignment& assignment : with.plan().assignments) EXPECT_NE(assignment.node, stays);
}

TEST_F(NewNodes, AreOrderedForExecutorsThatAreThereInOneZone) {
  offers();
  builder.elastic_node(here, 0.4);
  Case with = case_of(builder);
  const JobId executors = add(with, 8, 8, false);
  with.at(2);
  Plan plan;
  const Ordered counts = ordered(with, &plan);
  EXPECT_THAT(plan.assignments, IsEmpty());
  EXPECT_THAT(counts, SizeIs(1)) << "one zone";
  EXPECT_THAT(plan.deferrals, SizeIs(8));
  for (const NodeRequest& request : *plan.node_requests)
    EXPECT_EQ(with.state.snapshot().tasks[request.task].job, executors);
}

TEST_F(NewNodes, AreNotOrderedForCheaperCpuWhereOneZoneHasRoomForAll) {
  offers();
  builder.elastic_node(here, 0.4);
  Case with = case_of(builder);
  add(with, 1, 4, true);
  with.at(2);
  Plan plan;
  EXPECT_EQ(ordered(with, &plan), (Ordered{{in_here, 3}})) << "which the node that is there holds";
  EXPECT_THAT(plan.assignments, SizeIs(1)) << "though nodes are cheaper in the other zone";
}

TEST_F(NewNodes, OfSeveralShapesHoldTasksOfSeveralSizes) {
  offers(2);
  const NodeId like = builder.start.offers[in_there].like;
  builder.start.nodes[like].capacity.cpu = Cores(3);
  Case with = case_of(builder);
  add(with, 7, 7, false);
  with.at(2);
  EXPECT_EQ(ordered(with), (Ordered{{in_here, 7}})) << "two nodes of three cores do not hold seven";
}

TEST_F(NewNodes, AreNoMoreThanALimitLeavesToAllGangsTogether) {
  offers();
  builder.limit_to({.nodes = 3});
  Case with = case_of(builder);
  add(with, 7, 7, false);
  JobArrived second = job(with.state.snapshot(), {.maps = 8, .cpu = 1000});
  second.job.whole = with.state.snapshot().jobs[JobId(0)].whole;
  second.job.whole.id = WholeJobId(1);
  second.job.whole.maps = second.job.whole.expected = 8;
  with.state.apply(second);
  with.at(2);
  Ordered tasks = ordered(with);
  EXPECT_EQ(tasks, (Ordered{{in_there, 7 + 4}}))
      << "of the other gang, for which two are not left, what one node holds";
}

TEST_F(NewNodes, ThatNoZoneCanHaveEnoughOfHoldNobodyBack) {
  offers(1);
  builder.elastic_node(here, 0.4);
  Case with = case_of(builder);
  const JobId driver = add(with, 1, 100, true);
  with.at(2);
  const Plan plan = with.plan();
  ASSERT_THAT(plan.assignments, SizeIs(1));
  EXPECT_EQ(plan.assignments.front().task, with.task(driver, 0));
}

// Three tasks of 1,000 s that start together and read as much each. One zone has room for them; in the other lies
// what they read, and a node of four cores can be ordered.
struct BesideTheirData : NewNodes {
  static constexpr int tasks = 3;
  static constexpr double work = 1000;
  Case reading(double mebibytes) {
    offers();
    builder.elastic_node(here, 0.4);
    to_boot(there, 1);
    const BlockId far = builder.block_in({builder.volume(there)}, mebibytes);
    Case with = case_of(builder);
    JobArrived made = job(with.state.snapshot(), {.blocks = {far, far, far}, .cpu = work, .shuffle = 1000});
    WholeJob& whole = made.job.whole;
    whole.id = WholeJobId(0);
    whole.peers = true;
    whole.maps = whole.expected = tasks;
    with.state.apply(made);
    with.at(2);
    return with;
  }
  // Twice what the node in the other zone costs from its launch to its end, and the wait for it, as reads of a task.
  double break_even() const {
    constexpr double idle = 20, dollars_per_mebibyte = 2e-5;
    const double node = 0.3 * (boot + work + idle) / 3600, wait = tasks * work * boot / 3600 * (0.4 / 4 / 3600);
    return (2 * node + wait) / (tasks * dollars_per_mebibyte);
  }
  static std::map<ZoneId, int> zones_of(const Case& with, const Plan& plan) {
    std::map<ZoneId, int> zones;
    for (const Assignment& assignment : plan.assignments) ++zones[with.state.snapshot().nodes[assignment.node].zone];
    return zones;
  }
  using Zones = std::map<ZoneId, int>;
};

TEST_F(BesideTheirData, NodesAreOrderedThoughAnotherZoneHasRoomIfAllOfTheirSecondsCostLessThanHalfOfTheReads) {
  Plan plan;
  {
    Case with = reading(break_even() * 1.02);
    EXPECT_EQ(ordered(with, &plan), (Ordered{{in_there, 3}}));
    EXPECT_THAT(plan.assignments, IsEmpty());
    boots(with, there);
    EXPECT_EQ(zones_of(with, with.plan()), (Zones{{there, 3}}));
  }
  builder = ElasticBuilder(2);
  Case with = reading(break_even() * 0.98);
  EXPECT_THAT(ordered(with, &plan), IsEmpty());
  EXPECT_EQ(zones_of(with, plan), (Zones{{here, 3}}));
}

TEST_F(BesideTheirData, TasksStartInTheOtherZoneIfTheNodesDoNotCome) {
  Case with = reading(break_even() * 10);
  with.at(keep_room + boot - 1);
  Plan plan;
  EXPECT_EQ(ordered(with, &plan), (Ordered{{in_there, 3}}));
  EXPECT_EQ(plan.replan_after, seconds(1));
  with.at(keep_room + boot + 1);
  EXPECT_THAT(ordered(with, &plan), IsEmpty());
  EXPECT_EQ(zones_of(with, plan), (Zones{{here, 3}}));
}

}  // namespace
}  // namespace lips::testing
