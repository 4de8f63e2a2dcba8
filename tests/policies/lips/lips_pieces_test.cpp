// Classes, commodities, the form's conditions, rounding and packing of the default planner, each on clusters made by
// hand.
#include "base/random.h"
#include "policies/lips/demand/data_costs.h"
#include "tests/policies/lips/lips_case.h"
#include "tests/policies/lips/prices.h"

namespace lips {
namespace {

using testing::Case;
using testing::ClusterBuilder;
using ::testing::ElementsAre;
using testing::Model;
using testing::one_time_slot;

TimeSlotSettings two_time_slots(bool stretch) {
  TimeSlotSettings time_slots;
  time_slots.edges = {Duration(0), seconds(100), seconds(300)};
  time_slots.stretch_first = stretch;
  return time_slots;
}

TEST(NodeClasses, OfferFreeSlotsInEveryTimeSlotAndRunningOnesFromTheirEnd) {
  ClusterBuilder builder;
  const NodeId node = builder.node({.slots = 3, .cpu = 3, .memory = 300});
  Case test("lips", builder);
  const JobId running = test.add({.maps = 1, .cpu = 150, .cores = 2, .memory = 200});
  ASSERT_TRUE(test.state.assume({test.task(running, 0), node, {}, {}}));  // 75 s
  const NodeClasses classes = make_classes(test.state.snapshot(), two_time_slots(false));
  ASSERT_EQ(classes.classes.size(), 1u);
  EXPECT_NEAR(classes.steps[ClassId(0)][0].work, 1 * 100 + 2 * 25, 1e-6);
  EXPECT_NEAR(classes.steps[ClassId(0)][1].work, 3 * 200, 1e-6);
  EXPECT_NEAR(classes.steps[ClassId(0)][0].memory, 100 * 100 + 200 * 25, 1e-6);
  EXPECT_NEAR(classes.steps[ClassId(0)][0].slots, 2 * 100 + 1 * 25, 1e-6);
}

TEST(NodeClasses, OfferInEachTimeSlotWhatFreeRoomAndEachRunningTaskLeaveOfIt) {
  const TimeSlotSettings time_slots{.edges = {Duration(0), seconds(60), seconds(150), seconds(400), seconds(1000)},
                                    .stretch_first = false};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(derive_seed(seed, 1));
    ClusterBuilder builder;
    for (int n = 0; n < 4; ++n) builder.node({.price = 1.0 + n % 2, .slots = 6, .cpu = 8, .memory = 4000});
    Case test("lips", builder);
    for (int n = 0; n < 12; ++n) {
      const JobId job = test.add({.maps = 1, .cpu = random.uniform(1, 1500), .cores = random.uniform(0.1, 2)});
      const NodeId node(static_cast<std::uint32_t>(random.below(4)));
      if (test.state.snapshot().free[node].slots > 0 && test.state.snapshot().free[node].cpu >= Cores(2))
        test.state.assume({test.task(job, 0), node, {}, {}});
      if (random.below(3) == 0) test.at(to_seconds(test.state.snapshot().now.time_since_epoch()) + 20);
    }
    const ClusterSnapshot& cluster = test.state.snapshot();
    const NodeClasses classes = make_classes(cluster, time_slots);
    for (const ClassId c : classes.classes.ids())
      for (std::size_t slot = 0; slot + 1 < time_slots.edges.size(); ++slot) {
        const double from = to_seconds(time_slots.edges[slot]), to = to_seconds(time_slots.edges[slot + 1]);
        double work = 0, slots = 0;
        for (const NodeId node : classes.classes[c].nodes) {
          work += cluster.free[node].cpu.value() * (to - from);
          slots += cluster.free[node].slots * (to - from);
        }
        for (const RunningTask& run : cluster.running) {
          if (classes.class_of[run.node] != c) continue;
          const double left = std::max(0.0, to - std::max(from, to_seconds(run.expected_end - cluster.now)));
          work += cluster.jobs[run.job].request.cpu.value() * left;
          slots += left;
        }
        EXPECT_NEAR(classes.steps[c][slot].work, work, 1e-9 * (1 + work));
        EXPECT_NEAR(classes.steps[c][slot].slots, slots, 1e-9 * (1 + slots));
      }
  }
}

// Otherwise a queue behind running tasks would pass for no wait, and nodes that could be launched for dear ones.
TEST(NodeClasses, ChargeTheWaitForWhatComesFreeInTheFirstTimeSlot) {
  ClusterBuilder builder;
  const NodeId node = builder.node({.price = 3, .slots = 3, .cpu = 3});
  Case test("lips", builder);
  for (const double work : {20.0, 80.0}) {
    const JobId running = test.add({.maps = 1, .cpu = work});
    ASSERT_TRUE(test.state.assume({test.task(running, 0), node, {}, {}}));
  }
  TimeSlotSettings time_slots = two_time_slots(false);
  time_slots.waiting_price = 2;
  time_slots.billing = Billing::invoice;
  const NodeClasses classes = make_classes(test.state.snapshot(), time_slots);
  const std::vector<CapacityStep>& steps = classes.steps[ClassId(0)];
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_NEAR(steps[0].work, 100, 1e-6) << "the free core";
  EXPECT_EQ(steps[0].waiting_price, 0);
  EXPECT_NEAR(steps[2].work, 80 + 20, 1e-6) << "one core from 20 s on, one from 80 s on";
  EXPECT_NEAR(steps[2].waiting_price, 2 * 3 * (0.8 * 20 + 0.2 * 80) / 3600, 1e-12);
  time_slots.billing = Billing::use;
  EXPECT_EQ(make_classes(test.state.snapshot(), time_slots).steps[ClassId(0)].size(), 2u);
}

TEST(NodeClasses, StretchTheFirstTimeSlotToALeastWindowAndToAMeanTask) {
  ClusterBuilder builder;
  builder.node({.slots = 1, .cpu = 1});
  Case test("lips", builder);
  EXPECT_NEAR(make_classes(test.state.snapshot(), two_time_slots(true)).now_window[ClassId(0)], 120, 1e-6);
  test.add({.maps = 2, .cpu = 500});
  EXPECT_NEAR(make_classes(test.state.snapshot(), two_time_slots(true)).now_window[ClassId(0)], 500, 1e-6);
  EXPECT_NEAR(make_classes(test.state.snapshot(), two_time_slots(false)).now_window[ClassId(0)], 100, 1e-6);
}

TEST(NodeClasses, ChargeWaitingByTheStartOfTheTimeSlot) {
  ClusterBuilder builder;
  builder.node({.price = 3});
  Case test("lips", builder);
  TimeSlotSettings time_slots = two_time_slots(false);
  time_slots.waiting_price = 2;
  const NodeClasses classes = make_classes(test.state.snapshot(), time_slots);
  EXPECT_EQ(classes.steps[ClassId(0)][0].waiting_price, 0);
  EXPECT_NEAR(classes.steps[ClassId(0)][1].waiting_price, 2 * 3 * 100 / 3600.0, 1e-12);
}

TEST(NodeClasses, JoinNodesThatNoPendingTaskTellsApart) {
  ClusterBuilder builder(2);
  builder.start.profiles.push_back({{{"host", "a"}}, {}});
  builder.node();
  builder.node({.slots = 4, .cpu = 4, .memory = 8192});  // twice as large
  builder.start.nodes[builder.node()].profile = ProfileId(1);
  builder.node({.price = 2});
  builder.node({.zone = ZoneId(1)});
  builder.node({.memory = 2048});
  builder.start.nodes[builder.node()].schedulable = false;
  builder.start.constraints.push_back({{{"host", LabelRequirement::Operator::in, {"a"}}}, {}, {}});
  Case test("lips", builder);
  const auto classes = [&] { return make_classes(test.state.snapshot(), one_time_slot()).classes.size(); };
  EXPECT_EQ(classes(), 4u);  // price, zone and memory per core
  test.add({.maps = 1, .constraint = ConstraintId(0)});
  EXPECT_EQ(classes(), 5u) << "a pending task asks for the label";
}

TEST(NodeClasses, SeparateWhatAPendingTaskAsksFor) {
  ClusterBuilder builder;
  builder.start.profiles.push_back({{{"disk", "ssd"}}, {}});
  builder.node();
  builder.start.nodes[builder.node()].profile = ProfileId(1);
  builder.node({.slots = 4, .cpu = 4, .memory = 8192});
  builder.start.constraints.push_back({{{"disk", LabelRequirement::Operator::exists, {}}}, {}, {}});
  Case test("lips", builder);
  test.add({.maps = 1});
  const auto classes = [&] { return make_classes(test.state.snapshot(), one_time_slot()).classes.size(); };
  EXPECT_EQ(classes(), 1u);
  test.add({.maps = 1, .constraint = ConstraintId(0)});
  EXPECT_EQ(classes(), 2u);
  test.add({.maps = 1, .cores = 3});
  EXPECT_EQ(classes(), 3u);
}

TEST(LipsPolicy, RunsATaskThatFitsOnlyTheLargerOfTwoNodesAlike) {
  for (const double horizon : {0.0, 600.0}) {
    ClusterBuilder builder;
    builder.node({.slots = 2, .cpu = 2, .memory = 2000});
    const NodeId large = builder.node({.slots = 8, .cpu = 8, .memory = 8000});
    PolicySettings settings;
    settings.lips.horizon = seconds(horizon);
    settings.lips.fast_path_limit = Usd(0);
    Case test("lips", builder, settings);
    const JobId job = test.add({.maps = 1, .cores = 6});
    EXPECT_THAT(test.plan().assignments, ElementsAre(testing::Runs(test.task(job, 0), large)));
  }
}

// Two zones, one node each; a block on the first.
struct Pair {
  Pair() : builder(2) {
    first = builder.node();
    second = builder.node({.zone = ZoneId(1)});
    block = builder.block({first});
  }
  Model model(Case& test, const CommoditySettings& settings = {}) const {
    return Model(test.state.snapshot(), test.costs, settings);
  }
  ClusterBuilder builder;
  NodeId first, second;
  BlockId block;
};

TEST(Commodities, MergeJobsOfEqualPrices) {
  Pair pair;
  Case test("lips", pair.builder, {}, across);
  test.add({.blocks = {pair.block}});
  test.add({.blocks = {pair.block}});
  test.add({.maps = 3});
  test.add({.maps = 2, .cpu = 20});  // no input: equal extra costs (none), whatever the work
  const Model model = pair.model(test);
  ASSERT_EQ(model.workload.commodities.size(), 2u);
  EXPECT_NEAR(model.workload.commodities[CommodityId(0)].work, 20, 1e-9);
  EXPECT_NEAR(model.workload.commodities[CommodityId(1)].work, 70, 1e-9);
}

TEST(Commodities, SeparatePoolsLinksMemoryAndSelectors) {
  Pair pair;
  pair.builder.pool();
  pair.builder.start.constraints.push_back({});
  pair.builder.start.constraints.push_back({{{"disk", LabelRequirement::Operator::exists, {}}}, {}, {}});
  Case test("lips", pair.builder, {}, across);
  test.add({.maps = 1});
  test.add({.pool = PoolId(1), .maps = 1});
  EXPECT_EQ(pair.model(test).workload.commodities.size(), 1u);
  CommoditySettings settings;
  settings.per_pool = true;
  EXPECT_EQ(pair.model(test, settings).workload.commodities.size(), 2u);
  settings = {};
  test.add({.maps = 1, .memory = 3000});
  EXPECT_EQ(pair.model(test).workload.commodities.size(), 2u);
  test.add({.maps = 1, .constraint = ConstraintId(0)});  // no requirement: merges
  EXPECT_EQ(pair.model(test).workload.commodities.size(), 2u);
  test.add({.maps = 1, .constraint = ConstraintId(1)});
  EXPECT_EQ(pair.model(test).workload.commodities.size(), 3u);
}

TEST(Commodities, ReadingByALinkKeepsItsZones) {
  ClusterBuilder builder(3);
  const NodeId a = builder.node(), b = builder.node({.zone = ZoneId(1)});
  builder.node({.zone = ZoneId(2)});
  const BlockId in_a = builder.block({a}), in_b = builder.block({b});
  Case test("lips", builder, {}, UsdPerMebibyte(0));
  test.add({.blocks = {in_a}});
  test.add({.blocks = {in_b}});
  CommoditySettings settings;
  EXPECT_EQ(Model(test.state.snapshot(), test.costs, settings).workload.commodities.size(), 1u);
  settings.links = true;
  EXPECT_EQ(Model(test.state.snapshot(), test.costs, settings).workload.commodities.size(), 2u);
}

TEST(Commodities, PriceTransferByTaskOfWork) {
  Pair pair;
  Case test("lips", pair.builder, {}, across);
  test.add({.blocks = {pair.block}, .cpu = 10});
  const Model model = pair.model(test);
  EXPECT_THAT(model.workload.commodities[CommodityId(0)].non_cpu_cost, ElementsAre(0, 64 * 0.01 / 10));
}

TEST(Commodities, PriceAReduceByWhereMapOutputLies) {
  Pair pair;
  Case test("lips", pair.builder, {}, across);
  const JobId job = test.add({.maps = 2, .reduces = 2, .shuffle = 100});
  ASSERT_TRUE(test.state.assume({test.task(job, 0), pair.first, {}, {}}));
  ASSERT_TRUE(test.state.assume({test.task(job, 1), pair.first, {}, {}}));
  test.finish(test.task(job, 0));
  test.finish(test.task(job, 1));
  const ClusterSnapshot& cluster = test.state.snapshot();
  ReadPrices reads(test.costs, cluster.zones.size());
  ByZone usd;
  for (const TaskGroup& group : cluster.groups[job])
    if (group.count > 0) non_cpu_costs(cluster, reads, cluster.jobs[job], group, ZoneId::none(), usd);
  EXPECT_THAT(usd, ElementsAre(0, 50 * 0.01));
}

TEST(Commodities, ChargeAMapAwayFromHomeItsShareOfTheShuffleAsAPreference) {
  Pair pair;
  Case test("lips", pair.builder, {}, across);
  const JobId job = test.add({.maps = 4, .reduces = 1, .cpu = 10, .shuffle = 100});
  JobMemory memory;
  memory.home = ZoneId(1);
  memory.home_decided = true;
  test.state.remember({job, memory});
  const Model model = pair.model(test);
  EXPECT_THAT(model.workload.commodities[CommodityId(0)].non_cpu_cost, ElementsAre(25 * 0.01 / 10, 0));
  EXPECT_THAT(model.workload.commodities[CommodityId(0)].virtual_cost, ElementsAre(25 * 0.01 / 10, 0));
}

TEST(Commodities, DiscountACopyThatOthersWillRead) {
  Pair pair;
  Case test("lips", pair.builder, {}, across);
  for (int jobs = 0; jobs < 5; ++jobs) test.add({.blocks = {pair.block}, .cpu = 10});
  CommoditySettings settings;
  settings.copies = CopyPricing::shared_price;
  EXPECT_NEAR(pair.model(test, settings).workload.commodities[CommodityId(0)].non_cpu_cost[ZoneId(1)], 0.064 / 3, 1e-12)
      << "at most two others count";
  settings.copies = CopyPricing::fair_share;
  EXPECT_NEAR(pair.model(test, settings).workload.commodities[CommodityId(0)].non_cpu_cost[ZoneId(1)], 0.064 / 5,
              1e-12);
}

TEST(SharedData, IsWhatSeveralPortionsReadInFull) {
  ClusterBuilder builder(2);
  const NodeId node = builder.node();
  const BlockId a = builder.block({node}), b = builder.block({node}), c = builder.block({node}),
                d = builder.block({node});
  Case test("lips", builder);
  test.add({.blocks = {a, b}});
  test.add({.blocks = {a, b}});
  test.add({.blocks = {c, d}});
  test.add({.blocks = {d}});
  const SharedData shared(test.state.snapshot());
  ASSERT_EQ(shared.objects().size(), 1u);
  EXPECT_EQ(shared.objects()[SharedObjectId(0)].size, Mebibytes(128));
  EXPECT_EQ(shared.object(JobId(0), 0), SharedObjectId(0));
  EXPECT_EQ(shared.object(JobId(1), 0), SharedObjectId(0));
  EXPECT_EQ(shared.object(JobId(2), 0), SharedObjectId::none()) << "it shares one block of two";
  EXPECT_EQ(shared.fair_share(JobId(2), 0), 0.5);
  EXPECT_EQ(shared.fair_share(JobId(0), 0), 0.5);
}

TEST(ZoneForm, HoldsWhereOnlyCpuBinds) {
  Pair pair;
  Case test("lips", pair.builder, {}, across);
  test.add({.blocks = {pair.block}, .memory = 2048});
  EXPECT_TRUE(zone_form_holds(pair.model(test).workload));
}

TEST(ZoneForm, DoesNotHoldForASelectorThatSomeNodeFails) {
  Pair pair;
  pair.builder.start.profiles.push_back({{{"disk", "ssd"}}, {}});
  pair.builder.start.nodes[pair.second].profile = ProfileId(1);
  pair.builder.start.constraints.push_back({{{"disk", LabelRequirement::Operator::exists, {}}}, {}, {}});
  Case test("lips", pair.builder, {}, across);
  test.add({.maps = 1, .constraint = ConstraintId(0)});
  EXPECT_FALSE(zone_form_holds(pair.model(test).workload));
}

TEST(ZoneForm, DoesNotHoldForMoreMemoryPerCoreThanANodeHas) {
  Pair pair;
  Case test("lips", pair.builder, {}, across);
  test.add({.maps = 1, .memory = 2049});
  EXPECT_FALSE(zone_form_holds(pair.model(test).workload));
}

TEST(ZoneForm, DoesNotHoldForMoreSlotsPerCoreThanANodeHas) {
  Pair pair;
  Case test("lips", pair.builder, {}, across);
  test.add({.maps = 1, .cores = 0.5, .memory = 10});
  EXPECT_FALSE(zone_form_holds(pair.model(test).workload));
}

TEST(ZoneForm, DoesNotHoldForReadsSlowerThanTheirWork) {
  for (const bool in_zone : {false, true}) {
    Pair pair;
    (in_zone ? pair.builder.start.network.zone_stream : pair.builder.start.network.remote_stream) =
        MebibytesPerSecond(6);
    Case test("lips", pair.builder, {}, across);
    test.add({.blocks = {pair.block}, .cpu = 10});
    EXPECT_FALSE(zone_form_holds(pair.model(test).workload)) << in_zone;
    Case longer("lips", pair.builder, {}, across);
    longer.add({.blocks = {pair.block}, .cpu = 11});
    EXPECT_TRUE(zone_form_holds(pair.model(longer).workload)) << in_zone;
  }
}

TEST(ZoneForm, DoesNotHoldForCopiesOfDataWithSeveralReaders) {
  Pair pair;
  Case test("lips", pair.builder, {}, across);
  CommoditySettings settings;
  settings.copies = CopyPricing::columns;
  test.add({.blocks = {pair.block}});
  EXPECT_TRUE(zone_form_holds(pair.model(test, settings).workload));
  test.add({.blocks = {pair.block}});
  EXPECT_FALSE(zone_form_holds(pair.model(test, settings).workload));
}

TEST(ClassForm, ChargesASlowReadItsWholeTime) {
  Pair pair;
  pair.builder.start.network.remote_stream = MebibytesPerSecond(1);
  Case test("lips", pair.builder, {}, across);
  test.add({.blocks = {pair.block}, .cpu = 16});
  const Model model = pair.model(test);
  EXPECT_NEAR(occupancy(model.cluster, model.workload.commodities[CommodityId(0)], model.classes.classes[ClassId(0)]),
              1, 1e-12);
  EXPECT_NEAR(occupancy(model.cluster, model.workload.commodities[CommodityId(0)], model.classes.classes[ClassId(1)]),
              4, 1e-12);
}

TEST(ClassForm, BoundsBytesOverALink) {
  Pair pair;
  for (int i = 0; i < 9; ++i) pair.builder.block({pair.first});
  pair.builder.start.nodes[pair.first].cpu_price = UsdPerCpuSecond(100);
  Case test("lips", pair.builder, {}, across);
  std::vector<BlockId> blocks;
  for (std::uint32_t i = 0; i < 10; ++i) blocks.emplace_back(i);
  test.add({.blocks = blocks, .cpu = 10});
  CommoditySettings commodities;
  commodities.links = true;
  Model model = pair.model(test, commodities);
  model.settings.link_capacity = Mebibytes(64 * 3);
  const Amounts amounts = model.by_class();
  EXPECT_NEAR(amounts.in_zone[CommodityId(0)][ZoneId(1)], 30, 1e-6);
  PackingSettings packing = model.packing();
  packing.link_budget = Mebibytes(64 * 3);
  int crossing = 0;
  for (const Placement& placement : model.pack_all(amounts, packing))
    if (placement.node == pair.second) crossing += static_cast<int>(placement.tasks);
  EXPECT_EQ(crossing, 3);
}

TEST(ClassForm, BuysOneCopyForAllReadersWhereThatIsCheaper) {
  Pair pair;
  pair.builder.start.nodes[pair.first].cpu_price = UsdPerCpuSecond(100);
  Case test("lips", pair.builder, {}, across);
  for (int i = 0; i < 4; ++i) test.add({.blocks = {pair.block}, .cpu = 10});
  CommoditySettings commodities;
  commodities.copies = CopyPricing::columns;
  const Amounts amounts = pair.model(test, commodities).by_class();
  EXPECT_NEAR(amounts.objective, 40 * 1 + 64 * 0.01, 1e-6);
  EXPECT_EQ(amounts.copies.size(), 1u);
}

TEST(ClassForm, HasNoColumnWithMoreEntriesThanKindsOfRows) {
  ClassFormProgram::Column column;
  for (std::size_t i = 0; i < column.entry.size(); ++i) column.add(solver::RowId(static_cast<std::int32_t>(i)), 1);
  EXPECT_EQ(column.entries().size(), column.entry.size());
  EXPECT_DEATH(column.add(solver::RowId(0), 1), "more entries");
}

TEST(Rounding, LeavesOutTheLeastUrgent) {
  ClusterBuilder builder;
  builder.node({.slots = 1, .cpu = 1});
  Case test("lips", builder);
  const JobId urgent = test.add({.priority = 1, .maps = 3, .cpu = 10}),
              later = test.add({.arrival = 1, .maps = 9, .cpu = 10});
  const Model model(test.state.snapshot(), test.costs, {}, one_time_slot(40));
  const WholeQuotas quotas = round_amounts(model.cluster, model.workload, model.by_zone(), model.classes);
  ASSERT_EQ(quotas.zone[ZoneId(0)].size(), 2u);
  EXPECT_EQ(model.workload.portions[quotas.zone[ZoneId(0)][0].portion].job, urgent);
  EXPECT_EQ(quotas.zone[ZoneId(0)][0].tasks, 3u);
  EXPECT_EQ(model.workload.portions[quotas.zone[ZoneId(0)][1].portion].job, later);
  EXPECT_EQ(quotas.zone[ZoneId(0)][1].tasks, 1u);
}

TEST(Packing, StartsWhereARunningTaskEnds) {
  ClusterBuilder builder;
  const NodeId node = builder.node({.slots = 1, .cpu = 1});
  Case test("lips", builder);
  const JobId running = test.add({.maps = 1, .cpu = 100});
  ASSERT_TRUE(test.state.assume({test.task(running, 0), node, {}, {}}));
  test.add({.maps = 2, .cpu = 50});
  const Model model(test.state.snapshot(), test.costs, {}, one_time_slot(200));
  const std::vector<Placement> placements = model.pack_all(model.by_zone(), model.packing(200));
  ASSERT_EQ(placements.size(), 2u);
  EXPECT_NEAR(placements[0].start, 100, 1e-6);
  EXPECT_NEAR(placements[1].start, 150, 1e-6);
}

TEST(Packing, GivesAClassNoMoreThanItsCapacity) {
  ClusterBuilder builder;
  builder.start.profiles.push_back({{{"disk", "ssd"}}, {}});
  builder.start.constraints.push_back({{{"disk", LabelRequirement::Operator::exists, {}}}, {}, {}});
  builder.node();
  builder.start.nodes[builder.node({.slots = 1, .cpu = 1})].profile = ProfileId(1);
  Case test("lips", builder);
  test.add({.maps = 5, .cpu = 60, .constraint = ConstraintId(0)});
  const Model model(test.state.snapshot(), test.costs, {}, one_time_slot(100));
  std::uint32_t tasks = 0;
  for (const Placement& placement : model.pack_all(model.by_class(), model.packing(100))) tasks += placement.tasks;
  EXPECT_EQ(tasks, 1u) << "a second one would end after 120 s";
}

TEST(Packing, KeepsAPoolBelowItsMaximumAndGivesBackWhatEnds) {
  ClusterBuilder builder;
  const PoolId small = builder.pool(1, 0, 2);
  builder.node({.slots = 8, .cpu = 8});
  Case test("lips", builder);
  test.add({.pool = small, .maps = 20, .cpu = 50});
  const Model model(test.state.snapshot(), test.costs, {}, one_time_slot(200));
  std::map<double, std::uint32_t> starts;
  for (const Placement& placement : model.pack_all(model.by_zone(), model.packing(200)))
    starts[placement.start] += placement.tasks;
  EXPECT_THAT(starts, ElementsAre(std::pair(0.0, 2u), std::pair(50.0, 2u), std::pair(100.0, 2u), std::pair(150.0, 2u)));
}

TEST(Packing, LetsNoPoolAtItsMaximumHoldUpOthers) {
  ClusterBuilder builder;
  const PoolId small = builder.pool(1, 0, 1);
  builder.node({.slots = 4, .cpu = 4});
  Case test("lips", builder);
  for (int i = 0; i < 40; ++i) test.add({.pool = small, .maps = 1, .cpu = 50});
  test.add({.arrival = 1, .maps = 3, .cpu = 50});
  const Model model(test.state.snapshot(), test.costs, {}, one_time_slot(6000));
  std::uint32_t others = 0;
  for (const Placement& placement : model.pack_all(model.by_zone(), model.packing(2, false)))
    if (model.cluster.jobs[model.workload.portions[placement.portion].job].pool != small) others += placement.tasks;
  EXPECT_EQ(others, 3u);
}

TEST(Packing, BalancesMemoryAgainstCpu) {
  ClusterBuilder builder;
  builder.node({.slots = 4, .cpu = 4, .memory = 4000});
  Case test("lips", builder);
  test.add({.maps = 4, .cpu = 50, .cores = 1, .memory = 100});
  test.add({.maps = 2, .cpu = 50, .cores = 1, .memory = 1900});
  const Model model(test.state.snapshot(), test.costs, {}, one_time_slot(100));
  PackingSettings packing = model.packing(100);
  packing.balance = true;
  const std::vector<Placement> placements = model.pack_all(model.by_class(), packing);
  EXPECT_EQ(testing::overcommitted(model, placements), "");
  std::uint32_t heavy_first = 0;
  for (const Placement& placement : placements)
    if (placement.start == 0 &&
        model.cluster.jobs[model.workload.portions[placement.portion].job].request.memory.value() > 1000)
      heavy_first += placement.tasks;
  EXPECT_GE(heavy_first, 1u);
}

}  // namespace
}  // namespace lips
