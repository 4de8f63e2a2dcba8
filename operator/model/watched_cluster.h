// Batch pods of other schedulers as tasks that nobody has placed yet, and beside each what its own scheduler did.
// Nothing is carried out on it.
#pragma once

#include <optional>
#include <string>

#include "base/ids.h"
#include "base/units.h"
#include "model/cluster_state.h"
#include "model/costs.h"

namespace lips {

struct WatchedPod {
  std::string id;                    // its uid: of no other pod, ever
  NodeId node;                       // where its scheduler put it; none: nowhere yet, or that node is gone
  bool placeable = true;             // every constraint of it is honoured
  bool found = false;                // on its node before it was watched
  bool ended = false;                // seen for the last time
  std::optional<Duration> ran = {};  // on its node, up to now or its end; none: nobody says
};

// The pods of one Job of the model.
struct WatchedJob {
  std::string name_space, name;                          // in the report
  std::string whole;                                     // the job of which it is a part: the same at every look
  std::optional<Mebibytes> exchanged_a_cpu_second = {};  // by peers that do not say how much; none: Job::shuffle
};

struct WatchedCluster {
  ClusterState state;  // without the room of these pods
  CostModel costs;
  IdVector<TaskId, WatchedPod> pods;
  IdVector<JobId, WatchedJob> jobs;
  bool anew = false;  // nobody has looked for a while: what came before was another's to count
};

}  // namespace lips
