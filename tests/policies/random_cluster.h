// Random clusters with work on them, for property tests. Equal seeds, equal clusters.
#pragma once

#include "model/stripe.h"
#include "tests/policies/snapshot_builder.h"

namespace lips::testing {

struct RandomShape {
  int zones = 3, nodes = 12, blocks = 30, jobs = 8;
  bool racks = true;
  bool labels = true;
  bool lost_blocks = false;
  bool extended = true;  // pieces of a resource that only some nodes have and some jobs ask for
  bool coded = true;     // an erasure-coded data set beside the other, with some blocks lost
  bool homes = true;     // that earlier plans decided
  bool free_of_charge = false;
  bool moves = false;  // blocks on their way: nobody ends them
};

inline ClusterBuilder random_nodes(Random& random, const RandomShape& shape) {
  ClusterBuilder builder(shape.zones);
  const double prices[] = {0, 0.5, 1, 1, 2};
  std::vector<RackId> racks;
  for (int zone = 0; zone < shape.zones && shape.racks; ++zone)
    for (int i = 0; i < 2; ++i) racks.push_back(builder.rack(ZoneId(static_cast<std::uint32_t>(zone))));
  if (shape.labels) {
    builder.start.profiles.push_back({{{"disk", "ssd"}}, {}});
    builder.start.profiles.push_back({{}, {{"dedicated", "batch", "NoSchedule"}}});
    builder.start.constraints.push_back({{{"disk", LabelRequirement::Operator::in, {"ssd"}}}, {}, {}});
    builder.start.constraints.push_back({{}, {}, {{"dedicated", "batch", "NoSchedule", false}}});
  }
  for (int i = 0; i < shape.nodes; ++i) {
    NodeSpec spec;
    spec.zone = ZoneId(static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(shape.zones))));
    spec.price = shape.free_of_charge ? 0 : prices[random.below(5)];
    spec.slots = 1 + static_cast<int>(random.below(4));
    spec.cpu = 1 + static_cast<double>(random.below(4));
    spec.memory = 512 * static_cast<double>(1 + random.below(8));
    spec.speed = random.below(2) ? 1 : 2;
    if (shape.racks) spec.rack = racks[std::uint64_t{spec.zone.index()} * 2 + random.below(2)];
    const NodeId node = builder.node(spec);
    if (shape.labels) builder.start.nodes[node].profile = ProfileId(static_cast<std::uint32_t>(random.below(3)));
    if (random.below(10) == 0) builder.start.nodes[node].schedulable = false;
    if (shape.extended && random.below(3) == 0)
      builder.start.nodes[node].capacity.extended.set(ResourceId(0), static_cast<double>(1 + random.below(4)));
  }
  if (shape.extended) builder.start.extended_names.push_back("nvidia.com/gpu");
  builder.pool(2, 3);
  builder.pool(1, 0, 6);
  return builder;
}

inline constexpr std::uint32_t coded_blocks = 8;  // native ones; they follow shape.blocks

inline void random_blocks(Random& random, const RandomShape& shape, ClusterBuilder& builder) {
  const StoreId volume = builder.volume(ZoneId(0));
  for (int i = 0; i < shape.blocks; ++i) {
    std::vector<StoreId> stores;
    const std::uint64_t least = shape.lost_blocks ? 0 : 1;
    for (std::uint64_t copies = least + random.below(3); stores.size() < copies && shape.nodes > 2;) {
      const NodeId node(static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(shape.nodes))));
      const StoreId store = random.below(8) == 0 ? volume : builder.own_store[node];
      if (std::find(stores.begin(), stores.end(), store) == stores.end()) stores.push_back(store);
    }
    if (stores.empty() && !shape.lost_blocks) stores.push_back(volume);
    builder.block_in(stores, random.below(2) ? 64 : 128);
  }
  if (!shape.coded || shape.nodes < 4) return;
  const BlockId first(static_cast<std::uint32_t>(builder.start.blocks.size()));
  DataSet coded{"coded", first, coded_blocks, {}, {4, 2}};
  for (std::uint32_t i = 0; i < coded_blocks + parity_blocks(coded); ++i) {
    const NodeId node(static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(shape.nodes))));
    Block block{DataSetId(static_cast<std::uint32_t>(builder.start.data_sets.size())), Mebibytes(64), {}, {}};
    if (random.below(5) > 0) block.replicas.push_back({builder.own_store[node], false, {}});
    builder.start.blocks.push_back(block);
  }
  builder.start.data_sets.push_back(coded);
}

inline JobSpec random_job(Random& random, const RandomShape& shape, double arrival) {
  JobSpec spec;
  spec.name = "job at " + std::to_string(arrival);
  spec.pool = PoolId(static_cast<std::uint32_t>(random.below(3)));
  spec.arrival = arrival;
  spec.priority = static_cast<int>(random.below(3));
  if (random.below(4) > 0)
    for (std::uint64_t i = 0, first = random.below(20); i < 1 + random.below(10); ++i)
      spec.blocks.emplace_back(static_cast<std::uint32_t>((first + i) % static_cast<std::uint64_t>(shape.blocks)));
  spec.maps = spec.blocks.empty() || random.below(5) == 0 ? 1 + static_cast<int>(random.below(5)) : 0;
  spec.reduces = static_cast<int>(random.below(3));
  spec.shuffle = spec.reduces > 0 ? 100 * static_cast<double>(random.below(3)) : 0;
  spec.cpu = 10 * static_cast<double>(random.below(4));
  spec.cores = random.below(4) == 0 ? 2 : random.below(4) == 0 ? 0.5 : 1;
  spec.memory = random.below(6) == 0 ? 2048 : 256;
  if (random.below(25) == 0) spec.cores = 64;  // larger than any node
  if (shape.coded && shape.nodes >= 4 && random.below(6) == 0) {
    spec.blocks.clear();
    for (std::uint32_t i = 0; i < coded_blocks; ++i)
      spec.blocks.emplace_back(static_cast<std::uint32_t>(shape.blocks) + i);
  }
  if (shape.labels && random.below(4) == 0) spec.constraint = ConstraintId(static_cast<std::uint32_t>(random.below(2)));
  return spec;
}

// Some jobs, some of whose tasks already run or are done.
inline ClusterState random_state(std::uint64_t seed, const RandomShape& shape = {}) {
  Random random(seed);
  ClusterBuilder builder = random_nodes(random, shape);
  random_blocks(random, shape, builder);
  ClusterState state(builder.start);
  state.advance(TimePoint(seconds(100)));
  for (int i = 0; i < shape.jobs; ++i) {
    const int arrival = i / 2;  // two at a time
    JobArrived arrived = job(state.snapshot(), random_job(random, shape, arrival));
    if (shape.extended && random.below(5) == 0) arrived.job.request.extended.set(ResourceId(0), 1);
    state.apply(arrived);
    if (shape.homes && random.below(4) == 0) {
      JobMemory memory;
      memory.home_decided = true;
      memory.home = ZoneId(static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(shape.zones))));
      state.remember({JobId(static_cast<std::uint32_t>(i)), memory});
    }
  }
  if (shape.moves)
    for (std::uint32_t i = 0; i < 5; ++i) {
      const BlockId block(static_cast<std::uint32_t>(random.below(state.snapshot().blocks.size())));
      const StoreId to(static_cast<std::uint32_t>(random.below(state.snapshot().stores.size())));
      const Block& moved = state.snapshot().blocks[block];
      if (!moved.replicas.empty() && !moved.on(to))
        state.begin_move({MoveId(i), block, moved.replicas.front().store, to});
    }
  const CostModel costs = uniform_costs(static_cast<std::size_t>(shape.zones), UsdPerMebibyte(0.01));
  for (std::uint32_t i = 0; i < state.snapshot().tasks.size(); ++i) {
    const TaskId task(i);
    const ClusterSnapshot& cluster = state.snapshot();
    if (random.below(4) > 0 || cluster.tasks[task].state != TaskState::pending || cluster.nodes.empty()) continue;
    const NodeId node(static_cast<std::uint32_t>(random.below(cluster.nodes.size())));
    const StoreId from = nearest_replica(cluster, costs, cluster.tasks[task].block, node).store;
    if (cluster.tasks[task].block.valid() != from.valid() ||
        !cluster.eligible(cluster.jobs[cluster.tasks[task].job].constraint, node))
      continue;
    if (state.assume({task, node, from, {}}) && random.below(2)) state.apply(TaskFinished{task, node});
  }
  return state;
}

}  // namespace lips::testing
