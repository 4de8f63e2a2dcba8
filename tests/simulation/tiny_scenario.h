// Small scenarios built by hand, and a greedy policy, for the simulator's own tests.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "policies/policy.h"
#include "simulation/scenario.h"

namespace lips::simulation::tiny {

inline TimePoint at(double count) { return TimePoint(seconds(count)); }

class ScenarioBuilder {
 public:
  explicit ScenarioBuilder(std::uint32_t zones = 1, UsdPerMebibyte across_zones = UsdPerMebibyte(0.001)) {
    for (std::uint32_t i = 0; i < zones; ++i) scenario.cluster.zones.push_back({"zone" + std::to_string(i)});
    scenario.cluster.profiles.push_back({});
    pool("default");
    scenario.costs = uniform_costs(zones, across_zones);
    scenario.name = "tiny";
  }

  PoolId pool(const std::string& name, double weight = 1) {
    Pool made;
    made.name = name;
    made.weight = weight;
    return scenario.cluster.pools.push_back(made);
  }
  // A node of one price: an hour of it costs cores x 3600 x price per core-second.
  NodeId node(std::uint32_t zone, double cores = 1, double price_per_core_second = 0.01, double speed = 1) {
    if (zone >= scenario.cluster.zones.size()) throw std::out_of_range("a node in a zone that is not there");
    Node node;
    node.name = "node" + std::to_string(scenario.cluster.nodes.size());
    node.zone = ZoneId(zone);
    node.profile = ProfileId(0);
    node.capacity = {Cores(cores), Mebibytes(cores * 1024), static_cast<std::int32_t>(cores)};
    node.speed = speed;
    node.price = UsdPerHour(cores * 3600 * price_per_core_second);
    const NodeId id = scenario.cluster.nodes.push_back(node);
    DataStore store;
    store.name = node.name;
    store.zone = ZoneId(zone);
    store.node = id;
    scenario.cluster.stores.push_back(store);
    return id;
  }
  // The directory of a node has the node's number as long as volumes come after all nodes.
  static StoreId directory(NodeId node) { return StoreId(node.index()); }
  StoreId volume(std::uint32_t zone, UsdPerMebibyteHour price = UsdPerMebibyteHour(0)) {
    DataStore store;
    store.name = "volume" + std::to_string(scenario.cluster.stores.size());
    store.kind = StoreKind::zonal_volume;
    store.zone = ZoneId(zone);
    store.price = price;
    return scenario.cluster.stores.push_back(store);
  }
  // One block on each of the given stores.
  DataSetId data(Mebibytes block_size, const std::vector<StoreId>& where) {
    const DataSetId id = scenario.cluster.data_sets.push_back({});
    DataSet& made = scenario.cluster.data_sets[id];
    made.name = "data" + std::to_string(id.index());
    made.first_block = BlockId(static_cast<std::uint32_t>(scenario.cluster.blocks.size()));
    made.blocks = static_cast<std::uint32_t>(where.size());
    for (StoreId store : where) scenario.cluster.blocks.push_back({id, block_size, {}, {Replica{store}}});
    return id;
  }

  JobArrived& job(double arrival) {
    JobArrived arrived;
    arrived.job.name = "job" + std::to_string(scenario.jobs.size());
    arrived.job.pool = PoolId(0);
    arrived.job.arrival = at(arrival);
    arrived.job.request = {Cores(1), Mebibytes(0), 1};
    scenario.jobs.push_back(arrived);
    return scenario.jobs.back();
  }
  JobArrived& computing_job(double arrival, std::uint32_t tasks, double work) {
    JobArrived& made = job(arrival);
    made.job.map_tasks = tasks;
    for (std::uint32_t i = 0; i < tasks; ++i) made.tasks.push_back(task(BlockId::none(), work, 0));
    return made;
  }
  // A map for each block of the data set.
  JobArrived& reading_job(double arrival, DataSetId data_set, double work) {
    JobArrived& made = job(arrival);
    const DataSet& read = scenario.cluster.data_sets[data_set];
    made.job.inputs = {{data_set, 1}};
    made.job.map_tasks = read.blocks;
    for (std::uint32_t i = 0; i < read.blocks; ++i) {
      const BlockId block(read.first_block.index() + i);
      made.tasks.push_back(task(block, work, scenario.cluster.blocks[block].size.value()));
    }
    return made;
  }
  static void add_reduces(JobArrived& job, std::uint32_t tasks, double work, Mebibytes shuffle) {
    job.job.reduce_tasks = tasks;
    job.job.shuffle = shuffle;
    for (std::uint32_t i = 0; i < tasks; ++i) {
      job.tasks.push_back(task(BlockId::none(), work, shuffle.value() / tasks));
      job.tasks.back().kind = TaskKind::reduce;
    }
  }
  static Task task(BlockId block, double work, double input) {
    Task task;
    task.block = block;
    task.cpu = CpuSeconds(work);
    task.input = Mebibytes(input);
    return task;
  }

  Scenario scenario;
};

// Tasks in order of job and id, each on the first node with room, from the nearest replica.
class FirstFit : public Policy {
 public:
  explicit FirstFit(Cadence cadence = {}) : cadence_(cadence) {}
  Cadence cadence() const override { return cadence_; }
  Result<Plan> decide(const PolicyInput& input) const override {
    Plan plan;
    plan.rest = DeferralReason::no_capacity;
    const ClusterSnapshot& cluster = input.cluster;
    IdVector<NodeId, Resources> free = cluster.free;
    std::vector<NodeId> nodes(input.reporting.begin(), input.reporting.end());
    if (cadence_.trigger != Cadence::Trigger::heartbeats)
      for (NodeId node : cluster.nodes.ids()) nodes.push_back(node);
    for (JobId job : cluster.pending)
      for (const TaskGroup& group : cluster.groups[job])
        for (TaskId task : cluster.tasks_of(group)) place(input, nodes, task, free, plan);
    change(input, plan);
    return plan;
  }

 protected:
  virtual void change(const PolicyInput&, Plan&) const {}
  StoreId keep_in_ = StoreId::none();

 private:
  void place(const PolicyInput& input, const std::vector<NodeId>& nodes, TaskId id, IdVector<NodeId, Resources>& free,
             Plan& plan) const {
    const ClusterSnapshot& cluster = input.cluster;
    const Task& task = cluster.tasks[id];
    const Resources& request = cluster.jobs[task.job].request;
    if (task.block.valid() && cluster.blocks[task.block].replicas.empty()) return;
    for (NodeId node : nodes) {
      if (!cluster.nodes[node].schedulable || !fits(request, free[node])) continue;
      const StoreId from = nearest_replica(cluster, input.costs, task.block, node).store;
      plan.assignments.push_back({id, node, from, from.valid() ? keep_in_ : StoreId::none()});
      free[node] = free[node] - request;
      return;
    }
  }
  Cadence cadence_;
};

}  // namespace lips::simulation::tiny
