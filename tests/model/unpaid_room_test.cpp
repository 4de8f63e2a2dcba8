#include "model/unpaid_room.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "model/cluster_state.h"
#include "tests/policies/snapshot_builder.h"

namespace lips::testing {
namespace {

double unpaid(const ClusterState& state, PoolId pool) { return state.snapshot().pools[pool].unpaid_room.value(); }

// One pool with eight cores and two with none of their own; the second keeps so many empty.
class Keeping {
 public:
  Keeping() : state_(start()) { state_.apply(job(state_.snapshot(), {.pool = PoolId(1), .maps = 1, .cpu = 1e6})); }
  void keep(double cores, HeldFor reason = HeldFor::workers_to_come) {
    HeldRoom room;
    room.reason = reason, room.job = JobId(0), room.zone = ZoneId(0), room.tasks = 1;
    room.room = {Cores(cores), Mebibytes(0)};
    state_.keep({room});
  }
  void at(double second) { state_.advance(TimePoint(seconds(second))); }
  void run() { ASSERT_TRUE(state_.assume({TaskId(0), NodeId(0), StoreId::none(), StoreId::none()})); }
  ClusterState& state() { return state_; }

 private:
  static ClusterSnapshot start() {
    ClusterBuilder builder(1);
    builder.pool(1), builder.pool(1);
    builder.node({.slots = 100, .cpu = 8});
    return builder.start;
  }
  ClusterState state_;
};

TEST(UnpaidRoom, GrowsByWhatIsKeptAndIsPaidByWhatRuns) {
  Keeping with;
  with.keep(4);
  with.at(10);
  EXPECT_NEAR(unpaid(with.state(), PoolId(1)), 40, 0.5);
  EXPECT_EQ(unpaid(with.state(), PoolId(0)), 0);
  with.run();
  with.at(20);
  EXPECT_NEAR(unpaid(with.state(), PoolId(1)), 70, 1) << "three cores more than it uses";
  with.state().keep({});
  with.at(50);
  EXPECT_NEAR(unpaid(with.state(), PoolId(1)), 40, 2);
  with.at(500);
  EXPECT_EQ(unpaid(with.state(), PoolId(1)), 0) << "nothing is owed to it";
}

TEST(UnpaidRoom, IsHalfForgottenInItsHalfLife) {
  Keeping with;
  with.keep(4);
  with.at(10);
  const double before = unpaid(with.state(), PoolId(1));
  with.state().keep({});
  with.at(10 + to_seconds(unpaid_half_life));
  EXPECT_NEAR(unpaid(with.state(), PoolId(1)), before / 2, 1e-6);
}

TEST(UnpaidRoom, IsOfTasksToComeAndOfTheRestOfAGang) {
  for (const HeldFor reason : {HeldFor::driver_to_come, HeldFor::rest_of_gang}) {
    Keeping with;
    with.keep(4, reason);
    with.at(10);
    EXPECT_GT(unpaid(with.state(), PoolId(1)), 0);
  }
  Keeping large;
  large.keep(4, HeldFor::large_task);
  large.at(10);
  EXPECT_EQ(unpaid(large.state(), PoolId(1)), 0) << "others start there until it does";
}

// A run that is late pays for the room that plans leave to it while tasks of others wait: all of it in half an hour.
TEST(UnpaidRoom, IsOfExpectedRunsThatAreLateWhileOthersWait) {
  for (const bool late : {false, true})
    for (const bool others : {false, true}) {
      Keeping with;
      with.at(3600);
      with.state().apply(WorkExpected{
          {{"nightly", TimePoint(seconds(late ? 3599 : 3601)), 1, CpuSeconds(1800), {}, 1, {}, PoolId(1)}}});
      if (others) with.state().apply(job(with.state().snapshot(), {.pool = PoolId(2), .maps = 1, .cpu = 1}));
      with.state().keep({}, {{0, ZoneId(0), CpuSeconds(1800)}});
      with.at(3700);
      EXPECT_NEAR(unpaid(with.state(), PoolId(1)), late && others ? 100 : 0, 3) << late << others;
    }
}

PoolAdded pool(const std::string& name) {
  PoolAdded added;
  added.pool.name = name;
  return added;
}

// A listing gives pools other ids, and leaves out those of which nothing is there.
TEST(UnpaidRoom, StaysWithItsPoolThroughListings) {
  Keeping with;
  with.keep(4);
  with.at(10);
  const double before = unpaid(with.state(), PoolId(1));
  const std::string name = with.state().snapshot().pools[PoolId(1)].name;
  auto listed = std::make_shared<ClusterSnapshot>(ClusterBuilder(1).start);
  with.state().apply(ClusterListed{listed, {}});
  EXPECT_EQ(unpaid(with.state(), PoolId(0)), 0) << "another pool";
  with.at(10 + to_seconds(unpaid_half_life));
  with.state().apply(pool(name));
  EXPECT_NEAR(unpaid(with.state(), PoolId(1)), before / 2, 1e-6);
  with.state().apply(ClusterListed{listed, {}});
  with.state().apply(pool("new"));
  with.state().apply(pool(name));
  EXPECT_NEAR(unpaid(with.state(), PoolId(2)), before / 2, 1e-6);
  EXPECT_EQ(unpaid(with.state(), PoolId(1)), 0);
}

TEST(UnpaidRoom, IsTheSameHoweverOftenOneLooks) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Random random(seed);
    const auto draw = [&](double most) { return most * static_cast<double>(random.below(1000)) / 1000; };
    const CpuSeconds before(draw(1e5));
    const Cores kept(draw(100)), used(draw(50));
    const double time = 1 + draw(5000), part = draw(time);
    const CpuSeconds once = unpaid_after(before, kept, used, seconds(time));
    const CpuSeconds twice =
        unpaid_after(unpaid_after(before, kept, used, seconds(part)), kept, used, seconds(time) - seconds(part));
    EXPECT_NEAR(once.value(), twice.value(), 1e-6 * (1 + once.value())) << "seed " << seed;
    EXPECT_GE(once.value(), 0);
    EXPECT_LE(once.value(), before.value() + kept.value() * time + 1e-6);
  }
}

TEST(UnpaidRoom, MayBeTheCoresThatAreThereAndAThousandThatCouldBeLaunched) {
  Keeping with;
  EXPECT_EQ(most_unpaid(with.state().snapshot(), seconds(120)).value(), 8 * 120);
  ClusterSnapshot cluster = with.state().snapshot();
  cluster.offers.push_back({NodeId(0), 2, seconds(40), seconds(20), 0});
  EXPECT_EQ(most_unpaid(cluster, seconds(120)).value(), 24 * 120);
  cluster.offers[OfferId(0)].left = 1'000'000;
  EXPECT_EQ(most_unpaid(cluster, seconds(120)).value(), 1008 * 120);
  cluster.nodes[NodeId(0)].others.cpu = Cores(3);
  EXPECT_EQ(most_unpaid(cluster, seconds(1)).value(), 1005);
}

}  // namespace
}  // namespace lips::testing
