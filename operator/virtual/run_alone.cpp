#include "virtual/run_alone.h"

#include <algorithm>
#include <utility>

#include "simulation/close_run.h"
#include "simulation/metrics.h"
#include "virtual/virtual_kubernetes.h"

namespace lips::virtual_cluster {

std::optional<KubeScoring> scoring_of(const std::string& policy) {
  if (policy == "spread") return KubeScoring::least_allocated;
  if (policy == "most-allocated") return KubeScoring::most_allocated;
  return std::nullopt;
}

std::optional<Result<simulation::RunResult>> run_alone(const simulation::Scenario& scenario, const std::string& policy,
                                                       const simulation::RunOptions& options) {
  const std::optional<KubeScoring> scoring = scoring_of(policy);
  if (!scoring) return std::nullopt;
  if (Result<void> possible = can_be_objects(scenario, Planned::by_nobody); !possible)
    return tl::unexpected<Error>(possible.error());
  simulation::RunMetrics metrics(scenario);
  ClusterRules rules;
  rules.mode = PodMode::watch;
  rules.scheduler.scoring = *scoring;
  VirtualKubernetes cluster(scenario, {}, metrics, rules);
  cluster.server().objects().keep_history(0);  // nobody watches over the network
  simulation::SimulatedCluster& truth = cluster.truth();
  const TimePoint end = options.until ? *options.until + scenario_day.time_since_epoch() : TimePoint::max();
  constexpr Duration longest_turn = std::chrono::hours(1);
  constexpr std::uint64_t between_looks = 4096;
  bool stopped = false;
  for (std::uint64_t turn = 1; !stopped && !cluster.over() && cluster.loop().now() < end; ++turn) {
    cluster.loop().run(std::min(longest_turn, end - cluster.loop().now()));
    if (turn % between_looks != 0) continue;
    if (options.progress)
      options.progress({truth.now(), truth.jobs_finished() + truth.jobs_failed(), truth.jobs_total()});
    stopped = options.stop && options.stop();
  }
  cluster.advance();
  const bool done = truth.jobs_finished() + truth.jobs_failed() == truth.jobs_total();
  simulation::RunResult result = simulation::close_run(scenario, truth, metrics, policy, options.until);
  result.predicted.reset();
  result.stopped = stopped || (!done && options.until && cluster.loop().now() >= end);
  return result;
}

}  // namespace lips::virtual_cluster
