// The tables of a snapshot file, from a snapshot.
#pragma once

#include "model/costs.h"
#include "model/snapshot.h"
#include "records/json_text.h"

namespace lips {

void write_tables(JsonText& out, const ClusterSnapshot& cluster, const CostModel& costs);

}  // namespace lips
