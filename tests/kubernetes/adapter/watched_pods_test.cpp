#include "kubernetes/adapter/watched_pods.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "base/random.h"
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
  std::map<std::string, BatchJob> jobs_;
  const DataView none_;
  TimePoint now_{std::chrono::hours(1)};
  WatchedPods watched_{{"lips", default_frameworks()}, claims_, groups_, jobs_};
};

std::size_t running_in(const std::optional<WatchedCluster>& seen) { return seen->state.snapshot().running.size(); }

// Nobody knows what ended meanwhile, nor what those that stay had done before.
TEST_F(WatchedPodsTest, ShowRunningPodsAnewAfterAnInterruptionAndThoseThatEndedNoMore) {
  tell(running("stays")), tell(running("ends"));
  const auto before = look();
  ASSERT_TRUE(before);
  EXPECT_EQ(running_in(before), 2u);
  EXPECT_FALSE(look()->anew);
  watched_.interrupt();
  end("ends");
  watched_.resume();
  const auto after = look();
  ASSERT_TRUE(after);
  EXPECT_TRUE(after->anew);
  EXPECT_EQ(running_in(after), 1u);
  EXPECT_TRUE(after->ended.empty());
  EXPECT_FALSE(look()->anew) << "once";
  end("stays");
  const auto last = look();
  ASSERT_EQ(last->ended.size(), 2u);
  EXPECT_EQ(std::get<TaskFinished>(last->ended[1]).ran, std::chrono::seconds(1)) << "from the first look on";
}

// Its name, arrival and expected work are those with which it came, though its first pod ended and run times were
// learned.
TEST_F(WatchedPodsTest, KeepTheJobOfAPodWhateverHappensToOthers) {
  Pod first = running("first"), second = running("second");
  first.created = now_ - std::chrono::seconds(50), second.created = now_;
  tell(first), tell(second);
  const auto before = look();
  ASSERT_TRUE(before);
  const lips::Job was = before->state.snapshot().jobs[JobId(0)];
  const Task task = before->state.snapshot().tasks[TaskId(0)];
  first.phase = PodPhase::succeeded, first.finished = now_;
  tell(first);
  const auto ended = look();
  ASSERT_EQ(ended->ended.size(), 2u);
  Pod third = running("third");
  third.created = now_;
  tell(third);
  now_ += std::chrono::minutes(1);
  const auto after = look();
  ASSERT_TRUE(after);
  const ClusterSnapshot& cluster = after->state.snapshot();
  ASSERT_EQ(cluster.jobs.size(), 2u) << "a pod that comes later is a job of its own";
  EXPECT_EQ(cluster.jobs[JobId(0)].name, was.name);
  EXPECT_EQ(cluster.jobs[JobId(0)].arrival, was.arrival);
  EXPECT_EQ(cluster.jobs[JobId(0)].map_tasks, 1u);
  EXPECT_EQ(cluster.tasks[TaskId(0)].cpu, task.cpu);
  EXPECT_EQ(cluster.jobs[JobId(1)].arrival, third.created);
}

// Other pods are load beside the work, but for those that every node has.
TEST_F(WatchedPodsTest, ComeWithTheNumbersOfOtherPods) {
  Pod web = running("web"), daemon = running("daemon");
  web.owner = Owner{"ReplicaSet", "web", "r", "apps/v1"}, daemon.owner = Owner{"DaemonSet", "log", "d", "apps/v1"};
  tell(running("work")), tell(web), tell(daemon);
  const auto seen = look();
  ASSERT_TRUE(seen);
  ASSERT_EQ(seen->services.size(), 1u);
  EXPECT_EQ(seen->services[0].workload, "etl/ReplicaSet/web");
  EXPECT_EQ(seen->services[0].pods(), 1u);
  EXPECT_EQ(seen->state.snapshot().nodes[NodeId(0)].others.cpu, Cores(2)) << "both take their room";
}

TEST_F(WatchedPodsTest, AreMarkedWhereTheySayThatNobodyMayEvictThem) {
  Pod stays = running("stays");
  stays.annotations = {{do_not_disrupt_annotation, "true"}};
  tell(running("goes")), tell(stays);
  const auto seen = look();
  ASSERT_TRUE(seen);
  ASSERT_EQ(running_in(seen), 2u);
  std::size_t marked = 0;
  for (const RunningTask& run : seen->state.snapshot().running) marked += run.is_marked();
  EXPECT_EQ(marked, 1u);
}

// Pods of a Job that are evicted and deleted at random, before and after looks, and replaced before and after they have
// gone.
class DisruptedTasks : public WatchedPodsTest, public testing::WithParamInterface<std::uint64_t> {
 protected:
  struct OfIndex {
    int attempts = 0;
    std::optional<Pod> pod;
    bool done = false;
  };
  void begin(std::int32_t index) {
    OfIndex& of = tasks_[index];
    Pod pod = running("w-" + std::to_string(index) + "-" + std::to_string(of.attempts++));
    pod.completion_index = index, pod.created = now_, pod.started = now_;
    tell(*(of.pod = pod));
  }
  void disrupt(std::int32_t index) {
    OfIndex& of = tasks_[index];
    Pod pod = *std::exchange(of.pod, std::nullopt);
    pod.deleting = random_.below(3) > 0;  // else it is gone at once, as with a node
    tell(pod);
    if (random_.below(2) == 0) see();
    if (pod.deleting && random_.below(2) == 0) begin(index);
    if (random_.below(2) == 0) see();
    watched_.forget(pod.meta, now_);
  }
  void succeed(std::int32_t index) {
    OfIndex& of = tasks_[index];
    Pod pod = *std::exchange(of.pod, std::nullopt);
    pod.phase = PodPhase::succeeded, pod.finished = now_;
    tell(pod);
    of.done = true;
  }
  void see() {
    const std::optional<WatchedCluster> seen = look();
    if (!seen) return;
    for (const lips::Job& job : seen->state.snapshot().jobs) jobs_seen_.emplace(job.name, job.arrival);
    for (const ClusterEvent& event : seen->ended) {
      ends_ += std::holds_alternative<TaskFinished>(event);
      lost_ += std::holds_alternative<TaskLost>(event);
    }
  }

  Random random_{GetParam()};
  std::vector<OfIndex> tasks_{2 + random_.below(5)};
  std::set<std::pair<std::string, TimePoint>> jobs_seen_;
  std::size_t ends_ = 0, lost_ = 0;
};

TEST_P(DisruptedTasks, AreOneTaskHoweverOftenTheyAreDisrupted) {
  BatchJob job;
  job.meta = {"etl", "nightly", "j", "1"};
  jobs_["j"] = job;
  const auto all = static_cast<std::int32_t>(tasks_.size());
  for (std::int32_t index = 0; index < all; ++index) begin(index);
  see();
  std::size_t disrupted = 0;
  for (int step = 0; step < 60; ++step) {
    now_ += std::chrono::seconds(1 + random_.below(20));
    const auto index = static_cast<std::int32_t>(random_.below(tasks_.size()));
    if (OfIndex& of = tasks_[index]; !of.done && !of.pod)
      begin(index);
    else if (!of.done && random_.below(12) == 0)
      succeed(index);
    else if (!of.done)
      disrupt(index), ++disrupted;
    if (random_.below(3) == 0) see();
  }
  for (std::int32_t index = 0; index < all; ++index) {
    if (tasks_[index].done) continue;
    if (!tasks_[index].pod) begin(index);
    succeed(index);
  }
  see();
  EXPECT_EQ(jobs_seen_.size(), 1u);
  EXPECT_EQ(ends_, tasks_.size());
  EXPECT_EQ(lost_, disrupted);
}

INSTANTIATE_TEST_SUITE_P(Seeds, DisruptedTasks, testing::Range<std::uint64_t>(1, 101));

}  // namespace
}  // namespace lips::kubernetes
