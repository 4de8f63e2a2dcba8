#include "kubernetes/adapter/watched_pods.h"

#include <gtest/gtest.h>

#include "config/frameworks.h"
#include "kubernetes/pods/volume_cache.h"

namespace lips::kubernetes {
namespace {

class WatchedPodsTest : public testing::Test {
 protected:
  WatchedPodsTest() {
    Node node;
    node.meta = {"", "node", "n", "1"}, node.ready = true;
    node.labels = {{"topology.kubernetes.io/zone", "zone-a"}};
    node.allocatable = {{"cpu", 16'000}, {"memory", std::int64_t{64} << 30}, {"pods", 110}};
    watched_.update(node);
    watched_.resume();
  }
  static Pod running(const std::string& name) {
    Pod pod;
    pod.meta = {"etl", name, "uid-of-" + name, "1"};
    pod.scheduler = "default-scheduler", pod.node = "node", pod.phase = PodPhase::running, pod.started = TimePoint{};
    pod.owner = Owner{"Job", "nightly", "j", "batch/v1"};
    pod.requests = {{"cpu", 1000}};
    return pod;
  }
  void tell(const Pod& pod) { watched_.update(pod, now_); }
  void end(const std::string& name) {
    Pod pod = running(name);
    pod.phase = PodPhase::succeeded, pod.finished = now_;
    tell(pod);
  }
  std::optional<WatchedCluster> look() {
    now_ += std::chrono::seconds(1);
    ModelSettings model;
    model.node_price = [](const PriceQuestion&) { return NodePrice{UsdPerHour(1), 1, true}; };
    model.transfer_price = [](const TransferEnd&, const TransferEnd&) { return UsdPerMebibyte(0); };
    return watched_.look(
        {model, none_, [](const PodRecord& pod) { return Result<std::string>(pod.meta.name_space); }, {}, {}}, now_);
  }

  VolumeCache claims_;
  PodGroups groups_;
  const std::map<std::string, BatchJob> jobs_;
  const DataView none_;
  TimePoint now_{std::chrono::hours(1)};
  WatchedPods watched_{{"lips", default_frameworks()}, claims_, groups_, jobs_};
};

// Who watched meanwhile has counted both: what one did until then, and all of the one that ended.
TEST_F(WatchedPodsTest, ShowRunningPodsAnewAfterAnInterruptionAndThoseThatEndedNoMore) {
  tell(running("stays")), tell(running("ends"));
  const auto before = look();
  ASSERT_TRUE(before);
  EXPECT_EQ(before->pods.size(), 2u);
  EXPECT_FALSE(look()->anew);
  watched_.interrupt();
  end("ends");
  watched_.resume();
  const auto after = look();
  ASSERT_TRUE(after);
  EXPECT_TRUE(after->anew);
  ASSERT_EQ(after->pods.size(), 1u);
  EXPECT_EQ(after->pods[TaskId(0)].id, "uid-of-stays");
  EXPECT_TRUE(after->pods[TaskId(0)].found);
  EXPECT_FALSE(look()->anew) << "once";
}

}  // namespace
}  // namespace lips::kubernetes
