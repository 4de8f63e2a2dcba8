// The adapter where the anti-affinity of others selects namespaces by their labels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

// One node, on which another scheduler's pod wants no pod of team a's namespaces. Ours is in the namespace default.
class BesideAntiAffinity : public ::testing::Test {
 protected:
  BesideAntiAffinity() {
    cluster_.put_node("node", {.cpu = 8});
    put_holder(R"({"matchLabels":{"team":"a"}})");
    settings_.patience = Duration(50'000);
  }
  void put_holder(const std::string& selector) {
    FakePod holder;
    holder.scheduler = "default-scheduler";
    holder.node = "node";
    holder.phase = "Running";
    holder.spec = R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
        {"topologyKey":"topology.kubernetes.io/zone","labelSelector":{},"namespaceSelector":)" +
                  selector + "}]}},";
    cluster_.put_pod("holder", holder);
  }
  void put_namespace(const nlohmann::json& labels) {
    cluster_.put_storage("namespaces", "default", {{"metadata", {{"labels", labels}}}});
  }
  bool until_kept_out(Scheduling& scheduling) {
    return scheduling.until([&] {
      return cluster_.pod("ours").message.find("didn't satisfy existing pods anti-affinity") != std::string::npos;
    });
  }
  FakeCluster cluster_;
  ClusterSettings settings_;
};

TEST_F(BesideAntiAffinity, APodOfANamespaceWithOtherLabelsStarts) {
  put_namespace({{"team", "b"}});
  cluster_.put_pod("ours", {});
  Scheduling scheduling(cluster_, {}, PodMode::watch, {}, {}, settings_);
  EXPECT_TRUE(scheduling.until_bound("ours"));
}

TEST_F(BesideAntiAffinity, APodStartsOnceItsNamespaceHasOtherLabels) {
  put_namespace({{"team", "a"}});
  cluster_.put_pod("ours", {});
  Scheduling scheduling(cluster_, {}, PodMode::watch, {}, {}, settings_);
  ASSERT_TRUE(until_kept_out(scheduling));
  put_namespace({{"team", "b"}});
  EXPECT_TRUE(scheduling.until_bound("ours"));
}

TEST_F(BesideAntiAffinity, APodWaitsUntilTheLabelsOfItsNamespaceAreKnown) {
  cluster_.put_pod("ours", {});
  Scheduling scheduling(cluster_, {}, PodMode::watch, {}, {}, settings_);
  ASSERT_TRUE(until_kept_out(scheduling));
  put_namespace(nlohmann::json::object());  // the namespace is told of after its pod
  EXPECT_TRUE(scheduling.until_bound("ours"));
}

TEST_F(BesideAntiAffinity, WithoutTheRightToListNamespacesATermIsForAllAndTheLackIsNamed) {
  cluster_.refuse_lists("/api/v1/namespaces");
  put_namespace({{"team", "b"}});
  cluster_.put_pod("ours", {});
  Scheduling scheduling(cluster_, {}, PodMode::watch, {}, {}, settings_);
  ASSERT_TRUE(until_kept_out(scheduling));
  EXPECT_TRUE(scheduling.until([&] {
    const std::vector<Lack> lacks = scheduling.counted.state().degraded;
    return lacks.size() == 1 && lacks[0].what == "namespaces" &&
           lacks[0].why.find("a namespaceSelector of anti-affinity counts for every namespace") == 0;
  })) << scheduling.counted.state().words();
  cluster_.refuse_lists("");
  EXPECT_TRUE(scheduling.until_bound("ours"));
  EXPECT_TRUE(scheduling.until([&] { return scheduling.counted.state().degraded.empty(); }));
}

TEST_F(BesideAntiAffinity, NobodyAsksForNamespacesWhereNoLabelsAreSelected) {
  put_holder("{}");
  cluster_.put_pod("other", {});
  cluster_.put_node("free", {.cpu = 8, .zone = "zone-b"});
  Scheduling scheduling(cluster_, {}, PodMode::watch, {}, {}, settings_);
  ASSERT_TRUE(scheduling.until_bound("other"));
  EXPECT_EQ(cluster_.pod("other").node, "free");
  for (const ReceivedRequest& request : cluster_.requests()) EXPECT_NE(request.path, "/api/v1/namespaces");
}

}  // namespace
}  // namespace lips::kubernetes
