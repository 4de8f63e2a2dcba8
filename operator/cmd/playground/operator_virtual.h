// The operator on a virtual Kubernetes (virtual/virtual_kubernetes.h) that people look at: its API listens on this
// machine, and its clock keeps the pace that they choose.
#pragma once

#include <memory>

#include "cmd/service/operator_kubernetes.h"
#include "playground/paced_loop.h"
#include "simulation/scenario.h"
#include "telemetry/status/listen_address.h"

namespace lips::cmd {

struct Playground {
  simulation::Scenario scenario;
  std::shared_ptr<playground::PacedLoop> loop;
};

// `speed` as of a Pace. An error if objects cannot say the scenario.
Result<Playground> make_playground(simulation::Scenario scenario, double speed);

// Until run.stop(), also after the scenario's jobs have ended. `page_port`: of the operator's page; 0: there is none.
Result<void> run_on_virtual(const KubernetesRun& run, const Playground& of, const ListenAddress& api, int page_port);

}  // namespace lips::cmd
