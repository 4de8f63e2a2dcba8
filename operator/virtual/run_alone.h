// Runs a scenario under kube-scheduler and the autoscaler alone, as on a cluster without LiPS: no operator, a virtual
// Kubernetes, virtual time. The bill is counted where simulation::run() counts it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "simulation/run.h"
#include "virtual/kube_scores.h"

namespace lips::virtual_cluster {

// The scores of the kube-scheduler that the policy of that name stands for; none: it stands for none.
std::optional<KubeScoring> scoring_of(const std::string& policy);

// None: the policy of that name stands for no kube-scheduler. Takes no stopwatch, and no results by day. An error if
// the scenario has what can_be_objects() refuses.
std::optional<Result<simulation::RunResult>> run_alone(const simulation::Scenario& scenario, const std::string& policy,
                                                       const simulation::RunOptions& options = {});

}  // namespace lips::virtual_cluster
