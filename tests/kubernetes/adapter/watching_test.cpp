// The adapter's view of batch pods of other schedulers, and the shadow schedule of them: nothing is
// written.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <numeric>
#include <vector>

#include "shadow/shadow_schedule.h"
#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

using testing::IsEmpty;

constexpr const char* others = "default-scheduler";
constexpr const char* elastic = R"(,"karpenter.sh/nodepool":"batch")";

// The shadow schedule beside the operator's own loop.
class Watching {
 public:
  explicit Watching(FakeCluster& cluster, ClusterSettings settings = {})
      : scheduling_(
            cluster, {}, PodMode::watch, {}, [this](WatchedCluster watched) { step(std::move(watched)); },
            std::move(settings)) {}

  // From here on no pod counts as found.
  bool begin() {
    return scheduling_.until([&] { return scheduling_.looks() > 1; });
  }
  bool until_ended(std::size_t pods) {
    return scheduling_.until([&] { return ended(all()) >= pods; });
  }
  bool until_running(std::size_t pods) {
    return scheduling_.until([&] { return all().running >= pods; });
  }
  // Until so many looks have begun from now on.
  bool until_looked(int times) {
    const int before = scheduling_.looks();
    return scheduling_.until([&] { return scheduling_.looks() >= before + times; });
  }
  // By job.
  std::map<std::string, WatchedSum> sums() const {
    const std::lock_guard lock(mutex_);
    return sums_;
  }
  WatchedSum all() const {
    WatchedSum all;
    for (const auto& [job, sum] : sums()) all += sum;
    return all;
  }
  static std::uint64_t ended(const WatchedSum& sum) {
    return std::accumulate(sum.pods.begin(), sum.pods.end(), std::uint64_t{0});
  }
  std::size_t kept() const {
    const std::lock_guard lock(mutex_);
    return schedule_.kept();
  }

 private:
  void step(WatchedCluster watched) {
    const std::lock_guard lock(mutex_);
    for (auto& [job, sum] : sums_) sum.running = 0;
    for (const WatchedChange& change : schedule_.step(std::move(watched), {})) {
      EXPECT_EQ(change.name_space, "default");
      sums_[change.job] += change.more;
    }
  }

  mutable std::mutex mutex_;
  ShadowSchedule schedule_;
  std::map<std::string, WatchedSum> sums_;
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

TEST(Watching, PricesWhatAnotherSchedulerDidAgainstThePlanAndWritesNothing) {
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
  for (const char* pod : {"p", "q"}) end_after(cluster, pod, 600);
  ASSERT_TRUE(watching.until_ended(2));
  const WatchedSum nightly = watching.sums()["nightly"];
  EXPECT_EQ(nightly.pods[WatchOutcome::compared], 2u);
  EXPECT_NEAR(nightly.actual.elastic.value(), 2 * 4.0 * 2 / 4 * 600 / 3600, 1e-9);
  EXPECT_NEAR(nightly.planned.elastic.value(), 2 * 0.4 * 2 / 4 * 600 / 3600, 1e-9);
  EXPECT_EQ(nightly.actual.fixed.value() + nightly.planned.fixed.value(), 0);
  for (const char* pod : {"p", "q"}) cluster.remove_pod(pod);
  ASSERT_TRUE(watching.until_looked(2));
  EXPECT_EQ(Watching::ended(watching.all()), 2u) << "each pod counts once";
  EXPECT_EQ(watching.kept(), 0u);
  EXPECT_THAT(writes(cluster), IsEmpty());
}

// A node that is paid for anyway costs no more, and takes none off the invoice.
TEST(Watching, CountsFixedNodesApart) {
  FakeCluster cluster;
  cluster.put_node("bought", {.cpu = 4, .more = elastic, .usd_per_hour = "1"});
  cluster.put_node("owned", {.cpu = 4, .usd_per_hour = "3"});
  Watching watching(cluster);
  ASSERT_TRUE(watching.begin());
  cluster.put_pod("p", foreign(4));
  run_on(cluster, "p", "bought");
  end_after(cluster, "p", 360);
  ASSERT_TRUE(watching.until_ended(1));
  const WatchedSum end = watching.all();
  EXPECT_NEAR(end.actual.invoice().value(), 0.1, 1e-9);
  EXPECT_NEAR(end.planned.invoice().value(), 0, 1e-9);
  EXPECT_NEAR(end.planned.fixed.value(), 0.3, 1e-9);
}

// Executors that kube-scheduler spread over zones, which Spark makes itself: no annotation is theirs but the declared
// bytes, and of the other application not even these.
TEST(Watching, PricesWhatExecutorsExchangeAcrossZones) {
  FakeCluster cluster;
  cluster.put_node("dear", {.cpu = 8, .zone = "zone-a", .more = elastic, .usd_per_hour = "4"});
  cluster.put_node("cheap", {.cpu = 8, .zone = "zone-b", .more = elastic, .usd_per_hour = "0.4"});
  ClusterSettings settings;
  settings.applications.shuffle_per_cpu_second = Mebibytes(2);
  Watching watching(cluster, std::move(settings));
  ASSERT_TRUE(watching.begin());
  for (const char* application : {"says", "silent"}) {
    for (const char* node : {"dear", "cheap"}) {
      FakePod executor = foreign(1, "");
      executor.labels = {{"spark-app-selector", application}, {"spark-role", "executor"}};
      executor.annotations = {{"lips.dev/tasks", "2"}};
      if (application == std::string("says")) executor.annotations["lips.dev/shuffle"] = "1000Mi";
      cluster.put_pod(fmt::format("{}-{}", application, node), executor);
    }
    for (const char* node : {"dear", "cheap"}) run_on(cluster, fmt::format("{}-{}", application, node), node);
  }
  ASSERT_TRUE(watching.until_running(4));
  ASSERT_TRUE(watching.until_looked(2));
  for (const char* application : {"says", "silent"})
    for (const char* node : {"dear", "cheap"}) end_after(cluster, fmt::format("{}-{}", application, node), 600);
  ASSERT_TRUE(watching.until_ended(4));
  const WatchedSum all = watching.all(), says = watching.sums()["says"];
  EXPECT_EQ(all.pods[WatchOutcome::compared], 4u);
  EXPECT_NEAR(says.actual.shuffle.value(), 1000 * 1e-5 / 2, 1e-9);
  EXPECT_NEAR(says.actual.shuffle_assumed.value(), 0, 1e-9);
  EXPECT_NEAR(all.actual.shuffle_assumed.value(), 2 * 1200 * 1e-5 / 2, 1e-9) << "two cores for ten minutes";
  EXPECT_NEAR(all.planned.all_shuffle().value(), 0, 1e-9);
}

TEST(Watching, LeavesOutWhatItCannotCompareAndSaysSo) {
  FakeCluster cluster;
  cluster.put_node("dear", {.cpu = 4, .more = elastic, .usd_per_hour = "4"});
  cluster.put_node("cheap", {.cpu = 4, .more = elastic, .usd_per_hour = "0.4"});
  cluster.put_pod("early", foreign(1, "early"));
  run_on(cluster, "early", "dear");
  Watching watching(cluster);
  ASSERT_TRUE(watching.begin());
  FakePod ports = foreign(1, "ports");
  ports.spec = R"("topologySpreadConstraints":[{"whenUnsatisfiable":"DoNotSchedule"}],)";
  cluster.put_pod("ports", ports);
  FakePod service = foreign(1, "");  // of no Job, and it says nothing of its work
  cluster.put_pod("service", service);
  cluster.put_pod("never", foreign(1, "never"));
  for (const char* pod : {"ports", "service"}) run_on(cluster, pod, "dear");
  cluster.remove_pod("never");
  for (const char* pod : {"early", "ports", "service"}) end_after(cluster, pod, 60);
  ASSERT_TRUE(watching.until_ended(2));
  ASSERT_TRUE(watching.until_looked(3));
  const std::map<std::string, WatchedSum> sums = watching.sums();
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums.at("early").pods[WatchOutcome::found], 1u);
  EXPECT_EQ(sums.at("ports").pods[WatchOutcome::not_honoured], 1u);
  for (const auto& [job, sum] : sums)
    EXPECT_NEAR(sum.actual.invoice().value(), sum.planned.invoice().value(), 1e-9)
        << "what is not compared saves nothing";
}

// Somebody else's scheduler puts random pods on random nodes; they end, fail and are deleted.
class RandomWatching : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomWatching, CountsEveryPodOnceForWhatItsNodeCosts) {
  Random random(GetParam());
  FakeCluster cluster(GetParam());
  std::map<std::string, int> nodes;      // free cores
  std::map<std::string, double> prices;  // of a core-hour
  for (int i = 0; i < 6; ++i) {
    const std::string name = fmt::format("node-{}", i);
    const int cpu = 2 + static_cast<int>(random.below(7)), cents = 10 + static_cast<int>(random.below(300));
    cluster.put_node(name, {.cpu = cpu,
                            .zone = i % 2 == 0 ? "zone-a" : "zone-b",
                            .more = i < 4 ? elastic : "",
                            .usd_per_hour = fmt::format("{}.{:02}", cents / 100, cents % 100)});
    nodes[name] = cpu;
    prices[name] = cents / 100.0 / cpu;
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
      expected += prices[pod->second.node] * pod->second.cpu * seconds / 3600;
      pod = running.erase(pod);
    }
  }
  ASSERT_TRUE(watching.until_ended(pods));
  ASSERT_TRUE(watching.until_looked(2));
  const WatchedSum all = watching.all();
  ASSERT_EQ(Watching::ended(all), pods) << "seed " << GetParam();
  EXPECT_EQ(all.running, 0u);
  EXPECT_EQ(all.pods[WatchOutcome::found] + all.pods[WatchOutcome::not_planned], 0u);
  EXPECT_NEAR((all.actual.elastic + all.actual.fixed).value(), expected, 1e-6 * expected) << "seed " << GetParam();
  EXPECT_GT(all.pods[WatchOutcome::compared], pods / 4) << "seed " << GetParam();
  EXPECT_THAT(writes(cluster), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomWatching, testing::Range<std::uint64_t>(1, 4));

}  // namespace
}  // namespace lips::kubernetes
