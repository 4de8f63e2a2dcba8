#include "records/snapshot_pools_writer.h"

#include <algorithm>
#include <vector>

namespace lips {

namespace {

// Those of the running tasks, by id.
template <class Asked>
std::vector<const RunningTask*> running(const ClusterSnapshot& cluster, const Asked& asked) {
  std::vector<const RunningTask*> runs;
  for (const RunningTask& run : cluster.running)
    if (asked(run)) runs.push_back(&run);
  std::sort(runs.begin(), runs.end(), [](const auto* a, const auto* b) { return a->task < b->task; });
  return runs;
}

}  // namespace

// Pools with targets, or whose price of waiting targets have moved. All others are left out.
void write_targets(JsonText& out, const ClusterSnapshot& cluster) {
  const auto plain = [](const Pool& pool) { return !pool.targets.any() && pool.waiting_factor == 1; };
  if (std::all_of(cluster.pools.begin(), cluster.pools.end(), plain)) return;
  out.open("targets", '[');  // pool, USD a day, mean wait, complete by, waiting factor
  for (const PoolId id : cluster.pools.ids())
    if (const Pool& pool = cluster.pools[id]; !plain(pool))
      out.row(cell_of(id), pool.targets.budget_per_day.value(), cell_of(pool.targets.mean_wait),
              cell_of(pool.targets.complete_by), pool.waiting_factor);
  out.close(']');
  out.line();
}

// Left out where all of it is paid for.
void write_unpaid_room(JsonText& out, const ClusterSnapshot& cluster) {
  const auto paid = [](const Pool& pool) { return pool.unpaid_room.value() <= 0; };
  if (std::all_of(cluster.pools.begin(), cluster.pools.end(), paid)) return;
  out.open("unpaidRoom", '[');  // pool, core-seconds
  for (const PoolId id : cluster.pools.ids())
    if (const Pool& pool = cluster.pools[id]; !paid(pool)) out.row(cell_of(id), pool.unpaid_room.value());
  out.close(']');
}

void write_target_debts(JsonText& out, const ClusterSnapshot& cluster) {
  if (cluster.target_debts.empty()) return;
  out.open("targetDebts", '[');
  for (const TargetDebt& debt : cluster.target_debts) out.described_row(debt);
  out.close(']');
}

// Left out where no pool takes tasks back.
void write_reclaims(JsonText& out, const ClusterSnapshot& cluster) {
  if (std::any_of(cluster.pools.begin(), cluster.pools.end(), [](const Pool& pool) { return pool.reclaims(); })) {
    out.open("reclaimingPools", '[');
    for (const PoolId pool : cluster.pools.ids())
      if (cluster.pools[pool].reclaims()) out.field("", cell_of(pool));
    out.close(']');
  }
  const std::vector<const RunningTask*> asked =
      running(cluster, [](const RunningTask& run) { return run.leaves() || run.stays_until != TimePoint{}; });
  if (asked.empty()) return;
  out.open("reclaimed", '[');  // task, pool for which it ends, not asked again before
  for (const RunningTask* run : asked)
    out.row(cell_of(run->task), cell_of(run->reclaimed_for), cell_of(run->stays_until));
  out.close(']');
}

void write_marked(JsonText& out, const ClusterSnapshot& cluster) {
  const std::vector<const RunningTask*> marked =
      running(cluster, [](const RunningTask& run) { return run.is_marked(); });
  if (marked.empty()) return;
  out.open("marked", '[');  // task, the end of its mark
  for (const RunningTask* run : marked) out.row(cell_of(run->task), cell_of(run->marked_until));
  out.close(']');
}

void write_data_set_pools(JsonText& out, const ClusterSnapshot& cluster) {
  const auto unknown = [](const DataSet& data_set) { return !data_set.pool.valid(); };
  if (std::all_of(cluster.data_sets.begin(), cluster.data_sets.end(), unknown)) return;
  out.open("dataSetPools", '[');  // data set, pool
  for (const DataSetId id : cluster.data_sets.ids())
    if (const DataSet& data_set = cluster.data_sets[id]; !unknown(data_set))
      out.row(cell_of(id), cell_of(data_set.pool));
  out.close(']');
}

}  // namespace lips
