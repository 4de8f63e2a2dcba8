// Clusters with erasure-coded data and one job that reads it, for tests.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "model/cluster_state.h"
#include "model/degraded_read.h"
#include "model/stripe.h"
#include "simulation/stripe_placement.h"
#include "tests/policies/snapshot_builder.h"

namespace lips::testing {

struct CodedShape {
  std::uint32_t nodes = 12, racks = 3;
  int slots = 2;
  ErasureCode code{6, 4};
  std::uint32_t blocks = 40;  // native
  double slow_speed = 1;      // of every second node
  int jobs = 1;
};

// Node i is in rack i mod racks; every job has a map for each native block.
inline ClusterState coded_state(const CodedShape& shape, std::uint64_t seed) {
  ClusterBuilder builder;
  for (std::uint32_t rack = 0; rack < shape.racks; ++rack)
    builder.start.racks[builder.rack()].name = "rack-" + std::to_string(rack);
  std::vector<NodeId> nodes;
  for (std::uint32_t i = 0; i < shape.nodes; ++i)
    nodes.push_back(builder.node({.slots = shape.slots,
                                  .cpu = static_cast<double>(shape.slots),
                                  .rack = RackId(i % shape.racks),
                                  .speed = i % 2 == 0 ? 1 : shape.slow_speed}));
  ClusterSnapshot& start = builder.start;
  start.network.rack_link = MebibytesPerSecond(64);
  start.data_sets.push_back({"coded", BlockId(0), shape.blocks, {}, shape.code});
  const DataSet set = start.data_sets[DataSetId(0)];
  for (std::uint32_t i = 0; i < shape.blocks + parity_blocks(set); ++i)
    start.blocks.push_back({DataSetId(0), Mebibytes(64), {}, {}});
  Random random(seed);
  for (std::uint32_t index = 0; index < stripe_count(set); ++index) {
    const Stripe stripe = stripe_at(set, index);
    const std::vector<NodeId> chosen = simulation::place_stripe(start, nodes, stripe.size(), stripe.parities, random);
    for (std::uint32_t member = 0; member < chosen.size(); ++member)
      start.blocks[stripe.block(member)].replicas.push_back({builder.own_store[chosen[member]], false, {}});
  }
  ClusterState state(start);
  std::vector<BlockId> natives;
  for (std::uint32_t i = 0; i < shape.blocks; ++i) natives.emplace_back(i);
  for (int i = 0; i < shape.jobs; ++i)
    state.apply(job(state.snapshot(), {.name = "job-" + std::to_string(i), .blocks = natives, .reduces = 2}));
  return state;
}

inline void lose_node(ClusterState& state, NodeId node) { state.apply(NodeLost{node, true}); }

// The first degraded task, bound to the node; no task when there is none.
inline Assignment first_degraded(const ClusterSnapshot& cluster, NodeId node) {
  for (JobId job : cluster.pending)
    for (const TaskGroup& group : cluster.groups[job])
      if (group.degraded && group.count > 0)
        return {group.first, node, {}, {}, degraded_sources(cluster, {}, cluster.tasks[group.first].block, node, {})};
  return {};
}

}  // namespace lips::testing
