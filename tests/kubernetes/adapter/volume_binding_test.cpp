#include "kubernetes/adapter/volume_binding.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

const std::string claims = "persistentvolumeclaims", volumes = "persistentvolumes";

FakePod pod_with(const std::string& claim, int cpu = 1) {
  FakePod pod = pod_of(cpu);
  pod.spec = fmt::format(R"("volumes":[{{"name":"v","persistentVolumeClaim":{{"claimName":"{}"}}}}],)", claim);
  return pod;
}

class VolumeBindingTest : public testing::Test {
 protected:
  VolumeBindingTest() {
    put_class("gp3", R"({"provisioner":"ebs.csi.aws.com"})");
    put_class("local", R"({"provisioner":"kubernetes.io/no-provisioner"})");
  }
  void put_class(const std::string& name, const std::string& json) {
    Json object = Json::parse(json);
    object["volumeBindingMode"] = "WaitForFirstConsumer";
    cluster_.put_storage("storageclasses", name, object);
  }
  void put_claim(const std::string& name, const std::string& storage_class = "gp3") {
    cluster_.put_storage(claims, name,
                         {{"spec",
                           {{"storageClassName", storage_class},
                            {"accessModes", {"ReadWriteOnce"}},
                            {"resources", {{"requests", {{"storage", "1Gi"}}}}}}},
                          {"status", {{"phase", "Pending"}}}});
  }
  void put_local_volume(const std::string& name, const std::string& node) {
    const Json here{{"key", "kubernetes.io/hostname"}, {"operator", "In"}, {"values", {node}}};
    const Json terms = Json::array({{{"matchExpressions", Json::array({here})}}});
    cluster_.put_storage(volumes, name,
                         {{"spec",
                           {{"storageClassName", "local"},
                            {"accessModes", {"ReadWriteOnce"}},
                            {"capacity", {{"storage", "1Gi"}}},
                            {"local", {{"path", "/disk"}}},
                            {"nodeAffinity", {{"required", {{"nodeSelectorTerms", terms}}}}}}},
                          {"status", {{"phase", "Available"}}}});
  }
  void put_a_reader_who_prefers_a_to_b() {
    cluster_.put_node("a", {.cpu = 4, .usd_per_hour = "0.1"});
    cluster_.put_node("b", {.cpu = 4, .zone = "zone-b", .usd_per_hour = "0.9"});
    put_claim("data");
    cluster_.put_pod("reader", pod_with("data"));
  }
  std::string selected(const std::string& claim) const {
    const Json annotations = cluster_.storage(claims, claim)["metadata"].value("annotations", Json::object());
    return annotations.value(selected_node_annotation, "");
  }
  // As a provisioner and the controller of volumes do; the volume can be reached in that zone.
  void provision(const std::string& claim, const std::string& zone) {
    const Json here{{"key", "topology.kubernetes.io/zone"}, {"operator", "In"}, {"values", {zone}}};
    const Json terms = Json::array({{{"matchExpressions", Json::array({here})}}});
    cluster_.put_storage(
        volumes, "pv-" + claim,
        {{"spec",
          {{"csi", {{"driver", "ebs.csi.aws.com"}}}, {"nodeAffinity", {{"required", {{"nodeSelectorTerms", terms}}}}}}},
         {"status", {{"phase", "Bound"}}}});
    bind_claim(claim, "pv-" + claim);
  }
  void bind_claim(const std::string& claim, const std::string& volume) {
    Json object = cluster_.storage(claims, claim);
    object["spec"]["volumeName"] = volume;
    object["status"]["phase"] = "Bound";
    cluster_.put_storage(claims, claim, object);
  }
  void give_back(const std::string& claim) {
    Json object = cluster_.storage(claims, claim);
    object["metadata"]["annotations"].erase(selected_node_annotation);
    cluster_.put_storage(claims, claim, object);
  }
  FakeCluster cluster_;
};

TEST_F(VolumeBindingTest, ThePodWaitsForTheVolumeOnItsNodeWhoseRoomIsItsOwn) {
  cluster_.put_node("a", {.cpu = 4});
  put_claim("data");
  cluster_.put_pod("reader", pod_with("data", 4));
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until([&] { return selected("data") == "a"; }));
  cluster_.put_pod("late", pod_of(1));
  cluster_.put_node("b", {.cpu = 1});
  ASSERT_TRUE(scheduling.until_bound("late"));
  EXPECT_EQ(cluster_.pod("late").node, "b");
  EXPECT_EQ(cluster_.pod("reader").node, "");
  provision("data", "zone-a");
  ASSERT_TRUE(scheduling.until_bound("reader"));
  EXPECT_EQ(cluster_.pod("reader").node, "a");
}

TEST_F(VolumeBindingTest, OnlyNodesInTheTopologyOfTheClassAreChosen) {
  cluster_.put_node("a", {.cpu = 4, .usd_per_hour = "0.1"});
  cluster_.put_node("b", {.cpu = 4, .zone = "zone-b", .usd_per_hour = "0.9"});
  put_class("in-b", R"({"provisioner":"ebs.csi.aws.com","allowedTopologies":[{"matchLabelExpressions":
    [{"key":"topology.kubernetes.io/zone","values":["zone-b"]}]}]})");
  put_claim("data", "in-b");
  cluster_.put_pod("reader", pod_with("data"));
  Scheduling scheduling(cluster_);
  EXPECT_TRUE(scheduling.until([&] { return selected("data") == "b"; }));
}

TEST_F(VolumeBindingTest, WhereTheProvisionerAsksForAnotherNodeThePodGoesElsewhere) {
  put_a_reader_who_prefers_a_to_b();
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until([&] { return selected("data") == "a"; }));
  give_back("data");
  ASSERT_TRUE(scheduling.until([&] { return selected("data") == "b"; }));
  provision("data", "zone-b");
  ASSERT_TRUE(scheduling.until_bound("reader"));
  EXPECT_EQ(cluster_.pod("reader").node, "b");
}

TEST_F(VolumeBindingTest, ANodeForWhichNoVolumeComesIsTakenBackAndAnotherChosen) {
  put_a_reader_who_prefers_a_to_b();
  ClusterSettings settings;
  settings.volume_wait = std::chrono::seconds(2);
  Scheduling scheduling(cluster_, {}, PodMode::watch, {}, {}, settings);
  ASSERT_TRUE(scheduling.until([&] { return selected("data") == "a"; }));
  ASSERT_TRUE(scheduling.until([&] { return selected("data") == "b"; }));
  provision("data", "zone-b");
  EXPECT_TRUE(scheduling.until_bound("reader"));
}

// The claim belongs to the next pod that uses it.
TEST_F(VolumeBindingTest, ThePodIsDeletedMeanwhileAndItsChoiceTakenBack) {
  cluster_.put_node("a", {.cpu = 4});
  put_claim("data");
  cluster_.put_pod("reader", pod_with("data", 4));
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until([&] { return selected("data") == "a"; }));
  cluster_.remove_pod("reader");
  EXPECT_TRUE(scheduling.until([&] { return selected("data").empty(); }));
  cluster_.put_pod("next", pod_of(4));
  EXPECT_TRUE(scheduling.until_bound("next")) << "the room is free again";
}

TEST_F(VolumeBindingTest, AVolumeThatComesElsewhereIsFollowed) {
  put_a_reader_who_prefers_a_to_b();
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until([&] { return selected("data") == "a"; }));
  provision("data", "zone-b");
  ASSERT_TRUE(scheduling.until_bound("reader"));
  EXPECT_EQ(cluster_.pod("reader").node, "b");
}

TEST_F(VolumeBindingTest, VolumesThatExistAreGivenToOneClaimEach) {
  for (const char* node : {"a", "b"}) {
    cluster_.put_node(node, {.cpu = 4});
    put_local_volume(fmt::format("disk-{}", node), node);
  }
  cluster_.put_node("c", {.cpu = 4, .usd_per_hour = "0"});
  for (const char* name : {"one", "two", "three"}) {
    put_claim(name, "local");
    cluster_.put_pod(name, pod_with(name));
  }
  Scheduling scheduling(cluster_);
  const auto claim_of = [&](const std::string& volume) {
    const Json spec = cluster_.storage(volumes, volume)["spec"];
    return spec.contains("claimRef") ? spec["claimRef"]["name"].get<std::string>() : "";
  };
  ASSERT_TRUE(scheduling.until([&] { return !claim_of("disk-a").empty() && !claim_of("disk-b").empty(); }));
  const std::string first = claim_of("disk-a"), second = claim_of("disk-b");
  EXPECT_NE(first, second);
  EXPECT_EQ(cluster_.storage(volumes, "disk-a")["spec"]["claimRef"]["uid"], "uid-of-" + first);
  for (const char* node : {"a", "b"}) {
    Json volume = cluster_.storage(volumes, fmt::format("disk-{}", node));
    volume["status"]["phase"] = "Bound";
    cluster_.put_storage(volumes, fmt::format("disk-{}", node), volume);
    bind_claim(claim_of(fmt::format("disk-{}", node)), fmt::format("disk-{}", node));
  }
  ASSERT_TRUE(scheduling.until_bound(first) && scheduling.until_bound(second));
  EXPECT_EQ(cluster_.pod(first).node, "a");
  EXPECT_EQ(cluster_.pod(second).node, "b");
  for (const char* name : {"one", "two", "three"})
    if (name != first && name != second) {
      ASSERT_TRUE(scheduling.until([&] { return cluster_.pod(name).reason == "VolumeNotReady"; }));
      EXPECT_THAT(cluster_.pod(name).message, HasSubstr("StorageClass 'local'"));
    }
}

TEST_F(VolumeBindingTest, TheNextProcessWaitsForWhatTheLastOneAskedFor) {
  cluster_.put_node("a", {.cpu = 4, .usd_per_hour = "0.1"});
  put_claim("data");
  cluster_.put_pod("reader", pod_with("data"));
  {
    Scheduling first(cluster_);
    ASSERT_TRUE(first.until([&] { return selected("data") == "a"; }));
  }
  cluster_.put_node("b", {.cpu = 4, .usd_per_hour = "0"});
  Scheduling second(cluster_);
  cluster_.put_pod("other", pod_of(1));
  ASSERT_TRUE(second.until_bound("other"));
  EXPECT_EQ(selected("data"), "a");
  provision("data", "zone-a");
  ASSERT_TRUE(second.until_bound("reader"));
}

TEST_F(VolumeBindingTest, AChosenNodeThatIsGoneIsTakenBack) {
  cluster_.put_node("b", {.cpu = 4});
  put_claim("data");
  Json object = cluster_.storage(claims, "data");
  object["metadata"]["annotations"][selected_node_annotation] = "gone";
  cluster_.put_storage(claims, "data", object);
  cluster_.put_pod("reader", pod_with("data"));
  Scheduling scheduling(cluster_);
  EXPECT_TRUE(scheduling.until([&] { return selected("data") == "b"; }));
}

TEST_F(VolumeBindingTest, WithoutTheRightThePodSaysSoAndOthersGoOn) {
  cluster_.forbid("persistentvolumeclaims");
  cluster_.put_node("a", {.cpu = 4});
  put_claim("data");
  cluster_.put_pod("reader", pod_with("data"));
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until([&] { return cluster_.pod("reader").reason == "VolumeNotProvided"; }));
  EXPECT_THAT(cluster_.pod("reader").message, HasSubstr("may not write persistentvolumeclaims"));
  cluster_.put_pod("other", pod_of(4));
  EXPECT_TRUE(scheduling.until_bound("other"));
}

TEST_F(VolumeBindingTest, WhereTheDriverHasNoRoomItIsNotAsked) {
  cluster_.put_node("cheap", {.cpu = 4, .usd_per_hour = "0.1"});
  cluster_.put_node("dear", {.cpu = 4, .usd_per_hour = "0.9"});
  cluster_.put_storage("csidrivers", "ebs.csi.aws.com", Json::parse(R"({"spec":{"storageCapacity":true}})"));
  const auto put_room = [&](const std::string& node, const char* left) {
    cluster_.put_storage("csistoragecapacities", "of-" + node,
                         {{"storageClassName", "gp3"},
                          {"nodeTopology", {{"matchLabels", {{"kubernetes.io/hostname", node}}}}},
                          {"capacity", left}});
  };
  put_room("cheap", "1Mi");
  put_claim("data");
  cluster_.put_pod("reader", pod_with("data"));
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until([&] { return cluster_.pod("reader").reason == "VolumeNotReady"; }));
  EXPECT_THAT(cluster_.pod("reader").message, HasSubstr("its driver has no room"));
  put_room("dear", "100Gi");
  ASSERT_TRUE(scheduling.until([&] { return !selected("data").empty(); }));
  EXPECT_EQ(selected("data"), "dear");
}

TEST_F(VolumeBindingTest, AttachLimitsCountVolumesToCome) {
  cluster_.put_node("a", {.cpu = 4, .usd_per_hour = "0.1"});
  cluster_.put_node("b", {.cpu = 4, .usd_per_hour = "0.9"});
  for (const char* node : {"a", "b"})
    cluster_.put_storage("csinodes", node,
                         Json::parse(R"({"spec":{"drivers":[{"name":"ebs.csi.aws.com","allocatable":{"count":1}}]}})"));
  for (const char* name : {"one", "two"}) {
    put_claim(name);
    cluster_.put_pod(name, pod_with(name));
  }
  Scheduling scheduling(cluster_);
  ASSERT_TRUE(scheduling.until([&] { return !selected("one").empty() && !selected("two").empty(); }));
  EXPECT_NE(selected("one"), selected("two"));
}

}  // namespace
}  // namespace lips::kubernetes
