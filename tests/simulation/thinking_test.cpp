// Nodes that report while a policy thinks are answered once it has thought.
#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "controller/epoch_controller.h"
#include "model/cluster_state.h"
#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/run_listener.h"
#include "simulation/scenario_reader.h"
#include "simulation/simulated_cluster.h"
#include "simulation/thinking_policy.h"
#include "tests/simulation/tiny_scenario.h"

namespace lips::simulation {
namespace {

// While a policy thinks about the node that may take nothing, the two others report, and then nobody for long, because
// the offers' empty places have their turns too.
constexpr const char* tainted_first = R"(
zones: [us-east-1a]
thinking: fixed
thinkingTime: 500ms
nodes:
- {name: tainted, count: 1, cores: 4, memory: 8Gi, pricePerHour: 0.1, taints: ["a=b:NoSchedule"]}
- {name: free, count: 2, cores: 4, memory: 8Gi, pricePerHour: 0.1}
- {name: buy, fleet: elastic, limit: 50, instanceType: m7g.xlarge}
jobs:
- {name: j, tasks: 2, cpuPerTask: 10}
)";

TEST(Thinking, StarvesNoNodeBehindOneThatMayTakeNothing) {
  const Result<Scenario> scenario = parse_scenario("tainted-first.yaml", tainted_first);
  ASSERT_TRUE(scenario) << scenario.error().message;
  for (const PolicyEntry& entry : policy_registry()) {
    const Result<RunResult> ran = run(*scenario, *entry.make(scenario->settings), std::string(entry.name));
    ASSERT_TRUE(ran) << ran.error().message;
    EXPECT_EQ(ran->jobs_finished, 1u) << entry.name;
  }
}

// Assigns nothing and notes when it hears of each node.
class Listens : public Policy {
 public:
  explicit Listens(Duration interval) : cadence_{Cadence::Trigger::heartbeats, interval} {}
  Cadence cadence() const override { return cadence_; }
  Result<Plan> decide(const PolicyInput& input) const override {
    for (const NodeId node : input.reporting) heard_[node].push_back(input.cluster.now);
    Plan plan;
    plan.rest = DeferralReason::no_capacity;
    return plan;
  }
  const std::vector<TimePoint>& heard(NodeId node) const { return heard_[node]; }

 private:
  Cadence cadence_;
  mutable std::map<NodeId, std::vector<TimePoint>> heard_;
};

TEST(Thinking, DelaysTheReportOfANodeByAtMostOneThought) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    tiny::ScenarioBuilder builder;
    const auto nodes = static_cast<std::uint32_t>(1 + random.below(90));
    for (std::uint32_t node = 0; node < nodes; ++node) builder.node(0);
    builder.computing_job(0, 1, 10);
    builder.scenario.thinking_time = seconds(random.uniform(0.01, 5));
    const Listens policy(seconds(random.uniform(0.5, 5)));
    RunListener listener;
    SimulatedCluster cluster(builder.scenario, policy.cadence(), listener);
    const ThinkingPolicy thinking(policy, cluster, Thinking::fixed, builder.scenario.thinking_time);
    ClusterState state(builder.scenario.at_start());
    EpochController controller(state, cluster, thinking, builder.scenario.costs);
    ControllerSettings settings;
    settings.stop = [&] { return cluster.now() > tiny::at(120); };
    ASSERT_TRUE(controller.run(settings).has_value());
    const Duration most = policy.cadence().interval + builder.scenario.thinking_time + Duration(2);
    for (std::uint32_t node = 0; node < nodes; ++node) {
      TimePoint before{};
      for (const TimePoint at : policy.heard(NodeId(node))) {
        EXPECT_LE(at - before, most) << node;
        before = at;
      }
      EXPECT_GE(before + most, tiny::at(120)) << node;
    }
  }
}

}  // namespace
}  // namespace lips::simulation
