// The part of a snapshot file about pools beside their table: targets,
// jobs that are due, what holding targets remembers, and the shares that modified fair remembers.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/cluster_event.h"
#include "model/snapshot.h"
#include "records/snapshot_json.h"
#include "records/snapshot_tables.h"

namespace lips {

// Reads when jobs are due.
void read_due(const json_tables::View& jobs, std::vector<JobArrived>& arrived);
void read_targets(const json_tables::View& root, IdVector<PoolId, Pool>& pools);
void read_reclaiming(const json_tables::View& root, IdVector<PoolId, Pool>& pools);
void read_unpaid_room(const json_tables::View& root, IdVector<PoolId, Pool>& pools);
// Tasks that were taken back, or could not be: rows of `placed`.
void read_reclaimed(const json_tables::View& root, std::size_t tasks, std::size_t pools,
                    std::vector<PlacedTask>& placed);
// Tasks that autoscalers do not evict: rows of `placed`.
void read_marked(const json_tables::View& root, std::size_t tasks, std::vector<PlacedTask>& placed);
void read_data_set_pools(const json_tables::View& root, std::size_t pools, IdVector<DataSetId, DataSet>& data_sets);
std::vector<TargetDebt> read_target_debts(const json_tables::View& root);
std::optional<ShareMemory> read_shares(const json_tables::View& root, std::size_t pools);

}  // namespace lips
