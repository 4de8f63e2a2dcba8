// The operator on a virtual Kubernetes (virtual/virtual_kubernetes.h) that people look at: its API listens on this
// machine, and its clock keeps the pace that they choose.
#pragma once

#include <memory>
#include <optional>

#include "cmd/operator_start.h"
#include "cmd/service/operator_kubernetes.h"
#include "telemetry/status/listen_address.h"
#include "virtual/paced_loop.h"

namespace lips::cmd {

struct Playground {
  simulation::Scenario scenario;
  std::shared_ptr<lips::virtual_cluster::PacedLoop> loop;
};

// None: the options name another cluster. An error if objects cannot say the scenario.
Result<std::optional<Playground>> make_playground(const OperatorOptions& options);

// Until run.stop(), also after the scenario's jobs have ended. `page_port`: of the operator's page; 0: there is none.
Result<void> run_on_virtual(const KubernetesRun& run, const Playground& playground, const ListenAddress& api,
                            int page_port);

}  // namespace lips::cmd
