// The tables of a snapshot file, from its JSON.
#pragma once

#include "records/snapshot_json.h"
#include "records/snapshot_tables.h"

namespace lips {

// The result is meaningless if there are problems.
SnapshotTables read_tables(const json_tables::Json& json, Problems& problems);

}  // namespace lips
