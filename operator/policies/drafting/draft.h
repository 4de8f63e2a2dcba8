// An unfinished plan: free capacity, unassigned tasks, and the decisions so far. Lives for one decide; fills the
// plan's account by the cost model.
#pragma once

#include <map>
#include <vector>

#include "model/degraded_read.h"
#include "model/launch_room.h"
#include "policies/drafting/free_capacity.h"
#include "policies/drafting/unassigned.h"
#include "policies/policy.h"

namespace lips {

class Draft {
 public:
  explicit Draft(const PolicyInput& input);

  const ClusterSnapshot& cluster;
  const CostModel& costs;
  FreeCapacity free;
  Unassigned tasks;

  SourceRule source_rule;  // of degraded tasks; its seed is the input's

  // Reads the nearest replica, or the sources of a lost block. The node can take the task.
  void assign(TaskId task, NodeId node);
  const JobMemory& memory(JobId job) const;
  void remember(JobId job, const JobMemory& memory) { memories_[job] = memory; }

  // From here on an autoscaler launches nodes for the tasks that request one, and for no others. False: there is none.
  bool launch_on_request() {
    if (cluster.offers.empty()) return false;
    plan_.node_requests.emplace();
    return true;
  }
  // Defers the group's unassigned tasks until nodes of the offer are there, as many as its limit allows.
  void request_nodes(JobId job, std::uint32_t group, OfferId offer);
  // The same for one task, which then counts as taken.
  void request_node(TaskId task, OfferId offer);

  Plan finish(DeferralReason rest);

 private:
  bool request(TaskId task, OfferId offer);

  const Stopwatch* stopwatch_;
  double begun_ = 0;
  Plan plan_;
  LaunchRoom room_;
  std::map<JobId, JobMemory> memories_;
};

// Jobs with pending tasks: higher priority first, then by arrival, then id.
std::vector<JobId> jobs_by_priority(const ClusterSnapshot& cluster);

}  // namespace lips
