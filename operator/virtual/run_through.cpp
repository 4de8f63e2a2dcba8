#include "virtual/run_through.h"

#include <utility>

#include "base/random.h"
#include "controller/checked_policy.h"
#include "controller/epoch_controller.h"
#include "kubernetes/adapter/kubernetes_cluster.h"
#include "simulation/metrics.h"
#include "virtual/scenario_settings.h"

namespace lips::virtual_cluster {
namespace {

using simulation::Scenario;

kubernetes::ClusterSettings settings_of(const Scenario& scenario, const Policy& policy) {
  kubernetes::ClusterSettings settings;
  settings.mode = PodMode::bind;
  settings.instance = "virtual";
  settings.cadence = [&policy] { return policy.cadence(); };
  take_from_scenario(scenario, settings);
  return settings;
}

// Plans are made of the adapter's ids, which are none of the scenario's.
class CountsPlans : public Observer {
 public:
  void on_plan(const ClusterSnapshot&, const Plan& plan) override {
    ++plans_.made;
    plans_.tasks_assigned += plan.assignments.size();
    plans_.moves += plan.moves.size();
    plans_.drops += plan.drops.size();
    plans_.fell_back += plan.account.fell_back ? 1 : 0;
  }
  void on_bind(const ClusterSnapshot&, const Assignment&) override {}
  const simulation::Plans& plans() const { return plans_; }

 private:
  simulation::Plans plans_;
};

}  // namespace

Result<simulation::RunResult> run_through_kubernetes(const Scenario& scenario, const Policy& policy,
                                                     std::string policy_name, const ThroughOptions& options) {
  if (Result<void> possible = can_be_objects(scenario); !possible) return tl::unexpected<Error>(possible.error());
  simulation::RunMetrics metrics(scenario);
  VirtualKubernetes cluster(scenario, policy.cadence(), metrics, options.job_controller);
  const simulation::SimulatedCluster& truth = cluster.truth();
  bool stopped = false;
  std::uint64_t rounds = 0;
  const auto stop = [&] {
    constexpr std::uint64_t between_reports = 4096;
    if (++rounds % between_reports == 0 && options.progress)
      options.progress({truth.now(), truth.jobs_finished() + truth.jobs_failed(), truth.jobs_total()});
    stopped = stopped || (options.stop && options.stop());
    return stopped || cluster.over();
  };
  SilentLog silent;
  AdapterObserver nobody;
  const CheckedPolicy checked(policy);
  CountsPlans counted;
  Random weather(options.storm.seed);
  const auto next = [&](Duration every) {
    return every > Duration(0) ? cluster.loop().now() + seconds(weather.exponential(to_seconds(every)))
                               : TimePoint::max();
  };
  if (options.at_start) options.at_start(cluster);
  TimePoint compaction = next(options.storm.compact_every);
  while (!stop()) {
    const TimePoint restart = next(options.storm.restart_every);
    kubernetes::ClusterSettings settings = settings_of(scenario, policy);
    Storm storm = options.storm;
    storm.seed = weather.below(1U << 30);
    const auto ends = [&] {
      if (cluster.loop().now() >= compaction) {
        cluster.server().objects().compact();
        compaction = next(options.storm.compact_every);
      }
      return stop() || cluster.loop().now() >= restart;
    };
    settings.stop = ends;
    ClusterState state{ClusterSnapshot{}};
    kubernetes::KubernetesCluster adapter(cluster.link(storm), std::move(settings), nobody,
                                          options.log ? *options.log : silent);
    adapter.start();
    EpochController controller(state, adapter, checked, CostModel{});
    controller.observe(counted);
    ControllerSettings rules;
    rules.seed = scenario.seed;
    rules.stopwatch = options.stopwatch;
    rules.stop = ends;
    if (Result<void> ran = controller.run(rules); !ran) return tl::unexpected<Error>(ran.error());
    if (options.at_end && stop()) options.at_end(cluster);
  }
  cluster.truth().close();
  simulation::RunResult result = metrics.finish(cluster.truth().end_of_work());
  result.scenario = scenario.name;
  result.policy = std::move(policy_name);
  result.seed = scenario.seed;
  result.events = truth.events();
  result.stuck = truth.stuck();
  result.endless = truth.endless();
  result.stopped = stopped;
  result.plans = counted.plans();
  return result;
}

}  // namespace lips::virtual_cluster
