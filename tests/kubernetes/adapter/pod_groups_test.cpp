// Pods that name a PodGroup (scheduling.k8s.io) start together or not at all.
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;

class OfAPodGroup : public ::testing::Test {
 protected:
  OfAPodGroup() {
    cluster_.put_node("node-a", {.cpu = 4, .zone = "zone-a", .usd_per_hour = "2.2"});
    cluster_.put_node("node-b", {.cpu = 2, .zone = "zone-b", .usd_per_hour = "1.0"});
  }
  void pod(int number, const std::string& group = "train") {
    FakePod pod;
    pod.spec = fmt::format(R"("schedulingGroup":{{"podGroupName":"{}"}},)", group);
    cluster_.put_pod(fmt::format("{}-{}", group, number), pod);
  }
  void group(int least, const std::string& name = "train") {
    const nlohmann::json policy = least > 0 ? nlohmann::json{{"gang", {{"minCount", least}}}}
                                            : nlohmann::json{{"basic", nlohmann::json::object()}};
    cluster_.put_storage("podgroups", name,
                         {{"metadata", {{"name", name}, {"namespace", "default"}, {"uid", "g-" + name}}},
                          {"spec", {{"schedulingPolicy", policy}}}});
  }
  bool waits(Scheduling& scheduling, int number, const std::string& reason, const std::string& message) {
    const std::string name = fmt::format("train-{}", number);
    return scheduling.until([&] {
      const FakePod pod = cluster_.pod(name);
      return pod.reason == reason && pod.message.find(message) != std::string::npos;
    });
  }
  FakeCluster cluster_;
};

TEST_F(OfAPodGroup, SoManyStartTogetherInOneZone) {
  group(3);
  for (int i = 0; i < 2; ++i) pod(i);
  Scheduling scheduling(cluster_);
  cluster_.put_pod("other", FakePod{});
  ASSERT_TRUE(scheduling.until_bound("other"));
  EXPECT_EQ(cluster_.bindings(), 1u) << "one of three has not come";
  pod(2);
  ASSERT_TRUE(scheduling.until([&] { return cluster_.bindings() == 4; }));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(cluster_.pod(fmt::format("train-{}", i)).node, "node-a");
}

TEST_F(OfAPodGroup, FewerDoNotStartThoughMoreWillNeverFindRoom) {
  group(7);
  for (int i = 0; i < 7; ++i) pod(i);
  Scheduling scheduling(cluster_);
  for (int i = 0; i < 6; ++i) cluster_.put_pod(fmt::format("other-{}", i), FakePod{});
  ASSERT_TRUE(scheduling.until([&] { return cluster_.bindings() == 6; }));
  for (int i = 0; i < 7; ++i) EXPECT_EQ(cluster_.pod(fmt::format("train-{}", i)).node, "");
}

TEST_F(OfAPodGroup, TheyWaitForTheObject) {
  for (int i = 0; i < 3; ++i) pod(i);
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(waits(scheduling, 0, "GroupNotReady", "PodGroup 'train' does not exist yet"));
  EXPECT_EQ(cluster_.bindings(), 0u);
  group(3);
  ASSERT_TRUE(scheduling.until([&] { return cluster_.bindings() == 3; }));
}

TEST_F(OfAPodGroup, TheyStartEachForItselfIfItIsBasic) {
  group(0);
  for (int i = 0; i < 4; ++i) pod(i);
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until([&] { return cluster_.bindings() == 4; }));
  EXPECT_EQ(cluster_.bound_to("node-b"), 2u) << "as many as the cheap zone holds";
}

TEST_F(OfAPodGroup, TheyStartAgainWithoutTheOthersThatRunWhenTheOperatorBeginsAnew) {
  group(3);
  for (int i = 0; i < 3; ++i) {
    pod(i);
    if (i < 2) cluster_.change_pod(fmt::format("train-{}", i), [](FakePod& one) { one.node = "node-a"; });
  }
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until_bound("train-2"));
  EXPECT_EQ(cluster_.pod("train-2").node, "node-a");
}

TEST_F(OfAPodGroup, WithoutTheRightToListThemTheySayWhatIsTheMatter) {
  cluster_.forbid("podgroups");
  pod(0);
  cluster_.put_pod("other", FakePod{});
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until_bound("other"));
  EXPECT_TRUE(waits(scheduling, 0, "GroupNotReady", "PodGroups cannot be listed: "));
}

ClusterSettings asking_often() {
  ClusterSettings settings;
  settings.patience = settings.detect_every = Duration(50'000);
  return settings;
}

std::string listed_in(const FakeCluster& cluster) {
  std::string versions;
  for (const ReceivedRequest& request : cluster.requests())
    if (request.path.ends_with("/podgroups") && !request.query_value("limit").empty()) versions += request.path + ' ';
  return versions;
}

TEST_F(OfAPodGroup, TheyAreReadInTheMostMatureVersionThatIsServedAndCanBeRead) {
  const std::pair<std::vector<std::string>, std::string> rows[] = {
      {{"v1alpha2"}, "v1alpha2"},           {{"v1alpha3"}, "v1alpha3"},
      {{"v1beta1", "v1alpha3"}, "v1beta1"}, {{"v1alpha2", "v1alpha3", "v1beta1"}, "v1beta1"},
      {{"v1", "v1beta1"}, "v1beta1"},       {{"v2alpha1", "v1alpha2"}, "v1alpha2"},
  };
  group(3);
  for (const auto& [served, read] : rows) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(served, " ")));
    FakeCluster cluster;
    cluster.put_node("node-a", {.cpu = 4});
    cluster.serve_pod_groups(served);
    cluster.put_storage("podgroups", "train", cluster_.storage("podgroups", "train"));
    for (int i = 0; i < 3; ++i) {
      FakePod pod;
      pod.spec = R"("schedulingGroup":{"podGroupName":"train"},)";
      cluster.put_pod(fmt::format("train-{}", i), pod);
    }
    Scheduling scheduling(cluster);
    EXPECT_TRUE(scheduling.until([&] { return cluster.bindings() == 3; }));
    EXPECT_EQ(listed_in(cluster), fmt::format("/apis/scheduling.k8s.io/{}/podgroups ", read));
  }
}

TEST_F(OfAPodGroup, InAVersionThatNobodyReadsHereTheyWaitAndThatIsSaid) {
  const std::pair<std::vector<std::string>, std::string> rows[] = {
      {{"v1", "v2beta1"},
       "the API server has them as scheduling.k8s.io/v1 and v2beta1, and this release reads v1beta1, v1alpha3, "
       "v1alpha2"},
      {{}, "the API server has none"},
  };
  for (const auto& [served, words] : rows) {
    SCOPED_TRACE(words);
    group(1);
    pod(0);
    cluster_.serve_pod_groups(served);
    cluster_.put_pod("other", {});
    Scheduling scheduling(cluster_, {}, PodMode::watch, {}, {}, asking_often());
    ASSERT_TRUE(scheduling.until_bound("other"));
    EXPECT_TRUE(waits(scheduling, 0, "GroupNotReady", "PodGroups cannot be listed: " + words));
    EXPECT_TRUE(scheduling.until([&] {
      const std::vector<Lack> lacks = scheduling.counted.state().degraded;
      return lacks.size() == 1 && lacks[0].what == "podgroups.scheduling.k8s.io" &&
             lacks[0].why == "pods that name one wait (" + words + ")";
    })) << scheduling.counted.state().words();
    cluster_.serve_pod_groups({"v1beta1"});
    EXPECT_TRUE(scheduling.until_bound("train-0"));
    EXPECT_TRUE(scheduling.until([&] { return scheduling.counted.state().degraded.empty(); }));
    scheduling.end();
    for (const char* name : {"train-0", "other"}) cluster_.remove_pod(name);
  }
}

TEST_F(OfAPodGroup, TheyAreReadInAnotherVersionAfterAnUpgradeOfTheApiServer) {
  group(2);
  Scheduling scheduling(cluster_, {}, PodMode::watch, {}, {}, asking_often());
  for (int i = 0; i < 2; ++i) pod(i);
  ASSERT_TRUE(scheduling.until([&] { return cluster_.bindings() == 2; }));
  cluster_.serve_pod_groups({"v1beta1", "v1alpha3"});
  cluster_.forget_versions();
  cluster_.remove_storage("podgroups", "train");  // no watch tells of it
  group(1, "later");
  pod(0, "later");
  ASSERT_TRUE(scheduling.until_bound("later-0"));
  pod(2);
  EXPECT_TRUE(waits(scheduling, 2, "GroupNotReady", "PodGroup 'train' does not exist yet"));
  EXPECT_TRUE(scheduling.until([&] { return scheduling.counted.state().degraded.empty(); }));
  EXPECT_THAT(listed_in(cluster_), HasSubstr("/v1beta1/podgroups"));
}

TEST_F(OfAPodGroup, NobodyAsksForThemWhereNoPodNamesOne) {
  cluster_.put_pod("other", FakePod{});
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until_bound("other"));
  for (const ReceivedRequest& request : cluster_.requests())
    EXPECT_THAT(request.path, Not(HasSubstr("scheduling.k8s.io")));
}

}  // namespace
}  // namespace lips::kubernetes
