#include <algorithm>

#include "policies/lips/placing/fast_path.h"
#include "policies/lips/supply/classes.h"
#include "tests/policies/case.h"

namespace lips::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

PolicySettings fast_path_up_to(double usd) {
  PolicySettings settings;
  settings.lips.fast_path_limit = Usd(usd);
  return settings;
}

TEST(LipsFastPath, KeepsTheNextFreeSlotForASmallJobThatFoundNone) {
  ClusterBuilder builder;
  const NodeId node = builder.node({.slots = 1, .cpu = 1});
  Case with("lips", builder, fast_path_up_to(5));
  const JobId big = with.add({.maps = 3, .cpu = 10});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(big, 0), node)));
  with.at(9);  // the slot frees within a second, and the big job may be given it ahead
  EXPECT_THAT(with.plan().assignments, ElementsAre(Runs(with.task(big, 1), node)));
  const JobId small = with.add({.arrival = 9, .maps = 1, .cpu = 1});
  EXPECT_THAT(with.step(), IsEmpty());
  with.at(10);
  with.finish(with.task(big, 0));
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(small, 0), node)));
}

// Where pools compete, shares come before priority.
TEST(LipsFastPath, IsForSmallJobsOfNoLowerPriorityThanTheLargeOnes) {
  for (const bool compete : {false, true}) {
    ClusterBuilder builder;
    const PoolId other = builder.pool();
    builder.node({.slots = 8, .cpu = 8});
    Case with("lips", builder);
    with.add({.priority = 1'000'000'000, .maps = compete ? 80 : 4, .cpu = 1e9});
    const JobId beside = with.add({.maps = 1, .cpu = 1}), elsewhere = with.add({.pool = other, .maps = 1, .cpu = 1});
    const ClusterSnapshot& cluster = with.state.snapshot();
    NodeClasses classes = make_classes(cluster, {});
    IdVector<NodeId, Resources> free = cluster.free;
    const PoolRoom pools(cluster, share_out(cluster));
    ASSERT_EQ(pools.compete(), compete);
    const FastPath path = serve_small_jobs({cluster, with.costs, 1, {}, nullptr}, {Usd(61), {}, pools}, classes, free);
    const auto served = [&](JobId job) { return !path.served.empty() && path.served[job.index()]; };
    EXPECT_FALSE(served(beside));
    EXPECT_EQ(served(elsewhere), compete);
  }
}

// Thirty pods of a minute that come one by one are a job of half an hour.
TEST(LipsFastPath, TakesNoJobThatIsSmallInPartsOnly) {
  const auto served = [](bool one_job) {
    ClusterBuilder builder;
    builder.node({.price = 1, .slots = 30, .cpu = 30});
    Case with("lips", builder);
    for (std::uint32_t pod = 0; pod < 30; ++pod) {
      JobArrived part = job(with.state.snapshot(), {.arrival = 1.0 * pod, .maps = 1, .cpu = 60});
      part.job.whole.id = WholeJobId(one_job ? 0 : pod);
      with.state.apply(part);
    }
    const ClusterSnapshot& cluster = with.state.snapshot();
    NodeClasses classes = make_classes(cluster, {});
    IdVector<NodeId, Resources> free = cluster.free;
    const FastPath path = serve_small_jobs({cluster, with.costs, 1, {}, nullptr},
                                           {Usd(61), {}, PoolRoom(cluster, cluster.pool_cores)}, classes, free);
    return std::count(path.served.begin(), path.served.end(), true);
  };
  EXPECT_EQ(served(false), 30);
  EXPECT_EQ(served(true), 0);
}

}  // namespace
}  // namespace lips::testing
