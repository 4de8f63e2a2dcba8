#include "kubernetes/pods/service_counts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "base/random.h"
#include "kubernetes/pods/pod_cache.h"
#include "kubernetes/pods/volume_cache.h"

namespace lips::kubernetes {
namespace {

TimePoint at(int minutes) { return TimePoint(std::chrono::minutes(minutes)); }

Pod pod_of(const std::string& name, const std::string& set, int created = 0) {
  Pod pod;
  pod.meta = {"shop", name, "uid-" + name, "1"};
  pod.scheduler = "default-scheduler";
  pod.owner = Owner{"ReplicaSet", set, "uid-" + set, "apps/v1"};
  pod.requests = {{"cpu", 250}, {"memory", std::int64_t{512} << 20}};
  pod.created = at(created);
  return pod;
}

class ServiceCountsTest : public ::testing::Test {
 protected:
  std::vector<ServicePods> now() const { return cache_.services().now(); }
  void tell(const Pod& pod) { cache_.update(pod, TimePoint{}); }

  VolumeCache volumes_;
  PodGroups groups_;
  NodeCache nodes_;
  PodCache cache_{"lips", volumes_, groups_, nodes_};
};

TEST_F(ServiceCountsTest, HaveThePodsOfAWorkloadTogetherWhereverTheyAre) {
  Pod oldest = pod_of("web-a", "web", 3), newest = pod_of("web-b", "web", 5), larger = pod_of("web-c", "web", 4);
  oldest.node = "n1", newest.node = "n1";
  larger.requests.emplace_back("nvidia.com/gpu", 1);
  tell(oldest), tell(newest), tell(larger);
  ASSERT_EQ(now().size(), 2u) << "one of them asks for more";
  const ServicePods web = now()[0];
  EXPECT_EQ(web.workload, "shop/ReplicaSet/web");
  EXPECT_EQ(web.request, (Resources{Cores(0.25), Mebibytes(512), 1}));
  EXPECT_EQ(web.on, (std::vector<std::pair<std::string, std::uint32_t>>{{"n1", 2}}));
  EXPECT_EQ(web.newest, at(5));
  EXPECT_EQ(now()[1].waiting, 1u);
  EXPECT_EQ(now()[1].extended, (std::vector<std::pair<std::string, double>>{{"nvidia.com/gpu", 1}}));
}

TEST_F(ServiceCountsTest, LeaveOutOurPodsThoseOfDaemonSetsAndThoseThatNobodyPlacesYet) {
  Pod ours = pod_of("a", "a"), daemon = pod_of("b", "b"), mirror = pod_of("c", "c"), gated = pod_of("d", "d"),
      ended = pod_of("e", "e"), leaving = pod_of("f", "f");
  ours.scheduler = "lips", daemon.owner->kind = "DaemonSet", mirror.owner->kind = "Node", gated.gates = {"other/gate"};
  ended.phase = PodPhase::succeeded, leaving.deleting = true;
  ours.node = daemon.node = mirror.node = ended.node = "n";
  for (const Pod& pod : {ours, daemon, mirror, gated, ended, leaving}) tell(pod);
  EXPECT_TRUE(now().empty());
}

// 3,000 pods with 200 terms each would be megabytes in each record.
TEST_F(ServiceCountsTest, KeepNoConstraintThatSomebodyMadeLong) {
  Pod web = pod_of("web-a", "web");
  web.node_selector = {{"disk", "ssd"}};
  tell(web);
  EXPECT_EQ(now()[0].constraint.required.size(), 1u);
  web.node = "n1";
  web.required_affinity.emplace();
  for (int i = 0; i < 100; ++i)
    web.required_affinity->push_back({{"host", LabelRequirement::Operator::in, {fmt::format("n{}", i)}}});
  tell(web);
  EXPECT_EQ(now()[0].constraint, PlacementConstraint{});
  EXPECT_EQ(now()[0].pods(), 1u);
}

// A pod that leaves and the one that replaces it are one pod's load.
TEST_F(ServiceCountsTest, CountOnePodWhereOneIsReplaced) {
  Pod old = pod_of("old", "web", 1);
  old.node = "n1";
  tell(old);
  old.deleting = true;
  tell(old);
  tell(pod_of("fresh", "web", 9));
  ASSERT_EQ(now().size(), 1u);
  EXPECT_EQ(now()[0].pods(), 1u);
  EXPECT_EQ(now()[0].on.size(), 1u) << "its room is still taken";
  cache_.forget(old.meta, TimePoint{});
  EXPECT_EQ(now()[0].pods(), 1u);
  EXPECT_EQ(now()[0].waiting, 1u);
}

class OneVolume : public ClaimLookup {
 public:
  const ClaimedVolume* find(const std::string&, const std::string&) const override { return known ? &volume : nullptr; }
  ClaimedVolume volume;
  bool known = false;
};

TEST_F(ServiceCountsTest, FollowTheirVolumesWhenTheseBecomeKnown) {
  OneVolume claims;
  claims.volume.node_terms = {{{"zone", LabelRequirement::Operator::in, {"a"}}}};
  ServiceCounts counts;
  Pod pod = pod_of("db-0", "db");
  pod.claims = {"data"}, pod.node = "n";
  counts.update(pod, claims);
  const PlacementConstraint before = counts.now()[0].constraint;
  claims.known = true;
  counts.review_claims(claims);
  ASSERT_EQ(counts.now().size(), 1u);
  EXPECT_NE(counts.now()[0].constraint, before);
  EXPECT_EQ(counts.now()[0].constraint.volumes.size(), 1u);
  counts.forget("shop/db-0");
  EXPECT_TRUE(counts.now().empty());
}

// Random lives of pods beside a plain list of them.
TEST_F(ServiceCountsTest, AreTheNumbersOfAListThroughRandomLives) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    ServiceCounts counts;
    std::map<std::string, Pod> list;
    for (int step = 0; step < 400; ++step) {
      const std::string name = fmt::format("p{}", random.below(30));
      const auto known = list.find(name);
      if (known == list.end()) {
        Pod pod = pod_of(name, fmt::format("s{}", random.below(4)), step);
        if (random.uniform() < 0.3) pod.requests.front().second = 1000;
        list.emplace(name, pod);
      } else if (random.uniform() < 0.2) {
        list.erase(known);
        counts.forget("shop/" + name);
        continue;
      } else {
        Pod& pod = known->second;
        if (pod.node.empty())
          pod.node = fmt::format("n{}", random.below(3));
        else if (random.uniform() < 0.5)
          pod.deleting = true;
        else
          pod.phase = PodPhase::succeeded;
      }
      counts.update(list.at(name), volumes_);
    }
    std::map<std::tuple<std::string, double>, std::pair<std::uint32_t, std::map<std::string, std::uint32_t>>> expected;
    for (const auto& [name, pod] : list) {
      if (pod.phase == PodPhase::succeeded) continue;
      auto& [there, on] =
          expected[{"shop/ReplicaSet/" + pod.owner->name, static_cast<double>(pod.requests.front().second) / 1000}];
      there += !pod.deleting;
      if (!pod.node.empty()) ++on[pod.node];
    }
    const std::vector<ServicePods> found = counts.now();
    EXPECT_EQ(found.size(), expected.size()) << "seed " << seed;
    for (const ServicePods& one : found) {
      const auto& [there, on] = expected[{one.workload, one.request.cpu.value()}];
      EXPECT_EQ(one.pods(), there) << one.workload << ", seed " << seed;
      EXPECT_EQ((std::map<std::string, std::uint32_t>{one.on.begin(), one.on.end()}), on) << one.workload;
    }
  }
}

}  // namespace
}  // namespace lips::kubernetes
