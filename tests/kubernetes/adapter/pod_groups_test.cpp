// Pods that name a PodGroup (scheduling.k8s.io) start together or not at all.
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

TEST_F(OfAPodGroup, NobodyAsksForThemWhereNoPodNamesOne) {
  cluster_.put_pod("other", FakePod{});
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until_bound("other"));
  for (const ReceivedRequest& request : cluster_.requests()) EXPECT_THAT(request.path, Not(HasSubstr("podgroups")));
}

}  // namespace
}  // namespace lips::kubernetes
