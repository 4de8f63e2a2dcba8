#include "telemetry/metrics/pool_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "telemetry/metrics/metric_registry.h"

namespace lips {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Each namespace is a pool, and tenants make namespaces.
TEST(PoolSeries, AreThoseOfTheFirstTwoHundredPools) {
  MetricRegistry registry;
  for (std::size_t i = 0; i < most_pools + 50; ++i) {
    const std::string pool = "p" + std::to_string(i);
    registry.set("lips_pool_cores", {pool}, 1);
    registry.add("lips_tasks_finished_total", {pool}, 2);
  }
  registry.add("lips_spend_dollars_total", {"_data", "storage"}, 5);
  EXPECT_EQ(registry.pools_without_series(), 50u);
  std::string text = registry.text();
  EXPECT_THAT(text, HasSubstr("lips_pool_cores{pool=\"p199\"} 1"));
  EXPECT_THAT(text, Not(HasSubstr("pool=\"p200\"")));
  EXPECT_THAT(text, HasSubstr("lips_tasks_finished_total{pool=\"_other\"} 100"));
  EXPECT_THAT(text, HasSubstr("pool=\"_data\"")) << "a name of no pool";
  // One that goes makes room for the next.
  for (const MetricLabel gauge : pool_gauges) registry.remove(gauge, "p0");
  for (const MetricLabel sum : pool_sums) registry.fold(sum, "p0", all_gone);
  registry.set("lips_pool_cores", {"late"}, 3);
  text = registry.text();
  EXPECT_THAT(text, HasSubstr("lips_pool_cores{pool=\"late\"} 3"));
  EXPECT_THAT(text, HasSubstr("lips_tasks_finished_total{pool=\"_gone\"} 2"));
}

}  // namespace
}  // namespace lips
