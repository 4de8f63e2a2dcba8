// Facts of a virtual cluster that no object says: prices, speeds, the network, and the nodes that may be launched.
#pragma once

#include "kubernetes/adapter/kubernetes_cluster.h"
#include "simulation/scenario.h"

namespace lips::virtual_cluster {

inline constexpr const char* operator_name_space = "lips";

// Writes them into the settings of an adapter. The scenario outlives it.
void take_from_scenario(const simulation::Scenario& scenario, kubernetes::ClusterSettings& settings);

}  // namespace lips::virtual_cluster
