// What random clusters have beside nodes, data and jobs of one kind: all that the model knows and a policy may forget.
// Equal shapes, equal features.
#pragma once

#include <vector>

#include "simulation/random_snapshot.h"

namespace lips::simulation {

// Before the state is made. Each asks the shape whether there is anything to do.
void limit_pools(const SnapshotShape& shape, ClusterSnapshot& start);
void offer_nodes(const SnapshotShape& shape, ClusterSnapshot& start);
void limit_stores(const SnapshotShape& shape, ClusterSnapshot& start);
void add_extended(const SnapshotShape& shape, ClusterSnapshot& start, std::vector<JobArrived>& jobs);
void vary_jobs(const SnapshotShape& shape, std::vector<JobArrived>& jobs);
void part_jobs(const SnapshotShape& shape, std::vector<JobArrived>& jobs);

// Afterwards: moves in flight, and homes that earlier plans decided.
void begin_moves(const SnapshotShape& shape, ClusterState& state);
void remember_homes(const SnapshotShape& shape, ClusterState& state);

}  // namespace lips::simulation
