// Whole runs in which each job has its own size: cores, memory and GPUs.
#include <gtest/gtest.h>

#include <set>

#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"
#include "tests/simulation/auditor.h"
#include "tests/simulation/random_scenario.h"

namespace lips::simulation {
namespace {

// Offers beside the fixed nodes: plain nodes that are cheap, and dearer ones with GPUs.
Scenario random_elastic_scenario(std::uint64_t seed) {
  Random random(derive_seed(seed, 2));
  tiny::ScenarioBuilder builder(2);
  Scenario& scenario = builder.scenario;
  scenario.seed = seed;
  ClusterSnapshot& cluster = scenario.cluster;
  const ResourceId gpu = cluster.extended_names.push_back("nvidia.com/gpu");
  for (std::uint64_t i = 0; i < random.below(3); ++i) builder.node(0, 2);
  std::vector<Resources> shapes;
  for (std::uint64_t kind = 0; kind < 2 + random.below(4); ++kind) {
    const double cores = static_cast<double>(std::uint64_t{2} << random.below(3)),
                 gpus = kind % 2 == 0 ? 0.0 : cores / 2;
    NodeOffer offer{NodeId(static_cast<std::uint32_t>(cluster.nodes.size())), 4, seconds(random.uniform(10, 60)), 0};
    for (std::uint32_t place = 0; place < offer.limit; ++place) {
      const NodeId node = builder.node(kind % 2, cores, random.uniform(0.001, 0.003) * (gpus > 0 ? 4 : 1));
      cluster.nodes[node].fleet = FleetKind::elastic;
      cluster.nodes[node].capacity.extended.set(gpu, gpus);
    }
    shapes.push_back(cluster.nodes[offer.first].capacity);
    scenario.fleet.offers.push_back(offer);
  }
  scenario.fleet.autoscaler.consolidate_after = seconds(30);
  double arrival = 0;
  for (int i = 0; i < 20; ++i) {
    arrival += random.exponential(40);
    JobArrived& job = builder.computing_job(arrival, static_cast<std::uint32_t>(1 + random.below(6)), 60);
    const Resources& most = shapes[random.below(shapes.size())];
    job.job.request = {most.cpu * (static_cast<double>(1 + random.below(8)) / 8),
                       most.memory * (static_cast<double>(random.below(17)) / 16), 1};
    if (most.extended[gpu] > 0 && random.uniform() < 0.7)
      job.job.request.extended.set(gpu, std::ceil(most.extended[gpu] * random.uniform(0.1, 1)));
  }
  return scenario;
}

TEST(Sizes, AreWithinEachNodeAndOnlyTasksThatAskForGpusNeedThemUnderEveryPolicy) {
  for (const PolicyEntry& entry : policy_registry()) {
    SCOPED_TRACE(entry.name);
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(seed);
      Scenario scenario = tiny::random_scenario(seed);
      tiny::add_sizes(seed, scenario);
      audit(scenario, *entry.make(PolicySettings{}));
    }
  }
}

TEST(Sizes, DecideWhichNodesAreBoughtUnderEveryPolicy) {
  for (const PolicyEntry& entry : policy_registry()) {
    SCOPED_TRACE(entry.name);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(seed);
      const Scenario scenario = random_elastic_scenario(seed);
      Audited audited;
      audit(scenario, *entry.make(PolicySettings{}), {}, &audited);
      if (std::string_view(entry.name) == "most-allocated" || std::string_view(entry.name) == "fifo") {
        EXPECT_EQ(audited.ended, scenario.jobs.size());
      }
    }
  }
}

constexpr const char* trainings = R"(
name: trainings
zones: [a, b]
nodes:
- {name: plain, count: 2, zone: a, cores: 8, memory: 16Gi, pricePerHour: 0.1}
- {name: gpu, count: 1, zone: b, cores: 8, memory: 32Gi, pricePerHour: 2, extended: {nvidia.com/gpu: 2}}
jobs:
- {name: train, tasks: 5, cpuPerTask: 600, cores: 1, memory: 4Gi, extended: {nvidia.com/gpu: 1}}
- {name: clean, tasks: 6, cpuPerTask: 60, cores: 2, memory: 4Gi}
)";

// Where tasks ran, and how many with GPUs at once.
class Where : public Auditor {
 public:
  using Auditor::Auditor;
  void on_start(TaskId task, JobId job, NodeId node, TimePoint now) override {
    Auditor::on_start(task, job, node, now);
    if (asks(job)) nodes.insert(node), most = std::max(most, ++at_once);
  }
  void on_end(const AttemptEnd& end) override {
    Auditor::on_end(end);
    if (asks(end.job)) --at_once;
  }
  std::set<NodeId> nodes;
  int at_once = 0, most = 0;

 private:
  bool asks(JobId job) const { return !scenario_.jobs[job.index()].job.request.extended.empty(); }
};

Where where_of(const Scenario& scenario, const Policy& policy) {
  Where where(scenario);
  SimulatedCluster cluster(scenario, policy.cadence(), where);
  ClusterState state(scenario.at_start());
  EpochController controller(state, cluster, policy, scenario.costs);
  EXPECT_TRUE(controller.run({}).has_value());
  EXPECT_EQ(cluster.jobs_finished(), scenario.jobs.size());
  return where;
}

TEST(Sizes, KeepGpuTasksOnTheGpusOfAScenarioTwoAtATime) {
  const Result<Scenario> scenario = parse_scenario("trainings.yaml", trainings);
  ASSERT_TRUE(scenario) << scenario.error().message;
  for (const PolicyEntry& entry : policy_registry()) {
    SCOPED_TRACE(entry.name);
    const Where where = where_of(*scenario, *entry.make(scenario->settings));
    EXPECT_EQ(where.nodes, (std::set<NodeId>{NodeId(2)}));
    EXPECT_LE(where.most, 2);
  }
}

TEST(Sizes, KeepGpuTasksOnTheGpusThatAnAutoscalerBuys) {
  const Result<Scenario> scenario = parse_scenario("bought.yaml", R"(
zones: [a]
nodes:
- {name: plain, fleet: elastic, limit: 5, cores: 8, memory: 16Gi, pricePerHour: 0.1}
- {name: gpu, fleet: elastic, limit: 5, cores: 8, memory: 32Gi, pricePerHour: 2, extended: {nvidia.com/gpu: 2}}
autoscaler: {consolidateAfter: 30s}
jobs:
- {name: train, tasks: 5, cpuPerTask: 600, cores: 1, memory: 4Gi, extended: {nvidia.com/gpu: 1}}
- {name: clean, tasks: 6, cpuPerTask: 60, cores: 2, memory: 4Gi}
)");
  ASSERT_TRUE(scenario) << scenario.error().message;
  for (const PolicyEntry& entry : policy_registry()) {
    SCOPED_TRACE(entry.name);
    for (const NodeId node : where_of(*scenario, *entry.make(scenario->settings)).nodes)
      EXPECT_GE(node, NodeId(5)) << scenario->cluster.nodes[node].name;
  }
}

}  // namespace
}  // namespace lips::simulation
