// The planner beside an autoscaler: where it asks for nodes, for how many tasks, and when it waits.
#include <map>

#include "tests/policies/case.h"
#include "tests/policies/elastic_builder.h"

namespace lips::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

struct NodeRequests : ::testing::Test {
  ElasticBuilder builder{2};
  OfferId here, there;

  OfferId offer(ZoneId zone, double usd_an_hour, std::uint32_t left = 1000) {
    return builder.offer(zone, usd_an_hour, left);
  }
  NodeId elastic_node(ZoneId zone, double usd_an_hour) { return builder.elastic_node(zone, usd_an_hour); }
  // The cheaper of two nodes of that capacity runs three of the five tasks, the other one: the fifth goes there.
  void expect_nothing_beside_three(void (*limit)(Resources& capacity), const JobSpec& tasks) {
    offer(ZoneId(0), 0.4);
    const NodeId full = elastic_node(ZoneId(0), 0.3), open = elastic_node(ZoneId(0), 0.4);
    for (const NodeId node : {full, open}) limit(builder.start.nodes[node].capacity);
    PolicySettings settings;
    settings.lips.waiting_price = 100;
    Case with("lips", builder, settings);
    const JobId job = with.add(tasks);
    for (std::uint32_t i = 0; i < 4; ++i)
      ASSERT_TRUE(with.state.assume({with.task(job, i), i < 3 ? full : open, {}, {}}));
    EXPECT_THAT(with.plan().assignments, ElementsAre(Runs(with.task(job, 4), open)));
  }
  static std::map<OfferId, int> by_offer(const Plan& plan) {
    std::map<OfferId, int> counts;
    for (const NodeRequest& request : plan.node_requests.value_or(std::vector<NodeRequest>())) ++counts[request.offer];
    return counts;
  }
};

TEST_F(NodeRequests, AskInTheZoneOfTheDataThoughANodeIsCheaperElsewhere) {
  here = offer(ZoneId(0), 0.4), there = offer(ZoneId(1), 0.3);
  const StoreId volume = builder.volume(ZoneId(0));
  std::vector<BlockId> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(builder.block_in({volume}, 1000));
  Case with("lips", builder, {}, UsdPerMebibyte(2e-5));
  with.add({.blocks = blocks, .cpu = 600});
  const Plan plan = with.plan();
  EXPECT_THAT(plan.node_requests, Optional(Each(Field(&NodeRequest::offer, here))));
  EXPECT_GE(by_offer(plan)[here], 1);
  EXPECT_THAT(plan.assignments, IsEmpty());
}

// Without a list whatever comes next would ask for any node until the next plan.
TEST_F(NodeRequests, AreAnEmptyListWhileNothingIsPending) {
  here = offer(ZoneId(0), 0.4);
  Case with("lips", builder);
  EXPECT_THAT(with.plan().node_requests, Optional(IsEmpty()));
}

TEST_F(NodeRequests, AskInTheCheapestZoneWhereNothingIsRead) {
  here = offer(ZoneId(0), 0.4), there = offer(ZoneId(1), 0.3);
  Case with("lips", builder);
  with.add({.maps = 8, .cpu = 600});
  EXPECT_THAT(with.plan().node_requests, Optional(Each(Field(&NodeRequest::offer, there))));
}

// W p (1 + o / D) + w W D / 2 with o = 0.4 x 60 s and w = p / 3600 a second: D = sqrt(2 x 24 x 3600) = 416 s, in which
// a core runs four whole tasks.
TEST_F(NodeRequests, AskForWhatIsDoneWhenWaitingCostsAsMuchAsAnotherNode) {
  here = offer(ZoneId(0), 0.4);
  Case with("lips", builder);
  with.add({.maps = 4000, .cpu = 100});
  EXPECT_NEAR(by_offer(with.plan())[here], 4000 / 4, 2);
}

TEST_F(NodeRequests, AskForMoreTheDearerWaitingIs) {
  here = offer(ZoneId(0), 0.4);
  int before = 0;
  for (const double price : {0.25, 1.0, 4.0}) {
    PolicySettings settings;
    settings.lips.waiting_price = price;
    Case with("lips", builder, settings);
    with.add({.maps = 4000, .cpu = 5});
    const int asked = by_offer(with.plan())[here];
    EXPECT_NEAR(asked, before == 0 ? asked : 2 * before, 3) << "D falls with the root of the price";
    before = asked;
  }
}

// Waiting is so dear that no task waits for another, though the mean task is longer than those of one zone.
TEST_F(NodeRequests, ShortTasksDoNotWaitForOneAnotherWhileLongOnesArePendingElsewhere) {
  here = offer(ZoneId(0), 0.4), there = offer(ZoneId(1), 0.4);
  const StoreId volume = builder.volume(ZoneId(0)), far = builder.volume(ZoneId(1));
  std::vector<BlockId> blocks, far_blocks;
  for (int i = 0; i < 8; ++i)
    blocks.push_back(builder.block_in({volume})), far_blocks.push_back(builder.block_in({far}));
  PolicySettings settings;
  settings.lips.waiting_price = 1e5;
  Case with("lips", builder, settings, UsdPerMebibyte(1));
  with.add({.blocks = blocks, .cpu = 100});
  with.add({.blocks = far_blocks, .cpu = 60});
  const std::map<OfferId, int> asked = by_offer(with.plan());
  EXPECT_THAT(asked, UnorderedElementsAre(Pair(here, 8), Pair(there, 8)));
}

// A node has four cores and memory for two such tasks.
TEST_F(NodeRequests, AskForAsManyNodesAsTheirMemoryNeeds) {
  here = offer(ZoneId(0), 0.4);
  PolicySettings settings;
  settings.lips.waiting_price = 1e5;
  Case with("lips", builder, settings);
  with.add({.maps = 8, .cpu = 100, .memory = 2048});
  EXPECT_EQ(by_offer(with.plan())[here], 8);
}

// A slot is free in 100 s, a new node in 40 s. Saving a minute of one task is worth less than a node's share of a
// minute idle; saving it of four is worth more.
TEST_F(NodeRequests, TheLastTaskOfAJobCountsForAllOfIt) {
  here = offer(ZoneId(0), 0.4);
  const NodeId node = elastic_node(ZoneId(0), 0.4);
  PolicySettings settings;
  settings.lips.waiting_price = 2;
  settings.lips.waiting_per_job = 0;
  for (const int tasks : {1, 4}) {
    Case with("lips", builder, settings);
    const JobId job = with.add({.maps = tasks, .cpu = 100}), others = with.add({.maps = 5 - tasks, .cpu = 100});
    for (int i = 0; i + 1 < tasks; ++i) with.state.assume({with.task(job, i), node, {}, {}});
    for (int i = 0; i < 5 - tasks; ++i) with.state.assume({with.task(others, i), node, {}, {}});
    EXPECT_EQ(by_offer(with.plan())[here], tasks == 4) << "of " << tasks;
  }
}

// Four slots are free in the other zone, and a node here takes 30 s to come. Reads cost less than that wait.
struct FarReads : NodeRequests {
  std::size_t started(int tasks) {
    here = offer(ZoneId(0), 0.4);
    elastic_node(ZoneId(1), 0.4);
    const StoreId volume = builder.volume(ZoneId(0));
    std::vector<BlockId> blocks;
    for (int i = 0; i < tasks; ++i) blocks.push_back(builder.block_in({volume}, 100));
    PolicySettings settings;
    settings.lips.waiting_price = 400;
    settings.lips.waiting_per_job = 0;
    Case with("lips", builder, settings, UsdPerMebibyte(2e-5));
    with.add({.blocks = blocks, .cpu = 60});
    return with.plan().assignments.size();
  }
};

TEST_F(FarReads, StartAJobThatIsDoneSoonerByThem) { EXPECT_EQ(started(4), 4u); }
TEST_F(FarReads, StartNoPartOfAJobWhoseOthersWaitForANode) { EXPECT_EQ(started(12), 0u); }

// Half of the tasks are short: four slots hold four long tasks, though these are more work than four mean ones.
TEST_F(NodeRequests, TasksThatAreLongerThanTheMeanTakeAllSlotsThatAreFree) {
  here = offer(ZoneId(0), 0.4), there = offer(ZoneId(1), 0.4);
  elastic_node(ZoneId(0), 0.4);
  const StoreId volume = builder.volume(ZoneId(1));
  PolicySettings settings;
  settings.lips.waiting_price = 100;
  std::vector<BlockId> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(builder.block_in({volume}, 1000));
  Case with("lips", builder, settings, UsdPerMebibyte(2e-3));
  with.add({.maps = 4, .cpu = 200});
  with.add({.blocks = blocks, .cpu = 20});
  const Plan plan = with.plan();
  EXPECT_THAT(plan.assignments, SizeIs(4));
  EXPECT_EQ(by_offer(plan)[here], 0);
}

TEST_F(NodeRequests, AskForTheMostUrgentAndLetTheOthersWait) {
  here = offer(ZoneId(0), 0.4);
  PolicySettings settings;
  settings.lips.waiting_per_job = 0;
  Case with("lips", builder, settings);
  const JobId first = with.add({.arrival = 0, .maps = 40, .cpu = 100});
  with.add({.arrival = 300, .maps = 40, .cpu = 100});
  with.at(300);
  const Plan plan = with.plan();
  ASSERT_TRUE(plan.node_requests);
  for (const NodeRequest& request : *plan.node_requests)
    EXPECT_EQ(with.state.snapshot().tasks[request.task].job, first);
  EXPECT_LT(plan.node_requests->size(), 40u);
  EXPECT_EQ(plan.rest, DeferralReason::cheaper_later);
  EXPECT_THAT(plan.deferrals, SizeIs(plan.node_requests->size()));
  EXPECT_THAT(plan.deferrals, Each(Field(&Deferral::reason, DeferralReason::waits_for_node)));
}

TEST_F(NodeRequests, ANodeThatIsPaidForAnywayIsTakenFirst) {
  here = offer(ZoneId(0), 0.1);
  const NodeId dear = elastic_node(ZoneId(0), 2);
  Case with("lips", builder);
  const JobId job = with.add({.maps = 1, .cpu = 5});
  const Plan plan = with.plan();
  EXPECT_THAT(plan.assignments, ElementsAre(Runs(with.task(job, 0), dear))) << "it is idle, and paid for 20 s more";
  EXPECT_THAT(plan.node_requests, Optional(IsEmpty()));
}

// An autoscaler launches nothing for a task that an empty node of the zone holds, however dear that node is.
TEST_F(NodeRequests, AskElsewhereWhereAnEmptyDearNodeKeepsOthersFromComing) {
  here = offer(ZoneId(0), 0.1), there = offer(ZoneId(1), 0.12);
  elastic_node(ZoneId(0), 5);
  for (const double hours : {0.1, 1.0, 10.0}) {
    Case with("lips", builder);
    with.add({.maps = 1, .cpu = 3600 * hours});
    const Plan plan = with.plan();
    std::map<OfferId, int> asked = by_offer(plan);
    EXPECT_EQ(asked[here], 0) << hours;
    EXPECT_EQ(asked[there] + std::ssize(plan.assignments), 1) << hours;
    EXPECT_LT(plan.account.loss, Usd(100)) << "the task counts once";
  }
}

// An autoscaler launches what it likes in that zone. If nobody took it, the next one would be as large.
TEST_F(NodeRequests, ANodeThatCameIsTakenThoughALaunchElsewhereIsCheaper) {
  here = offer(ZoneId(0), 0.1), there = offer(ZoneId(1), 0.12);
  const NodeId came = elastic_node(ZoneId(0), 0.25);
  Case with("lips", builder);
  const JobId job = with.add({.maps = 1, .cpu = 36'000});
  const Plan plan = with.plan();
  EXPECT_THAT(plan.assignments, ElementsAre(Runs(with.task(job, 0), came)));
  EXPECT_THAT(plan.node_requests, Optional(IsEmpty()));
}

TEST_F(NodeRequests, TheNodeThatStaysLongestFillsUpFirst) {
  offer(ZoneId(0), 0.4);
  elastic_node(ZoneId(0), 0.4);
  const NodeId stays = elastic_node(ZoneId(0), 0.4);
  elastic_node(ZoneId(0), 0.4);
  Case with("lips", builder);
  const JobId longest = with.add({.maps = 1, .cpu = 1000});
  ASSERT_TRUE(with.state.assume({with.task(longest, 0), stays, {}, {}}));
  with.add({.maps = 3, .cpu = 30});
  EXPECT_THAT(with.plan().assignments, Each(Field(&Assignment::node, stays)));
}

// A kubelet keeps a part of each machine: 3.9 cores hold three tasks of a core, and the rest is no room for a fourth.
TEST_F(NodeRequests, NoTaskIsGivenTheRestOfANodeThatHoldsNone) {
  expect_nothing_beside_three([](Resources& capacity) { capacity.cpu = Cores(3.9); }, {.maps = 5, .cpu = 40});
}

TEST_F(NodeRequests, NoTaskIsGivenTheRestOfTheMemoryOfANode) {
  expect_nothing_beside_three([](Resources& capacity) { capacity.memory = Mebibytes(3584); },
                              {.maps = 5, .cpu = 40, .memory = 1024});
}

TEST_F(NodeRequests, NothingIsAskedForThatIsSoldOut) {
  here = offer(ZoneId(0), 0.3, 0), there = offer(ZoneId(1), 0.4);
  Case with("lips", builder);
  with.add({.maps = 8, .cpu = 600});
  EXPECT_THAT(with.plan().node_requests, Optional(Each(Field(&NodeRequest::offer, there))));
}

// Four-core nodes: what two zones get together is what the limit leaves, and each has tasks that read there.
TEST_F(NodeRequests, AskForNoMoreThanALimitLeavesToAllOffersTogether) {
  here = offer(ZoneId(0), 0.4), there = offer(ZoneId(1), 0.4);
  builder.limit_to({.cores = Cores(14)});
  const StoreId volumes[] = {builder.volume(ZoneId(0)), builder.volume(ZoneId(1))};
  std::vector<BlockId> blocks[2];
  for (int i = 0; i < 44; ++i) blocks[i < 4 ? 0 : 1].push_back(builder.block_in({volumes[i < 4 ? 0 : 1]}, 1000));
  PolicySettings settings;
  settings.lips.waiting_price = 1000;
  Case with("lips", builder, settings, UsdPerMebibyte(2e-5));
  with.add({.blocks = blocks[0], .cpu = 600});
  with.add({.blocks = blocks[1], .cpu = 600});
  std::map<OfferId, int> asked = by_offer(with.plan());
  EXPECT_EQ(asked[there], 8) << "three nodes in all; half of one more would be too large";
  EXPECT_EQ(asked[here], 4);
  with.state.apply(OffersChanged{IdVector<OfferId, std::uint32_t>(2, 1000), LaunchLimits(1, {.cores = Cores(400)})});
  asked = by_offer(with.plan());
  EXPECT_EQ(asked[there], 40);
  EXPECT_EQ(asked[here], 4);
  with.state.apply(OffersChanged{IdVector<OfferId, std::uint32_t>(2, 1000), LaunchLimits(1, {.nodes = 0})});
  EXPECT_THAT(with.plan().node_requests, Optional(IsEmpty()));
}

TEST_F(NodeRequests, APoolsMaximumHoldsForThemToo) {
  here = offer(ZoneId(0), 0.4);
  builder.start.pools[PoolId(0)].maximum = Cores(3);
  PolicySettings settings;
  settings.lips.waiting_price = 1000;
  Case with("lips", builder, settings);
  with.add({.maps = 50, .cpu = 100});
  EXPECT_EQ(by_offer(with.plan())[here], 3);
}

TEST_F(NodeRequests, TasksThatNoOfferHoldsAskForNothing) {
  here = offer(ZoneId(0), 0.4);
  Case with("lips", builder);
  with.add({.maps = 2, .cpu = 100, .cores = 5});
  EXPECT_THAT(with.plan().node_requests, Optional(IsEmpty()));
}

TEST_F(NodeRequests, TheBillByUseAsksForNothingInParticular) {
  here = offer(ZoneId(0), 0.4);
  PolicySettings settings;
  settings.lips.billing = Billing::use;
  Case with("lips", builder, settings);
  with.add({.maps = 2, .cpu = 100});
  EXPECT_EQ(with.plan().node_requests, std::nullopt);
}

TEST_F(NodeRequests, WithoutOffersNoPlanSpeaksOfNodes) {
  builder.node();
  Case with("lips", builder);
  with.add({.maps = 9, .cpu = 100});
  EXPECT_EQ(with.plan().node_requests, std::nullopt);
}

}  // namespace
}  // namespace lips::testing
