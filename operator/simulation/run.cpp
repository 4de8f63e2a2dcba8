#include "simulation/run.h"

#include <algorithm>
#include <optional>

#include "controller/checked_policy.h"
#include "controller/epoch_controller.h"
#include "controller/forwarding_cluster.h"
#include "model/cluster_state.h"
#include "simulation/close_run.h"
#include "simulation/metrics.h"
#include "simulation/simulated_cluster.h"
#include "simulation/target_run.h"
#include "simulation/thinking_policy.h"

namespace lips::simulation {

namespace {

// Sums the seconds that a policy spends deciding.
class TimedPolicy : public Policy {
 public:
  TimedPolicy(const Policy& policy, double& spent) : policy_(policy), spent_(spent) {}
  Cadence cadence() const override { return policy_.cadence(); }
  Result<Plan> decide(const PolicyInput& input) const override {
    const double began = input.stopwatch ? input.stopwatch->seconds() : 0;
    Result<Plan> plan = policy_.decide(input);
    if (input.stopwatch) spent_ += input.stopwatch->seconds() - began;
    return plan;
  }

 private:
  const Policy& policy_;
  double& spent_;
};

// Stops its clock at a time, so that what is counted then is exact.
class ClusterUntil : public ForwardingCluster {
 public:
  ClusterUntil(ClusterClient& cluster, std::optional<TimePoint> end)
      : ForwardingCluster(cluster), end_(end.value_or(TimePoint::max())) {}
  Result<std::vector<ClusterEvent>> wait(TimePoint until) override { return cluster_.wait(std::min(until, end_)); }
  bool over() const { return cluster_.now() >= end_; }

 private:
  const TimePoint end_;
};

}  // namespace

Result<RunResult> run(const Scenario& scenario, const Policy& policy, std::string policy_name,
                      const RunOptions& options) {
  RunMetrics metrics(scenario);
  SimulatedCluster cluster(scenario, policy.cadence(), metrics, score_beside(policy_name));
  double deciding = 0;
  const TimedPolicy timed(policy, deciding);
  const CheckedPolicy checked(timed);
  const ThinkingPolicy thinking(checked, cluster, scenario.thinking, scenario.thinking_time);
  ClusterState state(scenario.at_start());
  ClusterUntil within(cluster, options.until);
  EpochController controller(state, within, thinking, scenario.costs);
  controller.observe(metrics);
  TargetRun targets(scenario);
  targets.join(controller, options.by_day);

  bool stopped = false;
  std::uint64_t rounds = 0;
  ControllerSettings settings;
  settings.seed = scenario.seed;
  settings.stopwatch = options.stopwatch;
  settings.stop = [&] {
    constexpr std::uint64_t between_reports = 4096;
    if (++rounds % between_reports == 0 && options.progress)
      options.progress({cluster.now(), cluster.jobs_finished() + cluster.jobs_failed(), cluster.jobs_total()});
    stopped = within.over() || (options.stop && options.stop());
    return stopped;
  };
  if (Result<void> ran = controller.run(settings); !ran) return tl::unexpected<Error>(ran.error());
  RunResult result = close_run(scenario, cluster, metrics, std::move(policy_name), options.until);
  if (options.progress)
    options.progress({cluster.now(), cluster.jobs_finished() + cluster.jobs_failed(), cluster.jobs_total()});
  result.stopped = stopped;
  result.targets = targets.outcomes();
  if (options.by_day) result.by_day = targets.by_day();
  result.measured.deciding = deciding;
  return result;
}

}  // namespace lips::simulation
