// Clusters and jobs by hand, and random ones by seed, for tests. Every node has a store of its own.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "model/cluster_state.h"

namespace lips::testing {

struct NodeSpec {
  ZoneId zone{0};
  double price = 1;  // USD per CPU-second
  int slots = 2;
  double cpu = 2;
  double memory = 4096;
  RackId rack = RackId::none();
  double speed = 1;
};

struct JobSpec {
  std::string name = "job";
  PoolId pool{0};
  double arrival = 0;
  int priority = 0;
  std::vector<BlockId> blocks = {};  // a map for each
  int maps = 0;                      // further maps, without input
  int reduces = 0;
  double cpu = 10;  // CPU-seconds of a task
  double shuffle = 0;
  double cores = 1;
  double memory = 100;
  ConstraintId constraint = ConstraintId::none();
};

class ClusterBuilder {
 public:
  explicit ClusterBuilder(int zones = 1) {
    for (int zone = 0; zone < zones; ++zone) start.zones.push_back({"zone-" + std::to_string(zone)});
    start.profiles.push_back({});
    pool();
  }

  PoolId pool(double weight = 1, double minimum = 0, double maximum = 0) {
    return start.pools.push_back(
        {"pool-" + std::to_string(start.pools.size()), weight, Cores(minimum), Cores(maximum), {}});
  }
  RackId rack(ZoneId zone = ZoneId(0)) {
    return start.racks.push_back({"rack-" + std::to_string(start.racks.size()), zone});
  }
  NodeId node(const NodeSpec& spec = {}) {
    Node node;
    node.name = "node-" + std::to_string(start.nodes.size());
    node.zone = spec.zone;
    node.rack = spec.rack;
    node.profile = ProfileId(0);
    node.capacity = {Cores(spec.cpu), Mebibytes(spec.memory), spec.slots};
    node.speed = spec.speed;
    node.cpu_price = UsdPerCpuSecond(spec.price);
    const NodeId id = start.nodes.push_back(node);
    DataStore store;
    store.name = node.name;
    store.zone = spec.zone;
    store.node = id;
    own_store.push_back(start.stores.push_back(store));
    return id;
  }
  StoreId volume(ZoneId zone) {
    DataStore store;
    store.name = "volume";
    store.kind = StoreKind::zonal_volume;
    store.zone = zone;
    return start.stores.push_back(store);
  }
  // A block on the nodes' own stores.
  BlockId block(const std::vector<NodeId>& nodes, double size = 64) {
    std::vector<StoreId> stores;
    for (NodeId node : nodes) stores.push_back(own_store[node]);
    return block_in(stores, size);
  }
  BlockId block_in(const std::vector<StoreId>& stores, double size = 64) {
    if (start.data_sets.empty()) start.data_sets.push_back({"data", BlockId(0), 0, {}, {}});
    Block block;
    block.data_set = DataSetId(0);
    block.size = Mebibytes(size);
    for (StoreId store : stores) block.replicas.push_back({store, false, {}});
    ++start.data_sets[DataSetId(0)].blocks;
    return start.blocks.push_back(block);
  }

  ClusterSnapshot start;
  IdVector<NodeId, StoreId> own_store;
};

inline JobArrived job(const ClusterSnapshot& cluster, const JobSpec& spec) {
  JobArrived arrived;
  Job& job = arrived.job;
  job.name = spec.name;
  job.pool = spec.pool;
  job.arrival = TimePoint(seconds(spec.arrival));
  job.priority = spec.priority;
  job.constraint = spec.constraint;
  job.request = {Cores(spec.cores), Mebibytes(spec.memory), 1};
  job.shuffle = Mebibytes(spec.shuffle);
  job.map_tasks = static_cast<std::uint32_t>(spec.blocks.size()) + static_cast<std::uint32_t>(spec.maps);
  job.reduce_tasks = static_cast<std::uint32_t>(spec.reduces);
  for (std::uint32_t i = 0; i < job.tasks(); ++i) {
    Task task;
    task.cpu = CpuSeconds(spec.cpu);
    if (i < spec.blocks.size()) {
      task.block = spec.blocks[i];
      task.input = cluster.blocks[task.block].size;
    }
    if (i >= job.map_tasks) {
      task.kind = TaskKind::reduce;
      task.input = job.shuffle / job.reduce_tasks;
    }
    arrived.tasks.push_back(task);
  }
  return arrived;
}

// Ids of the tasks of a job in a state.
inline std::vector<TaskId> tasks_in(const ClusterSnapshot& cluster, TaskState state) {
  std::vector<TaskId> found;
  for (TaskId task : cluster.tasks.ids())
    if (cluster.tasks[task].state == state) found.push_back(task);
  return found;
}

}  // namespace lips::testing
