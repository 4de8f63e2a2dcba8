#include "policies/lips/data/rescues.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "model/leaving.h"
#include "model/validate_plan.h"
#include "simulation/random_snapshot.h"
#include "tests/policies/lips/lips_case.h"
#include "tests/policies/lips/prices.h"

namespace lips {
namespace {

using testing::Case;
using testing::ClusterBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Taint interrupted{"aws-node-termination-handler/spot-itn", "", "NoSchedule"};

// Two nodes in the first zone, one in the second.
struct Leaving {
  ClusterBuilder builder = ClusterBuilder(2);
  NodeId goes = builder.node(), near = builder.node(), far = builder.node({.zone = ZoneId(1)});

  void mark(NodeId node, const Taint& taint = interrupted) {
    builder.start.nodes[node].profile = builder.start.profiles.push_back({{}, {taint}});
  }
  void make_small(NodeId node) { builder.start.stores[of(node)].capacity = Mebibytes(1); }
  Plan plan() const {
    Case test("lips", builder, {}, UsdPerMebibyte(0.01));
    Plan plan = test.plan();
    EXPECT_THAT(validate_plan(test.state.snapshot(), plan), IsEmpty());
    return plan;
  }
  std::vector<DataMove> moves() const { return plan().moves; }
  StoreId of(NodeId node) const { return builder.own_store[node]; }
};

TEST(Rescues, BringTheLastReplicaToTheNearestStoreThatStays) {
  Leaving cluster;
  const BlockId block = cluster.builder.block({cluster.goes});
  EXPECT_THAT(cluster.moves(), IsEmpty()) << "nobody leaves";
  cluster.mark(cluster.goes);
  EXPECT_THAT(cluster.moves(), ElementsAre(DataMove{block, cluster.of(cluster.goes), cluster.of(cluster.near)}))
      << "the source keeps its replica: it may stay";
}

TEST(Rescues, LeaveWhatHasAReplicaThatStays) {
  Leaving cluster;
  cluster.builder.block({cluster.goes, cluster.far});
  cluster.mark(cluster.goes);
  EXPECT_THAT(cluster.moves(), IsEmpty());
}

TEST(Rescues, AreNeededWhereAllHoldersLeave) {
  Leaving cluster;
  const BlockId block = cluster.builder.block({cluster.goes, cluster.near});
  cluster.mark(cluster.goes);
  cluster.mark(cluster.near, {"karpenter.sh/disrupted", "", "NoSchedule"});
  EXPECT_THAT(cluster.moves(), ElementsAre(DataMove{block, cluster.of(cluster.goes), cluster.of(cluster.far)}));
}

TEST(Rescues, GoWhereThereIsRoomAndAcrossZonesIfNecessary) {
  Leaving cluster;
  const BlockId block = cluster.builder.block({cluster.goes});
  cluster.mark(cluster.goes);
  cluster.make_small(cluster.near);
  EXPECT_THAT(cluster.moves(), ElementsAre(DataMove{block, cluster.of(cluster.goes), cluster.of(cluster.far)}));
  cluster.make_small(cluster.far);
  EXPECT_THAT(cluster.moves(), IsEmpty()) << "no store has room";
}

TEST(Rescues, ShareTheRoomOfAStore) {
  Leaving cluster;
  const BlockId first = cluster.builder.block({cluster.goes}), second = cluster.builder.block({cluster.goes});
  cluster.mark(cluster.goes);
  cluster.builder.start.stores[cluster.of(cluster.near)].capacity = Mebibytes(100);  // one block of 64 MiB
  const StoreId from = cluster.of(cluster.goes);
  EXPECT_THAT(cluster.moves(), ElementsAre(DataMove{first, from, cluster.of(cluster.near)},
                                           DataMove{second, from, cluster.of(cluster.far)}));
}

TEST(Rescues, AreAskedForOnce) {
  Leaving cluster;
  const BlockId block = cluster.builder.block({cluster.goes});
  cluster.mark(cluster.goes);
  cluster.builder.start.moves = {{MoveId(0), block, cluster.of(cluster.goes), cluster.of(cluster.near)}};
  EXPECT_THAT(cluster.moves(), IsEmpty());
  cluster.mark(cluster.near);  // the store to which it is on its way goes, too
  EXPECT_THAT(cluster.moves(), ElementsAre(DataMove{block, cluster.of(cluster.goes), cluster.of(cluster.far)}));
}

// Nobody has read the copy yet, and the replica on the node that goes is still there.
TEST(Rescues, AreNotDroppedAsIdleWhileTheNodeIsThere) {
  for (const bool leaves : {false, true}) {
    Leaving cluster;
    const BlockId block = cluster.builder.block({cluster.goes, cluster.near});
    const StoreId copy = cluster.of(cluster.near);
    for (Replica& replica : cluster.builder.start.blocks[block].replicas) replica.extra = replica.store == copy;
    cluster.builder.start.extra_copies = {{block, copy}};
    if (leaves) cluster.mark(cluster.goes);
    Case test("lips", cluster.builder);
    test.at(24 * 3600);
    EXPECT_EQ(test.plan().drops.size(), leaves ? 0u : 1u);
  }
}

TEST(Rescues, PreferNoNodeThatCannotBeWrittenTo) {
  Leaving cluster;
  const BlockId block = cluster.builder.block({cluster.goes});
  cluster.mark(cluster.goes);
  cluster.builder.start.nodes[cluster.near].schedulable = false;
  EXPECT_THAT(cluster.moves(), ElementsAre(DataMove{block, cluster.of(cluster.goes), cluster.of(cluster.far)}));
}

// Counted anew, block by block: each that would go has a way to a store that stays, unless none has room for it.
TEST(Rescues, LeaveNoBlockBehindForWhichThereIsRoom) {
  int rescued = 0, left = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    simulation::SnapshotShape shape = simulation::random_full_shape(seed);
    shape.leaving_nodes = true;
    shape.replicas = 1 + seed % 2;
    const ClusterSnapshot cluster = simulation::random_cluster(shape).snapshot();
    const CostModel costs = simulation::random_costs(shape);
    Plan plan;
    rescue_data({cluster, costs, seed, {}, nullptr}, plan);
    ASSERT_THAT(validate_plan(cluster, plan), IsEmpty()) << "seed " << seed;
    const auto stays = [&](StoreId id) {
      const NodeId node = cluster.stores[id].node;
      return !node.valid() || !is_leaving(cluster.profiles[cluster.nodes[node].profile]);
    };
    IdVector<StoreId, double> room(cluster.stores.size());
    for (const StoreId store : cluster.stores.ids()) {
      const DataStore& is = cluster.stores[store];
      const bool usable =
          stays(store) && is.kind != StoreKind::internet && (!is.node.valid() || cluster.nodes[is.node].schedulable);
      room[store] = !usable ? -1 : is.capacity.value() > 0 ? (is.capacity - is.used).value() : 1e300;
    }
    std::map<BlockId, StoreId> to;
    for (const DataMove& move : plan.moves) {
      ASSERT_TRUE(to.emplace(move.block, move.to).second) << "moved twice, seed " << seed;
      ASSERT_TRUE(room[move.to] >= 0) << "seed " << seed;
      EXPECT_FALSE(move.drop_source);
      room[move.to] -= cluster.blocks[move.block].size.value();
    }
    for (const MoveInFlight& move : cluster.moves)
      if (stays(move.to)) to.emplace(move.block, move.to);
    for (const BlockId id : cluster.blocks.ids()) {
      const Block& block = cluster.blocks[id];
      const bool goes =
          !block.replicas.empty() && std::none_of(block.replicas.begin(), block.replicas.end(),
                                                  [&](const Replica& replica) { return stays(replica.store); });
      if (!goes) continue;
      rescued += to.contains(id);
      if (to.contains(id)) continue;
      ++left;
      for (const StoreId store : cluster.stores.ids())
        EXPECT_LT(room[store], block.size.value()) << "block " << id.index() << " had room, seed " << seed;
    }
    for (const DataMove& move : plan.moves)
      for (const Replica& replica : cluster.blocks[move.block].replicas)
        EXPECT_FALSE(stays(replica.store)) << "needed no rescue, seed " << seed;
  }
  EXPECT_GT(rescued, 1000);
  EXPECT_GT(left, 10);
}

TEST(LeavingNodes, AreThoseThatAutoscalersAndTerminationHandlersMark) {
  for (const char* key :
       {"karpenter.sh/disrupted", "ToBeDeletedByClusterAutoscaler", "aws-node-termination-handler/spot-itn",
        "cloud.google.com/impending-node-termination", "remediator.aks.microsoft.com/unschedulable"})
    EXPECT_TRUE(is_leaving({{}, {{"other", "", "NoSchedule"}, {key, "x", "NoSchedule"}}})) << key;
  EXPECT_FALSE(is_leaving({{}, {{"node.kubernetes.io/not-ready", "", "NoSchedule"}}}));
  EXPECT_FALSE(is_leaving({{}, {{"DeletionCandidateOfClusterAutoscaler", "", "PreferNoSchedule"}}})) << "may stay";
}

}  // namespace
}  // namespace lips
