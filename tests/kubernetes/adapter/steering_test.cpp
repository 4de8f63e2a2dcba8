// Pods that keep their scheduler: they get a zone and lose our gate, or are let go, and are never stranded.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::SizeIs;

// All that was sent about the pod. Its events may be among it: they are sent when there is time.
std::vector<ReceivedRequest> writes(const FakeCluster& cluster, const std::string& pod) {
  std::vector<ReceivedRequest> result;
  for (ReceivedRequest& request : cluster.requests())
    if (request.method != "GET" &&
        (request.path.ends_with("/pods/" + pod) || request.path.find("/pods/" + pod + "/") != std::string::npos ||
         request.body.find("\"name\":\"" + pod + "\"") != std::string::npos))
      result.push_back(std::move(request));
  return result;
}
// The patches that were sent to the pod itself.
std::vector<std::string> patches(const FakeCluster& cluster, const std::string& pod) {
  std::vector<std::string> bodies;
  for (const ReceivedRequest& request : writes(cluster, pod))
    if (request.path.ends_with("/pods/" + pod)) bodies.push_back(request.body);
  return bodies;
}

bool is_open(const FakeCluster& cluster, const std::string& pod) { return cluster.pod(pod).gates.empty(); }

// The work of kube-scheduler on a pod that has no gate.
void schedule(FakeCluster& cluster, const std::string& pod, const std::string& node) {
  cluster.change_pod(pod, [&](FakePod& changed) {
    changed.node = node;
    changed.reason.clear();
  });
}
void find_no_node(FakeCluster& cluster, const std::string& pod) {
  cluster.change_pod(pod, [](FakePod& changed) { changed.reason = "Unschedulable"; });
}

// kube-scheduler alone would spread pods, and no node would become empty.
TEST(Steering, APodPrefersThePlansNodeUnlessItHasPreferencesOfItsOwn) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 4, .zone = "zone-a"});
  FakePod own = gated();
  own.spec =
      R"("affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"preference":{"matchExpressions":[{"key":"disk","operator":"In","values":["ssd"]}]}}]}},)";
  cluster.put_pod("plain", gated());
  cluster.put_pod("own", own);
  Scheduling scheduling(cluster, {}, PodMode::steer);
  ASSERT_TRUE(scheduling.until([&] { return is_open(cluster, "plain") && is_open(cluster, "own"); }));
  scheduling.end();
  const auto prefers =
      HasSubstr(R"("matchExpressions":[{"key":"kubernetes.io/hostname","operator":"In","values":["a"]}])");
  EXPECT_THAT(patches(cluster, "plain"), ElementsAre(prefers));
  EXPECT_THAT(patches(cluster, "own"), ElementsAre(Not(prefers)));
  for (const char* pod : {"plain", "own"})
    EXPECT_THAT(patches(cluster, pod), ElementsAre(Not(HasSubstr("matchFields"))));
}

TEST(Steering, AGatedPodGetsItsZoneAndLosesItsGateInOneRequest) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 4, .zone = "zone-a", .more = R"(,"karpenter.sh/capacity-type":"spot")"});
  FakePod pod = gated();
  pod.gates.insert("example.com/quota");
  pod.selector = {{"disk", "ssd"}};
  pod.spec = "";
  cluster.put_pod("p", pod);
  cluster.put_node("a", {.cpu = 4, .zone = "zone-a", .more = R"(,"disk":"ssd","karpenter.sh/capacity-type":"spot")"});
  Scheduling scheduling(cluster, {}, PodMode::steer);
  cluster.put_pod("own", pod_of(1));
  ASSERT_TRUE(scheduling.until_bound("own"));
  EXPECT_EQ(cluster.pod("p").gates.size(), 2u) << "it waits for somebody else too";
  cluster.change_pod("p", [](FakePod& changed) { changed.gates.erase("example.com/quota"); });
  ASSERT_TRUE(scheduling.until([&] { return is_open(cluster, "p"); }));
  const FakePod steered = cluster.pod("p");
  EXPECT_THAT(steered.selector, ElementsAre(Pair("disk", "ssd"), Pair(zone_label, "zone-a")))
      << "a spot market may be sold out by the time";
  EXPECT_EQ(steered.annotations.at("lips.dev/steered"), "zone-a");
  EXPECT_EQ(steered.node, "") << "its own scheduler binds it";
  ASSERT_TRUE(scheduling.until([&] { return !scheduling.counted.steered_pods().empty(); }));
  EXPECT_THAT(scheduling.counted.steered_pods(), ElementsAre(Pair("default zone-a", 1)));
  scheduling.end();
  for (const ReceivedRequest& request : writes(cluster, "p"))
    EXPECT_FALSE(request.path.ends_with("/status"))
        << "autoscalers would take a condition for a wish: " << request.body;
  ASSERT_THAT(patches(cluster, "p"), SizeIs(1));
  EXPECT_THAT(patches(cluster, "p")[0],
              HasSubstr(R"({"key":"karpenter.sh/capacity-type","operator":"In","values":["spot"]})"));
}

TEST(Steering, NothingOfOthersPodsIsWrittenWhereTheModeIsToWatch) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 4});
  cluster.put_pod("p", gated());
  FakePod odd = gated();
  odd.annotations["lips.dev/cpu-seconds"] = "many";
  cluster.put_pod("odd", odd);
  Scheduling scheduling(cluster);
  cluster.put_pod("wide", pod_of(5));  // that it is told why says that pods were reviewed
  ASSERT_TRUE(scheduling.until([&] { return cluster.pod("wide").reason == "Unschedulable"; }));
  cluster.put_pod("own", pod_of(1));
  ASSERT_TRUE(scheduling.until_bound("own"));
  scheduling.end();
  EXPECT_THAT(writes(cluster, "p"), IsEmpty());
  EXPECT_THAT(writes(cluster, "odd"), IsEmpty());
  EXPECT_FALSE(is_open(cluster, "p"));
}

TEST(Steering, APoolsModeWinsOverTheOperators) {
  FakeCluster cluster;
  for (const char* kind : {"datasets", "datastores", "datamoves"}) cluster.put_resource(kind, "none", "{}");
  const auto pool = [&](int version, const std::string& mode) {
    cluster.put_resource("pools", "default",
                         fmt::format(R"({{"metadata":{{"name":"default","uid":"u","resourceVersion":"{}"}},)"
                                     R"("spec":{{"mode":"{}"}}}})",
                                     version, mode));
  };
  pool(1, "watch");
  cluster.put_node("a", {.cpu = 4});
  cluster.put_pod("p", gated());
  Scheduling scheduling(cluster, {}, PodMode::steer);
  cluster.put_pod("own", pod_of(1));
  ASSERT_TRUE(scheduling.until_bound("own"));
  EXPECT_FALSE(is_open(cluster, "p"));
  pool(1000, "steer");
  ASSERT_TRUE(scheduling.until([&] { return is_open(cluster, "p"); }));
  EXPECT_THAT(cluster.pod("p").selector, ElementsAre(Pair(zone_label, "zone-a")));
}

TEST(Steering, WhereTheModeIsToBindGatesAreTakenAwayWithoutAZone) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 4});
  for (int i = 0; i < 3; ++i) cluster.put_pod(fmt::format("p{}", i), gated());
  Scheduling scheduling(cluster, {}, PodMode::bind);
  for (int i = 0; i < 3; ++i) {
    const std::string name = fmt::format("p{}", i);
    ASSERT_TRUE(scheduling.until([&] { return is_open(cluster, name); })) << name;
    EXPECT_THAT(cluster.pod(name).selector, IsEmpty());
    EXPECT_FALSE(cluster.pod(name).annotations.contains("lips.dev/steered")) << "it is another scheduler's alone";
  }
}

TEST(Steering, APoolThatIsLeftAloneIsLetGoWithoutAZoneAndSteeredAgainLater) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 4});
  bool alone = true;
  ClusterSettings settings;
  settings.left_alone = [&](const std::string& pool) { return pool == "default" && alone; };
  Scheduling scheduling(cluster, {}, PodMode::steer, {}, {}, settings);
  cluster.put_pod("p", gated());
  ASSERT_TRUE(scheduling.until([&] { return is_open(cluster, "p"); }));
  EXPECT_THAT(cluster.pod("p").selector, IsEmpty());
  alone = false;
  cluster.put_pod("q", gated());
  ASSERT_TRUE(scheduling.until([&] { return is_open(cluster, "q"); }));
  EXPECT_THAT(cluster.pod("q").selector, ElementsAre(Pair(zone_label, "zone-a")));
}

// kube-scheduler honours what we do not.
TEST(Steering, APodWithAConstraintThatOnlyItsSchedulerKnowsIsLetGo) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 4});
  FakePod pod = gated();
  pod.spec = R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"x","whenUnsatisfiable":"DoNotSchedule"}],)";
  cluster.put_pod("p", pod);
  Scheduling scheduling(cluster, {}, PodMode::steer);
  ASSERT_TRUE(scheduling.until([&] { return is_open(cluster, "p"); }));
  EXPECT_THAT(cluster.pod("p").selector, IsEmpty());
  ASSERT_TRUE(scheduling.until([&] { return !scheduling.counted.steered_pods().empty(); }));
  EXPECT_THAT(scheduling.counted.steered_pods(), ElementsAre(Pair("default none", 1)));
}

TEST(Steering, WhereNodesAreLaunchedAPodWithoutRoomNamesTheZoneOfItsData) {
  FakeCluster cluster;
  put_books(cluster);
  FakePod reader = gated(3);
  reader.annotations = {{"lips.dev/dataset", "books"}, {"lips.dev/cpu-seconds", "7200"}};
  cluster.put_pod("reader", reader);
  FakePod other = gated(3);
  other.annotations = {{"lips.dev/cpu-seconds", "7200"}};
  cluster.put_pod("other", other);
  Scheduling scheduling(cluster, {}, PodMode::steer, {offer_in("zone-a", 0.20), offer_in("zone-c", 0.201)});
  for (const char* name : {"reader", "other"})
    ASSERT_TRUE(scheduling.until([&] { return is_open(cluster, name); })) << name;
  EXPECT_THAT(cluster.pod("reader").selector, ElementsAre(Pair(zone_label, "zone-c")));
  EXPECT_EQ(cluster.pod("reader").annotations.at("lips.dev/capacity-type"), "on-demand");
  EXPECT_THAT(cluster.pod("reader").annotations.at("lips.dev/input"), testing::HasSubstr("s3://b"));
  EXPECT_EQ(cluster.pod("reader").annotations.at("lips.dev/read-from"), "s");
  EXPECT_EQ(cluster.pod("other").selector.at(zone_label), "zone-a") << "the cheaper one";
  cluster.put_node("c", {.cpu = 5, .zone = "zone-c"});
  schedule(cluster, "reader", "c");
  ASSERT_TRUE(scheduling.until([&] { return scheduling.running() == 1; })) << "it is a task again, where it is";
  cluster.put_pod("own", pod_of(1));
  ASSERT_TRUE(scheduling.until_bound("own"));
  EXPECT_EQ(cluster.pod("own").node, "c");
}

TEST(Steering, ThePodsRoomIsKeptUntilItIsSomewhereElse) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 1});
  cluster.put_pod("p", gated());
  Scheduling scheduling(cluster, {}, PodMode::steer);
  ASSERT_TRUE(scheduling.until([&] { return is_open(cluster, "p"); }));
  cluster.put_pod("own", pod_of(1));
  cluster.put_pod("wide", pod_of(5));
  ASSERT_TRUE(scheduling.until([&] { return cluster.pod("wide").reason == "Unschedulable"; })) << "all were looked at";
  EXPECT_EQ(cluster.pod("own").node, "");
  // In the same zone, on a node that LiPS has not planned for.
  FakeNode other{.cpu = 1};
  other.taint = "dedicated";
  cluster.put_node("b", other);
  schedule(cluster, "p", "b");
  EXPECT_TRUE(scheduling.until_bound("own"));
  EXPECT_EQ(cluster.pod("own").node, "a");
  EXPECT_TRUE(scheduling.until([&] { return scheduling.running() == 2; }));
  scheduling.end();
  EXPECT_THAT(cluster.wrong(), IsEmpty());
}

TEST(Steering, APodThatFindsNoNodeHoldsNoRoomAndIsNotPlannedAgain) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 1});
  cluster.put_pod("p", gated());
  Scheduling scheduling(cluster, {}, PodMode::steer);
  ASSERT_TRUE(scheduling.until([&] { return is_open(cluster, "p"); }));
  cluster.put_pod("own", pod_of(1));
  find_no_node(cluster, "p");
  ASSERT_TRUE(scheduling.until_bound("own"));
  // The node that its autoscaler buys has room for it, and nobody writes it again.
  cluster.put_node("bought", {.cpu = 1});
  schedule(cluster, "p", "bought");
  cluster.put_node("next", {.cpu = 1});
  cluster.put_pod("last", pod_of(1));
  ASSERT_TRUE(scheduling.until_bound("last"));
  EXPECT_EQ(cluster.pod("last").node, "next");
  EXPECT_TRUE(scheduling.until([&] { return scheduling.running() == 3; })) << "it is a task again, where it is";
  scheduling.end();
  EXPECT_THAT(cluster.wrong(), IsEmpty());
  EXPECT_THAT(patches(cluster, "p"), SizeIs(1));
}

TEST(Steering, ARefusalStrandsNoPodAndIsCounted) {
  FakeCluster cluster(5);
  cluster.put_node("a", {.cpu = 8});
  cluster.forbid("/pods/p");
  for (int i = 0; i < 4; ++i) cluster.put_pod(fmt::format("p{}", i), gated());
  Scheduling scheduling(cluster, {}, PodMode::steer);
  ASSERT_TRUE(scheduling.until([&] { return scheduling.counted.outcomes[BindOutcome::refused] >= 4; }))
      << "each is refused";
  EXPECT_THAT(scheduling.counted.refused_writes(), ElementsAre("patch pods 403"));
  cluster.trouble(700);
  cluster.forbid("");
  ASSERT_TRUE(scheduling.until([&] {
    return scheduling.counted.outcomes[BindOutcome::conflict] + scheduling.counted.outcomes[BindOutcome::failed] > 0;
  }));
  cluster.trouble(0);
  for (int i = 0; i < 4; ++i)
    EXPECT_TRUE(scheduling.until([&] { return is_open(cluster, fmt::format("p{}", i)); })) << i;
}

// The first process sends a pod off and hears nothing; the second one finds it open, and the others gated.
TEST(Steering, TheNextProcessGoesOnWhereTheLastOneWasKilled) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 2});
  cluster.lose_next_binding();
  {
    Scheduling first(cluster, {}, PodMode::steer);
    cluster.put_pod("p0", gated());
    ASSERT_TRUE(first.until([&] { return is_open(cluster, "p0"); }));
  }
  cluster.serve_bindings();
  cluster.put_pod("p1", gated());
  Scheduling second(cluster, {}, PodMode::steer);
  ASSERT_TRUE(second.until([&] { return is_open(cluster, "p1"); }));
  schedule(cluster, "p0", "a");
  schedule(cluster, "p1", "a");
  cluster.put_node("b", {.cpu = 1});
  cluster.put_pod("own", pod_of(1));
  ASSERT_TRUE(second.until_bound("own"));
  EXPECT_EQ(cluster.pod("own").node, "b") << "both count where they are";
  EXPECT_TRUE(second.until([&] { return second.running() == 3; }));
}

// It is for pods of other schedulers, so nobody would ever remove it.
TEST(Steering, APodThatNamesThisSchedulerIsToldToLeaveTheGateOut) {
  FakeCluster cluster(1);
  cluster.put_node("a", {.cpu = 4});
  FakePod both = gated();
  both.scheduler = "lips";
  cluster.put_pod("both", both);
  Scheduling scheduling(cluster, {}, PodMode::steer);
  ASSERT_TRUE(scheduling.until([&] { return cluster.pod("both").reason == "NotHonoured"; }));
  EXPECT_THAT(cluster.pod("both").message, HasSubstr("leave out one of the two"));
}

TEST(Steering, APodWhoseGateAPersonTookAwayIsItsSchedulersAlone) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 1});
  FakePod full = pod_of(1);
  full.node = "a";
  cluster.put_pod("full", full);
  cluster.put_pod("p", gated());
  Scheduling scheduling(cluster, {}, PodMode::steer);
  cluster.put_pod("wide", pod_of(5));
  ASSERT_TRUE(scheduling.until([&] { return cluster.pod("wide").reason == "Unschedulable"; }));
  cluster.change_pod("p", [](FakePod& pod) { pod.gates.clear(); });
  cluster.end_pod("full");
  cluster.put_pod("own", pod_of(1));
  ASSERT_TRUE(scheduling.until_bound("own"));
  cluster.put_node("b", {.cpu = 1});
  schedule(cluster, "p", "b");
  cluster.put_node("c", {.cpu = 1});
  cluster.put_pod("last", pod_of(1));
  ASSERT_TRUE(scheduling.until_bound("last"));
  EXPECT_EQ(cluster.pod("last").node, "c") << "its room is another scheduler's";
  EXPECT_TRUE(scheduling.until([&] { return scheduling.running() == 2; }));
  scheduling.end();
  EXPECT_THAT(patches(cluster, "p"), IsEmpty());
}

}  // namespace
}  // namespace lips::kubernetes
