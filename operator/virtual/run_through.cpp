#include "virtual/run_through.h"

#include <utility>

#include "base/random.h"
#include "simulation/close_run.h"
#include "simulation/metrics.h"
#include "virtual/operator_life.h"

namespace lips::virtual_cluster {
namespace {

using simulation::Scenario;

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
  VirtualKubernetes cluster(scenario, policy.cadence(), metrics, options.cluster);
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
    Storm storm = options.storm;
    storm.seed = weather.below(1U << 30);
    const auto ends = [&] {
      if (cluster.loop().now() >= compaction) {
        cluster.server().objects().compact();
        compaction = next(options.storm.compact_every);
      }
      return stop() || cluster.loop().now() >= restart || (options.ends && options.ends());
    };
    const auto at_end = [&] {
      if (options.at_end && stop()) options.at_end(cluster);
    };
    const OperatorLife life{scenario,
                            policy,
                            ends,
                            counted,
                            options.adapter ? *options.adapter : nobody,
                            options.log ? *options.log : silent,
                            options.stopwatch,
                            options.cluster.mode,
                            options.adjust,
                            at_end};
    if (Result<void> ran = live(options.link ? options.link(cluster, storm) : cluster.link(storm), life); !ran)
      return tl::unexpected<Error>(ran.error());
  }
  simulation::RunResult result = simulation::close_run(scenario, cluster.truth(), metrics, std::move(policy_name));
  result.stopped = stopped;
  result.plans = counted.plans();
  result.predicted.reset();  // the simulated cluster sees what runs, and not why
  return result;
}

}  // namespace lips::virtual_cluster
