// The knowledge of pods once the API server's store is of an earlier time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "kubernetes/pods/pod_cache.h"
#include "kubernetes/pods/volume_cache.h"
#include "kubernetes/pods/zone_gate.h"

namespace lips::kubernetes {
namespace {

struct Cluster {
  VolumeCache volumes;
  PodGroups groups;
  NodeCache nodes;
  PodCache pods{"lips", volumes, groups, nodes};

  Cluster() {
    for (const char* name : {"one", "two"}) {
      Node node;
      node.meta = {"", name, name, "1"};
      node.ready = true;
      nodes.update(node);
    }
  }
  ResourceAmounts taken_on(const char* node) const {
    ResourceAmounts taken = nodes.find(node)->taken();
    std::erase_if(taken, [](const auto& entry) { return entry.second == 0; });
    return taken;
  }
};

// A pod from its creation to its end, as the server has it one after the other.
std::vector<Pod> life_of(Random& random, int number, TimePoint begin) {
  const bool steered = random.uniform() < 0.4;
  Pod pod;
  pod.meta = {"n", fmt::format("pod-{}", number), fmt::format("uid-{}", number), "1"};
  pod.scheduler = steered ? "default-scheduler" : "lips";
  pod.requests = {{"cpu", 1 + static_cast<std::int64_t>(random.below(4))}};
  pod.phase = PodPhase::pending;
  if (steered) pod.gates = {zone_gate};
  std::vector<Pod> life{pod};
  if (steered) {
    pod.gates.clear();
    pod.annotations = {{annotation::steered, "yes"}};
    life.push_back(pod);
  }
  pod.node = random.uniform() < 0.5 ? "one" : "two";
  life.push_back(pod);
  pod.phase = PodPhase::running, pod.started = begin;
  life.push_back(pod);
  pod.phase = random.uniform() < 0.7 ? PodPhase::succeeded : PodPhase::failed, pod.finished = begin + Duration(1);
  life.push_back(pod);
  return life;
}

// Whatever was known, it is what a process knows that begins then.
TEST(RestoredPods, AreWhereTheRestoredStoreHasThem) {
  const TimePoint now(std::chrono::hours(1000));
  int gone_back = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Cluster lived, fresh;
    std::vector<Pod> restored;
    for (int number = 0; number < 12; ++number) {
      const std::vector<Pod> life = life_of(random, number, now);
      const std::size_t seen = random.below(life.size()), back = random.below(seen + 1);
      for (std::size_t step = 0; step <= seen; ++step) {
        PodRecord* record = lived.pods.update(life[step], now).record;
        ASSERT_NE(record, nullptr);
        // Our own binding was answered before the watch showed it.
        if (step == 0 && !record->steered && random.uniform() < 0.5) {
          lived.pods.begin_binding(*record, "one");
          lived.pods.place(*record, "one");
        }
      }
      restored.push_back(life[back]);
      gone_back += back < seen;
    }
    lived.pods.store_went_back();
    for (const Pod& pod : restored) {
      lived.pods.update(pod, now);
      fresh.pods.update(pod, now);
    }
    lived.pods.listed();
    for (const Pod& pod : restored) {
      const PodRecord *known = lived.pods.find(pod.meta), *expected = fresh.pods.find(pod.meta);
      ASSERT_TRUE(known && expected);
      EXPECT_EQ(known->state, expected->state) << pod.meta.name;
      EXPECT_EQ(known->node, expected->node) << pod.meta.name;
    }
    for (const char* node : {"one", "two"}) EXPECT_EQ(lived.taken_on(node), fresh.taken_on(node)) << node;
  }
  EXPECT_GT(gone_back, 800);
}

// The model drops the task of the earlier life before it hears of the pod again.
TEST(RestoredPods, AreTasksAnew) {
  const TimePoint now(std::chrono::hours(1000));
  Cluster cluster;
  Random random(7);
  std::vector<Pod> life = life_of(random, 0, now);
  while (life.front().scheduler != "lips") life = life_of(random, 0, now);
  for (const Pod& pod : life) cluster.pods.update(pod, now);
  cluster.pods.store_went_back();
  EXPECT_EQ(cluster.pods.update(life.front(), now).change, PodCache::Change::spec_changed);
  EXPECT_EQ(cluster.pods.update(life.front(), now).change, PodCache::Change::none);
  cluster.pods.listed();
  // Without a restored store an older word of the server counts for nothing.
  for (std::size_t step = 1; step + 1 < life.size(); ++step) cluster.pods.update(life[step], now);
  EXPECT_EQ(cluster.pods.update(life.front(), now).change, PodCache::Change::none);
  EXPECT_EQ(cluster.pods.find(life.front().meta)->state, PodState::placed);
}

}  // namespace
}  // namespace lips::kubernetes
