// Promises that hold beside other schedulers, other replicas of the operator, autoscalers, and a server that answers
// wrongly.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/wanted_price.h"
#include "tests/kubernetes/adapter/planned.h"
#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// The binding of p is done, though nobody hears of it; then this copy leads no longer, and leads again while its
// watches still tell of a node with room, which q, more important than p, would take.
TEST(KubernetesCluster, OvercommitsNothingWhenItLeadsAgainAfterAnAnswerWasLost) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 1});
  cluster.lose_next_binding();
  bool leads = true;
  int asked = 0;
  Scheduling scheduling(cluster, [&] {
    ++asked;
    return leads;
  });
  cluster.put_pod("p", pod_of(1));
  ASSERT_TRUE(scheduling.until([&] { return scheduling.counted.outcomes[BindOutcome::failed] > 0; }))
      << "the binding is in doubt";
  FakePod important = pod_of(1);
  important.spec = R"("priority":100,)";
  cluster.put_pod("q", important);
  cluster.mute_watches();
  leads = false;
  const int before = asked;
  ASSERT_TRUE(scheduling.until([&] { return asked > before + 12; })) << "a retry was due and was not allowed";
  cluster.serve_bindings();
  leads = true;
  cluster.put_node("b", {.cpu = 1});  // muted, so that only a new list tells of it
  EXPECT_TRUE(scheduling.until_bound("q"));
  EXPECT_EQ(cluster.pod("p").node, "a");
  EXPECT_EQ(cluster.pod("q").node, "b");
  EXPECT_THAT(cluster.wrong(), IsEmpty());
}

// The request of p never arrives. The list that follows says so, and its room is free for whom it suits.
TEST(KubernetesCluster, GivesTheRoomBackWhenAYoungerListShowsThatThePodIsNotThere) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 1});
  cluster.refuse_bindings();
  bool leads = true;
  int asked = 0;
  Scheduling scheduling(cluster, [&] {
    ++asked;
    return leads;
  });
  cluster.put_pod("p", pod_of(1));
  ASSERT_TRUE(scheduling.until([&] { return scheduling.counted.outcomes[BindOutcome::failed] > 0; }));
  leads = false;
  const int before = asked;
  ASSERT_TRUE(scheduling.until([&] { return asked > before + 5; }));
  FakePod elsewhere = pod_of(1);
  elsewhere.node = "a";  // by the copy that led meanwhile
  cluster.put_pod("other", elsewhere);
  cluster.serve_bindings();
  leads = true;
  cluster.put_node("b", {.cpu = 1});
  EXPECT_TRUE(scheduling.until_bound("p"));
  EXPECT_EQ(cluster.pod("p").node, "b");
  EXPECT_THAT(cluster.wrong(), IsEmpty());
}

// The first try binds p, but nobody hears of it; a proxy then says that there is no such pod. Only a list tells.
TEST(KubernetesCluster, OvercommitsNothingWhenARefusalFollowsALostAnswer) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 1});
  cluster.deny_after_first_try("p", FakeCluster::FirstTry::done);
  FakePod important = pod_of(1);
  important.spec = R"("priority":100,)";
  cluster.put_pod("p", important);
  cluster.put_pod("q", pod_of(1));
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until([&] { return cluster.requests_for("p/binding") > 2; }))
      << "the refusal was not believed";
  ASSERT_TRUE(scheduling.until([&] { return scheduling.running() == 1; })) << "the list shows p";
  cluster.put_node("b", {.cpu = 1});
  EXPECT_TRUE(scheduling.until_bound("q"));
  EXPECT_EQ(cluster.pod("q").node, "b");
  EXPECT_THAT(cluster.wrong(), IsEmpty());
}

// No try arrives. The list shows p nowhere, and q gets the room.
TEST(KubernetesCluster, GivesTheRoomBackWhenARefusalFollowsATryThatWasNotDone) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 1});
  cluster.deny_after_first_try("p", FakeCluster::FirstTry::not_done);
  Scheduling scheduling(cluster);
  cluster.put_pod("p", pod_of(1));
  ASSERT_TRUE(scheduling.until([&] { return cluster.requests_for("p/binding") > 1; }));
  FakePod important = pod_of(1);
  important.spec = R"("priority":100,)";
  cluster.put_pod("q", important);
  EXPECT_TRUE(scheduling.until_bound("q"));
  EXPECT_THAT(cluster.wrong(), IsEmpty());
}

// Each pod is refused as missing, or as being deleted, at least once, though it is there all the time.
TEST(KubernetesCluster, StrandsNoPodOfWhichTheServerSaysThatItIsNotThere) {
  FakeCluster cluster(3);
  cluster.put_node("a", {.cpu = 40});
  cluster.trouble(900);
  Scheduling scheduling(cluster);
  for (int i = 0; i < 40; ++i) cluster.put_pod(fmt::format("p{}", i), pod_of(1));
  ASSERT_TRUE(scheduling.until([&] { return scheduling.counted.outcomes[BindOutcome::conflict] >= 3; })) << "conflicts";
  cluster.trouble(0);
  for (int i = 0; i < 40; ++i) EXPECT_TRUE(scheduling.until_bound(fmt::format("p{}", i))) << i;
  EXPECT_THAT(cluster.wrong(), IsEmpty());
}

TEST(KubernetesCluster, AsksTheFiltersAgainRightBeforeABinding) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 1});
  cluster.put_pod("p", pod_of(1));
  Counting counted;
  SilentLog log;
  KubernetesCluster adapter(cluster.link(), {}, counted, log);
  adapter.start();
  const TimePoint deadline = cluster.now() + long_enough;
  bool arrived = false;
  const auto listen = [&] {
    const auto events = adapter.wait(adapter.now() + std::chrono::milliseconds(10));
    ASSERT_TRUE(events.has_value());
    for (const ClusterEvent& event : *events) arrived |= std::holds_alternative<JobArrived>(event);
  };
  while (!arrived && cluster.now() < deadline) listen();
  ASSERT_TRUE(arrived);
  const Assignment assignment{TaskId(0), NodeId(0), {}, {}};
  EXPECT_TRUE(adapter.prepare(assignment).has_value());
  cluster.put_node("a", {.cpu = 1, .taint = "dedicated"});
  Result<PreparedBinding> prepared = adapter.prepare(assignment);
  for (; prepared && cluster.now() < deadline; prepared = adapter.prepare(assignment)) listen();
  ASSERT_FALSE(prepared.has_value());
  EXPECT_THAT(prepared.error().message, HasSubstr("taint {dedicated"));
  EXPECT_EQ(cluster.bindings(), 0u) << "to prepare sends nothing";
  adapter.finish();
}

// The work of kube-scheduler beside us when a pod of higher priority finds no room: it nominates a node, evicts, and
// waits.
TEST(KubernetesCluster, LeavesRoomToAPodThatAnotherSchedulerHasEvictedOursFor) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 2});
  for (int i = 0; i < 4; ++i) cluster.put_pod(fmt::format("p{}", i), pod_of(1, "job", i));
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until([&] { return cluster.bound_to("a") == 2; }));
  FakePod important = pod_of(2);
  important.scheduler = "default-scheduler";
  important.spec = R"("priority":1000,)";
  important.status = R"(,"nominatedNodeName":"a")";
  cluster.put_pod("important", important);
  std::vector<std::string> evicted;
  for (const auto& [name, pod] : cluster.pods())
    if (pod.node == "a") evicted.push_back(name);
  for (const std::string& name : evicted) cluster.remove_pod(name);
  // Somewhere else there is room: that the rest goes there says that the evictions have been taken in.
  cluster.put_node("b", {.cpu = 2});
  ASSERT_TRUE(scheduling.until([&] { return cluster.bound_to("b") == 2; }));
  EXPECT_EQ(cluster.bound_to("a"), 0u) << "the room is somebody's";
  cluster.put_pod("late", pod_of(1));
  cluster.change_pod("important", [](FakePod& pod) { pod.node = "a"; });
  cluster.end_pod("important");
  EXPECT_TRUE(scheduling.until_bound("late"));
  EXPECT_THAT(cluster.wrong(), IsEmpty());
}

TEST(KubernetesCluster, CountsAResizeInPlaceOfItsOwnPods) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 4});
  cluster.put_pod("grows", pod_of(1));
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until_bound("grows"));
  cluster.change_pod("grows", [](FakePod& pod) { pod.cpu = 4; });
  cluster.put_node("b", {.cpu = 1});
  cluster.put_pod("next", pod_of(1));
  ASSERT_TRUE(scheduling.until_bound("next"));
  EXPECT_EQ(cluster.pod("next").node, "b");
  EXPECT_THAT(cluster.wrong(), IsEmpty());
}

TEST(KubernetesCluster, PutsNothingOnNodesThatAreAboutToGoWhileOthersServe) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 2, .taint = "DeletionCandidateOfClusterAutoscaler", .effect = "PreferNoSchedule"});
  cluster.put_node("b", {.cpu = 2});
  Scheduling scheduling(cluster);
  for (int i = 0; i < 2; ++i) cluster.put_pod(fmt::format("p{}", i), pod_of(1, "job", i));
  ASSERT_TRUE(scheduling.until([&] { return cluster.bound_to("b") == 2; }));
  cluster.put_pod("more", pod_of(1));
  ASSERT_TRUE(scheduling.until_bound("more"));
  EXPECT_EQ(cluster.pod("more").node, "a") << "rather there than not at all";
}

// A preference is no price: bills, metrics and savings count what the node costs.
TEST(KubernetesCluster, PricesANodeThatPlansAvoidAsTheCloudDoes) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 2, .taint = "slow", .effect = "PreferNoSchedule"});
  cluster.put_node("b", {.cpu = 2});
  Planned planned(cluster);
  ASSERT_TRUE(planned.until([&] { return planned.snapshot().nodes.size() >= 2; }));
  const IdVector<NodeId, lips::Node>& nodes = planned.snapshot().nodes;
  EXPECT_EQ(nodes[NodeId(0)].preference, 1.05);
  EXPECT_EQ(nodes[NodeId(1)].preference, 1);
  EXPECT_EQ(nodes[NodeId(0)].cpu_price, nodes[NodeId(1)].cpu_price);
  EXPECT_GT(wanted_price(nodes[NodeId(0)]), wanted_price(nodes[NodeId(1)]));
  cluster.put_node("a", {.cpu = 2});
  EXPECT_TRUE(planned.until([&] { return planned.snapshot().nodes[NodeId(0)].preference == 1; }));
}

TEST(KubernetesCluster, TakesInANewLabelKeyAndANewTaintWithoutListingEverythingAnew) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 2});
  cluster.put_node("b", {.cpu = 2, .more = R"(,"disk":"ssd")"});
  cluster.put_pod("first", pod_of(1));
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until_bound("first"));
  FakePod picky = pod_of(1);
  picky.spec = R"("nodeSelector":{"disk":"ssd"},)";
  cluster.put_pod("picky", picky);
  ASSERT_TRUE(scheduling.until_bound("picky"));
  EXPECT_EQ(cluster.pod("picky").node, "b");
  cluster.put_node("b", {.cpu = 2, .taint = "gone-soon", .more = R"(,"disk":"ssd")"});
  cluster.put_pod("plain", pod_of(1));
  ASSERT_TRUE(scheduling.until_bound("plain"));
  EXPECT_EQ(cluster.pod("plain").node, "a");
  scheduling.end();
  EXPECT_EQ(scheduling.listings(), 1);
}

}  // namespace
}  // namespace lips::kubernetes
