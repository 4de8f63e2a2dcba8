// Shares of pools as metrics, on the page and in figures.
#include "telemetry/metrics/sharing_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/metrics/operator_metrics.h"
#include "telemetry/status/status_page.h"
#include "tests/policies/snapshot_builder.h"

namespace lips::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr TimePoint minute(int minutes) { return TimePoint(std::chrono::minutes(minutes)); }

TEST(SharingMetrics, SaySinceWhenAPoolIsBelowItsShare) {
  MetricRegistry registry;
  SharingMetrics metrics(registry);
  metrics.set({{"etl", 0.5, 0.2, 0.9, 0, 0.3, 0, 0.04}, {"web", 0.5, 0.8, 0.8, 0, 0, 0.3, 0}}, minute(2));
  metrics.set({{"etl", 0.5, 0.4, 0.9, 0, 0.1, 0, 0.04}, {"web", 0.5, 0.6, 0.8, 0, 0, 0.1, 0}}, minute(5));
  EXPECT_EQ(metrics.of("etl")->below_since, minute(2));
  EXPECT_FALSE(metrics.of("web")->below_since);
  const std::string text = registry.text();
  EXPECT_THAT(text, AllOf(HasSubstr("lips_pool_fair_share_ratio{pool=\"etl\"} 0.5"),
                          HasSubstr("lips_pool_dominant_share_ratio{pool=\"etl\"} 0.4"),
                          HasSubstr("lips_pool_wanted_share_ratio{pool=\"etl\"} 0.9"),
                          HasSubstr("lips_pool_lent_ratio{pool=\"etl\"} 0.1"),
                          HasSubstr("lips_pool_borrowed_ratio{pool=\"web\"} 0.1"),
                          HasSubstr("lips_pool_price_of_sharing_dollars{pool=\"etl\"} 0.04"),
                          HasSubstr("lips_pool_below_share_timestamp_seconds{pool=\"etl\"} 120"),
                          HasSubstr("lips_pool_below_share_timestamp_seconds{pool=\"web\"} 0")));
  metrics.set({{"etl", 0.5, 0.48, 0.9, 0, 0.02, 0, 0.04}, {"web", 0.5, 0.52, 0.8, 0, 0, 0.02, 0}}, minute(6));
  EXPECT_FALSE(metrics.of("etl")->below_since) << "the grain of whole tasks";
  metrics.set({{"etl", 0.5, 0.4, 0.9, 0, 0.1, 0, 0.04}}, minute(7));
  EXPECT_EQ(metrics.of("etl")->below_since, minute(7)) << "below it again";
}

TEST(SharingMetrics, OfPoolsThatAPlanDoesNotNameGo) {
  MetricRegistry registry;
  SharingMetrics metrics(registry);
  metrics.set({{"etl", 0.5, 0.2, 0.9, 0, 0.3, 0, 0.04}, {"web", 0.5, 0.8, 0.8, 0, 0, 0.3, 0}}, minute(2));
  metrics.set({{"etl", 0.5, 0.2, 0.9, 0, 0.3, 0, 0.04}}, minute(3));
  EXPECT_FALSE(metrics.of("web"));
  EXPECT_THAT(registry.text(), AllOf(Not(HasSubstr("pool=\"web\"")), HasSubstr("pool=\"etl\"")));
  metrics.set({}, minute(4));
  EXPECT_THAT(registry.text(), Not(HasSubstr("pool=\""))) << "another policy, without shares";
}

TEST(SharingMetrics, AreThoseOfTheAccountOfAPlan) {
  ClusterBuilder builder;
  builder.pool();
  builder.node({.slots = 8, .cpu = 8});
  ClusterState state(builder.start);
  state.apply(job(state.snapshot(), {.pool = PoolId(1), .maps = 20}));
  const CostModel costs = uniform_costs(1, UsdPerMebibyte(0));
  OperatorMetrics metrics({"1", "abc", "test"});
  Plan plan;
  plan.account.sharing = {{"pool-0", 0.25, 0.25, 0.25, 0, 0, 0, 0}, {"pool-1", 0.75, 0.3, 1, 0.1, 0.45, 0, 0.5}};
  metrics.decided({"lips", state.snapshot(), costs, plan, 0.1});
  state.advance(minute(3));
  metrics.decided({"lips", state.snapshot(), costs, plan, 0.1});
  const OperatorFigures figures = metrics.figures();
  ASSERT_EQ(figures.pools.size(), 2u);
  ASSERT_TRUE(figures.pools[1].standing);
  EXPECT_EQ(figures.pools[1].standing->sharing.entitlement, 0.75);
  EXPECT_EQ(figures.pools[1].standing->below_since, TimePoint{});
  EXPECT_THAT(metrics.exposition(), AllOf(HasSubstr("lips_pool_pending_tasks{pool=\"pool-1\"} 20"),
                                          HasSubstr("lips_pool_fair_share_ratio{pool=\"pool-1\"} 0.75"),
                                          HasSubstr("lips_fairness_ratio 0.8")));
  EXPECT_THAT(render_status_page(figures, nullptr, {}), AllOf(HasSubstr("below its share for"), HasSubstr("3 min")));
  plan.account.sharing.clear();
  metrics.decided({"fifo", state.snapshot(), costs, plan, 0.1});
  EXPECT_THAT(render_status_page(metrics.figures(), nullptr, {}), Not(HasSubstr("below its share for")))
      << "a policy without shares";
}

}  // namespace
}  // namespace lips::testing
