// Pods that make room for one of a higher priority.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

using testing::IsEmpty;

// A node of two cores, and two pods of a Job that run there.
struct FullNode {
  FullNode() {
    cluster.put_node("a", {.cpu = 2});
    for (const char* name : {"p0", "p1"}) cluster.put_pod(name, pod_of(1, "job", name[1] - '0'));
  }
  void fill(const Scheduling& scheduling) {
    ASSERT_TRUE(scheduling.until([&] { return cluster.bound_to("a") == 2; }));
    for (const char* name : {"p0", "p1"}) cluster.change_pod(name, [](FakePod& pod) { pod.phase = "Running"; });
    ASSERT_TRUE(scheduling.until([&] { return scheduling.running() == 2; }));
  }
  void put_urgent(const std::string& policy) {
    FakePod urgent = pod_of(1, "urgent");
    urgent.spec = fmt::format(R"("priority":1000,"preemptionPolicy":"{}",)", policy);
    cluster.put_pod("u", urgent);
  }
  std::vector<std::string> evicted() const {
    std::vector<std::string> names;
    for (const char* name : {"p0", "p1"})
      if (cluster.requests_for(fmt::format("/pods/{}/eviction", name)) > 0) names.emplace_back(name);
    return names;
  }
  FakeCluster cluster;
};

TEST(KubernetesCluster, EvictsAPodForOneOfAHigherPriorityThatFindsNoRoom) {
  FullNode full;
  Scheduling scheduling(full.cluster);
  full.fill(scheduling);
  full.put_urgent("PreemptLowerPriority");
  ASSERT_TRUE(scheduling.until([&] { return !full.evicted().empty(); }));
  full.cluster.remove_pod(full.evicted().front());
  EXPECT_TRUE(scheduling.until_bound("u"));
  EXPECT_EQ(full.cluster.requests_for("/eviction"), 1u);
  EXPECT_THAT(full.cluster.wrong(), IsEmpty());
}

// It ends in good order, which takes a while, and meanwhile the model is listed anew.
TEST(KubernetesCluster, EvictsNobodyElseWhileAPodLeaves) {
  FullNode full;
  Scheduling scheduling(full.cluster);
  full.fill(scheduling);
  full.put_urgent("PreemptLowerPriority");
  ASSERT_TRUE(scheduling.until([&] { return !full.evicted().empty(); }));
  for (const char* zone : {"zone-b", "zone-c"}) {
    const int listings = scheduling.listings();
    full.cluster.put_node(zone, {.cpu = 1, .zone = zone, .taint = "kept"});
    full.cluster.put_pod(std::string("other-") + zone, pod_of(4));  // a plan is made for it
    ASSERT_TRUE(scheduling.until([&] { return scheduling.listings() > listings; }));
    ASSERT_TRUE(scheduling.until([&] { return !full.cluster.pod(std::string("other-") + zone).reason.empty(); }));
  }
  full.cluster.remove_pod(full.evicted().front());
  EXPECT_TRUE(scheduling.until_bound("u"));
  EXPECT_EQ(full.cluster.requests_for("/eviction"), 1u);
}

TEST(KubernetesCluster, NamesTheNodeToAPodForWhichOthersEnd) {
  FullNode full;
  Scheduling scheduling(full.cluster);
  full.fill(scheduling);
  full.put_urgent("PreemptLowerPriority");
  ASSERT_TRUE(scheduling.until([&] { return full.cluster.pod("u").nominated == "a"; }));
  // Room elsewhere comes sooner.
  full.cluster.put_node("b", {.cpu = 2});
  ASSERT_TRUE(scheduling.until_bound("u"));
  EXPECT_EQ(full.cluster.pod("u").node, "b");
}

// The operator that said so is gone.
TEST(KubernetesCluster, NamesNoNodeToAPodForWhichNobodyEnds) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 2});
  FakePod pod = pod_of(4);
  pod.nominated = "a";
  cluster.put_pod("p", pod);
  Scheduling scheduling(cluster);
  EXPECT_TRUE(scheduling.until([&] { return cluster.pod("p").nominated.empty(); }));
}

// It comes in a plan with another pod, which preempts nobody either, and a node has room for both.
TEST(KubernetesCluster, EvictsNobodyForAPodThatNeverPreempts) {
  FullNode full;
  Scheduling scheduling(full.cluster);
  full.fill(scheduling);
  full.put_urgent("Never");
  full.cluster.put_pod("next", pod_of(1));
  full.cluster.put_node("b", {.cpu = 2});
  ASSERT_TRUE(scheduling.until_bound("next"));
  ASSERT_TRUE(scheduling.until_bound("u"));
  EXPECT_THAT(full.evicted(), IsEmpty());
}

}  // namespace
}  // namespace lips::kubernetes
