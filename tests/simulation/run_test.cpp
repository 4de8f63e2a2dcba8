#include "simulation/run.h"

#include <gtest/gtest.h>

#include "simulation/metrics_fairness.h"
#include "simulation/metrics_series.h"
#include "tests/simulation/tiny_scenario.h"

namespace lips::simulation {
namespace {

using tiny::FirstFit;
using tiny::ScenarioBuilder;

RunResult run_first_fit(const Scenario& scenario, const Policy& policy = FirstFit()) {
  Result<RunResult> result = run(scenario, policy, "first-fit");
  EXPECT_TRUE(result.has_value());
  return result.value_or(RunResult{});
}

TEST(Run, BillsTheWorkOfEveryTaskOnce) {
  ScenarioBuilder builder;
  builder.node(0, 2, 0.01);
  builder.node(0, 1, 0.02, 2);  // twice as fast: 0.01 USD per CPU-second of work
  builder.computing_job(0, 4, 100);
  const RunResult result = run_first_fit(builder.scenario);
  EXPECT_EQ(result.jobs_finished, 1u);
  EXPECT_EQ(result.tasks_finished, 4u);
  // Two tasks on node 0 until 100 s; on node 1 one until 50 s and the next until 100 s.
  EXPECT_EQ(result.makespan, seconds(100));
  EXPECT_NEAR(result.bill.cpu.value(), 4 * 100 * 0.01, 1e-9);
  EXPECT_NEAR(result.bill.total().value(), 4.0, 1e-9);
  EXPECT_NEAR(result.nodes_all.value(), 100 * (2 * 0.01 + 0.02), 1e-9);
  EXPECT_NEAR(result.nodes_when_used.value(), 3600 * (2 * 0.01 + 0.02), 1e-9);
  EXPECT_NEAR(result.completion.mean, 100, 1e-9);
}

TEST(Run, BillsTransferMovesAndStorageByTheirOwnTerms) {
  ScenarioBuilder builder(2, UsdPerMebibyte(0.001));
  builder.node(0, 1, 0.01);
  const StoreId far = builder.volume(1);
  const StoreId near = builder.volume(0, UsdPerMebibyteHour(0.002));
  builder.reading_job(0, builder.data(Mebibytes(100), {far}), 10);
  builder.computing_job(0, 1, 3600);

  class Keeps : public FirstFit {
   public:
    explicit Keeps(StoreId store) { keep_in_ = store; }
  };
  const RunResult result = run_first_fit(builder.scenario, Keeps(near));
  EXPECT_EQ(result.makespan, seconds(3610));
  EXPECT_NEAR(result.bill.cpu.value(), 3610 * 0.01, 1e-9);
  EXPECT_NEAR(result.bill.transfer.value(), 100 * 0.001, 1e-9);
  EXPECT_NEAR(result.bill.storage.value(), 100 * 0.002, 1e-9);  // from 10 s to 3610 s
  EXPECT_NEAR(result.cross_zone.map_reads.value(), 100, 1e-9);
  EXPECT_EQ(result.locality.tasks[Locality::remote], 1u);
  EXPECT_NEAR(result.locality.read[Locality::remote].value(), 100, 1e-9);
  EXPECT_EQ(result.locality.tasks[Locality::none], 1u);
  EXPECT_EQ(result.locality.reading(), 1u);
  EXPECT_EQ(result.locality.share(Locality::remote), 1);

  class Moves : public FirstFit {
    void change(const PolicyInput& input, Plan& plan) const override {
      if (input.cluster.now == TimePoint{} && input.cluster.moves.empty() &&
          input.cluster.blocks[BlockId(0)].replicas.size() == 1)
        plan.moves.push_back({BlockId(0), StoreId(1), StoreId(2), false});
    }
  };
  const RunResult moved = run_first_fit(builder.scenario, Moves());
  EXPECT_NEAR(moved.bill.moves.value(), 100 * 0.001, 1e-9);
  EXPECT_NEAR(moved.bill.storage.value(), 100 * 0.002 * 3610 / 3600, 1e-9);
  EXPECT_NEAR(moved.cross_zone.moves.value(), 100, 1e-9);
  EXPECT_EQ(moved.plans.moves, 1u);
}

TEST(Run, BillsTheTrueWorkOfStragglersAndNoise) {
  ScenarioBuilder builder;
  builder.node(0, 4, 0.01);
  builder.computing_job(0, 4, 100);
  builder.scenario.stragglers = {1, 3};
  const RunResult result = run_first_fit(builder.scenario);
  EXPECT_EQ(result.makespan, seconds(300));
  EXPECT_NEAR(result.bill.cpu.value(), 4 * 300 * 0.01, 1e-9);
}

TEST(Run, NamesTheWorkOfLostAttemptsAndCountsHoursWhenUsed) {
  ScenarioBuilder builder;
  builder.node(0, 1, 0.01);
  builder.node(0, 1, 0.01);
  builder.computing_job(0, 1, 4000);
  builder.scenario.failures = {{NodeId(0), tiny::at(1000), seconds(500), false}};
  const RunResult result = run_first_fit(builder.scenario);
  EXPECT_EQ(result.attempts_lost, 1u);
  EXPECT_NEAR(result.lost_work.value(), 1000 * 0.01, 1e-9);
  EXPECT_NEAR(result.bill.cpu.value(), 5000 * 0.01, 1e-9);
  EXPECT_EQ(result.makespan, seconds(5000));
  // Node 0 is not there for 500 s; node 1 is busy in the first two hours, node 0 in the first.
  EXPECT_NEAR(result.nodes_all.value(), (5000 + 4500) * 0.01, 1e-9);
  EXPECT_NEAR(result.nodes_when_used.value(), 3 * 3600 * 0.01, 1e-9);
}

TEST(Run, ReportsCompletionTimesAndTheSlowdownOfSmallJobs) {
  ScenarioBuilder builder;
  builder.node(0, 1);
  builder.computing_job(0, 1, 10);
  builder.computing_job(0, 1, 10);
  builder.computing_job(0, 1, 200);  // not small
  const RunResult result = run_first_fit(builder.scenario);
  EXPECT_NEAR(result.completion.mean, (10 + 20 + 220) / 3.0, 1e-9);
  EXPECT_NEAR(result.completion.p50, 20, 1e-9);
  EXPECT_NEAR(result.completion.p95, 220, 1e-9);
  EXPECT_NEAR(result.completion.max, 220, 1e-9);
  EXPECT_EQ(result.small_jobs.jobs, 2u);
  EXPECT_NEAR(result.small_jobs.p95, 20, 1e-9);
  EXPECT_NEAR(result.small_jobs.mean_slowdown, 1.5, 1e-9);
}

TEST(Run, MeasuresSharesAgainstWhatPoolsWereEntitledTo) {
  ScenarioBuilder builder;
  builder.node(0, 2);
  builder.pool("second");
  builder.computing_job(0, 2, 100);
  builder.computing_job(0, 2, 100).job.pool = PoolId(1);
  const RunResult result = run_first_fit(builder.scenario);
  ASSERT_EQ(result.fairness.pools.size(), 2u);
  // The first pool has both cores for 100 s and had a right to one; the second both afterwards, when it is alone.
  EXPECT_NEAR(result.fairness.pools[0].used, 200, 1e-6);
  EXPECT_NEAR(result.fairness.pools[0].entitled, 100, 1e-6);
  EXPECT_NEAR(result.fairness.pools[1].used, 200, 1e-6);
  EXPECT_NEAR(result.fairness.pools[1].entitled, 300, 1e-6);
  EXPECT_NEAR(result.fairness.worst_shortfall, 1.0 / 3, 1e-6);
  EXPECT_NEAR(result.fairness.jain, (2 + 2.0 / 3) * (2 + 2.0 / 3) / (2 * (4 + 4.0 / 9)), 1e-6);
  ASSERT_LE(result.fairness.share.value[0].size(), 200u);
  EXPECT_EQ(result.fairness.share.bin, seconds(1));
  EXPECT_NEAR(result.fairness.share.value[0][50], 1, 1e-9);
  EXPECT_NEAR(result.fairness.share.value[1][50], 0, 1e-9);
  EXPECT_NEAR(result.fairness.share.value[1][150], 1, 1e-9);
}

TEST(Run, RecordsUtilisationByClassAndBusyIntervals) {
  ScenarioBuilder builder(2);
  builder.node(0, 2);
  builder.node(1, 2);
  builder.computing_job(0, 1, 100);
  const RunResult result = run_first_fit(builder.scenario);
  ASSERT_EQ(result.utilisation.channels, (std::vector<std::string>{"zone0", "zone1"}));
  EXPECT_NEAR(result.utilisation.value[0][10], 0.5, 1e-9);
  EXPECT_NEAR(result.utilisation.value[1][10], 0, 1e-9);
  ASSERT_EQ(result.busy.size(), 1u);
  EXPECT_EQ(result.busy[0].node, NodeId(0));
  EXPECT_EQ(result.busy[0].end - result.busy[0].start, seconds(100));
}

TEST(Run, CountsTasksThatWaitedByTheirLastReason) {
  ScenarioBuilder builder;
  builder.node(0, 1);
  builder.computing_job(0, 3, 10);
  const RunResult result = run_first_fit(builder.scenario);
  EXPECT_EQ(result.plans.deferred[DeferralReason::no_capacity], 2u);
  EXPECT_EQ(result.plans.tasks_assigned, 3u);
}

TEST(Run, GivesAPartialResultWhenItIsStopped) {
  ScenarioBuilder builder;
  builder.node(0, 1, 0.01);
  for (int i = 0; i < 10; ++i) builder.computing_job(i * 100, 1, 60);
  int asked = 0, reports = 0;
  RunOptions options;
  options.stop = [&] { return ++asked > 12; };
  options.progress = [&](const Progress& progress) {
    ++reports;
    EXPECT_EQ(progress.jobs, 10u);
  };
  const Result<RunResult> result = run(builder.scenario, FirstFit(), "first-fit", options);
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->stopped);
  EXPECT_LT(result->jobs_finished, 10u);
  EXPECT_GT(result->jobs_finished, 0u);
  EXPECT_FALSE(result->unfinished.empty());
  EXPECT_GE(reports, 1);
}

class CountingStopwatch : public Stopwatch {
 public:
  double seconds() const override { return count_ += 2; }

 private:
  mutable double count_ = 0;
};

class PlansTwice : public FirstFit {
 public:
  void change(const PolicyInput&, Plan& plan) const override {
    if (!plan.assignments.empty()) plan.assignments.push_back(plan.assignments.front());
  }
};

TEST(Run, EndsWithAnErrorThatSaysWhatIsWrongWithAPlan) {
  ScenarioBuilder builder;
  builder.node(0, 2, 0.01);
  builder.computing_job(0, 1, 100);
  const Result<RunResult> result = run(builder.scenario, PlansTwice(), "plans-twice");
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().message.find("task 0 is planned twice"), std::string::npos) << result.error().message;
}

TEST(Run, ChargesMeasuredThinkingByTheStopwatch) {
  ScenarioBuilder builder;
  builder.node(0, 1, 0.01);
  builder.computing_job(0, 1, 60);
  builder.scenario.thinking = Thinking::measured;
  const CountingStopwatch stopwatch;
  RunOptions options;
  options.stopwatch = &stopwatch;
  const Result<RunResult> result = run(builder.scenario, FirstFit(), "first-fit", options);
  ASSERT_TRUE(result.has_value());
  EXPECT_GT(result->makespan, seconds(62));
  EXPECT_GT(result->measured.deciding, 0);
}

TEST(SeriesRecorder, KeepsMeansWhenItsBinsDouble) {
  SeriesRecorder recorder(1);
  recorder.set(0, 1, seconds(0));
  recorder.set(0, 3, seconds(100));
  const Series series = recorder.finish(seconds(1000), {"a"});
  EXPECT_EQ(series.bin, seconds(8));
  ASSERT_EQ(series.value[0].size(), 125u);
  EXPECT_NEAR(series.value[0][0], 1, 1e-9);
  EXPECT_NEAR(series.value[0][12], 2, 1e-9);  // from 96 s to 104 s
  EXPECT_NEAR(series.value[0][124], 3, 1e-9);
}

// A node comes back after a lifetime, and no other ever fits the task.
TEST(Run, EndsWhereItWouldWaitALifetime) {
  tiny::ScenarioBuilder builder;
  const NodeId lost = builder.node(0, 1);
  builder.node(0, 1);
  builder.computing_job(0, 1, 1).job.request.cpu = Cores(1000);
  builder.scenario.failures.push_back({lost, tiny::at(30), std::chrono::hours(24 * 365 * 70), false});
  for (const Cadence::Trigger trigger : {Cadence::Trigger::epoch, Cadence::Trigger::events}) {
    const Result<RunResult> result = run(builder.scenario, tiny::FirstFit({trigger, std::chrono::seconds(1)}), "first");
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->endless);
    EXPECT_FALSE(result->stuck);
    EXPECT_EQ(result->jobs_finished, 0u);
  }
}

// On one core this task would outlast the clock.
TEST(Run, EndsWithTheClock) {
  tiny::ScenarioBuilder builder;
  builder.node(0, 1, 0.01, 1e-6);
  builder.computing_job(0, 1, 1e9);
  const Result<RunResult> result =
      run(builder.scenario, tiny::FirstFit({Cadence::Trigger::epoch, std::chrono::hours(24 * 365)}), "first");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->endless);
  EXPECT_EQ(result->jobs_finished, 0u) << "work that takes for ever does not end at once";
}

TEST(Run, CanBeStoppedWhileTheNetworkTakesManySteps) {
  tiny::ScenarioBuilder builder(2);
  const NodeId node = builder.node(0, 64);
  builder.node(1, 64);
  builder.scenario.cluster.network.zone_link = MebibytesPerSecond(1);
  std::vector<StoreId> where(20'000, tiny::ScenarioBuilder::directory(NodeId(1)));
  builder.reading_job(0, builder.data(Mebibytes(1), where), 0);
  (void)node;
  int asked = 0;
  RunOptions options;
  options.stop = [&] { return ++asked > 50; };
  const Result<RunResult> result =
      run(builder.scenario, tiny::FirstFit({Cadence::Trigger::events, std::chrono::hours(1)}), "first", options);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->stopped);
}

}  // namespace
}  // namespace lips::simulation
