#include "kubernetes/adapter/kubernetes_cluster.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(KubernetesCluster, BindsWhatFitsAndLetsTheRestWaitForRoom) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 2});
  for (int i = 0; i < 3; ++i) cluster.put_pod(fmt::format("p{}", i), pod_of(1, "job", i));
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until([&] { return cluster.bound_to("a") == 2; }));
  cluster.end_pod("p0");
  ASSERT_TRUE(scheduling.until([&] { return cluster.bound_to("a") == 3; }));
  scheduling.end();
  EXPECT_TRUE(scheduling.ran());
  EXPECT_THAT(cluster.wrong(), IsEmpty());
}

TEST(KubernetesCluster, TellsNodesWithoutAPriceUntilTheyAreGone) {
  FakeCluster cluster;
  cluster.put_node("known", {.cpu = 2});
  cluster.put_node("odd-1", {.cpu = 64});
  Scheduling scheduling(cluster);
  ASSERT_TRUE(
      scheduling.until([&] { return scheduling.counted.nodes_without_price() == std::set<std::string>{"odd-1"}; }));
  cluster.remove_node("odd-1");
  cluster.put_node("odd-2", {.cpu = 64});
  EXPECT_TRUE(
      scheduling.until([&] { return scheduling.counted.nodes_without_price() == std::set<std::string>{"odd-2"}; }));
}

TEST(KubernetesCluster, CountsPodsOfOtherSchedulersUntilTheyAreGone) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 2});
  FakePod foreign = pod_of(2);
  foreign.scheduler = "default-scheduler";
  foreign.node = "a";
  cluster.put_pod("foreign", foreign);
  cluster.put_pod("ours", pod_of(1));
  cluster.put_node("b", {.cpu = 1, .cordoned = true});
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until([&] { return !cluster.pod("ours").reason.empty(); }));
  EXPECT_EQ(cluster.pod("ours").reason, "Unschedulable");
  EXPECT_THAT(cluster.pod("ours").message, HasSubstr("1 node(s) were unschedulable"));
  EXPECT_THAT(cluster.pod("ours").message, HasSubstr("1 Insufficient cpu"));
  cluster.remove_pod("foreign");
  EXPECT_TRUE(scheduling.until_bound("ours"));
}

TEST(KubernetesCluster, SaysOfPodsThatAskForWhatIsNotHonouredSoAndBindsTheOthers) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 8});
  FakePod ports = pod_of(1);
  ports.spec = R"("initContainers":[{"name":"i","ports":[{"hostPort":80}]}],)";
  cluster.put_pod("ports", ports);
  FakePod wrong = pod_of(1);
  wrong.annotations["lips.dev/cpu-seconds"] = "many";
  cluster.put_pod("wrong", wrong);
  FakePod data = pod_of(1);
  data.annotations["lips.dev/dataset"] = "nowhere";
  cluster.put_pod("data", data);
  cluster.put_pod("good", pod_of(1));
  Scheduling scheduling(cluster);
  EXPECT_TRUE(scheduling.until_bound("good"));
  for (const auto& [name, reason] :
       {std::pair("ports", "NotHonoured"), std::pair("wrong", "BadAnnotation"), std::pair("data", "DataSetNotReady")}) {
    ASSERT_TRUE(scheduling.until([&, pod = std::string(name)] { return !cluster.pod(pod).reason.empty(); })) << name;
    EXPECT_EQ(cluster.pod(name).reason, reason);
    EXPECT_EQ(cluster.pod(name).node, "");
  }
  EXPECT_THAT(cluster.pod("wrong").message, HasSubstr("lips.dev/cpu-seconds: found 'many'"));
}

TEST(KubernetesCluster, NamesTheTasksOfItsPodsAndSaysWhyOthersAreHeld) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 8});
  cluster.put_pod("good", pod_of(1));
  FakePod wrong = pod_of(1);
  wrong.annotations["lips.dev/cpu-seconds"] = "many";
  cluster.put_pod("wrong", wrong);
  Counting counted;
  SilentLog log;
  KubernetesCluster adapter(cluster.link(), {}, counted, log);
  EXPECT_THAT(adapter.pods(), IsEmpty());
  adapter.start();
  ClusterState state{ClusterSnapshot{}};
  for (const TimePoint end = cluster.now() + long_enough; state.snapshot().pending_tasks == 0;) {
    ASSERT_LT(cluster.now(), end);
    const auto events = adapter.wait(adapter.now() + std::chrono::milliseconds(20));
    ASSERT_TRUE(events);
    for (const ClusterEvent& event : *events) state.apply(event);
  }
  const std::vector<KnownPod> pods = adapter.pods();
  ASSERT_EQ(pods.size(), 2u);
  EXPECT_TRUE(pods[0].name.ends_with("/good")) << pods[0].name;
  EXPECT_EQ(pods[0].task, state.snapshot().groups[state.snapshot().pending.front()][0].first);
  EXPECT_TRUE(pods[1].name.ends_with("/wrong")) << pods[1].name;
  EXPECT_FALSE(pods[1].task.valid());
  EXPECT_THAT(pods[1].held, HasSubstr("lips.dev/cpu-seconds: found 'many'"));
}

TEST(KubernetesCluster, ToleratesTaintsOnlyWherePodsDoAndFollowsNodesThatComeAndGo) {
  FakeCluster cluster;
  cluster.put_node("tainted", {.cpu = 8, .taint = "dedicated"});
  cluster.put_pod("plain", pod_of(1));
  FakePod tolerant = pod_of(1);
  tolerant.spec = R"("tolerations":[{"key":"dedicated","operator":"Exists"}],)";
  cluster.put_pod("tolerant", tolerant);
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until_bound("tolerant"));
  ASSERT_TRUE(scheduling.until([&] { return !cluster.pod("plain").message.empty(); }));
  EXPECT_THAT(cluster.pod("plain").message, HasSubstr("untolerated taint {dedicated: }"));
  cluster.put_node("new", {.cpu = 8, .zone = "zone-b"});
  ASSERT_TRUE(scheduling.until_bound("plain"));
  EXPECT_EQ(cluster.pod("plain").node, "new");
}

TEST(KubernetesCluster, BindsNothingWhileAnotherCopyLeads) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 8});
  cluster.put_pod("p", pod_of(1));
  bool leads = false;
  int asked = 0;
  Scheduling scheduling(cluster, [&] {
    ++asked;
    return leads;
  });
  ASSERT_TRUE(scheduling.until([&] { return asked > 5; }));
  EXPECT_EQ(cluster.bindings(), 0u);
  leads = true;
  EXPECT_TRUE(scheduling.until_bound("p"));
}

TEST(KubernetesCluster, LearnsThatAnotherSchedulerWasQuicker) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 1});
  cluster.put_node("b", {.cpu = 1});
  Scheduling scheduling(cluster);
  FakePod taken = pod_of(1);
  taken.node = "a";
  cluster.put_pod("taken", taken);  // of ours, but bound by somebody else
  cluster.put_pod("next", pod_of(1));
  ASSERT_TRUE(scheduling.until_bound("next"));
  EXPECT_EQ(cluster.pod("next").node, "b");
  EXPECT_THAT(cluster.wrong(), IsEmpty());
}

TEST(KubernetesCluster, TellsOfEveryWriteThatIsRefused) {
  for (const auto& [part, told] :
       {std::pair("/status", "patch pods/status 403"), std::pair("/events", "create events 403"),
        std::pair("/binding", "create pods/binding 403")}) {
    FakeCluster cluster;
    cluster.forbid(part);
    cluster.put_node("a", {.cpu = 1});
    cluster.put_pod("fits", pod_of(1));
    cluster.put_pod("too-large", pod_of(2));
    Scheduling scheduling(cluster);
    EXPECT_TRUE(scheduling.until([&, what = std::string(told)] {
      return scheduling.counted.refused_writes().contains(what);
    })) << told;
  }
}

TEST(KubernetesCluster, SaysOfAPoolThatIsNotThereSo) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 4});
  FakePod chosen = pod_of(1);
  chosen.annotations["lips.dev/pool"] = "of-the-rich";
  cluster.put_pod("chosen", chosen);
  FakePod own = pod_of(1);
  own.annotations["lips.dev/pool"] = "default";  // its namespace
  cluster.put_pod("own", own);
  Scheduling scheduling(cluster);
  EXPECT_TRUE(scheduling.until_bound("own"));
  ASSERT_TRUE(scheduling.until([&] { return !cluster.pod("chosen").reason.empty(); }));
  EXPECT_EQ(cluster.pod("chosen").reason, "PoolNotAllowed");
  EXPECT_THAT(cluster.pod("chosen").message, HasSubstr("there is no Pool 'of-the-rich'"));
}

std::string resource_json(const std::string& name_space, const std::string& name, const std::string& rest) {
  return fmt::format(
      R"({{"metadata":{{"namespace":"{}","name":"{}","uid":"u-{}","resourceVersion":"1","generation":1,"creationTimestamp":"2026-03-01T10:00:00Z"}},{}}})",
      name_space, name, name, rest);
}

TEST(KubernetesCluster, SaysOfAnInputThatNoContainerCouldStartWithSo) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 64});
  std::string files;
  for (int i = 0; i < 4000; ++i)
    files += fmt::format(R"({}{{"path":"default/logs/part-of-a-long-name-{:020}","size":1048576}})", i ? "," : "", i);
  cluster.put_resource(
      "datastores", "s",
      resource_json("", "s", R"("spec":{"zone":"zone-a","nodeDirectory":{"node":"a","path":"/srv"}})"));
  cluster.put_resource(
      "datasets", "logs",
      resource_json("default", "logs",
                    fmt::format(R"("spec":{{"files":[{}],"stores":[{{"name":"s"}}]}},)"
                                R"("status":{{"blocks":4000,"replicas":[{{"store":"s","blocks":"0-3999"}}]}})",
                                files)));
  FakePod all = pod_of(1);
  all.annotations = {{"lips.dev/dataset", "logs"}, {"lips.dev/tasks", "1"}};
  cluster.put_pod("all", all);
  cluster.put_resource("datasets", "huge",
                       resource_json("default", "huge",
                                     R"("spec":{"files":[{"path":"default/huge","size":60000}],"blockSize":"1",)"
                                     R"("stores":[{"name":"s"}]},"status":{"blocks":60000,)"
                                     R"("replicas":[{"store":"s","blocks":"0-59999"}]})"));
  FakePod huge = pod_of(1);
  huge.annotations = {{"lips.dev/dataset", "huge"}, {"lips.dev/tasks", "1"}};
  cluster.put_pod("huge", huge);
  cluster.put_job("parts", 100);
  FakePod part = pod_of(1, "parts", 7);
  part.annotations = {{"lips.dev/dataset", "logs"}};
  cluster.put_pod("part", part);
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until_bound("part"));
  EXPECT_THAT(cluster.pod("part").annotations["lips.dev/input"], HasSubstr("part-of-a-long-name-"));
  ASSERT_TRUE(scheduling.until([&] { return !cluster.pod("all").reason.empty(); }));
  EXPECT_EQ(cluster.pod("all").reason, "InputTooLong");
  EXPECT_THAT(cluster.pod("all").message, HasSubstr("over 120000 bytes"));
  EXPECT_THAT(cluster.pod("all").message, HasSubstr("it is for 4000 blocks"));
  ASSERT_TRUE(scheduling.until([&] { return !cluster.pod("huge").reason.empty(); }));
  EXPECT_EQ(cluster.pod("huge").reason, "InputTooLong")
      << cluster.pod("huge").message << ": one line, but so many blocks would keep others waiting";
  EXPECT_EQ(cluster.pod("all").node, "");
}

// Maps that have to run in zone b, and reduces that may run anywhere: zone a is cheaper but for the shuffle.
class Shuffling {
 public:
  Shuffling() {
    cluster.put_node("cheap", {.cpu = 32, .zone = "zone-a", .usd_per_hour = "0.32"});
    cluster.put_node("dear", {.cpu = 32, .zone = "zone-b", .usd_per_hour = "0.64"});
  }
  static FakePod task(const std::string& owner, int index, const std::string& stage) {
    FakePod pod = pod_of(stage == "map" ? 1 : 2, owner, index);
    pod.annotations = {{"lips.dev/job", "sort"}, {"lips.dev/stage", stage}, {"lips.dev/shuffle", "400Gi"}};
    if (stage == "map") pod.spec = R"("nodeSelector":{"topology.kubernetes.io/zone":"zone-b"},)";
    return pod;
  }
  void run_maps(const Scheduling& scheduling) {
    cluster.put_job("maps", 4);
    for (int i = 0; i < 4; ++i) cluster.put_pod(fmt::format("map-{}", i), task("maps", i, "map"));
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(scheduling.until_bound(fmt::format("map-{}", i)));
      EXPECT_EQ(cluster.pod(fmt::format("map-{}", i)).node, "dear");
      cluster.end_pod(fmt::format("map-{}", i));
    }
  }
  void put_reduce(int index) { cluster.put_pod(fmt::format("reduce-{}", index), task("reduces", index, "reduce")); }
  std::string reduce_node(const Scheduling& scheduling, int index) {
    EXPECT_TRUE(scheduling.until_bound(fmt::format("reduce-{}", index)));
    return cluster.pod(fmt::format("reduce-{}", index)).node;
  }
  FakeCluster cluster;
};

TEST(KubernetesClusterShuffle, ReducesThatComeOneByOneGoWhereTheMapsRan) {
  Shuffling sort;
  Scheduling scheduling(sort.cluster);
  sort.run_maps(scheduling);
  sort.cluster.put_job("reduces", 4);
  sort.cluster.put_pod("another", pod_of(2));
  ASSERT_TRUE(scheduling.until_bound("another"));
  EXPECT_EQ(sort.cluster.pod("another").node, "cheap");
  for (int i = 0; i < 4; ++i) {
    sort.put_reduce(i);
    EXPECT_EQ(sort.reduce_node(scheduling, i), "dear");
  }
}

TEST(KubernetesClusterShuffle, ReducesWaitForMapsThatAskForSomethingElse) {
  Shuffling sort;
  Scheduling scheduling(sort.cluster);
  sort.cluster.put_job("maps", 1);
  sort.cluster.put_pod("map-0", sort.task("maps", 0, "map"));
  ASSERT_TRUE(scheduling.until_bound("map-0"));
  sort.put_reduce(0);
  sort.cluster.put_pod("another", pod_of(2));
  ASSERT_TRUE(scheduling.until_bound("another"));
  EXPECT_EQ(sort.cluster.pod("reduce-0").node, "");
  sort.cluster.end_pod("map-0");
  EXPECT_EQ(sort.reduce_node(scheduling, 0), "dear");
}

TEST(KubernetesClusterShuffle, FinishedMapsAreKnownToThatWhichComesAfterARestart) {
  Shuffling sort;
  {
    Scheduling scheduling(sort.cluster);
    sort.run_maps(scheduling);
  }
  Scheduling scheduling(sort.cluster);
  sort.put_reduce(0);
  EXPECT_EQ(sort.reduce_node(scheduling, 0), "dear");
}

// Nothing is left of the maps but the Job: their pods were cleared away while nobody looked.
TEST(KubernetesClusterShuffle, FinishedMapsAreKnownThoughTheirPodsAreGone) {
  Shuffling sort;
  {
    Scheduling scheduling(sort.cluster);
    sort.run_maps(scheduling);
    sort.put_reduce(0);
    EXPECT_EQ(sort.reduce_node(scheduling, 0), "dear");
    ASSERT_TRUE(scheduling.until([&] {
      const FakeJob job = sort.cluster.job("maps");
      const auto maps = job.annotations.find("lips.dev/finished-maps");
      return maps != job.annotations.end() && maps->second == "zone-b=4";
    }));
  }
  for (int i = 0; i < 4; ++i) sort.cluster.remove_pod(fmt::format("map-{}", i));
  Scheduling scheduling(sort.cluster);
  sort.put_reduce(1);
  EXPECT_EQ(sort.reduce_node(scheduling, 1), "dear");
}

class RandomTrouble : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomTrouble, NeverOvercommitsNorLosesAPod) {
  Random random(GetParam());
  FakeCluster cluster(GetParam());
  int nodes = 0, pods = 0;
  for (; nodes < 4; ++nodes)
    cluster.put_node(fmt::format("n{}", nodes), {.cpu = 4, .zone = nodes % 2 ? "zone-a" : "zone-b"});
  FakePod foreign = pod_of(2);
  foreign.scheduler = "default-scheduler";
  foreign.node = "n0";
  cluster.put_pod("foreign", foreign);
  cluster.trouble(200);
  bool leads = true;
  const auto start = [&] { return std::make_unique<Scheduling>(cluster, [&] { return leads; }); };
  auto scheduling = start();
  for (int step = 0; step < 150; ++step) {
    const auto draw = random.below(24);
    const auto alive = cluster.pods();
    if (draw < 8) {
      const int count = 1 + static_cast<int>(random.below(4));
      for (int i = 0; i < count; ++i, ++pods)
        cluster.put_pod(fmt::format("p{}", pods),
                        pod_of(1 + static_cast<int>(random.below(2)), fmt::format("job-{}", step), i));
    } else if (draw < 15) {
      for (const auto& [name, pod] : alive)
        if (!pod.node.empty() && name != "foreign" && pod.phase == "Pending" && random.below(3) == 0)
          cluster.end_pod(name);
    } else if (draw == 15) {
      for (const auto& [name, pod] : alive)
        if (name != "foreign" && random.below(10) == 0) cluster.remove_pod(name);
    } else if (draw == 16) {
      cluster.cut_watches();
    } else if (draw == 17) {
      cluster.forget_versions();
    } else if (draw == 18) {
      cluster.put_node(fmt::format("n{}", nodes++), {.cpu = 4});
    } else if (draw == 19 || draw == 20) {
      if (draw == 19) cluster.mute_watches();
      leads = !leads;
    } else if (draw == 23) {
      cluster.mute_watches();  // until the next cut, list or start
    } else if (random.below(2) == 0) {
      scheduling->end();
      scheduling = start();
    } else {
      cluster.put_node("n1", {.cpu = 4, .cordoned = random.below(2) == 0, .zone = "zone-a"});
    }
    const std::size_t before = cluster.bindings();
    const int turns = 1 + static_cast<int>(random.below(60));
    scheduling->until([&, turn = 0]() mutable { return ++turn > turns || cluster.bindings() > before + 2; });
  }
  cluster.trouble(0);
  cluster.cut_watches();
  leads = true;
  cluster.put_node("large", {.cpu = 10'000, .pods = 10'000});
  EXPECT_TRUE(scheduling->until([&] {
    const auto all = cluster.pods();
    return std::none_of(all.begin(), all.end(), [](const auto& entry) { return entry.second.node.empty(); });
  })) << "a pod was lost";
  EXPECT_THAT(cluster.wrong(), IsEmpty());
  scheduling->end();
  EXPECT_TRUE(scheduling->free_fits());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTrouble, testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace lips::kubernetes
