// Batch pods of other schedulers as tasks where those schedulers put them. Nothing is carried out on it.
#pragma once

#include <vector>

#include "model/cluster_event.h"
#include "model/cluster_state.h"
#include "model/costs.h"

namespace lips {

struct WatchedCluster {
  ClusterState state;  // a job has its name, its arrival and the expected work of its tasks at every look
  CostModel costs;
  std::vector<ClusterEvent> ended;  // since the last look, not applied yet: each task is found, and finished there
  bool anew = false;                // nobody has looked for a while: what came before is not known
};

}  // namespace lips
