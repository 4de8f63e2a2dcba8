// A cluster's pending tasks as an instance of the LiPS programs, node by node or by classes of nodes and zones, and the
// way back to tasks, nodes and stores. Decides nothing.
#pragma once

#include <vector>

#include "model/costs.h"
#include "model/plan.h"
#include "model/snapshot.h"
#include "policies/papers/lips_paper/paper_model.h"

namespace lips::paper {

enum class Granularity : std::uint8_t {
  nodes,   // a machine is a node, a store is a store
  classes  // nodes of equal zone, price and speed that the same pending jobs may use are one machine, a zone's stores
           // one store
};

struct SnapshotInstance {
  Instance instance;
  std::vector<std::vector<NodeId>> machine_nodes;   // ascending
  std::vector<std::vector<StoreId>> store_members;  // ascending
  std::vector<std::vector<TaskId>> part_tasks;      // by block, then id
  std::vector<std::vector<BlockId>> data_blocks;    // ascending
  std::vector<JobId> job_ids;                       // of instance.jobs, by arrival
  IdVector<NodeId, int> machine_of;                 // -1: takes no tasks
  IdVector<NodeId, CpuSeconds> capacity;            // in the horizon, less what running tasks still need
  std::vector<Deferral> left_out;                   // tasks that no node may take, or whose block is nowhere
};

// Tasks of a group (equal CPU and input) that read the same data object are one part. A data object is the blocks of a
// data set with the same stores (nodes) or zones (classes) and the same pending readers. A job ages by one a horizon
// waited, to 10.
SnapshotInstance paper_instance(const ClusterSnapshot& cluster, const CostModel& costs, Duration horizon,
                                Granularity granularity = Granularity::nodes);

}  // namespace lips::paper
