// Sums up a run: money, time, locality, fairness. Listens to the true events, and observes the plans.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/enum_array.h"
#include "controller/observer.h"
#include "simulation/forecast.h"
#include "simulation/metrics_fairness.h"
#include "simulation/metrics_series.h"
#include "simulation/own_targets.h"
#include "simulation/run_listener.h"
#include "simulation/run_result.h"
#include "simulation/scenario.h"
#include "simulation/usage_recorder.h"

namespace lips::simulation {

// Work per second that the tasks of a job get on the whole, empty cluster.
struct Pace {
  double fastest = 0;  // one task
  double all = 0;      // as many as fit
};
Pace pace_alone(const ClusterSnapshot& cluster, const Job& job);
// The least time a job could take alone: stage by stage its longest task, or its work over all that fits at once.
double seconds_alone(const JobArrived& job, const Pace& pace, MebibytesPerSecond local_read);

class RunMetrics : public RunListener, public Observer {
 public:
  explicit RunMetrics(const Scenario& scenario);

  void on_job(JobId job, TimePoint now) override;
  void on_released(JobId job, TaskKind kind, TimePoint now) override;
  void on_start(TaskId task, JobId job, NodeId node, TimePoint now) override;
  void on_end(const AttemptEnd& end) override;
  void on_job_end(JobId job, bool finished, TimePoint now) override;
  void on_copied(StoreId from, StoreId to, Mebibytes size) override;
  void on_kept(StoreId store, Mebibytes size, Duration span) override;
  void on_extra_kept(StoreId store, Mebibytes size, Duration span) override;
  void on_launch(NodeId node, TimePoint now) override;
  void on_gone(NodeId node, Gone why, TimePoint now) override;
  void on_node(NodeId node, bool up, TimePoint now) override;

  void on_plan(const ClusterSnapshot& cluster, const Plan& plan) override;
  void on_bind(const ClusterSnapshot& cluster, const Assignment& assignment) override;

  // Call after closing the cluster. Fills all fields but names, seed, events, stopped, stuck and measured.
  // `billed_until`: nodes are billed until then at least, though all may have ended before.
  RunResult finish(TimePoint end, TimePoint billed_until = {});

 private:
  struct NodeRecord {
    std::size_t running = 0;
    std::int64_t hours = 0, last_hour = -1;  // clock hours with a task
    TimePoint busy_since{};
    Duration down{};
    TimePoint down_since{};
    bool up = true, elastic = false;
    std::size_t node_class = 0;
  };
  Duration since_start(TimePoint now) const { return now - start_; }
  void set_utilisation(std::size_t node_class, TimePoint now);
  void count_hours(NodeRecord& record, TimePoint end) const;
  void bill(const AttemptEnd& end);
  // Says whether bytes between them cross from one zone to another.
  bool cross(ZoneId from, ZoneId to) const;
  void finish_nodes(RunResult& result, TimePoint end);
  void finish_jobs(RunResult& result);

  const Scenario& scenario_;
  TimePoint start_;
  RunResult result_;
  UsageRecorder usage_;
  Forecast forecast_;
  IdVector<ZoneId, EndKind> ends_;
  IdVector<NodeId, NodeRecord> nodes_;
  std::vector<std::string> class_names_;
  std::vector<double> class_cores_, class_used_;
  SeriesRecorder utilisation_;
  FairnessRecorder fairness_;
  OwnTargetsRecorder own_targets_;
  std::vector<double> completion_, small_completion_, slowdown_;
  std::map<std::pair<Resources, ConstraintId>, Pace> paces_;
  std::vector<bool> job_ended_;
  double work_ = 0, work_waited_ = 0;  // CPU-seconds of tasks that finished; the same times seconds
  TimePoint last_end_;
  double gaps_ = 0;
  DeferralReason last_rest_ = DeferralReason::not_considered;
  IdVector<TaskId, std::optional<DeferralReason>> last_reason_;  // named ones
  IdVector<JobId, EnumArray<TaskKind, std::uint64_t>> plans_at_release_;
};

}  // namespace lips::simulation
