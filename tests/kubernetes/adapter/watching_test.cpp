// The work of other schedulers, as the adapter sees it and the journal records it: nothing is written to the cluster.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "records/watched_records.h"
#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

using testing::IsEmpty;

constexpr const char* others = "default-scheduler";
constexpr const char* elastic = R"(,"karpenter.sh/nodepool":"batch")";

// The records beside the operator's own loop.
class Watching {
 public:
  explicit Watching(FakeCluster& cluster)
      : scheduling_(cluster, {}, PodMode::watch, {}, [this](WatchedCluster seen) { take(std::move(seen)); }) {}

  // From here on no pod counts as found.
  bool begin() {
    return scheduling_.until([&] { return scheduling_.looks() > 1; });
  }
  bool until_ended(std::size_t pods) {
    return scheduling_.until([&] { return ends().size() >= pods; });
  }
  // Until so many looks have begun from now on.
  bool until_looked(int times) {
    const int before = scheduling_.looks();
    return scheduling_.until([&] { return scheduling_.looks() >= before + times; });
  }
  std::vector<RecordedEnd> ends() const { return ends_; }
  std::vector<EpochRecord> records() const { return records_; }

 private:
  void take(WatchedCluster seen) {
    std::optional<EpochRecord> record = looks_.add(std::move(seen));
    if (!record) return;
    EXPECT_TRUE(record->watched);
    ends_.insert(ends_.end(), record->ended->tasks.begin(), record->ended->tasks.end());
    records_.push_back(*std::move(record));
  }

  WatchedRecords looks_;
  std::vector<EpochRecord> records_;
  std::vector<RecordedEnd> ends_;
  Scheduling scheduling_;  // last: it ends first
};

FakePod foreign(int cpu, const std::string& owner = "nightly") {
  FakePod pod = pod_of(cpu, owner);
  pod.scheduler = others;
  return pod;
}

std::string started_at_ten() { return R"(,"startTime":"2026-03-01T10:00:00Z")"; }
std::string ended_after(int seconds) {
  return started_at_ten() + fmt::format(R"(,"containerStatuses":[{{"name":"c","state":{{"terminated":{{"finishedAt":)"
                                        R"("2026-03-01T10:{:02}:{:02}Z"}}}}}}])",
                                        seconds / 60, seconds % 60);
}
void run_on(FakeCluster& cluster, const std::string& pod, const std::string& node) {
  cluster.change_pod(pod, [&](FakePod& change) {
    change.node = node;
    change.phase = "Running";
    change.status = started_at_ten();
  });
}
void end_after(FakeCluster& cluster, const std::string& pod, int seconds) {
  cluster.change_pod(pod, [&](FakePod& change) {
    change.phase = "Succeeded";
    change.status = ended_after(seconds);
  });
}

std::vector<std::string> writes(const FakeCluster& cluster) {
  std::vector<std::string> result;
  for (const ReceivedRequest& request : cluster.requests())
    if (request.method != "GET") result.push_back(request.method + ' ' + request.path);
  return result;
}

// Says whether the job has a running task on the node in that record.
bool runs_on(const EpochRecord& record, const std::string& job, const std::string& node) {
  const ClusterSnapshot& cluster = record.snapshot.cluster;
  return std::ranges::any_of(cluster.running, [&](const RunningTask& run) {
    return cluster.jobs[cluster.tasks[run.task].job].name == job && cluster.nodes[run.node].name == node;
  });
}

TEST(Watching, RecordsWhatAnotherSchedulerDidAndWritesNothing) {
  FakeCluster cluster;
  cluster.put_node("dear", {.cpu = 4, .zone = "zone-a", .more = elastic, .usd_per_hour = "4"});
  cluster.put_node("cheap", {.cpu = 4, .zone = "zone-b", .more = elastic, .usd_per_hour = "0.4"});
  Watching watching(cluster);
  ASSERT_TRUE(watching.begin());
  for (const char* pod : {"p", "q"}) {
    cluster.put_pod(pod, foreign(2));
    run_on(cluster, pod, "dear");
  }
  ASSERT_TRUE(watching.until_looked(2));
  EXPECT_TRUE(runs_on(watching.records().back(), "default/nightly", "dear"));
  for (const char* pod : {"p", "q"}) end_after(cluster, pod, 600);
  ASSERT_TRUE(watching.until_ended(2));
  for (const char* pod : {"p", "q"}) cluster.remove_pod(pod);
  ASSERT_TRUE(watching.until_looked(2));
  ASSERT_EQ(watching.ends().size(), 2u) << "each pod ends once";
  for (const RecordedEnd& end : watching.ends()) {
    EXPECT_EQ(end.job, "default/nightly");
    EXPECT_EQ(end.ran, std::chrono::seconds(600));
    EXPECT_NEAR(end.work.value(), 1200, 1e-6);
  }
  EXPECT_THAT(writes(cluster), IsEmpty());
}

TEST(Watching, RecordsAPodThatItFoundFromThenOnAndNoServices) {
  FakeCluster cluster;
  cluster.put_node("node", {.cpu = 8, .more = elastic, .usd_per_hour = "4"});
  cluster.put_pod("early", foreign(1, "early"));
  cluster.put_pod("over", foreign(1, "over"));
  for (const char* pod : {"early", "over"}) run_on(cluster, pod, "node");
  end_after(cluster, "over", 60);
  Watching watching(cluster);
  ASSERT_TRUE(watching.begin());
  cluster.put_pod("service", foreign(1, ""));  // of no Job, and it says nothing of its work
  cluster.put_pod("never", foreign(1, "never"));
  run_on(cluster, "service", "node");
  ASSERT_TRUE(watching.until_looked(2));
  cluster.remove_pod("never");
  for (const char* pod : {"early", "service"}) end_after(cluster, pod, 60);
  ASSERT_TRUE(watching.until_ended(1));
  ASSERT_TRUE(watching.until_looked(3));
  ASSERT_EQ(watching.ends().size(), 1u);
  EXPECT_EQ(watching.ends()[0].job, "default/early");
  EXPECT_LT(watching.ends()[0].ran, std::chrono::seconds(60)) << "it had run for long when it was found";
  std::set<std::string> jobs;
  for (const EpochRecord& record : watching.records())
    for (const Job& job : record.snapshot.cluster.jobs) jobs.insert(job.name);
  EXPECT_EQ(jobs, (std::set<std::string>{"default/early", "default/never"}));
}

// Somebody else's scheduler puts random pods on random nodes; they end, fail and are deleted.
class RandomWatching : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomWatching, RecordsTheEndOfEveryPodOnceAndKeepsItsJob) {
  Random random(GetParam());
  FakeCluster cluster(GetParam());
  std::map<std::string, int> nodes;  // free cores
  for (int i = 0; i < 6; ++i) {
    const std::string name = fmt::format("node-{}", i);
    const int cpu = 2 + static_cast<int>(random.below(7));
    cluster.put_node(name, {.cpu = cpu,
                            .zone = i % 2 == 0 ? "zone-a" : "zone-b",
                            .more = i < 4 ? elastic : "",
                            .usd_per_hour = fmt::format("1.{:02}", random.below(100))});
    nodes[name] = cpu;
  }
  Watching watching(cluster);
  ASSERT_TRUE(watching.begin());
  double expected = 0;
  std::size_t pods = 0;
  struct Runs {
    std::string node;
    int cpu = 0;
  };
  std::map<std::string, Runs> running;
  for (int turn = 0; turn < 60; ++turn) {
    const std::string name = fmt::format("pod-{}", turn);
    const Runs runs{fmt::format("node-{}", random.below(6)), 1 + static_cast<int>(random.below(3))};
    cluster.put_pod(name, foreign(runs.cpu, fmt::format("job-{}", turn % 5)));
    if (nodes[runs.node] >= runs.cpu) {
      nodes[runs.node] -= runs.cpu;
      run_on(cluster, name, runs.node);
      running[name] = runs;
      ++pods;
    } else {
      cluster.remove_pod(name);
    }
    if (turn % 20 == 10) {
      ASSERT_TRUE(watching.until_looked(1));
    }
    for (auto pod = running.begin(); pod != running.end();) {
      if (turn < 59 && random.below(3) > 0) {
        ++pod;
        continue;
      }
      const int seconds = 1 + static_cast<int>(random.below(3000));
      end_after(cluster, pod->first, seconds);
      if (random.below(2) == 0) cluster.remove_pod(pod->first);
      nodes[pod->second.node] += pod->second.cpu;
      expected += pod->second.cpu * seconds;
      pod = running.erase(pod);
    }
  }
  ASSERT_TRUE(watching.until_ended(pods));
  ASSERT_TRUE(watching.until_looked(2));
  const std::vector<RecordedEnd> ends = watching.ends();
  ASSERT_EQ(ends.size(), pods) << "seed " << GetParam();
  double work = 0;
  for (const RecordedEnd& end : ends) work += end.work.value();
  EXPECT_NEAR(work, expected, 1e-6 * expected) << "seed " << GetParam();
  // A task that has ended is one of the tasks with which its job came.
  std::map<std::pair<std::string, TimePoint>, std::map<double, int>> came, ended;
  for (const EpochRecord& record : watching.records()) {
    std::map<std::pair<std::string, TimePoint>, std::map<double, int>> here;
    for (const Task& task : record.snapshot.cluster.tasks) {
      const Job& job = record.snapshot.cluster.jobs[task.job];
      ++here[{job.name, job.arrival}][task.cpu.value()];
    }
    for (const auto& [job, tasks] : here)
      for (const auto& [cpu, count] : tasks) came[job][cpu] = std::max(came[job][cpu], count);
  }
  for (const RecordedEnd& end : ends) ++ended[{end.job, end.arrival}][end.expected.value()];
  for (const auto& [job, tasks] : ended)
    for (const auto& [cpu, count] : tasks) EXPECT_LE(count, 2 * came[job][cpu]) << job.first << ", seed " << GetParam();
  EXPECT_THAT(writes(cluster), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomWatching, testing::Range<std::uint64_t>(1, 4));

}  // namespace
}  // namespace lips::kubernetes
