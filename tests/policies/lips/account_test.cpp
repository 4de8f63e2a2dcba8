// The cost of whole tasks' amounts, as the account of a plan says it.
#include "policies/lips/account/account.h"

#include <gtest/gtest.h>

#include <cmath>

#include "policies/lips/program/class_form_program.h"
#include "tests/policies/lips/lips_case.h"

namespace lips::testing {
namespace {

// A class's memory that only rounding leaves is no room, and has no price.
TEST(CostOfQuotas, IsFiniteWhereMemoryRunsOutAndNobodyTakesAnyClass) {
  ClusterBuilder builder(1);
  builder.node({.slots = 4, .cpu = 4, .memory = 1000});
  Case with("lips", builder);
  with.add({.maps = 2, .cpu = 100, .memory = 900});
  Model model(with.state.snapshot(), with.costs);
  for (Commodity& commodity : model.workload.commodities) commodity.any_class = false;
  for (CapacityStep& step : model.classes.steps[ClassId(0)]) step.memory = 1e-10, step.waiting_price = 1;
  ASSERT_TRUE(side_rows(model.workload, model.classes).memory);
  WholeQuotas nothing;
  nothing.zone.resize(1);
  nothing.in_class.resize(model.classes.classes.size());
  EXPECT_TRUE(std::isfinite(cost_of_quotas(model.cluster, model.classes, model.workload, nothing)));
}

}  // namespace
}  // namespace lips::testing
