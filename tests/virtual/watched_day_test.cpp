// A cluster that kube-scheduler and an autoscaler run while an operator in mode watch looks at it. Is the saving that
// the operator claims the one that comes true where LiPS runs the same day?
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "policies/registry/registry.h"
#include "records/epoch_journal.h"
#include "records/watched_records.h"
#include "simulation/scenario_reader.h"
#include "telemetry/metrics/operator_metrics.h"
#include "twin/live_twin.h"
#include "twin/recorded_scenario.h"
#include "virtual/run_alone.h"
#include "virtual/run_through.h"
#include "virtual/scenario_settings.h"

namespace lips::virtual_cluster {
namespace {

// Jobs of all sizes, some with data in one zone, beside nodes that come and go; tasks take longer or shorter than said.
simulation::Scenario day_of(std::uint64_t seed) {
  Random random(seed);
  const auto number = [&](double low, double high) { return std::to_string(random.uniform(low, high)); };
  const auto one_of = [&](std::vector<std::string> names) { return names[random.below(names.size())]; };
  std::string text = "name: day\nzones: [a, b]\nprices: {region: us-east-1}\nseed: " + std::to_string(seed) +
                     "\ndurationNoise: " + number(0, 0.4) +
                     "\nnodes:\n  - {name: fixed, count: 1, instanceType: r7g.xlarge}\n";
  text += "  - {name: small, fleet: elastic, limit: 10, instanceType: " +
          one_of({"m7g.xlarge", "c7g.xlarge", "m6i.xlarge"}) + "}\n";
  text += "  - {name: large, fleet: elastic, limit: 6, instanceType: " +
          one_of({"m7g.4xlarge", "c7g.4xlarge", "m6i.4xlarge"}) + "}\n";
  text +=
      "blockSize: 256Mi\nplacement: oneZone\nstores: {nodeDirectories: false, volumes: [{name: v-a, zone: a}, "
      "{name: v-b, zone: b}]}\njobs:\n";
  double arrival = 0;
  for (int i = 0; i < 20; ++i) {
    arrival += random.exponential(150);
    const std::string head = "  - {name: j" + std::to_string(i) + ", arrival: " + std::to_string(arrival) + "s, ";
    text +=
        random.uniform() < 0.6
            ? head + "tasks: " + std::to_string(1 + random.below(24)) + ", cpuPerTask: " + number(30, 600) + "}\n"
            : head + "inputSize: " + std::to_string(1 + random.below(4)) + "Gi, cpuPerMiB: " + number(0.2, 1.5) + "}\n";
  }
  simulation::ScenarioOptions options;
  options.config_folder = std::string(LIPS_SOURCE_DIR) + "/config";
  Result<simulation::Scenario> read = simulation::parse_scenario("day.yaml", text, options);
  EXPECT_TRUE(read) << read.error().message;
  return *std::move(read);
}

// The part of an operator that looks on. The pods of the scenario name LiPS, so here it has another name.
class Onlooker {
 public:
  Onlooker(const simulation::Scenario& scenario, VirtualKubernetes& cluster, const std::string& folder)
      : scenario_(scenario),
        loop_(cluster.loop()),
        journal_(*EpochJournal::open(folder, Mebibytes(1000))),
        metrics_({"", "", "virtual", [this] { return loop_.now(); }}),
        policy_(*make_policy("lips", scenario.settings)) {
    kubernetes::ClusterSettings settings;
    settings.scheduler_name = "onlooker", settings.instance = "onlooker";
    settings.cadence = [this] { return policy_->cadence(); };
    take_from_scenario(scenario, settings);
    settings.wants_watched = [] { return true; };
    settings.watched = [this](WatchedCluster seen) { write(std::move(seen)); };
    adapter_ = std::make_unique<kubernetes::KubernetesCluster>(cluster.link(), std::move(settings), nobody_, silent_);
    adapter_->start();
    metrics_.on_leader(true);
    look_until(loop_.now());
  }
  void look_until(TimePoint when) {
    do EXPECT_TRUE(adapter_->wait(when));
    while (loop_.now() < when);
  }
  void look() { look_until(loop_.now()); }
  std::size_t records() const { return records_; }

 private:
  void write(WatchedCluster seen) {
    std::optional<EpochRecord> record = looks_.add(std::move(seen));
    if (!record) return;
    const ClusterSnapshot& cluster = record->snapshot.cluster;
    if (records_++ == 0) metrics_.decided({"lips", cluster, record->snapshot.costs, Plan{}, 0});
    record->epoch = journal_.next_epoch(), record->version = "test", record->policy = "spread";
    record->settings = scenario_.settings, record->seed = scenario_.seed;
    record->invoice.emplace().nodes = metrics_.nodes_until(cluster);
    EXPECT_TRUE(journal_.add(write_epoch(*record)));
  }

  const simulation::Scenario& scenario_;
  kubernetes::EventLoop& loop_;
  EpochJournal journal_;
  OperatorMetrics metrics_;
  std::unique_ptr<Policy> policy_;
  AdapterObserver nobody_;
  SilentLog silent_;
  WatchedRecords looks_;
  std::size_t records_ = 0;
  std::unique_ptr<kubernetes::KubernetesCluster> adapter_;
};

class WatchedDay : public testing::Test {
 protected:
  WatchedDay() { std::filesystem::remove_all(folder_); }
  ~WatchedDay() override { std::filesystem::remove_all(folder_); }

  static simulation::RunResult simulate(const simulation::Scenario& scenario, const std::string& name) {
    Result<simulation::RunResult> run = simulation::run(scenario, **make_policy(name, scenario.settings), name);
    EXPECT_TRUE(run) << run.error().message;
    return *std::move(run);
  }
  simulation::RunResult run_watched(const simulation::Scenario& scenario, PodMode mode) const {
    std::optional<Onlooker> onlooker;
    ThroughOptions options;
    options.cluster.mode = mode;
    options.at_start = [&](VirtualKubernetes& cluster) {
      // Nobody orders: the autoscaler looks at pods that wait.
      if (mode == PodMode::bind) cluster.truth().request_nodes(std::nullopt);
      onlooker.emplace(scenario, cluster, folder_);
    };
    options.stop = [&] {
      if (onlooker) onlooker->look();
      return false;
    };
    options.at_end = [&](VirtualKubernetes& cluster) {
      onlooker->look_until(cluster.loop().now() + std::chrono::seconds(5));
      onlooker.reset();
    };
    const auto policy = *make_policy("spread", scenario.settings);
    Result<simulation::RunResult> run = run_through_kubernetes(scenario, *policy, "spread", options);
    EXPECT_TRUE(run) << run.error().message;
    return *std::move(run);
  }

  const std::string folder_ =
      (std::filesystem::temp_directory_path() / ("lips-watched-" + std::to_string(getpid()))).string();
};

std::size_t tasks_of(const simulation::Scenario& scenario) {
  std::size_t tasks = 0;
  for (const JobArrived& job : scenario.jobs) tasks += job.tasks.size();
  return tasks;
}

// The pods may be evicted, and are: kube-scheduler and the autoscaler are those that the twin has, so what it does not
// know is the records' fault.
TEST_F(WatchedDay, OfKubeSchedulerAloneIsTheTwinsToo) {
  double claims = 0, errors = 0, signs = 0;
  constexpr int days = 12;
  for (std::uint64_t seed = 701; seed < 701 + days; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::filesystem::remove_all(folder_);
    const simulation::Scenario scenario = day_of(seed);
    const simulation::RunResult ran = run_watched(scenario, PodMode::watch);
    ASSERT_EQ(ran.jobs_finished, ran.jobs);
    const simulation::RunResult lips = simulate(scenario, "lips");
    const Result<TwinReport> report =
        twin::twin_report({folder_, std::chrono::hours(48), {"lips"}, 100'000, {}, run_alone});
    ASSERT_TRUE(report) << report.error().message;
    const TwinRegime& twin_of_ran = report->ran;
    const std::optional<double> claim = report->saved(report->others[0]);
    ASSERT_TRUE(claim && report->error());
    EXPECT_EQ(tasks_of(twin::recorded_day(folder_)->scenario), tasks_of(scenario)) << "an evicted one is the same task";
    const double truth = 1 - lips.invoice.total() / ran.invoice.total();
    std::printf(
        "seed %d: kube-scheduler %.3f, twin %.3f (own error %+.1f %%); saving %.1f %%, claimed %.1f %%; waits %.0f s, "
        "twin %.0f s\n",
        static_cast<int>(seed), ran.invoice.total().value(), twin_of_ran.invoice.value(), 100 * *report->error(),
        100 * truth, 100 * *claim, ran.mean_wait, to_seconds(twin_of_ran.mean_wait));
    EXPECT_NEAR(*report->error(), 0, 0.15);
    claims += std::abs(*claim - truth) / days, errors += std::abs(*report->error()) / days;
    signs += *report->error() / days;
  }
  std::printf("claims differ by %.1f points in the mean, own errors are %.1f %%, %+.1f %% with their signs\n",
              100 * claims, 100 * errors, 100 * signs);
  EXPECT_LT(claims, 0.06);
  EXPECT_LT(errors, 0.05);
  EXPECT_NEAR(signs, 0, 0.03);
}

// Truth is the bill of the day that was watched, and the simulator's of the same day under LiPS. Days of a dollar or
// two, on which a node more or less is a twentieth of the invoice. The pods of the watched cluster say that nobody may
// evict them, so neither its autoscaler nor that of the twin of what ran empties a node.
TEST_F(WatchedDay, IsClaimedToCostLessWithLipsByAsMuchAsItDoes) {
  double sum = 0, sum_of_dollars = 0, sum_of_errors = 0, sum_of_signs = 0;
  constexpr int days = 6;
  for (std::uint64_t seed = 701; seed < 701 + days; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::filesystem::remove_all(folder_);
    const simulation::Scenario scenario = day_of(seed);
    const simulation::RunResult ran = run_watched(scenario, PodMode::bind);
    ASSERT_EQ(ran.jobs_finished, ran.jobs);
    const simulation::RunResult lips = simulate(scenario, "lips");
    const Result<TwinReport> report = twin::twin_report({folder_, std::chrono::hours(48), {"lips"}});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_TRUE(report->watched);
    EXPECT_EQ(report->ran.policy, "spread");
    ASSERT_EQ(report->others.size(), 1U);
    const TwinRegime &twin_of_ran = report->ran, &twin_of_lips = report->others[0];
    const std::optional<double> claim = report->saved(twin_of_lips);
    ASSERT_TRUE(claim && report->error());
    const double truth = 1 - lips.invoice.total() / ran.invoice.total();
    const double dollars = twin_of_lips.invoice / lips.invoice.total() - 1;
    std::printf(
        "seed %d: kube-scheduler %.3f, twin %.3f (own error %+.1f %%); LiPS %.3f, twin %.3f; saving %.1f %%, "
        "claimed %.1f %%; waits %.0f s and %.0f s, claimed %.0f s and %.0f s\n",
        static_cast<int>(seed), ran.invoice.total().value(), twin_of_ran.invoice.value(), 100 * *report->error(),
        lips.invoice.total().value(), twin_of_lips.invoice.value(), 100 * truth, 100 * *claim, ran.mean_wait,
        lips.mean_wait, to_seconds(twin_of_ran.mean_wait), to_seconds(twin_of_lips.mean_wait));
    EXPECT_NEAR(*claim, truth, 0.15);
    EXPECT_NEAR(*report->error(), 0, 0.15);
    EXPECT_NEAR(dollars, 0, 0.15);
    EXPECT_NEAR(to_seconds(twin_of_lips.mean_wait), lips.mean_wait, 20);
    sum_of_errors += std::abs(*report->error()) / days, sum_of_signs += *report->error() / days;
    sum += std::abs(*claim - truth) / days, sum_of_dollars += std::abs(dollars) / days;
  }
  std::printf("claims differ by %.1f points in the mean, invoices with LiPS by %.1f %%, own errors are %.1f %%\n",
              100 * sum, 100 * sum_of_dollars, 100 * sum_of_errors);
  EXPECT_LT(sum, 0.07);
  EXPECT_LT(sum_of_dollars, 0.08);
  EXPECT_LT(sum_of_errors, 0.09);
  EXPECT_NEAR(sum_of_signs, 0, 0.05);
}

}  // namespace
}  // namespace lips::virtual_cluster
