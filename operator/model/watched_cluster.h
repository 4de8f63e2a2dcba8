// Batch pods of other schedulers as tasks where those schedulers put them. Nothing is carried out on it.
#pragma once

#include <vector>

#include "model/cluster_event.h"
#include "model/cluster_state.h"
#include "model/costs.h"
#include "model/service_pods.h"

namespace lips {

struct WatchedCluster {
  ClusterState state;  // a job has its name, its arrival and the expected work of its tasks at every look
  CostModel costs;
  std::vector<ClusterEvent> ended;  // since the last look, not applied yet: each task is found, and finished there
  std::vector<ServicePods> services = {};  // all other pods that are not one on each node
  bool anew = false;                       // nobody has looked for a while: what came before is not known
};

}  // namespace lips
