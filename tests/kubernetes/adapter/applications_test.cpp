// Pods that a framework starts are one job: they go to one zone with room for all of them.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

class Applications : public ::testing::Test {
 protected:
  // Zones a (dear), b (cheap) and c, with so many cores.
  void zones(int a, int b, int c) {
    put_zone("a", a, "4.0");
    put_zone("b", b, "1.0");
    put_zone("c", c, "2.0");
  }
  void put_zone(const std::string& name, int cores, const std::string& usd_per_hour) {
    if (cores > 0)
      cluster_.put_node("node-" + name, {.cpu = cores, .zone = "zone-" + name, .usd_per_hour = usd_per_hour});
  }
  void executor(int number, const std::string& application = "spark-1", const std::string& data_set = "") {
    FakePod pod;
    pod.labels = {{"spark-app-selector", application}, {"spark-role", "executor"}};
    if (!data_set.empty()) pod.annotations = {{"lips.dev/dataset", data_set}};
    pod.driver = "driver-of-" + application;
    cluster_.put_pod(fmt::format("{}-exec-{}", application, number), pod);
  }
  void driver(const std::map<std::string, std::string>& annotations, const std::string& spec = "") {
    FakePod pod;
    pod.labels = {{"spark-app-selector", "spark-1"}, {"spark-role", "driver"}};
    pod.annotations = annotations;
    pod.spec = spec;
    cluster_.put_pod("spark-1-driver", pod);
  }
  // A bucket whose zone is the dear one, or that lies beside all zones.
  void bucket(const std::string& scope) {
    for (const char* kind : {"pools", "datamoves", "datasets"}) cluster_.put_resource(kind, "none", "{}");
    cluster_.put_resource(
        "datastores", "lake",
        R"({"metadata":{"name":"lake","uid":"l","resourceVersion":"1"},"spec":{"zone":"zone-a","bucket":)"
        R"({"name":"lake","prefix":"wh","scope":")" +
            scope + R"("},"allowedNamespaces":["default"]}})");
  }
  // A TiB.
  void table(const std::string& name) {
    cluster_.put_resource(
        "datasets", name,
        fmt::format(R"({{"metadata":{{"namespace":"default","name":"{0}","uid":"d-{0}","resourceVersion":"2"}},)"
                    R"("spec":{{"blockSize":"1Gi","files":[{{"path":"{0}/part-0","size":"1Ti"}}],)"
                    R"("stores":[{{"name":"lake"}}]}},)"
                    R"("status":{{"blocks":1024,"replicas":[{{"store":"lake","blocks":"0-1023"}}]}}}})",
                    name));
  }
  std::map<std::string, int> nodes() const {
    std::map<std::string, int> result;
    for (const auto& [name, pod] : cluster_.pods())
      if (!pod.node.empty()) ++result[pod.node];
    return result;
  }
  // A quota of three cores.
  void quota(const char* used) {
    cluster_.put_storage("resourcequotas", "quota",
                         {{"metadata", {{"namespace", "default"}}},
                          {"status", {{"hard", {{"requests.cpu", "3"}}}, {"used", {{"requests.cpu", used}}}}}});
  }
  void put_properties() {
    cluster_.put_config_map("spark-drv-1-conf-map",
                            {{"spark.properties",
                              "#written by Spark\nspark.executor.instances=4\nspark.executor.memory=100m\n"
                              "spark.executor.memoryOverhead=100m\n"}});
  }
  using Nodes = std::map<std::string, int>;
  FakeCluster cluster_;
};

TEST_F(Applications, ExecutorsGoToTheCheapestZoneWithRoomForAllOfThem) {
  zones(4, 2, 4);
  for (int i = 1; i <= 4; ++i) executor(i);
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until([&] { return cluster_.bindings() == 4; }));
  EXPECT_EQ(nodes(), (Nodes{{"node-c", 4}}));
}

TEST_F(Applications, ExecutorsThatComeInBatchesAreWaitedFor) {
  zones(4, 2, 4);
  Scheduling scheduling(cluster_);
  executor(1), executor(2);
  scheduling.run_for(std::chrono::milliseconds(500));  // as Spark pauses between two batches
  executor(3), executor(4);
  ASSERT_TRUE(scheduling.until([&] { return cluster_.bindings() == 4; }));
  EXPECT_EQ(nodes(), (Nodes{{"node-c", 4}}));
}

TEST_F(Applications, ADriverStartsWhereItsExecutorsWillFindRoom) {
  zones(5, 4, 5);
  driver({{"lips.dev/tasks", "4"}});
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until_bound("spark-1-driver"));
  EXPECT_EQ(nodes(), (Nodes{{"node-c", 1}}));
  FakePod other;
  other.cpu = 2;
  cluster_.put_pod("other", other);
  ASSERT_TRUE(scheduling.until_bound("other"));
  EXPECT_EQ(cluster_.pod("other").node, "node-b") << "and the room is theirs";
  for (int i = 1; i <= 4; ++i) executor(i);
  ASSERT_TRUE(scheduling.until([&] { return cluster_.bindings() == 6; }));
  EXPECT_EQ(nodes(), (Nodes{{"node-b", 1}, {"node-c", 5}}));
}

// As in ADriverStartsWhereItsExecutorsWillFindRoom, but nobody annotates anything.
constexpr const char* mounts_properties =
    R"("volumes":[{"name":"spark-conf-volume-driver","configMap":{"name":"spark-drv-1-conf-map"}}],)";

TEST_F(Applications, ADriversPropertiesSayHowManyExecutorsWillCome) {
  zones(5, 4, 5);
  put_properties();
  driver({}, mounts_properties);
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until_bound("spark-1-driver"));
  EXPECT_EQ(nodes(), (Nodes{{"node-c", 1}})) << "zone b has room for the driver and three executors";
  EXPECT_EQ(cluster_.requests_for("/api/v1/namespaces/default/configmaps/spark-drv-1-conf-map"), 1u);
}

TEST_F(Applications, ADriverWaitsForItsPropertiesThoughTheyComeLongAfterIt) {
  zones(5, 4, 5);
  driver({}, mounts_properties);
  Scheduling scheduling(cluster_);
  scheduling.run_for(std::chrono::milliseconds(3'500));  // more than it waits for a number that nobody says
  EXPECT_EQ(nodes(), Nodes{});
  put_properties();
  ASSERT_TRUE(scheduling.until_bound("spark-1-driver"));
  EXPECT_EQ(nodes(), (Nodes{{"node-c", 1}})) << "zone b has room for the driver and three executors";
}

TEST_F(Applications, WithoutTheRightToReadPropertiesADriverStartsAsEver) {
  zones(5, 4, 5);
  cluster_.forbid("/configmaps/spark-drv");
  driver({}, mounts_properties);
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until_bound("spark-1-driver"));
  EXPECT_EQ(nodes(), (Nodes{{"node-b", 1}}));
}

TEST_F(Applications, TheNextProcessSendsLaterExecutorsToTheOthers) {
  zones(4, 4, 0);
  for (int i = 1; i <= 2; ++i) executor(i);
  for (int i = 1; i <= 2; ++i)
    cluster_.change_pod(fmt::format("spark-1-exec-{}", i), [](FakePod& pod) {
      pod.node = "node-a";
      pod.phase = "Running";
    });
  executor(3);
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until_bound("spark-1-exec-3"));
  EXPECT_EQ(nodes(), (Nodes{{"node-a", 3}})) << "though zone b is cheaper";
}

TEST_F(Applications, ExecutorsGoBesideTheirDriverThoughTheyWouldAllFitInACheaperZone) {
  zones(5, 4, 5);
  driver({{"lips.dev/tasks", "4"}});
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until_bound("spark-1-driver"));
  EXPECT_EQ(nodes(), (Nodes{{"node-c", 1}}));
  for (int i = 1; i <= 4; ++i) executor(i);  // the driver does not run yet: no kubelet has started it
  ASSERT_TRUE(scheduling.until([&] { return cluster_.bindings() == 5; }));
  EXPECT_EQ(nodes(), (Nodes{{"node-c", 5}}));
}

// Pods of an application fill the cheap zone, and two of them go: their room is kept for others that would come in
// their place, unless nobody is left who would create any.
class PodsThatGo : public Applications {
 protected:
  PodsThatGo() {
    put_zone("a", 2, "1.1");  // so little dearer that nobody waits
    put_zone("b", 4, "1.0");
  }
  void runs(const std::string& name, FakePod pod, const std::string& application) {
    pod.labels[application] = "old";
    pod.annotations = {{"lips.dev/tasks", "4"}};
    pod.node = "node-b";
    pod.phase = "Running";
    cluster_.put_pod(name, pod);
  }
  void job_with_pods() {
    cluster_.put_job("old", 4);
    for (int i = 0; i < 4; ++i) runs(fmt::format("old-{}", i), pod_of(1, "old", i), "jobset.sigs.k8s.io/jobset-name");
  }
  // Where a pod of no application goes, once their creator has ended, if it does, and two have gone. The watch of the
  // creator may be behind that of pods: then a later pod shows where they go.
  std::string next_goes(const std::function<void()>& end, std::size_t running = 4) {
    Scheduling scheduling(cluster_);
    EXPECT_TRUE(scheduling.until([&] { return scheduling.running() == running; }));
    if (end) end();
    for (int i = 0; i < 2; ++i) cluster_.remove_pod(fmt::format("old-{}", i));
    EXPECT_TRUE(scheduling.until([&] { return scheduling.running() < running - 1; }));
    for (int attempt = 0;; ++attempt) {
      const std::string next = fmt::format("next-{}", attempt);
      cluster_.put_pod(next, FakePod{});
      EXPECT_TRUE(scheduling.until_bound(next));
      const std::string node = cluster_.pod(next).node;
      if (!end || node == "node-b" || attempt == 20) return node;
      cluster_.remove_pod(next);
      scheduling.run_for(std::chrono::milliseconds(50));
    }
  }
};

TEST_F(PodsThatGo, AreAwaitedAnewWhileTheirJobIsThere) {
  job_with_pods();
  EXPECT_EQ(next_goes(nullptr), "node-a") << "the room in the cheap zone is kept";
}

TEST_F(PodsThatGo, AreNotAwaitedIfTheirJobIsGone) {
  job_with_pods();
  EXPECT_EQ(next_goes([&] { cluster_.remove_job("old"); }), "node-b");
}

TEST_F(PodsThatGo, AreNotAwaitedIfTheirJobMakesNoMore) {
  const std::vector<nlohmann::json> ends = {
      {{"metadata", {{"deletionTimestamp", "2026-01-01T00:00:00Z"}}}},
      {{"spec", {{"suspend", true}}}},
      {{"status", {{"conditions", {{{"type", "FailureTarget"}, {"status", "True"}}}}}}},
  };
  for (const nlohmann::json& end : ends) {
    job_with_pods();
    EXPECT_EQ(next_goes([&] { cluster_.change_job("old", end); }), "node-b") << end;
    for (const auto& [name, pod] : cluster_.pods()) cluster_.remove_pod(name);
    cluster_.remove_job("old");
  }
}

TEST_F(PodsThatGo, AreNotAwaitedIfTheirDriverHasEnded) {
  for (const bool deleted : {false, true}) {
    FakePod driver;
    driver.labels = {{"spark-role", "driver"}};
    runs("driver", driver, "spark-app-selector");
    FakePod executor;
    executor.driver = "driver";
    for (int i = 0; i < 3; ++i) runs(fmt::format("old-{}", i), executor, "spark-app-selector");
    EXPECT_EQ(next_goes([&] { deleted ? cluster_.remove_pod("driver") : cluster_.end_pod("driver"); }), "node-b");
    for (const auto& [name, pod] : cluster_.pods()) cluster_.remove_pod(name);
  }
}

TEST_F(Applications, NodesAreOrderedForADriverAndAllItsExecutorsBeforeItStarts) {
  put_zone("b", 1, "1.0");  // room for the driver alone
  driver({{"lips.dev/tasks", "4"}});
  ClusterSettings settings;
  settings.self = {"lips-system", "lips-1", "uid-of-lips", ""};
  Scheduling scheduling(cluster_, {}, PodMode::watch, {offer_in("zone-a", 0.4), offer_in("zone-c", 0.2)}, {},
                        std::move(settings));
  const auto ordered = [&](std::size_t pods) {
    return scheduling.until([&] { return cluster_.created_pods().size() == pods; });
  };
  ASSERT_TRUE(ordered(5));
  for (const auto& [name, pod] : cluster_.created_pods())
    EXPECT_NE(pod.dump().find("zone-c"), std::string::npos) << "the cheapest zone, for all of them";
  const auto launch = [&](const std::string& node) {
    cluster_.put_node(node,
                      {.cpu = 4, .zone = "zone-c", .more = R"(,"lips.dev/fleet":"elastic")", .usd_per_hour = "0.2"});
  };
  launch("new-1");
  const int listings = scheduling.listings();
  ASSERT_TRUE(scheduling.until([&] { return scheduling.listings() > listings; })) << "the node is seen";
  EXPECT_EQ(cluster_.bindings(), 0u) << "the fifth has no room yet";
  EXPECT_EQ(cluster_.created_pods().size(), 5u) << "so that the autoscaler leaves the empty node";
  launch("new-2");
  ASSERT_TRUE(scheduling.until_bound("spark-1-driver"));
  ASSERT_TRUE(ordered(4)) << "for the executors";
  for (int i = 1; i <= 4; ++i) executor(i);
  ASSERT_TRUE(scheduling.until([&] { return cluster_.bindings() == 5; }));
  ASSERT_TRUE(ordered(0));
  EXPECT_FALSE(nodes().contains("node-b"));
}

// The owner could not make more pods, and would not pay for the nodes.
TEST_F(Applications, NoNodesAreOrderedForExecutorsBeyondTheQuotaOfTheirNamespace) {
  put_zone("b", 1, "1.0");
  driver({{"lips.dev/tasks", "300"}});
  quota("1");
  ClusterSettings settings;
  settings.self = {"lips-system", "lips-1", "uid-of-lips", ""};
  Scheduling scheduling(cluster_, {}, PodMode::watch, {offer_in("zone-c", 0.2)}, {}, std::move(settings));
  ASSERT_TRUE(scheduling.until([&] { return cluster_.created_pods().size() == 3; })) << "the driver and two executors";
  const int listings = scheduling.listings();
  cluster_.put_node("another", {.cpu = 1, .zone = "zone-a"});
  ASSERT_TRUE(scheduling.until([&] { return scheduling.listings() > listings; }));
  EXPECT_EQ(cluster_.created_pods().size(), 3u);
}

// Two of its executors can come. The room of the others is free.
TEST_F(Applications, NoRoomIsKeptForExecutorsBeyondTheQuotaOfTheirNamespace) {
  put_zone("b", 4, "1.0");
  driver({{"lips.dev/tasks", "300"}});
  quota("1");
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until_bound("spark-1-driver"));
  cluster_.put_pod("other-1", {});
  ASSERT_TRUE(scheduling.until_bound("other-1"));
  cluster_.put_pod("other-2", {});
  quota("3");  // the server counts a pod before it lets it in
  executor(1), executor(2);
  ASSERT_TRUE(scheduling.until([&] { return cluster_.bindings() == 4; }));
  EXPECT_EQ(cluster_.pod("other-2").node, "") << "theirs was kept";
}

// Watches of two kinds come in any order. The executors would wait for others of which none can come.
TEST_F(Applications, ExecutorsStartWhenTheirQuotaTurnsOutToBeUsedUp) {
  put_zone("b", 4, "1.0");
  driver({{"lips.dev/tasks", "300"}});
  quota("1");
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until_bound("spark-1-driver"));
  cluster_.put_pod("other", {});
  ASSERT_TRUE(scheduling.until_bound("other"));
  executor(1), executor(2);
  ASSERT_TRUE(scheduling.until([&] { return scheduling.pending() == 2; }));
  ASSERT_EQ(cluster_.bindings(), 2);
  quota("3");
  EXPECT_TRUE(scheduling.until([&] { return cluster_.bindings() == 4; }));
}

// It waits for its properties, and nothing else is pending: an autoscaler would launch a node for it anywhere.
TEST_F(Applications, ADriverIsNeverMarkedForAutoscalersWhereNodesAreOrdered) {
  driver({}, mounts_properties);
  ClusterSettings settings;
  settings.self = {"lips-system", "lips-1", "uid-of-lips", ""};
  Scheduling scheduling(cluster_, {}, PodMode::watch, {offer_in("zone-a", 0.4), offer_in("zone-c", 0.2)}, {},
                        std::move(settings));
  ASSERT_TRUE(scheduling.until([&] { return cluster_.requests_for("/configmaps/spark-drv-1-conf-map") > 1; }))
      << "it asks again after a while";
  put_properties();
  ASSERT_TRUE(scheduling.until([&] { return cluster_.created_pods().size() == 5; }));
  for (const ReceivedRequest& request : cluster_.requests())
    if (request.path.ends_with("/pods/spark-1-driver/status")) {
      EXPECT_EQ(request.body.find("\"Unschedulable\""), std::string::npos) << request.body;
    }
}

TEST_F(Applications, ExecutorsThatNameAPathGoWhereItsDataSetsLie) {
  zones(4, 2, 4);
  bucket("Zonal");
  table("events");
  for (int i = 1; i <= 4; ++i) executor(i, "spark-1", "s3a://lake/wh/events");
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until([&] { return cluster_.bindings() == 4; }));
  EXPECT_EQ(nodes(), (Nodes{{"node-a", 4}})) << "the dearest zone, but a TiB lies there";
  for (const auto& [name, pod] : cluster_.pods()) EXPECT_FALSE(pod.annotations.contains("lips.dev/input")) << name;
}

TEST_F(Applications, ExecutorsThatNameAPathInABucketOfARegionGoWhereCpuIsCheapest) {
  zones(4, 2, 4);
  bucket("Regional");
  for (int i = 1; i <= 4; ++i) executor(i, "spark-1", "s3a://lake/wh/events");
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until([&] { return cluster_.bindings() == 4; }));
  EXPECT_EQ(nodes(), (Nodes{{"node-c", 4}}));
}

TEST_F(Applications, ExecutorsThatNameAPathOfWhichNobodyKnowsAreTold) {
  zones(4, 2, 4);
  bucket("Zonal");
  table("events");
  executor(1, "spark-1", "s3a://lake/wh/users");
  executor(1, "spark-2", "s3a://lake/wh/../events");
  executor(1, "spark-3");
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until_bound("spark-3-exec-1"));
  for (const char* name : {"spark-1-exec-1", "spark-2-exec-1"})
    ASSERT_TRUE(scheduling.until([&] { return !cluster_.pod(name).reason.empty(); })) << name;
  EXPECT_EQ(cluster_.pod("spark-1-exec-1").reason, "DataSetNotReady");
  EXPECT_EQ(
      cluster_.pod("spark-1-exec-1").message,
      "lips.dev/dataset: 's3a://lake/wh/users': no data set that default may read has files there, or none that is "
      "ready");
  EXPECT_EQ(cluster_.pod("spark-2-exec-1").reason, "BadAnnotation");
  EXPECT_EQ(cluster_.pod("spark-2-exec-1").message,
            "lips.dev/dataset: found 's3a://lake/wh/../events'; allowed: a path without '.' and '..'");
  table("users");
  ASSERT_TRUE(scheduling.until_bound("spark-1-exec-1"));
}

TEST_F(Applications, GatedPodsOfOneGetOneZone) {
  zones(4, 2, 4);
  for (int i = 1; i <= 4; ++i) {
    FakePod pod;
    pod.scheduler = "default-scheduler";
    pod.gates = {"lips.dev/zone"};
    pod.labels = {{"ray.io/cluster", "rays"}, {"ray.io/node-type", i == 1 ? "head" : "worker"}};
    cluster_.put_pod(fmt::format("ray-{}", i), pod);
  }
  Scheduling scheduling(cluster_, {}, PodMode::steer);
  const auto ungated = [&] {
    const auto pods = cluster_.pods();
    return std::all_of(pods.begin(), pods.end(), [](const auto& entry) { return entry.second.gates.empty(); });
  };
  ASSERT_TRUE(scheduling.until(ungated));
  for (const auto& [name, pod] : cluster_.pods())
    EXPECT_EQ(pod.selector.at("topology.kubernetes.io/zone"), "zone-c") << name;
}

}  // namespace
}  // namespace lips::kubernetes
