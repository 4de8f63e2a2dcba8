// Running tasks that plans end for others, as metrics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/metrics/operator_metrics.h"
#include "tests/policies/snapshot_builder.h"

namespace lips::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(TakenBack, TasksAreCountedByTheirPoolAndByWhomTheyEndFor) {
  ClusterBuilder builder;
  builder.pool();
  builder.pool();
  builder.node({.slots = 8, .cpu = 8});
  ClusterState state(builder.start);
  state.apply(job(state.snapshot(), {.pool = PoolId(1), .maps = 3}));
  const std::string own = state.snapshot().pools[PoolId(1)].name;
  OperatorMetrics metrics({"1", "abc", "test"});
  const CostModel costs = uniform_costs(1, UsdPerMebibyte(0));
  Plan plan;
  metrics.decided({"lips", state.snapshot(), costs, plan, 0.1});
  EXPECT_THAT(metrics.exposition(), Not(HasSubstr("lips_tasks_taken_back_total{")));
  plan.reclaims = {{TaskId(0), PoolId(1), Usd(0.25)}, {TaskId(1), PoolId(2), Usd(1)}, {TaskId(2), PoolId(2), Usd(2)}};
  metrics.decided({"lips", state.snapshot(), costs, plan, 0.1});
  metrics.on_event(state.snapshot(), TaskStays{TaskId(2), {}});
  const std::string priority = R"({pool=")" + own + R"(",reason="priority"} )";
  const std::string share = R"({pool=")" + own + R"(",reason="share"} )";
  EXPECT_THAT(metrics.exposition(), AllOf(HasSubstr("lips_tasks_taken_back_total" + priority + "1\n"),
                                          HasSubstr("lips_tasks_taken_back_total" + share + "2\n"),
                                          HasSubstr("lips_taken_back_dollars_total" + priority + "0.25\n"),
                                          HasSubstr("lips_taken_back_dollars_total" + share + "3\n"),
                                          HasSubstr("lips_tasks_not_taken_back_total{pool=\"" + own + "\"} 1\n")));
}

}  // namespace
}  // namespace lips::testing
