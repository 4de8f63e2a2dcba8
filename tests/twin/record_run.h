// A simulated run with the records that an operator would have kept of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "controller/checked_policy.h"
#include "controller/epoch_controller.h"
#include "model/cluster_state.h"
#include "policies/registry/registry.h"
#include "records/digest.h"
#include "records/ended_tasks.h"
#include "records/epoch_record.h"
#include "simulation/metrics.h"
#include "simulation/run.h"
#include "simulation/simulated_cluster.h"

namespace lips::testing {

using KeepRecord = std::function<Result<void>(EpochRecord)>;
using ServicesNow = std::function<std::vector<ServicePods>()>;

// Keeps each decision of a run, with what ended before it, as an operator does.
class Recorder : public Policy, public Observer {
 public:
  Recorder(std::string name, const Policy& policy, const simulation::Scenario& scenario, KeepRecord keep)
      : name_(std::move(name)),
        scenario_(scenario),
        checked_(policy, [](const PlanFault&) {}),
        keep_(std::move(keep)) {}

  void count_services(ServicesNow now) { services_ = std::move(now); }
  Cadence cadence() const override { return checked_.cadence(); }
  Result<Plan> decide(const PolicyInput& input) const override {
    Result<Plan> plan = checked_.decide(input);
    if (!plan) return plan;
    EpochRecord record;
    record.epoch = ++epoch_, record.version = "test", record.policy = name_;
    record.settings = scenario_.settings, record.seed = input.seed;
    record.reporting.assign(input.reporting.begin(), input.reporting.end());
    record.digest = plan_digest(*plan);
    record.assignments = plan->assignments.size(), record.moves = plan->moves.size();
    record.dollars = plan->account.dollars().value();
    record.ended = ended_.take(input.cluster.now);
    record.snapshot = {input.cluster, input.costs};
    if (services_) record.services = services_();
    if (Result<void> kept = keep_(std::move(record)); !kept) return tl::unexpected(kept.error());
    return plan;
  }
  void on_event(const ClusterSnapshot& cluster, const ClusterEvent& event) override { ended_.on_event(cluster, event); }
  void on_bind(const ClusterSnapshot&, const Assignment&) override {}

 private:
  std::string name_;
  const simulation::Scenario& scenario_;
  CheckedPolicy checked_;
  KeepRecord keep_;
  ServicesNow services_;
  mutable std::uint64_t epoch_ = 0;
  mutable EndsCollector ended_;
};

inline Result<simulation::RunResult> record_run(const simulation::Scenario& scenario, const std::string& name,
                                                KeepRecord keep) {
  const Result<std::unique_ptr<Policy>> policy = make_policy(name, scenario.settings);
  if (!policy) return tl::unexpected(policy.error());
  Recorder recorder(name, **policy, scenario, std::move(keep));
  simulation::RunMetrics metrics(scenario);
  simulation::SimulatedCluster cluster(scenario, recorder.cadence(), metrics, simulation::score_beside(name));
  recorder.count_services([&cluster] { return cluster.services(); });
  ClusterState state(scenario.at_start());
  EpochController controller(state, cluster, recorder, scenario.costs);
  controller.observe(metrics);
  controller.observe(recorder);
  ControllerSettings settings;
  settings.seed = scenario.seed;
  if (const auto ran = controller.run(settings); !ran) return tl::unexpected(ran.error());
  const PolicyInput end{state.snapshot(), scenario.costs, scenario.seed, {}, nullptr};
  if (const Result<Plan> last = recorder.decide(end); !last)  // the last record, which no plan follows
    return tl::unexpected(last.error());
  cluster.close();
  return metrics.finish(cluster.now());
}

}  // namespace lips::testing
