// The series of a pool: gauges, which go with it, and sums, which are counted among those of all pools that are gone.
#pragma once

#include <array>

#include "telemetry/metrics/metric_id.h"

namespace lips {

inline constexpr std::array pool_gauges{MetricLabel{"lips_pool_cores", "pool"},
                                        MetricLabel{"lips_pool_share_ratio", "pool"},
                                        MetricLabel{"lips_pool_pending_tasks", "pool"},
                                        MetricLabel{"lips_running_tasks", "pool"},
                                        MetricLabel{"lips_pool_left_alone", "pool"},
                                        MetricLabel{"lips_pool_held_cores", "pool"},
                                        MetricLabel{"lips_pool_held_pods", "pool"},
                                        MetricLabel{"lips_pool_longest_wait_seconds", "pool"},
                                        MetricLabel{"lips_pool_unpaid_core_seconds", "pool"}};
inline constexpr std::array pool_sums{MetricLabel{"lips_spend_dollars_total", "pool"},
                                      MetricLabel{"lips_tasks_bound_total", "pool"},
                                      MetricLabel{"lips_tasks_finished_total", "pool"},
                                      MetricLabel{"lips_tasks_lost_total", "pool"},
                                      MetricLabel{"lips_steered_total", "pool"},
                                      MetricLabel{"lips_moves_ended_total", "pool"},
                                      MetricLabel{"lips_job_targets_missed_total", "pool"},
                                      MetricLabel{"lips_tasks_taken_back_total", "pool"},
                                      MetricLabel{"lips_taken_back_dollars_total", "pool"},
                                      MetricLabel{"lips_tasks_not_taken_back_total", "pool"}};

}  // namespace lips
