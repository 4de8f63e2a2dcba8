#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "model/validate_plan.h"
#include "policies/papers/degraded/local_load.h"
#include "policies/papers/degraded/pacing.h"
#include "policies/papers/degraded/rack_spacing.h"
#include "policies/registry/registry.h"
#include "tests/policies/closed_loop.h"
#include "tests/policies/degraded/coded_cluster.h"

namespace lips {
namespace {

using ::testing::IsEmpty;

std::unique_ptr<Policy> policy(std::string_view name, const PolicySettings& settings = {}) {
  return std::move(*make_policy(name, settings));
}

Plan answer(const Policy& asked, const ClusterSnapshot& cluster, std::vector<NodeId> reporting) {
  Result<Plan> plan = asked.decide({cluster, {}, 1, reporting, nullptr});
  EXPECT_TRUE(plan) << plan.error().message;
  return std::move(*plan);
}

std::size_t degraded_in(const Plan& plan) {
  return static_cast<std::size_t>(std::count_if(plan.assignments.begin(), plan.assignments.end(),
                                                [](const Assignment& made) { return !made.sources.empty(); }));
}

struct Launch {
  double now;
  TaskId task;
  NodeId node;
  MapProgress before;  // of its job
};

// Runs the job node by node, as heartbeats come; `each` sees every plan before it is carried out.
template <class Each>
void run_by_heartbeats(ClusterState& state, const Policy& asked, Each each) {
  const ClusterSnapshot& cluster = state.snapshot();
  for (int beat = 0; beat < 20000; ++beat) {
    const NodeId node(static_cast<std::uint32_t>(beat) % static_cast<std::uint32_t>(cluster.nodes.size()));
    state.advance(TimePoint(seconds(0.25 * beat)));
    std::vector<RunningTask> running = cluster.running;
    std::sort(running.begin(), running.end(), [](auto& a, auto& b) { return a.task < b.task; });
    for (const RunningTask& run : running)
      if (run.expected_end <= cluster.now) state.apply(TaskFinished{run.task, run.node});
    if (cluster.pending.empty() && cluster.running.empty()) return;
    if (!cluster.nodes[node].schedulable) continue;
    const Plan plan = answer(asked, cluster, {node});
    each(node, plan);
    for (const Assignment& made : plan.assignments) ASSERT_TRUE(state.assume(made));
  }
}

TEST(LocalityFirst, TakesDegradedTasksOnlyWhenNothingElseIsLeft) {
  ClusterState state = testing::coded_state({}, 1);
  testing::lose_node(state, NodeId(3));
  std::size_t degraded = 0;
  run_by_heartbeats(state, *policy("locality-first"), [&](NodeId, const Plan& plan) {
    std::size_t others = 0;  // maps that need not decode
    for (const TaskGroup& group : state.snapshot().groups[JobId(0)])
      if (group.kind == TaskKind::map && !group.degraded) others += group.count;
    const std::size_t now = degraded_in(plan);
    degraded += now;
    if (now > 0) {
      EXPECT_EQ(others, plan.assignments.size() - now) << "a map that is not degraded was left";
    }
  });
  EXPECT_GT(degraded, 0u);
  EXPECT_TRUE(state.snapshot().jobs[JobId(0)].finished());
}

TEST(DegradedFirst, KeepsThePaceAndLaunchesAtMostOneAHeartbeat) {
  for (const char* name : {"degraded-first-basic", "degraded-first"})
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      ClusterState state = testing::coded_state({.jobs = 1 + static_cast<int>(seed % 3)}, seed);
      testing::lose_node(state, NodeId(static_cast<std::uint32_t>(seed) % 12));
      const ClusterSnapshot& cluster = state.snapshot();
      std::map<JobId, std::uint32_t> total;
      for (JobId job : cluster.jobs.ids())
        for (const TaskGroup& group : cluster.groups[job])
          if (group.degraded) total[job] += group.count;
      std::map<JobId, std::uint32_t> launched, degraded;
      run_by_heartbeats(state, *policy(name), [&](NodeId, const Plan& plan) {
        EXPECT_LE(degraded_in(plan), 1u);
        for (const Assignment& made : plan.assignments) {
          const JobId job = cluster.tasks[made.task].job;
          if (cluster.tasks[made.task].kind != TaskKind::map) continue;
          if (!made.sources.empty()) {
            EXPECT_GE(launched[job] * total[job], degraded[job] * cluster.jobs[job].map_tasks);
            ++degraded[job];
          }
          ++launched[job];
        }
      });
      EXPECT_EQ(degraded, total);
      for (const Job& job : cluster.jobs) EXPECT_TRUE(job.finished());
    }
}

TEST(DegradedFirst, BeginsWithADegradedTaskAtOnce) {
  ClusterState state = testing::coded_state({}, 5);
  testing::lose_node(state, NodeId(0));
  const Plan plan = answer(*policy("degraded-first-basic"), state.snapshot(), {NodeId(4)});
  ASSERT_FALSE(plan.assignments.empty());
  EXPECT_FALSE(plan.assignments[0].sources.empty());
  EXPECT_EQ(degraded_in(plan), 1u);
}

TEST(DegradedFirst, SpacesDegradedTasksOfARack) {
  ClusterState state = testing::coded_state({.nodes = 24, .racks = 4, .blocks = 200}, 2);
  testing::lose_node(state, NodeId(0));
  const ClusterSnapshot& cluster = state.snapshot();
  std::map<RackId, double> last;
  PolicySettings settings;
  std::size_t seen = 0;
  run_by_heartbeats(state, *policy("degraded-first", settings), [&](NodeId node, const Plan& plan) {
    if (degraded_in(plan) == 0) return;
    double mean = 0;
    for (RackId rack : cluster.racks.ids()) mean += last.count(rack) ? to_seconds(cluster.now) - last[rack] : 1e9;
    mean /= static_cast<double>(cluster.racks.size());
    const double threshold = 3.0 / 4 * 4 * 64 / 64;  // (R - 1) k S / (R W)
    const RackId rack = cluster.nodes[node].rack;
    if (last.count(rack)) {
      EXPECT_GE(to_seconds(cluster.now) - last[rack] + 1e-9, std::min(mean, threshold));
    }
    last[rack] = to_seconds(cluster.now);
    ++seen;
  });
  EXPECT_GT(seen, 4u);
  EXPECT_EQ(last.size(), 4u);
}

TEST(RackSpacing, ComputesTheTimeOfADegradedReadUnlessToldOne) {
  ClusterState state = testing::coded_state({}, 2);
  state.advance(TimePoint(std::chrono::seconds(100)));
  testing::lose_node(state, NodeId(0));
  const Assignment made = testing::first_degraded(state.snapshot(), NodeId(1));
  ASSERT_TRUE(state.assume(made));
  const auto allows = [&](double later, const PolicySettings& settings) {
    state.advance(TimePoint(seconds(100 + later)));
    const PolicyInput input{state.snapshot(), CostModel{}, 1, {}, nullptr};
    Draft draft(input);
    return RackSpacing(draft, settings).allows(NodeId(4), draft.tasks.degraded(JobId(0)));  // the same rack
  };
  const double read = 2.0 / 3 * 4;  // 3 racks, k = 4, 64 MiB at 64 MiB/s
  EXPECT_FALSE(allows(read - 0.1, {}));
  EXPECT_TRUE(allows(read + 0.1, {}));
  PolicySettings settings;
  settings.degraded.read_time = std::chrono::seconds(30);
  EXPECT_FALSE(allows(29, settings));
  EXPECT_TRUE(allows(31, settings));
}

// Nodes 0 and 1 hold blocks; the others have none of the job's.
ClusterState two_loaded_nodes(double speed_of_first) {
  testing::ClusterBuilder builder;
  std::vector<BlockId> blocks;
  const NodeId first = builder.node({.speed = speed_of_first});
  const NodeId second = builder.node();
  for (int i = 0; i < 4; ++i) blocks.push_back(builder.block({first}));
  for (int i = 0; i < 2; ++i) blocks.push_back(builder.block({second}));
  ClusterState state(builder.start);
  state.apply(testing::job(state.snapshot(), {.blocks = blocks}));
  return state;
}

bool load_allows(const ClusterState& state, NodeId node, const PolicySettings& settings = {}) {
  const PolicyInput input{state.snapshot(), CostModel{}, 1, {}, nullptr};
  Draft draft(input);
  return LocalLoad(draft, settings).allows(node);
}

TEST(LocalLoad, RefusesNodesWithMoreLocalWorkThanTheMean) {
  const ClusterState state = two_loaded_nodes(1);
  EXPECT_FALSE(load_allows(state, NodeId(0)));
  EXPECT_TRUE(load_allows(state, NodeId(1)));
}

TEST(LocalLoad, LetsFasterNodesHaveMoreWorkUnlessPowerIsIgnored) {
  const ClusterState state = two_loaded_nodes(4);
  EXPECT_TRUE(load_allows(state, NodeId(0)));
  EXPECT_FALSE(load_allows(state, NodeId(1)));
  PolicySettings settings;
  settings.degraded.power = NodePower::ignored;
  EXPECT_FALSE(load_allows(state, NodeId(0), settings));
}

TEST(LocalLoad, OfEqualNodesAllowsAllByTheProseAndNoneByTheListing) {
  testing::ClusterBuilder builder;
  std::vector<BlockId> blocks;
  for (int i = 0; i < 3; ++i) {
    const NodeId node = builder.node();
    for (int j = 0; j < 3; ++j) blocks.push_back(builder.block({node}));
  }
  ClusterState state(builder.start);
  state.apply(testing::job(state.snapshot(), {.blocks = blocks}));
  PolicySettings listing;
  listing.degraded.node_test = DegradedNodeTest::listing;
  for (NodeId node : state.snapshot().nodes.ids()) {
    EXPECT_TRUE(load_allows(state, node));
    EXPECT_FALSE(load_allows(state, node, listing));
  }
}

TEST(DegradedFirst, StarvesTheLastDegradedTasksByTheListing) {
  ClusterState state = testing::coded_state({.blocks = 1}, 1);  // its only map, once the block is lost
  testing::lose_node(state, state.snapshot().stores[state.snapshot().blocks[BlockId(0)].replicas.at(0).store].node);
  const auto assigned = [&](const PolicySettings& settings) {
    const ClusterSnapshot& cluster = state.snapshot();
    return answer(*policy("degraded-first", settings), cluster, testing::all_nodes(cluster)).assignments.size();
  };
  PolicySettings listing;
  listing.degraded.node_test = DegradedNodeTest::listing;
  EXPECT_EQ(assigned({}), 1u);
  EXPECT_EQ(assigned(listing), 0u) << "ts = E[ts] = 0 everywhere";
}

TEST(MapProgress, CountsWhatRunsAndWhatTheDecisionHasGivenAway) {
  ClusterState state = testing::coded_state({.blocks = 200}, 1);
  testing::lose_node(state, NodeId(0));
  const ClusterSnapshot& cluster = state.snapshot();
  std::uint32_t lost = 0;
  for (const TaskGroup& group : cluster.groups[JobId(0)]) lost += group.degraded ? group.count : 0;
  ASSERT_GT(lost, 1u);
  ASSERT_TRUE(state.assume(testing::first_degraded(cluster, NodeId(1))));
  const PolicyInput input{cluster, CostModel{}, 1, {}, nullptr};
  Draft draft(input);
  draft.assign(draft.tasks.degraded(JobId(0)), NodeId(2));
  draft.assign(draft.tasks.remote(JobId(0)), NodeId(2));
  const MapProgress progress = map_progress(draft, JobId(0));
  EXPECT_EQ(progress.maps, 200u);
  EXPECT_EQ(progress.launched, 3u);
  EXPECT_EQ(progress.degraded, lost);
  EXPECT_EQ(progress.degraded_launched, 2u);
}

class CodedData : public ::testing::TestWithParam<PolicyEntry> {};

TEST_P(CodedData, FinallyRunsEveryTaskThoughANodeIsLost) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::unique_ptr<Policy> asked = GetParam().make({});
    ClusterState state = testing::coded_state({.slow_speed = 0.5, .jobs = 2}, seed);
    testing::lose_node(state, NodeId(static_cast<std::uint32_t>(seed)));
    EXPECT_THAT(validate_plan(state.snapshot(), answer(*asked, state.snapshot(), testing::all_nodes(state.snapshot()))),
                IsEmpty());
    testing::ClosedLoop(state, *asked, CostModel{}).run(4000);
    for (const Job& job : state.snapshot().jobs) EXPECT_TRUE(job.finished());
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, CodedData, ::testing::ValuesIn(policy_registry().begin(), policy_registry().end()),
                         [](const auto& entry) {
                           std::string name(entry.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace lips
