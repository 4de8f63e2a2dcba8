// The part of a snapshot file about jobs and their tasks.
#pragma once

#include <cstddef>

#include "records/snapshot_json.h"
#include "records/snapshot_tables.h"

namespace lips {

// Expects places, data and pools in the tables. Returns how many tasks the jobs have.
std::size_t read_jobs(const json_tables::View& root, SnapshotTables& tables);
void read_tasks(const json_tables::View& root, std::size_t tasks, SnapshotTables& tables);

}  // namespace lips
