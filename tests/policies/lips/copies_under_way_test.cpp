// A copy that is under way is read where it goes: nobody pays for the same transfer twice.
#include "model/validate_plan.h"
#include "tests/policies/case.h"
#include "tests/policies/random_world.h"

namespace lips::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Mode {
  const char* name;
  Duration horizon;
  Billing billing;
  bool copy_columns = false;
};
constexpr Mode modes[] = {{"by use", Duration(0), Billing::use},
                          {"by invoice", Duration(0), Billing::invoice},
                          {"over a horizon", std::chrono::seconds(600), Billing::use},
                          {"with columns for copies", std::chrono::seconds(600), Billing::use, true}};

PolicySettings settings_of(const Mode& mode, double express = 0) {
  PolicySettings settings;
  settings.lips.horizon = mode.horizon;
  settings.lips.billing = mode.billing;
  settings.lips.copy_columns = mode.copy_columns;
  settings.lips.fast_path_limit = Usd(express);
  return settings;
}

struct UnderWay {
  explicit UnderWay(const PolicySettings& settings) {
    ClusterBuilder builder(2);
    builder.node({.zone = ZoneId(1), .price = 1e-5});
    source = builder.volume(ZoneId(0));
    builder.start.stores[source].name = "source", target = builder.volume(ZoneId(1));
    block = builder.block_in({source}, 20'000);
    test.emplace("lips", builder, settings, UsdPerMebibyte(1e-4));
    test->state.begin_move({MoveId(0), block, source, target});
    test->add({.blocks = {block}, .cpu = 400});
  }
  StoreId read_from() {
    const Plan plan = test->plan();
    EXPECT_THAT(plan.moves, IsEmpty());
    return plan.assignments.empty() ? StoreId::none() : plan.assignments.front().read_from;
  }
  std::optional<Case> test;
  StoreId source, target;
  BlockId block;
};

TEST(CopiesUnderWay, AreReadWhereTheyGo) {
  for (const Mode& mode : modes)
    for (const double express : {0.0, 10.0}) {
      SCOPED_TRACE(mode.name);
      UnderWay with(settings_of(mode, express));
      const Plan plan = with.test->plan();
      ASSERT_THAT(plan.assignments, SizeIs(1));
      EXPECT_EQ(plan.assignments[0].read_from, with.target);
      EXPECT_FALSE(plan.assignments[0].keep_in.valid());
      EXPECT_EQ(plan.account.transfer, Usd(0));
      if (plan.account.lower_bound) {
        EXPECT_LE(plan.account.lower_bound->value(), plan.account.objective->value() * (1 + 1e-9));
      }
      with.test->state.apply(ReplicaAdded{with.block, {with.target, true, {}}});
      EXPECT_EQ(with.read_from(), with.target);
      with.test->state.apply(MoveEnded{MoveId(0)});
      EXPECT_EQ(with.read_from(), with.target);
    }
}

TEST(CopiesUnderWay, AreNotWaitedForOnceTheyHaveFailed) {
  for (const Mode& mode : modes) {
    SCOPED_TRACE(mode.name);
    PolicySettings settings = settings_of(mode);
    settings.lips.waiting_price = 1e6;  // it goes, whatever it costs
    UnderWay with(settings);
    EXPECT_EQ(with.read_from(), with.target);
    with.test->state.begin_move({MoveId(1), with.block, with.source, with.target});
    with.test->state.apply(MoveEnded{MoveId(0)});
    EXPECT_EQ(with.read_from(), with.target) << "of the second attempt";
    with.test->state.apply(MoveEnded{MoveId(1)});
    EXPECT_EQ(with.read_from(), with.source);
  }
}

// Peers start together: none of them waits for data while the others run.
TEST(CopiesUnderWay, AreNotWaitedForByPeers) {
  UnderWay with(settings_of(modes[0]));
  JobArrived peers = job(with.test->state.snapshot(), {.blocks = {with.block, with.block}, .cpu = 400});
  peers.job.whole.id = WholeJobId(0);
  peers.job.whole.peers = true, peers.job.whole.expected = 2, peers.job.whole.gang = 2;
  with.test->state.apply(peers);
  std::size_t peer_reads = 0;
  const ClusterSnapshot& cluster = with.test->state.snapshot();
  for (const Assignment& assignment : with.test->plan().assignments)
    if (cluster.jobs[cluster.tasks[assignment.task].job].whole.peers) {
      EXPECT_EQ(assignment.read_from, with.source);
      ++peer_reads;
    }
  EXPECT_EQ(peer_reads, 2u);
}

TEST(CopiesUnderWay, AreNeverBoughtAgain) {
  std::size_t soon = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    simulation::SnapshotShape shape = simulation::random_full_shape(seed);
    shape.share_of_blocks_moving = 0.4;
    const RandomWorld world(shape);
    const ClusterSnapshot& cluster = world.cluster;
    const Mode& mode = modes[seed % 4];
    const Result<Plan> plan = world.decide("lips", settings_of(mode, seed % 3 == 0 ? 10 : 0));
    ASSERT_TRUE(plan) << plan.error().message;
    ASSERT_THAT(validate_plan(cluster, *plan), IsEmpty());
    for (const Assignment& assignment : plan->assignments) {
      const Task& task = cluster.tasks[assignment.task];
      if (!assignment.read_from.valid() || cluster.jobs[task.job].whole.peers) continue;
      const ZoneId reader = cluster.nodes[assignment.node].zone;
      soon += cluster.blocks[task.block].on(assignment.read_from) == nullptr;
      const bool pays = world.costs.transfer(cluster.stores[assignment.read_from].zone, reader).value() > 0;
      EXPECT_FALSE(pays && cluster.blocks[task.block].coming.contains(reader));
    }
    for (const DataMove& move : plan->moves)
      EXPECT_FALSE(mode.horizon > Duration(0) &&
                   cluster.blocks[move.block].coming.contains(cluster.stores[move.to].zone));
  }
  EXPECT_GT(soon, 100u);
}

}  // namespace
}  // namespace lips::testing
