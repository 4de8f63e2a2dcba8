// The adapter where the custom resource definitions of LiPS come after it.
#include <gmock/gmock.h>

#include "tests/kubernetes/adapter/planned.h"

namespace lips::kubernetes {
namespace {

TEST(CustomResources, ThatAreInstalledLaterAreUsed) {
  FakeCluster cluster;
  cluster.put_pod("p", pod_of(1));
  Planned planned(cluster);
  ASSERT_TRUE(planned.until_pending(1)) << "pods do not wait for definitions";
  EXPECT_EQ(planned.snapshot().data_sets.size(), 0u);
  put_books(cluster);
  EXPECT_TRUE(planned.until([&] { return planned.snapshot().data_sets.size() == 1; }));
  EXPECT_EQ(planned.pending(), 1u);
}

// A missing right, a missing definition or a server that fails: an operator that plans nothing must not look well.
TEST(CustomResources, OrOthersThatCannotBeListedAreNamedUntilTheyAre) {
  const std::vector<std::pair<std::string, int>> refusals{
      {"/api/v1/nodes", 403},          {"/api/v1/pods", 500},          {"/apis/batch/v1/jobs", 404},
      {"/v1alpha1/datamoves", 404},    {"/v1alpha1/datasets", 403},    {"/v1alpha1/pools", 500},
      {"/namespaces/lips/jobs", 403},  {"/namespaces/lips/pods", 404}, {"/csistoragecapacities", 403}};
  for (const auto& [path, code] : refusals) {
    FakeCluster cluster;
    cluster.put_node("n", {.zone = "zone-c"});
    put_books(cluster);
    cluster.put_pod("p", pod_of(1));
    cluster.refuse_lists(path, code);
    ClusterSettings settings;
    settings.held_up_after = Duration(300'000);
    settings.detect_every = Duration(100'000);
    settings.data.mover.work.name_space = "lips";
    Scheduling scheduling(cluster, {}, PodMode::watch, {}, {}, std::move(settings));
    const std::string kind = path.substr(path.rfind('/') + 1);
    ASSERT_TRUE(scheduling.until([&] {  // the client asks again before it believes a 500
      const std::string why = scheduling.counted.why_held_up();
      return why.find(kind) != std::string::npos && why.find("lips may not list") != std::string::npos;
    })) << path << ": " << scheduling.counted.why_held_up();
    EXPECT_EQ(cluster.pod("p").node, "") << path;
    cluster.refuse_lists("");
    EXPECT_TRUE(scheduling.until_bound("p")) << path;
    EXPECT_TRUE(scheduling.until([&] { return scheduling.counted.why_held_up().empty(); })) << path;
  }
}

// Nobody knows whether pods may be planned without them.
TEST(CustomResources, OfWhichTheServerDoesNotSayWhetherTheyAreThereAreNamed) {
  FakeCluster cluster;
  cluster.put_node("n", {});
  cluster.put_pod("p", pod_of(1));
  cluster.refuse_lists("/apis/lips.dev/v1alpha1", 403);
  ClusterSettings settings;
  settings.held_up_after = Duration(300'000);
  settings.detect_every = Duration(100'000);
  Scheduling scheduling(cluster, {}, PodMode::watch, {}, {}, std::move(settings));
  ASSERT_TRUE(scheduling.until([&] { return !scheduling.counted.why_held_up().empty(); }));
  EXPECT_THAT(scheduling.counted.why_held_up(), testing::HasSubstr("custom resources of lips.dev"));
  cluster.refuse_lists("");
  EXPECT_TRUE(scheduling.until_bound("p"));
}

}  // namespace
}  // namespace lips::kubernetes
