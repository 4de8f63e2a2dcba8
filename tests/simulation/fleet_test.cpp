// Elastic nodes in whole runs: what is bought when, how long it is paid, and what interruptions cost.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <tuple>

#include "base/random.h"
#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"
#include "tests/simulation/auditor.h"
#include "tests/simulation/tiny_scenario.h"

namespace lips::simulation {
namespace {

using testing::HasSubstr;
using tiny::at;
using tiny::FirstFit;
using tiny::ScenarioBuilder;

// The events of elastic nodes, and when they came.
class FleetLog : public RunListener {
 public:
  void on_launch(NodeId node, TimePoint now) override { launched.emplace_back(node, to_seconds(now)); }
  void on_node(NodeId node, bool is_up, TimePoint now) override {
    (is_up ? up : down).emplace_back(node, to_seconds(now));
  }
  void on_gone(NodeId node, Gone why, TimePoint now) override {
    if (why == Gone::interrupted) interrupted.emplace_back(node, to_seconds(now));
  }
  void on_start(TaskId, JobId, NodeId node, TimePoint now) override {
    started.push_back(to_seconds(now));
    where.push_back(node);
  }
  void on_end(const AttemptEnd& end) override { lost += end.outcome == AttemptEnd::Outcome::lost ? 1 : 0; }
  std::vector<std::pair<NodeId, double>> launched, up, down, interrupted;
  std::vector<double> started;
  std::vector<NodeId> where;  // they started
  int lost = 0;
};

class FleetTest : public testing::Test {
 protected:
  // Places for nodes of so many cores.
  NodeOffer& offer(std::uint32_t limit, double cores, double price, std::uint32_t zone = 0) {
    Fleet& fleet = builder_.scenario.fleet;
    NodeOffer made;
    made.limit = limit;
    made.boot = seconds(40);
    for (std::uint32_t i = 0; i < limit; ++i) {
      const NodeId node = builder_.node(zone, cores, price / cores / 3600);
      if (i == 0) made.first = node;
    }
    fleet.offers.push_back(made);
    return fleet.offers.back();
  }
  AutoscalerSettings& settings() { return builder_.scenario.fleet.autoscaler; }
  FleetLog log() { return log(policy_); }
  FleetLog log(const Policy& policy) {
    FleetLog told;
    SimulatedCluster cluster(builder_.scenario, policy.cadence(), told);
    ClusterState state(builder_.scenario.at_start());
    EpochController controller(state, cluster, policy, builder_.scenario.costs);
    EXPECT_TRUE(controller.run({}).has_value());
    EXPECT_EQ(cluster.jobs_finished(), builder_.scenario.jobs.size());
    return told;
  }
  RunResult run_it() {
    Result<RunResult> result = run(builder_.scenario, policy_, "first-fit");
    EXPECT_TRUE(result.has_value());
    return result.value_or(RunResult{});
  }

  ScenarioBuilder builder_;
  FirstFit policy_;
};

TEST_F(FleetTest, BuysForPodsThatWaitOnceNoneHasComeForASecond) {
  offer(4, 4, 3.6);
  builder_.computing_job(10, 2, 100);
  builder_.computing_job(10.5, 2, 100);
  const FleetLog told = log();
  ASSERT_EQ(told.launched.size(), 1u);
  EXPECT_DOUBLE_EQ(told.launched[0].second, 11.5);
  ASSERT_EQ(told.up.size(), 1u);
  EXPECT_DOUBLE_EQ(told.up[0].second, 51.5);
  EXPECT_EQ(told.started, (std::vector<double>{51.5, 51.5, 51.5, 51.5}));
}

TEST_F(FleetTest, ClosesABatchAfterTenSecondsThoughPodsKeepComing) {
  offer(20, 1, 3.6);
  for (int i = 0; i < 30; ++i) builder_.computing_job(0.5 * i, 1, 1000);
  const FleetLog told = log();
  ASSERT_EQ(told.launched.size(), 20u);
  EXPECT_DOUBLE_EQ(told.launched[0].second, 10);
}

TEST_F(FleetTest, IsPaidFromTheLaunchToTheTermination) {
  offer(1, 1, 3600);  // a dollar a second
  settings().consolidate_after = seconds(30);
  builder_.computing_job(0, 1, 100);
  builder_.computing_job(1000, 1, 100);
  const RunResult result = run_it();
  // Launched at 1 s, up at 41 s, empty at 141 s. The polls are at 51, 61, ...: the one at 171 s finds it empty for 30
  // s, and 15 s later it goes. The second life ends with the run.
  EXPECT_EQ(result.fleet.launches, 2u);
  EXPECT_EQ(result.fleet.empty, 1u);
  EXPECT_EQ(result.makespan, seconds(1141));
  EXPECT_NEAR(result.invoice.nodes.value(), 185 + 140, 1e-6);
  EXPECT_NEAR(result.nodes_all.value(), 145 + 100, 1e-6);  // while it was up
  EXPECT_NEAR(result.core_hours_paid, 325 / 3600.0, 1e-9);
  EXPECT_NEAR(result.core_hours_used, 200 / 3600.0, 1e-9);
}

TEST_F(FleetTest, IsPaidUntilItsMachineIsOff) {
  offer(1, 1, 3600);  // a dollar a second
  settings().consolidate_after = seconds(30);
  settings().termination = seconds(5);
  builder_.computing_job(0, 1, 100);
  builder_.computing_job(1000, 1, 100);
  const RunResult result = run_it();
  EXPECT_EQ(result.fleet.empty, 1u);
  EXPECT_NEAR(result.invoice.nodes.value(), 185 + 5 + 140, 1e-6) << "the second one ends with the run";
  EXPECT_NEAR(result.core_hours_paid, 330 / 3600.0, 1e-9);
}

TEST_F(FleetTest, AreBilledUntilTheyWouldGoWhereNodesLeftAtTheEndCount) {
  offer(2, 1, 3600);  // a dollar a second each
  settings().consolidate_after = seconds(30);
  settings().termination = seconds(5);
  settings().bills_nodes_left = true;
  builder_.computing_job(0, 1, 100);
  builder_.computing_job(0, 1, 110);
  const RunResult result = run_it();
  // Up at 41 s, idle at 141 and 151 s: the run ends then, and either node goes after 30 + 10 / 2 + 15 + 5 s.
  EXPECT_EQ(result.fleet.launches, 2u);
  EXPECT_EQ(result.makespan, seconds(151));
  EXPECT_NEAR(result.invoice.nodes.value(), 140 + 55 + 150 + 55, 1e-6);
  EXPECT_NEAR(result.predicted->value(), result.invoice.total().value(), 1.1) << "launched a second after the plan";
}

TEST_F(FleetTest, KeepsANodeOnWhichAPodCameDuringTheValidation) {
  offer(1, 1, 3.6);
  settings().consolidate_after = seconds(30);
  builder_.computing_job(0, 1, 100);
  builder_.computing_job(175, 1, 100);  // the node was to go at 186 s
  const FleetLog told = log();
  EXPECT_EQ(told.launched.size(), 1u);
  EXPECT_EQ(told.lost, 0);
  EXPECT_EQ(told.started, (std::vector<double>{41, 175}));
}

// Karpenter takes it for granted that a pod that fits will come; a plan that lets it wait keeps the node alive.
TEST_F(FleetTest, KeepsANodeThatAPodWhichWaitsWouldFitOn) {
  offer(1, 1, 3.6);
  builder_.computing_job(0, 1, 10);
  builder_.computing_job(60, 1, 10);
  class Waits : public FirstFit {
    void change(const PolicyInput& input, Plan& plan) const override {
      if (input.cluster.now >= at(60) && input.cluster.now < at(600)) plan.assignments.clear();
      plan.replan_after = seconds(10);
    }
  };
  FleetLog told;
  const Waits policy;
  SimulatedCluster cluster(builder_.scenario, policy.cadence(), told);
  ClusterState state(builder_.scenario.at_start());
  EpochController controller(state, cluster, policy, builder_.scenario.costs);
  ASSERT_TRUE(controller.run({}).has_value());
  EXPECT_EQ(cluster.jobs_finished(), 2u);
  EXPECT_EQ(told.launched.size(), 1u);
  EXPECT_GE(told.started.back(), 600);
}

TEST_F(FleetTest, GivesBackNoMoreAtOnceThanTheBudgetAllows) {
  offer(10, 1, 3.6);
  settings().budget = 0.2;
  settings().consolidation = Consolidation::when_empty;
  builder_.computing_job(0, 10, 100);
  builder_.computing_job(400, 1, 1);
  const FleetLog told = log();
  ASSERT_GE(told.down.size(), 4u);
  EXPECT_DOUBLE_EQ(told.down[0].second, told.down[1].second);
  EXPECT_GE(told.down[2].second, told.down[1].second + 25);  // the next poll and its validation
}

TEST_F(FleetTest, EmptiesANodeWhosePodsFitElsewhereAndTheyRunAgain) {
  offer(2, 2, 3.6);
  for (const double work : {60, 3000, 60, 3000}) builder_.computing_job(0, 1, work);
  const RunResult result = run_it();
  // From 101 s each node has one pod; one of the nodes goes 15 s later, and its pod starts anew on the other.
  EXPECT_EQ(result.fleet.launches, 2u);
  EXPECT_EQ(result.fleet.underutilized, 1u);
  EXPECT_EQ(result.attempts_lost, 1u);
  EXPECT_EQ(result.makespan, seconds(116 + 3000));
  settings().consolidation = Consolidation::when_empty;
  const RunResult kept = run_it();
  EXPECT_EQ(kept.fleet.underutilized, 0u);
  EXPECT_EQ(kept.attempts_lost, 0u);
  EXPECT_EQ(kept.makespan, seconds(41 + 3000));
  EXPECT_GT(kept.invoice.nodes.value(), result.invoice.nodes.value());
}

TEST_F(FleetTest, AnInterruptedNodeTakesNothingForTwoMinutesAndThenItsTasksRunAgain) {
  NodeOffer& spot = offer(3, 2, 3.6);
  spot.interruptions = 20;
  for (int i = 0; i < 40; ++i) builder_.computing_job(60 * i, 2, 300);
  const FleetLog told = log();
  ASSERT_GT(told.interrupted.size(), 3u);
  EXPECT_GT(told.lost, 0);
  EXPECT_EQ(told.started.size(), 80u + static_cast<std::size_t>(told.lost));
  int close_before = 0;
  for (const auto& [node, when] : told.interrupted)
    for (std::size_t i = 0; i < told.started.size(); ++i) {
      const double before = when - told.started[i];
      if (told.where[i] != node || before < 0) continue;
      EXPECT_GE(before, 120);
      close_before += before < 300 ? 1 : 0;
    }
  EXPECT_GT(close_before, 0) << "no task ran when its node was to go";
}

TEST_F(FleetTest, AnOutageTakesSpotNodesOfItsZoneAndSellsNoneUntilItEnds) {
  builder_ = ScenarioBuilder(2);
  const NodeOffer spot = offer(3, 2, 3.6), on_demand = offer(1, 2, 7.2), elsewhere = offer(1, 2, 7.2, 1);
  const auto is_out = [&](NodeId node) { return node.index() < on_demand.first.index(); };
  for (NodeId node : builder_.scenario.cluster.nodes.ids())
    if (is_out(node) || node == elsewhere.first)
      builder_.scenario.cluster.nodes[node].capacity_type = CapacityType::spot;
  builder_.scenario.fleet.outages.push_back({ZoneId(0), at(400), at(2000)});
  for (int i = 0; i < 40; ++i) builder_.computing_job(60 * i, 2, 300);
  const FleetLog told = log();
  ASSERT_GT(told.interrupted.size(), 1u);
  for (const auto& [node, when] : told.interrupted) {
    EXPECT_TRUE(is_out(node));
    EXPECT_EQ(when, 400 + 120) << "after the notice";
  }
  std::set<NodeId> after;
  for (const auto& [node, when] : told.launched)
    if (is_out(node)) {
      EXPECT_TRUE(when < 400 || when >= 2000) << when;
      if (when >= 2000) after.insert(node);
    }
  EXPECT_FALSE(after.empty());
  EXPECT_EQ(spot.first, NodeId(0));
}

TEST_F(FleetTest, BuysBesideFixedNodesOnlyWhatDoesNotFitThere) {
  builder_.node(0, 2, 0.01);
  offer(4, 2, 3.6);
  builder_.computing_job(0, 2, 100);
  builder_.computing_job(5, 2, 100);
  const FleetLog told = log();
  EXPECT_EQ(told.launched.size(), 1u);
  EXPECT_DOUBLE_EQ(told.started[0], 0);
}

// First fit, and a plan that asks from some time on: for the first two tasks of each job, nodes in zone 1.
class Asking : public Policy {
 public:
  explicit Asking(double from = 0) : from_(from) {}
  Cadence cadence() const override { return first_fit_.cadence(); }
  Result<Plan> decide(const PolicyInput& input) const override {
    Result<Plan> plan = first_fit_.decide(input);
    if (const TimePoint now = input.cluster.now; now < at(from_)) {
      plan->node_requests.emplace();
      plan->replan_after = at(from_) - now;
      return plan;
    }
    std::set<TaskId> assigned;
    for (const Assignment& assignment : plan->assignments) assigned.insert(assignment.task);
    plan->node_requests.emplace();
    for (const JobId id : input.cluster.pending)
      for (std::uint32_t i = 0; i < std::min(2u, input.cluster.jobs[id].tasks()); ++i) {
        const TaskId task(input.cluster.jobs[id].first_task.index() + i);
        if (input.cluster.tasks[task].state == TaskState::pending && !assigned.contains(task))
          plan->node_requests->push_back({task, OfferId(1)});
      }
    return plan;
  }

 private:
  const double from_;
  FirstFit first_fit_;
};

// Nothing else happens then.
TEST_F(FleetTest, APlanThatIsMadeForNoEventGetsItsNodesAsSoonAsAnother) {
  for (const double from : {0.0, 12.5, 25.0, 37.25}) {
    builder_ = ScenarioBuilder(2);
    offer(4, 1, 1), offer(4, 1, 3.6, 1);
    builder_.computing_job(0, 2, 100);
    const FleetLog told = log(Asking(from));
    ASSERT_EQ(told.launched.size(), 2u);
    for (const auto& [node, when] : told.launched) EXPECT_DOUBLE_EQ(when, from + 1);
  }
}

TEST_F(FleetTest, WhereAPlanAsksOnlyThatIsBoughtAndThere) {
  builder_ = ScenarioBuilder(2);
  offer(4, 1, 1);
  const NodeOffer dear = offer(4, 1, 3.6, 1);
  builder_.computing_job(0, 4, 100);
  const Asking asking;
  const FleetLog told = log(asking);
  ASSERT_EQ(told.launched.size(), 2u) << "for two of the four tasks; the others follow on their nodes";
  for (const auto& [node, when] : told.launched) {
    EXPECT_GE(node.index(), dear.first.index());
    EXPECT_DOUBLE_EQ(when, 1);
  }
  EXPECT_DOUBLE_EQ(told.started[3], 141);
}

// Policies hear when an offer sells out, and when there is some again.
TEST_F(FleetTest, PoliciesSeeWhatIsSoldOut) {
  offer(1, 2, 3.6);
  builder_.computing_job(0, 2, 100);
  builder_.computing_job(1000, 2, 100);
  std::vector<std::pair<double, std::uint32_t>> seen;
  struct Watching : public FirstFit {
    explicit Watching(std::vector<std::pair<double, std::uint32_t>>& seen) : seen_(seen) {}
    Result<Plan> decide(const PolicyInput& input) const override {
      seen_.emplace_back(to_seconds(input.cluster.now.time_since_epoch()), input.cluster.offers[OfferId(0)].left);
      return FirstFit::decide(input);
    }
    std::vector<std::pair<double, std::uint32_t>>& seen_;
  };
  const Watching watching(seen);
  log(watching);
  const auto left_at = [&](double second) {
    std::uint32_t left = 99;
    for (const auto& [when, count] : seen)
      if (when <= second) left = count;
    return left;
  };
  EXPECT_EQ(left_at(0.5), 1u);
  EXPECT_EQ(left_at(50), 0u);
  EXPECT_EQ(left_at(1000), 1u);
}

// Nodes that boot stand for tasks that still ask.
TEST_F(FleetTest, PoliciesSeeWhatALimitLeavesBesideTheNodesThatAreUp) {
  offer(4, 2, 3.6).within = LimitId(0);
  offer(4, 2, 3.7).within = LimitId(0);
  builder_.scenario.fleet.limits.push_back({.cores = Cores(5)});
  builder_.computing_job(0, 8, 100);
  builder_.computing_job(1000, 2, 100);
  std::vector<std::pair<double, double>> seen;
  struct Watching : public FirstFit {
    explicit Watching(std::vector<std::pair<double, double>>& seen) : seen_(seen) {}
    Result<Plan> decide(const PolicyInput& input) const override {
      seen_.emplace_back(to_seconds(input.cluster.now.time_since_epoch()),
                         input.cluster.launch_limits[LimitId(0)].cores.value());
      return FirstFit::decide(input);
    }
    std::vector<std::pair<double, double>>& seen_;
  };
  const Watching watching(seen);
  const FleetLog told = log(watching);
  const auto left_at = [&](double second) {
    double left = -1;
    for (const auto& [when, cores] : seen)
      if (when <= second) left = cores;
    return left;
  };
  EXPECT_EQ(left_at(0.5), 5);
  EXPECT_EQ(left_at(50), 1) << "two nodes are up";
  EXPECT_EQ(left_at(1000), 5);
  EXPECT_EQ(told.launched.size(), 3u) << "a third beside two would have six cores; the last job needs one again";
}

TEST_F(FleetTest, EndsStuckWhereNoOfferHoldsATask) {
  offer(4, 1, 3.6);
  builder_.computing_job(0, 1, 10).job.request.cpu = Cores(2);
  const RunResult result = run_it();
  EXPECT_TRUE(result.stuck);
  EXPECT_EQ(result.fleet.launches, 0u);
  EXPECT_EQ(result.invoice.nodes.value(), 0);
}

// Properties that hold at every event, under every policy, with nodes that come, empty and are interrupted.
std::string elastic_day(const std::string& seed) {
  return "seed: " + seed + R"(
zones: [a, b]
nodes:
- {name: f, count: 1, zone: a, cores: 2, pricePerHour: 0.2}
- {name: m, fleet: elastic, limit: 4, cores: 4, pricePerHour: 0.4, capacityTypes: [spot, on-demand], bootTime: 30s, interruptionsPerHour: 6}
autoscaler: {consolidateAfter: 20s, limitCores: 24}
stores: {nodeDirectories: false, volumes: [{name: va, zone: a}, {name: vb, zone: b}]}
dataSets: [{name: d, blocks: 12}]
jobs:
- {name: j, count: 6, every: 5m, input: d, cpuPerTask: 150, shuffle: 1Gi, reduces: 3, cpuPerReduce: 60}
durationNoise: 0.4
stragglers: {share: 0.1, slowdown: 3}
)";
}

TEST(Fleet, HoldsWhatMustHoldUnderEveryPolicy) {
  std::uint64_t interrupted = 0;
  for (const char* seed : {"1", "2", "3"}) {
    Result<Scenario> scenario = parse_scenario("day.yaml", elastic_day(seed));
    ASSERT_TRUE(scenario) << scenario.error().message;
    scenario->fleet.outages = {{ZoneId(0), at(200), at(900)}, {ZoneId(1), at(700), at(2500)}};
    for (const PolicyEntry& entry : policy_registry()) {
      SCOPED_TRACE(std::string(entry.name) + " " + seed);
      audit(*scenario, *entry.make(scenario->settings));
      const Result<RunResult> result = run(*scenario, *entry.make(scenario->settings), "it");
      ASSERT_TRUE(result.has_value());
      EXPECT_EQ(result->jobs_finished, 6u);
      EXPECT_GT(result->fleet.launches, 0u);
      EXPECT_LE(result->core_hours_used, result->core_hours_paid + 1e-9);
      interrupted += result->fleet.interrupted;
    }
  }
  EXPECT_GT(interrupted, 10u);
}

// Spot at 0.12 USD an hour, which is taken back three times an hour, and on demand at 0.4: for 90 minutes spot costs
// twenty times its price, for 30 seconds one percent more.
TEST(Fleet, LongTasksRunOnDemandAndShortOnesOnSpotWhereThatCostsLess) {
  const std::string day = R"(
zones: [a, b]
nodes:
- {name: m, fleet: elastic, limit: 40, cores: 4, pricePerHour: 0.4, capacityTypes: [spot, on-demand], bootTime: 30s, interruptionsPerHour: 3}
prices: {spotFactors: {a: 0.38, b: 0.30}}
autoscaler: {consolidateAfter: 30s}
jobs:
- {name: brief, count: 5, every: 10m, tasks: 100, cpuPerTask: 30}
- {name: lasting, count: 2, every: 20m, tasks: 8, cpuPerTask: 5400}
)";
  const auto run_on = [&](const char* types) {
    std::string text = day;
    if (*types) text.replace(text.find("[spot, on-demand]"), 17, types);
    const Result<Scenario> scenario = parse_scenario("day.yaml", text);
    EXPECT_TRUE(scenario) << scenario.error().message;
    return *run(*scenario, **make_policy("lips", scenario->settings), "lips");
  };
  const RunResult both = run_on(""), on_demand = run_on("[on-demand]");
  EXPECT_LT(both.invoice.total(), on_demand.invoice.total());
  EXPECT_LT(both.makespan, on_demand.makespan * 1.1);
  const bool spot = std::any_of(both.invoice.node_lines.begin(), both.invoice.node_lines.end(),
                                [](const auto& line) { return line.capacity_type == CapacityType::spot; });
  EXPECT_TRUE(spot);
  EXPECT_NEAR(both.predicted->value(), both.invoice.total().value(), 0.03 * both.invoice.total().value());
}

// A random hour on nodes of two or three types in one or two zones. Empty ones go at once, unless a pod that waits fits
// on them.
std::string day_of_types(std::uint64_t seed) {
  Random random(seed);
  const auto below = [&](std::uint64_t end) { return static_cast<int>(random.below(end)); };
  const bool one_zone = random.below(2) == 0;
  std::string text =
      fmt::format("seed: {}\nzones: [{}]\nautoscaler: {{consolidateAfter: 0s, consolidation: {}}}\nnodes:\n", seed,
                  one_zone ? "a" : "a, b", random.below(2) == 0 ? "WhenEmpty" : "WhenEmptyOrUnderutilized");
  for (int i = 2 + below(2); i > 0; --i) {
    const int cores = 2 << below(3);
    text += fmt::format(
        "- {{name: m{}, fleet: elastic, limit: 10, cores: {}, memory: {}Gi, pricePerHour: {}, capacityTypes: [{}], "
        "bootTime: 60s}}\n",
        i, cores, 2 * cores, 0.04 * cores * random.uniform(0.8, 1.25), random.below(2) == 0 ? "spot" : "on-demand");
  }
  text +=
      "- {name: whole, fleet: elastic, limit: 10, cores: 8, memory: 16Gi, pricePerHour: 0.33, capacityTypes: [spot], "
      "bootTime: 60s}\njobs:\n";
  for (int i = 2 + below(4); i > 0; --i)
    text += fmt::format("- {{name: j{}, arrival: {}s, tasks: {}, cores: {}, cpuPerTask: {}, memory: {}Mi}}\n", i,
                        below(600), 1 + below(8), 0.5 * (1 << below(5)), 60 + below(2400), 256 << below(4));
  return text;
}

// An autoscaler launches nothing for a pod that fits on a node which is there, and keeps that node for it.
TEST(Fleet, EndsEveryJobWhateverNodesOthersHaveLeft) {
  std::uint64_t launches = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Result<Scenario> scenario = parse_scenario("day.yaml", day_of_types(seed));
    ASSERT_TRUE(scenario) << scenario.error().message;
    const Result<RunResult> result = run(*scenario, **make_policy("lips", scenario->settings), "lips");
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_FALSE(result->stuck);
    EXPECT_EQ(result->jobs_finished, scenario->jobs.size());
    launches += result->fleet.launches;
  }
  EXPECT_GT(launches, 1000u);
}

// Jobs of one task each, five minutes to twelve hours long, beside spot nodes that are seldom taken back.
std::string day_of_long_jobs(std::uint64_t seed) {
  Random random(seed);
  const auto below = [&](std::uint64_t end) { return static_cast<int>(random.below(end)); };
  std::string text = fmt::format("seed: {}\nzones: [a, b]\nnodes:\n", seed);
  for (const auto& [cores, memory, price] :
       {std::tuple(8, 16, 0.34), std::tuple(8, 32, 0.38), std::tuple(8, 64, 0.5), std::tuple(4, 8, 0.17)})
    text += fmt::format(
        "- {{name: m{}, fleet: elastic, limit: 40, cores: {}, memory: {}Gi, pricePerHour: {}, capacityTypes: [spot, "
        "on-demand], "
        "bootTime: 40s, interruptionsPerHour: 0.02}}\n",
        memory, cores, memory, price);
  text += "prices: {spotFactors: {a: 0.38, b: 0.30}}\nautoscaler: {consolidateAfter: 30s}\njobs:\n";
  for (int i = 0; i < 150; ++i) {
    const int cores = 1 + below(7);
    const double seconds = std::exp(random.uniform(std::log(300), std::log(43'200)));
    text += fmt::format("- {{name: j{}, arrival: {}s, tasks: 1, cores: {}, memory: {}Gi, cpuPerTask: {:.0f}}}\n", i,
                        below(36'000), cores, cores * (1 + below(7)), seconds * cores);
  }
  return text;
}

TEST(Fleet, LongJobsBesideSpotCostHardlyMoreThanUnderAPolicyThatAlwaysPacksThem) {
  double lips = 0, stratus = 0, on_demand = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Result<Scenario> scenario = parse_scenario("day.yaml", day_of_long_jobs(seed));
    ASSERT_TRUE(scenario) << scenario.error().message;
    const auto invoice = [&](const char* policy) {
      const RunResult result = *run(*scenario, **make_policy(policy, scenario->settings), policy);
      EXPECT_EQ(result.jobs_finished, 150u) << policy << ", seed " << seed;
      return result.invoice;
    };
    const Invoice of_lips = invoice("lips");
    lips += of_lips.total().value();
    stratus += invoice("stratus").total().value();
    for (const NodeLine& line : of_lips.node_lines)
      if (line.capacity_type == CapacityType::on_demand) on_demand += line.dollars.value();
  }
  EXPECT_LT(lips, 1.1 * stratus);
  EXPECT_LT(on_demand, 0.1 * lips);
}

TEST(Fleet, IsPaidForAsManyCoreHoursAsTheLinesOfItsInvoiceHave) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Result<Scenario> scenario = parse_scenario("day.yaml", fmt::format(R"(
seed: {}
zones: [a]
nodes: [{{name: m, fleet: elastic, limit: 40, cores: 4, pricePerHour: 0.4, bootTime: 7.3s}}]
autoscaler: {{consolidateAfter: 0s}}
jobs: [{{name: j, count: 20, every: 97s, tasks: 5, cpuPerTask: 11}}]
durationNoise: 0.4
)",
                                                                             seed));
    ASSERT_TRUE(scenario) << scenario.error().message;
    const RunResult result = *run(*scenario, **make_policy("spread", scenario->settings), "spread");
    double hours = 0;
    for (const auto& line : result.invoice.node_lines) hours += line.hours;
    EXPECT_NEAR(result.core_hours_paid, 4 * hours, 1e-9) << "seed " << seed;
  }
}

TEST(Fleet, GivesTheSameRunForTheSameSeed) {
  const Result<Scenario> scenario = parse_scenario("day.yaml", elastic_day("4"));
  ASSERT_TRUE(scenario);
  const auto policy = make_policy("lips", scenario->settings);
  const Result<RunResult> one = run(*scenario, **policy, "lips"), two = run(*scenario, **policy, "lips");
  EXPECT_EQ(one->invoice.total().value(), two->invoice.total().value());
  EXPECT_EQ(one->events, two->events);
}

TEST(ModernDayElastic, HasTheJobsOfModernDayAndNoNodeAtTheStart) {
  const auto scenario = [](const std::string& name) {
    return *read_scenario(std::string(LIPS_SOURCE_DIR) + "/config/scenarios/" + name + ".yaml", {});
  };
  const Scenario fixed = scenario("modern-day"), elastic = scenario("modern-day-elastic");
  ASSERT_EQ(elastic.jobs.size(), fixed.jobs.size());
  for (std::size_t i = 0; i < fixed.jobs.size(); ++i) {
    ASSERT_EQ(elastic.jobs[i].tasks.size(), fixed.jobs[i].tasks.size());
    EXPECT_EQ(elastic.jobs[i].job.arrival, fixed.jobs[i].job.arrival);
    for (std::size_t task = 0; task < fixed.jobs[i].tasks.size(); ++task)
      ASSERT_NEAR(elastic.jobs[i].tasks[task].cpu.value(), fixed.jobs[i].tasks[task].cpu.value(), 1e-9);
  }
  for (const Node& node : elastic.at_start().nodes) EXPECT_FALSE(node.schedulable);
  EXPECT_EQ(elastic.fleet.offers.size(), 6u * 3 * 2);
}

TEST(ScenarioReader, SaysWhatAnElasticGroupMayNotHave) {
  const auto error_of = [](const std::string& group) {
    const Result<Scenario> scenario = parse_scenario(
        "s.yaml", "zones: [a]\nnodes:\n- {name: m, cores: 1, pricePerHour: 1, " + group + "}\njobs: []\n");
    return scenario ? "" : scenario.error().message;
  };
  EXPECT_EQ(error_of("fleet: elastic"), "");
  EXPECT_THAT(error_of("fleet: elastic, spotShare: 0.5"), HasSubstr("s.yaml:3: nodes[0].spotShare"));
  EXPECT_THAT(error_of("limit: 5"), HasSubstr("s.yaml:3: nodes[0].limit"));
  EXPECT_THAT(error_of("fleet: elastic, limit: 0"), HasSubstr("s.yaml:3: nodes[0].limit: found '0'; allowed: "));
  EXPECT_THAT(error_of("fleet: elastic, capacityTypes: [cheap]"), HasSubstr("found 'cheap'; allowed: on-demand, spot"));
  EXPECT_THAT(error_of("fleet: floating"), HasSubstr("allowed: fixed, elastic"));
}

}  // namespace
}  // namespace lips::simulation
