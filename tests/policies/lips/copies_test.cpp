#include "policies/lips/data/copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/policies/lips/lips_case.h"
#include "tests/policies/lips/prices.h"

namespace lips {
namespace {

using testing::Case;
using testing::ClusterBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A block on the first node, an extra copy on the second, read an hour ago.
struct Copied {
  Copied() : test("lips", make(), {}, across) {
    test.state.apply(ReplicaAdded{BlockId(0), {StoreId(1), true, TimePoint(seconds(1000))}});
    test.at(1000 + 3600);
  }
  static ClusterBuilder make() {
    ClusterBuilder builder(2);
    const NodeId node = builder.node();
    builder.node({.zone = ZoneId(1)});
    builder.block({node});
    return builder;
  }
  std::vector<ReplicaDrop> drops(double idle) {
    Plan plan;
    drop_idle_copies(test.state.snapshot(), seconds(idle), plan);
    return plan.drops;
  }
  Case test;
};

TEST(IdleCopies, AreDroppedAfterTheirTime) {
  Copied copied;
  EXPECT_THAT(copied.drops(3601), IsEmpty());
  EXPECT_THAT(copied.drops(3599), ElementsAre(ReplicaDrop{BlockId(0), StoreId(1)}));
}

TEST(IdleCopies, StayWhileSomebodyWillRead) {
  Copied copied;
  copied.test.add({.blocks = {BlockId(0)}});
  EXPECT_THAT(copied.drops(10), IsEmpty());
}

TEST(IdleCopies, AreNeverTheLastReplica) {
  Copied copied;
  copied.test.state.apply(ReplicaRemoved{BlockId(0), StoreId(0)});
  EXPECT_THAT(copied.drops(10), IsEmpty());
}

// Two blocks in the first zone, 64 MiB each; the only node that takes tasks is in the second one.
struct Remote {
  Remote() : test("lips", make(), {}, across) {}
  static ClusterBuilder make() {
    ClusterBuilder builder(2);
    const NodeId node = builder.node();
    builder.start.nodes[node].schedulable = false;
    builder.node({.zone = ZoneId(1)});
    builder.block({node});
    builder.block({node});
    return builder;
  }
  void read_both() { test.add({.blocks = {BlockId(0), BlockId(1)}}); }
  bool keeps(BlockId block, Usd move_cost = Usd(0.1), Billing billing = Billing::invoice) const {
    const PolicyInput input{test.state.snapshot(), test.costs, 1, {}, nullptr};
    return CopiesToKeep(input, billing, move_cost)(block, input.cluster.stores[StoreId(0)].zone,
                                                   input.cluster.nodes[NodeId(1)].zone);
  }
  Case test;
};

TEST(CopiesToKeep, AreOfBlocksThatAnotherJobWillRead) {
  Remote remote;
  remote.read_both();
  EXPECT_FALSE(remote.keeps(BlockId(0))) << "its only reader is the one that reads now";
  EXPECT_TRUE(remote.keeps(BlockId(0), Usd(0.1), Billing::use)) << "by use a copy costs nothing but the transfer";
  remote.read_both();
  EXPECT_TRUE(remote.keeps(BlockId(0)));
}

// Two jobs have half of their tasks left: whether these read the same half counts, not how much they read together.
TEST(CopiesToKeep, AreOfTheBlocksThatAnotherJobHasLeftToRead) {
  Remote remote;
  remote.test.add({.blocks = {BlockId(0)}});
  remote.test.add({.blocks = {BlockId(1)}});
  EXPECT_FALSE(remote.keeps(BlockId(0)));
  EXPECT_FALSE(remote.keeps(BlockId(1)));
  remote.test.add({.blocks = {BlockId(1)}});
  EXPECT_FALSE(remote.keeps(BlockId(0)));
  EXPECT_TRUE(remote.keeps(BlockId(1)));
}

TEST(CopiesToKeep, AreOfBlocksThatHaveBeenReadBefore) {
  Remote remote;
  remote.read_both();
  const JobId first(0);
  remote.test.at(1);
  ASSERT_TRUE(remote.test.state.assume({remote.test.task(first, 0), NodeId(1), StoreId(0), StoreId::none()}));
  EXPECT_TRUE(remote.keeps(BlockId(0)));
  EXPECT_FALSE(remote.keeps(BlockId(1)));
}

// The transfer of 64 MiB costs 0.64 USD.
TEST(CopiesToKeep, SaveMoreThanTheirMoveCosts) {
  Remote remote;
  remote.read_both();
  remote.read_both();
  EXPECT_TRUE(remote.keeps(BlockId(0), Usd(0.63)));
  EXPECT_FALSE(remote.keeps(BlockId(0), Usd(0.65)));
}

TEST(CopiesToKeep, AreThoseOfThePlan) {
  for (const int jobs : {1, 2}) {
    Remote remote;
    for (int i = 0; i < jobs; ++i) remote.read_both();
    for (const Assignment& assignment : remote.test.plan().assignments)
      EXPECT_EQ(assignment.keep_in.valid(), jobs == 2 && assignment.node == NodeId(1));
  }
}

}  // namespace
}  // namespace lips
