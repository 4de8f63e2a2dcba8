// Pods that a framework starts are one job: they go to one zone with room for all of them.
#include <gtest/gtest.h>

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
  void executor(int number, const std::string& application = "spark-1") {
    FakePod pod;
    pod.labels = {{"spark-app-selector", application}, {"spark-role", "executor"}};
    pod.driver = "driver-of-" + application;
    cluster_.put_pod(fmt::format("{}-exec-{}", application, number), pod);
  }
  void driver(const std::map<std::string, std::string>& annotations) {
    FakePod pod;
    pod.labels = {{"spark-app-selector", "spark-1"}, {"spark-role", "driver"}};
    pod.annotations = annotations;
    cluster_.put_pod("spark-1-driver", pod);
  }
  std::map<std::string, int> nodes() const {
    std::map<std::string, int> result;
    for (const auto& [name, pod] : cluster_.pods())
      if (!pod.node.empty()) ++result[pod.node];
    return result;
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
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // as Spark pauses between two batches
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
