// The part of a snapshot file about pools beside their table, as snapshot_pools_json.h reads it. Parts that say nothing
// are left out.
#pragma once

#include "model/snapshot.h"
#include "records/json_text.h"

namespace lips {

void write_targets(JsonText& out, const ClusterSnapshot& cluster);
void write_unpaid_room(JsonText& out, const ClusterSnapshot& cluster);
void write_target_debts(JsonText& out, const ClusterSnapshot& cluster);
void write_reclaims(JsonText& out, const ClusterSnapshot& cluster);
// Tasks that autoscalers do not evict.
void write_marked(JsonText& out, const ClusterSnapshot& cluster);
void write_data_set_pools(JsonText& out, const ClusterSnapshot& cluster);

}  // namespace lips
