// A hand-made cluster with a policy to ask: what unit tests of policies share.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "policies/registry/registry.h"
#include "tests/policies/snapshot_builder.h"

namespace lips::testing {

class Case {
 public:
  Case(std::string_view policy, const ClusterBuilder& builder, const PolicySettings& settings = {},
       UsdPerMebibyte across_zones = UsdPerMebibyte(0.01))
      : state(builder.start), costs(uniform_costs(builder.start.zones.size(), across_zones)) {
    Result<std::unique_ptr<Policy>> made = make_policy(policy, settings);
    EXPECT_TRUE(made.has_value());
    policy_ = std::move(*made);
  }

  JobId add(const JobSpec& spec) {
    state.apply(job(state.snapshot(), spec));
    return JobId(static_cast<std::uint32_t>(state.snapshot().jobs.size() - 1));
  }
  void at(double second) { state.advance(TimePoint(seconds(second))); }
  Plan plan(const std::vector<NodeId>& reporting = {}) {
    Result<Plan> made = policy_->decide({state.snapshot(), costs, 1, reporting, nullptr});
    EXPECT_TRUE(made.has_value());
    return std::move(*made);
  }
  // Plans and binds.
  std::vector<Assignment> step(const std::vector<NodeId>& reporting = {}) {
    const Plan made = plan(reporting);
    for (const Remembered& remembered : made.remember) state.remember(remembered);
    if (made.remember_shares) state.remember(*made.remember_shares);
    for (const Assignment& assignment : made.assignments) EXPECT_TRUE(state.assume(assignment));
    return made.assignments;
  }
  TaskId task(JobId id, std::uint32_t number) const {
    return TaskId(state.snapshot().jobs[id].first_task.index() + number);
  }
  void finish(TaskId task) { state.apply(TaskFinished{task, state.snapshot().tasks[task].node}); }

  ClusterState state;
  CostModel costs;

 private:
  std::unique_ptr<Policy> policy_;
};

MATCHER_P2(Runs, task, node, "") { return arg.task == task && arg.node == node; }

// Four blocks on one node of three: `near` is on its rack, `far` is not.
struct TwoRacks {
  ClusterBuilder builder;
  RackId a = builder.rack(), b = builder.rack();
  NodeId local = builder.node({.rack = a}), near = builder.node({.rack = a}), far = builder.node({.rack = b});
  std::vector<BlockId> blocks = {builder.block({local}), builder.block({local}), builder.block({local}),
                                 builder.block({local})};
};

}  // namespace lips::testing
