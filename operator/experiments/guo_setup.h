// Clusters at one moment as in section 4 of Guo, Fox and Zhou (MapReduce 2012): idle and busy slots and replicas at
// random. Equal shapes and seeds, equal setups. Knows no policy by name.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "experiments/experiment.h"
#include "model/cluster_state.h"
#include "policies/settings.h"

namespace lips::experiments {

struct GuoShape {
  std::uint32_t nodes = 100, slots = 4;  // slots a node
  std::uint32_t idle = 200;              // slots, over all nodes
  std::uint32_t tasks = 200;
  std::uint32_t replicas = 3;
  std::uint32_t rack_size = 0;              // nodes a rack; 0: no racks
  std::vector<double> group_weights = {1};  // pools; running and waiting tasks belong to a random one
};

// Half of all slots idle, as many tasks: the setting of 4.2a.
GuoShape half_idle(std::uint32_t nodes, std::uint32_t slots = 4);

// 100, 150, ... 500 nodes; 100 and 150 in quick runs.
std::vector<double> guo_sizes(const ExperimentRun& run);
std::vector<double> guo_odd_numbers(int most);  // 1, 3, 5, ...

std::uint64_t guo_setup_seed(std::uint32_t seed);
ClusterState guo_setup(const GuoShape& shape, std::uint64_t seed);

// The node of each assignment of the policy's plan. The seed is the policy's.
std::vector<Assignment> decide(std::string_view policy, const ClusterSnapshot& cluster, std::uint64_t seed,
                               const PolicySettings& settings = {});

// The other reading of dl-sched: task by task, in random order, to an idle slot of a node with its input, else to any.
std::vector<Assignment> decide_by_tasks(const ClusterSnapshot& cluster, std::uint64_t seed);

double local_share(const ClusterSnapshot& cluster, const std::vector<Assignment>& assignments);

// Says whether a cost is drawn anew for each pair of task and node, or once for each task and level.
enum class CostDraw : std::uint8_t { per_pair, per_task };

// Data locality cost of 4.3: 0 on the node, N(1, 0.5) on the rack, N(4, 2) elsewhere; draws below 0 count as 0.
class DrawnCosts {
 public:
  DrawnCosts(const ClusterSnapshot& cluster, CostDraw draw, std::uint64_t seed);
  double of(TaskId task, NodeId node) const { return cost_[task.index() * nodes_ + node.index()]; }
  double sum(const std::vector<Assignment>& assignments) const;
  // The least sum of any assignment of all pending tasks to idle slots: lsap-sched on these costs.
  double least_sum(const ClusterSnapshot& cluster) const;

 private:
  std::size_t nodes_;
  std::vector<double> cost_;
};

}  // namespace lips::experiments
