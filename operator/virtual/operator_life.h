// One process of the operator on a virtual cluster, from its start until it ends or is killed: the adapter, the state
// and the controller, as lips operator puts them together. Knows no fault and no other process.
#pragma once

#include <functional>

#include "base/log.h"
#include "controller/adapter_observer.h"
#include "controller/observer.h"
#include "kubernetes/adapter/kubernetes_cluster.h"
#include "simulation/scenario.h"

namespace lips::virtual_cluster {

struct OperatorLife {
  const simulation::Scenario& scenario;
  const Policy& policy;
  std::function<bool()> ends;  // asked at every turn; what was under way is lost
  Observer& observer;
  AdapterObserver& adapter;
  Log& log;
  const Stopwatch* stopwatch = nullptr;
  PodMode mode = PodMode::bind;
  std::function<void(kubernetes::ClusterSettings&)> adjust = {};
  std::function<void()> at_end = {};  // while the adapter is still there
};

// Begins anew where the clock of the link's loop differs from the server's. An error if the policy fails.
Result<void> live(const kubernetes::ClusterLink& link, const OperatorLife& life);

}  // namespace lips::virtual_cluster
