// Random clusters at one moment, for `lips generate snapshot`, benchmarks and property tests: HDFS-like placement,
// current EC2 prices, heavy-tailed jobs; small and adversarial shapes too. Equal shapes give equal clusters. Knows no
// policy.
#pragma once

#include <cstdint>

#include "model/cluster_state.h"
#include "model/costs.h"
#include "simulation/snapshot_shape.h"

namespace lips::simulation {

ClusterState random_cluster(const SnapshotShape& shape);
// 0.02 USD/GB between zones (0.01 each direction) unless `uneven_transfer` or `free_of_charge`.
CostModel random_costs(const SnapshotShape& shape);

// A shape with few nodes and tasks and all other fields drawn at random, adversarial ones now and then. For property
// tests.
SnapshotShape random_small_shape(std::uint64_t seed);
// The same, with every other feature of the model now and then: those that a policy may forget.
SnapshotShape random_full_shape(std::uint64_t seed);

}  // namespace lips::simulation
