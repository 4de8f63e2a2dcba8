// The fate of a plan's requests for nodes: gated pods are sent to the place, pods of ours ask for themselves.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kubernetes/adapter/planned.h"

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::size_t open_pods(const FakeCluster& cluster) {
  std::size_t count = 0;
  for (const auto& [name, pod] : cluster.pods()) count += pod.gates.empty() && pod.scheduler != "lips";
  return count;
}

void bind_one(FakeCluster& cluster, const std::string& node) {
  for (const auto& [name, pod] : cluster.pods())
    if (pod.gates.empty() && pod.node.empty())
      return cluster.change_pod(name, [&](FakePod& changed) { changed.node = node; });
}

// It would run again from its start.
TEST(NodeRequests, ATaskIsNotEvictedToSaveWhatIsLeftOfANode) {
  FakeCluster cluster;
  cluster.put_pod("p", gated());
  FakePod own = gated();
  own.annotations["karpenter.sh/do-not-disrupt"] = "false";
  cluster.put_pod("says-itself", own);
  Planned planned(cluster);
  ASSERT_TRUE(planned.until_pending(2));
  planned.request(2, in_a);
  ASSERT_TRUE(planned.until([&] { return open_pods(cluster) == 2; }));
  EXPECT_EQ(cluster.pod("p").annotations.at("karpenter.sh/do-not-disrupt"), "true");
  EXPECT_EQ(cluster.pod("says-itself").annotations.at("karpenter.sh/do-not-disrupt"), "false");
}

TEST(NodeRequests, TwoPlansInARowThatAskForTheSameSendItOnce) {
  FakeCluster cluster;
  for (int i = 0; i < 6; ++i) cluster.put_pod(fmt::format("p{}", i), gated());
  Planned planned(cluster);
  ASSERT_TRUE(planned.until_pending(6));
  planned.request(2, in_a);
  ASSERT_TRUE(planned.until_pending(4)) << "those that were sent are no tasks";
  planned.request(2, in_a);
  planned.run_for(std::chrono::milliseconds(300));
  EXPECT_EQ(open_pods(cluster), 2u);
  for (const auto& [name, pod] : cluster.pods())
    if (pod.gates.empty()) {
      EXPECT_THAT(pod.selector, ElementsAre(Pair(zone_label, "zone-a")));
      EXPECT_EQ(pod.annotations.at("lips.dev/capacity-type"), "on-demand");
    }
  planned.request(3, in_a);
  ASSERT_TRUE(planned.until_pending(3)) << "one more than are on their way";
  planned.request(1, in_c);
  ASSERT_TRUE(planned.until_pending(2)) << "another place is another node";
  planned.run_for(std::chrono::milliseconds(300));
  EXPECT_EQ(open_pods(cluster), 4u);
}

TEST(NodeRequests, APodOnANodeIsOnItsWayNoMore) {
  FakeCluster cluster;
  for (int i = 0; i < 2; ++i) cluster.put_pod(fmt::format("p{}", i), gated());
  Planned planned(cluster);
  ASSERT_TRUE(planned.until_pending(2));
  planned.request(1, in_a);
  ASSERT_TRUE(planned.until([&] { return open_pods(cluster) == 1; }));
  cluster.put_node("bought", {.cpu = 1});
  bind_one(cluster, "bought");
  ASSERT_TRUE(planned.until([&] { return planned.running() == 1; })) << "it is a task again, where it is";
  planned.request(1, in_a);
  EXPECT_TRUE(planned.until([&] { return open_pods(cluster) == 2; }));
}

TEST(NodeRequests, TheNextProcessKnowsWhatIsOnItsWay) {
  FakeCluster cluster;
  for (int i = 0; i < 3; ++i) cluster.put_pod(fmt::format("p{}", i), gated());
  {
    Planned first(cluster);
    ASSERT_TRUE(first.until_pending(3));
    first.request(1, in_a);
    ASSERT_TRUE(first.until([&] { return open_pods(cluster) == 1; }));
  }
  Planned second(cluster);
  ASSERT_TRUE(second.until_pending(2));
  second.request(1, in_a);
  second.run_for(std::chrono::milliseconds(300));
  EXPECT_EQ(open_pods(cluster), 1u);
  second.request(2, in_a);
  EXPECT_TRUE(second.until([&] { return open_pods(cluster) == 2; }));
}

TEST(NodeRequests, APodThatNamesItsZoneKeepsItAndIsSentOnce) {
  FakeCluster cluster;
  FakePod pod = gated();
  pod.selector = {{zone_label, "zone-c"}};
  for (int i = 0; i < 2; ++i) cluster.put_pod(fmt::format("p{}", i), pod);
  Planned planned(cluster);
  ASSERT_TRUE(planned.until_pending(2));
  planned.request(1, in_c);
  ASSERT_TRUE(planned.until_pending(1));
  planned.request(1, in_c);
  planned.run_for(std::chrono::milliseconds(300));
  EXPECT_EQ(open_pods(cluster), 1u);
  for (const auto& [name, each] : cluster.pods()) EXPECT_THAT(each.selector, ElementsAre(Pair(zone_label, "zone-c")));
}

// Data in zone-c and in zone-d, where no node is offered; what leaves zone-d is cheaper.
TEST(NodeRequests, APodReadsInTheZoneElseFromTheNearestStore) {
  FakeCluster cluster;
  for (const char* kind : {"pools", "datamoves"}) cluster.put_resource(kind, "none", "{}");
  for (const char* zone : {"c", "d"})
    cluster.put_resource(
        "datastores", zone,
        fmt::format(R"({{"metadata":{{"name":"{0}","uid":"{0}","resourceVersion":"1"}},)"
                    R"("spec":{{"zone":"zone-{0}","bucket":{{"name":"bucket-{0}","scope":"Zonal"}}}}}})",
                    zone));
  cluster.put_resource("datasets", "books",
                       R"({"metadata":{"namespace":"default","name":"books","uid":"d","resourceVersion":"1"},)"
                       R"("spec":{"blocks":1,"blockSize":"1Mi","stores":[{"name":"c"},{"name":"d"}]},)"
                       R"("status":{"blocks":1,"replicas":[{"store":"c","blocks":"0"},{"store":"d","blocks":"0"}]}})");
  FakePod reader = gated();
  reader.annotations = {{"lips.dev/dataset", "books"}};
  cluster.put_pod("p0", reader);
  Planned planned(cluster);
  ASSERT_TRUE(planned.until_pending(1));
  planned.request(1, in_c);
  ASSERT_TRUE(planned.until([&] { return open_pods(cluster) == 1; }));
  EXPECT_EQ(cluster.pod("p0").annotations.at("lips.dev/read-from"), "c");
  EXPECT_THAT(cluster.pod("p0").annotations.at("lips.dev/input"), HasSubstr("s3://bucket-c"));
  ASSERT_TRUE(planned.until_pending(0));
  cluster.put_pod("p1", reader);
  ASSERT_TRUE(planned.until_pending(1));
  planned.request(1, in_a);
  ASSERT_TRUE(planned.until([&] { return open_pods(cluster) == 2; }));
  EXPECT_EQ(cluster.pod("p1").selector.at(zone_label), "zone-a");
  EXPECT_EQ(cluster.pod("p1").annotations.at("lips.dev/read-from"), "d") << "the cheaper way";
  EXPECT_THAT(cluster.pod("p1").annotations.at("lips.dev/input"), HasSubstr("s3://bucket-d"));
}

TEST(NodeRequests, APodOfOursIsMarkedForAutoscalersAtOnceAndTheOthersAreNot) {
  FakeCluster cluster;
  for (int i = 0; i < 2; ++i) cluster.put_pod(fmt::format("p{}", i), pod_of(1));
  Planned planned(cluster);
  ASSERT_TRUE(planned.until_pending(2));
  planned.request_none();
  planned.run_for(std::chrono::milliseconds(2500));
  const auto marked = [&] {
    return (cluster.pod("p0").reason == "Unschedulable") + (cluster.pod("p1").reason == "Unschedulable");
  };
  EXPECT_EQ(marked(), 0) << "no node is there, but waiting is cheaper than one that is offered";
  planned.request(1, in_a);
  const TimePoint began = cluster.now();
  ASSERT_TRUE(planned.until([&] { return marked() == 1; }));
  EXPECT_LT(cluster.now() - began, std::chrono::seconds(20)) << "30 s where plans do not ask";
  planned.run_for(std::chrono::milliseconds(2500));
  EXPECT_EQ(marked(), 1);
  planned.ask_for_any();
  EXPECT_TRUE(planned.until([&] { return marked() == 2; })) << "no node would take it";
}

TEST(NodeRequests, APodOfOursThatNoOfferHoldsIsMarkedThoughNobodyAsks) {
  FakeCluster cluster;
  cluster.put_pod("wide", pod_of(5));
  Planned planned(cluster);
  ASSERT_TRUE(planned.until_pending(1));
  planned.request_none();
  EXPECT_TRUE(planned.until([&] { return cluster.pod("wide").reason == "Unschedulable"; }));
}

// Nodes are there, but full.
TEST(NodeRequests, APodOfOursWithoutRoomIsMarkedAtOnceWhenItIsAskedFor) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 1});
  FakePod full = pod_of(1);
  full.node = "a";
  cluster.put_pod("full", full);
  cluster.put_pod("p", pod_of(1));
  Planned planned(cluster);
  ASSERT_TRUE(planned.until_pending(1));
  planned.request(1, in_a);
  const TimePoint began = cluster.now();
  ASSERT_TRUE(planned.until([&] { return cluster.pod("p").reason == "Unschedulable"; }));
  EXPECT_LT(cluster.now() - began, std::chrono::seconds(20));
}

}  // namespace
}  // namespace lips::kubernetes
