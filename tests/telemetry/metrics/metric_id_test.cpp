#include "telemetry/metrics/metric_id.h"

#include <gtest/gtest.h>

namespace lips {
namespace {

// An id is made of what these find, and only while compiling.
TEST(MetricId, IsFoundByNameTypeAndNumberOfLabels) {
  for (std::size_t i = 0; i < metric_list.size(); ++i)
    EXPECT_EQ(find_metric(metric_list[i].name, metric_list[i].type, metric_list[i].label_count()), i);
  static_assert(find_metric("lips_tasks_finished_total", MetricType::counter, 1));
  static_assert(!find_metric("lips_tasks_finishd_total", MetricType::counter, 1), "no such name");
  static_assert(!find_metric("lips_tasks_finished_total", MetricType::gauge, 1), "another type");
  static_assert(!find_metric("lips_tasks_finished_total", MetricType::counter, 0), "too few labels");
  static_assert(!find_metric("lips_tasks_finished_total", MetricType::counter, 2), "too many labels");
  constexpr CounterId<2> spend = "lips_spend_dollars_total";
  EXPECT_EQ(metric_list[spend.index()].name, "lips_spend_dollars_total");
}

TEST(MetricLabel, IsFoundByAWholeLabelOfACounterOrGauge) {
  static_assert(find_labelled_metric("lips_target_state", "pool"));
  static_assert(find_labelled_metric("lips_target_state", "kind"));
  static_assert(find_labelled_metric("lips_target_state", "state"));
  static_assert(!find_labelled_metric("lips_target_state", "poo"));
  static_assert(!find_labelled_metric("lips_target_state", "pool,kind"));
  static_assert(!find_labelled_metric("lips_target_state", ""));
  static_assert(!find_labelled_metric("lips_leader", "pool"), "it has no label");
  static_assert(!find_labelled_metric("lips_stage_seconds", "stage"), "a histogram");
  constexpr MetricLabel zone{"lips_nodes", "zone"};
  EXPECT_EQ(metric_list[zone.index()].name, "lips_nodes");
  EXPECT_EQ(zone.label(), "zone");
}

}  // namespace
}  // namespace lips
