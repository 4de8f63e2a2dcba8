// Features of random clusters beyond nodes, data and jobs of one kind: all that the model knows and a policy may
// forget. Equal shapes give equal features.
#pragma once

#include <vector>

#include "model/cluster_state.h"
#include "simulation/snapshot_shape.h"

namespace lips::simulation {

// Call these before the state is made. Each does nothing unless the shape asks for it.
void limit_pools(const SnapshotShape& shape, ClusterSnapshot& start);
void offer_nodes(const SnapshotShape& shape, ClusterSnapshot& start);
// `now`: of the state to be made.
void expect_work(const SnapshotShape& shape, TimePoint now, ClusterSnapshot& start);
void limit_stores(const SnapshotShape& shape, ClusterSnapshot& start);
void add_extended(const SnapshotShape& shape, ClusterSnapshot& start, std::vector<JobArrived>& jobs);
void vary_jobs(const SnapshotShape& shape, std::vector<JobArrived>& jobs);
void part_jobs(const SnapshotShape& shape, std::vector<JobArrived>& jobs);
void pair_jobs(const SnapshotShape& shape, TimePoint now, std::vector<JobArrived>& jobs);

// Call these afterwards: moves in flight, and homes that earlier plans decided.
void begin_moves(const SnapshotShape& shape, ClusterState& state);
void remember_homes(const SnapshotShape& shape, ClusterState& state);

}  // namespace lips::simulation
