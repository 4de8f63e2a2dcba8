// Plans the pods of other schedulers as the policy would have planned them, on a thread of its own, and keeps the
// report of what both cost. Carries nothing out.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "cmd/service/live_policy.h"
#include "config/live_config.h"
#include "model/watched_cluster.h"
#include "shadow/shadow_schedule.h"
#include "shadow/watch_report.h"
#include "telemetry/metrics/operator_metrics.h"

namespace lips::cmd {

class WatchPlanner {
 public:
  // All arguments outlive this.
  WatchPlanner(OperatorMetrics& metrics, const LiveConfig& live, const LivePolicy& policy);

  // Says whether it has nothing to do, and its share of the time allows more; from any thread.
  bool is_free() const;
  void take(WatchedCluster watched);
  std::vector<WatchedRow> rows() const;

 private:
  void work_off(const std::stop_token& stop);
  void plan(WatchedCluster watched);

  OperatorMetrics& metrics_;
  const LiveConfig& live_;
  const LivePolicy& policy_;
  ShadowSchedule schedule_;  // of the thread alone

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<WatchedCluster> next_;
  bool busy_ = false;
  double began_, worked_ = 0;  // seconds
  WatchReport report_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace lips::cmd
