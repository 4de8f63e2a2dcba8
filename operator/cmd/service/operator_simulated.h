// The operator on a simulated cluster whose clock runs with, or faster than, the wall clock.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "cmd/service/epoch_recorder.h"
#include "config/operator_config.h"
#include "controller/adapter_observer.h"
#include "controller/faulty_cluster.h"
#include "controller/observer.h"
#include "controller/waiting_pricer.h"
#include "policies/policy.h"
#include "simulation/run_result.h"
#include "simulation/scenario.h"

namespace lips::cmd {

struct SimulatedRun {
  const simulation::Scenario& scenario;
  double speed = 1;  // simulated seconds in a second; 0: as fast as it goes
  std::uint64_t seed = 1;
  const Policy& policy;
  Observer& observer;
  EpochRecorder& recorder;
  WaitingPricer& pricer;
  AdapterObserver& adapter;
  Log& log;
  std::function<bool()> stop;
  std::function<void(const ClusterSnapshot& cluster, TimePoint now)> look;  // see KubernetesRun
  std::function<void(const PolicyInput&)> at_end;                           // the cluster when all is over
  std::optional<Faults> faults;  // injected between the cluster and the controller
};

// Until the scenario's end or stop().
Result<simulation::RunResult> run_on_simulation(const SimulatedRun& run, const std::string& policy_name);

}  // namespace lips::cmd
