// The content of a snapshot file before it becomes a snapshot: plain tables whose ids are those of the file. Knows no
// JSON.
#pragma once

#include <vector>

#include "model/cluster_event.h"
#include "records/problems.h"
#include "records/snapshot_content.h"

namespace lips {

struct PlacedTask {
  TaskId task;
  NodeId node;
  TaskState state = TaskState::bound;  // bound, running or finished
  TimePoint expected_end{};
  PoolId reclaimed_for = {};
  TimePoint stays_until{}, marked_until{};
};

struct SnapshotTables {
  ClusterSnapshot start;  // without jobs, tasks and derived parts
  std::vector<JobArrived> jobs;
  std::vector<PlacedTask> placed;
  std::vector<MoveInFlight> moves;
  std::vector<ExpectedWork> expected;
  std::vector<TaskId> degraded;                       // among those placed
  std::vector<std::vector<UsdPerMebibyte>> transfer;  // empty: no prices
};

// Renames all ids so that tables are in canonical order.
void sort_by_name(SnapshotTables& tables);
// Expects ids in range and unique names. Reports contradictions between tables.
SnapshotFile build_snapshot(SnapshotTables tables, Problems& problems);

// node-9 before node-10.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace lips
