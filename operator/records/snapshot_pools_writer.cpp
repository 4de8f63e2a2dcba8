#include "records/snapshot_pools_writer.h"

#include <algorithm>
#include <vector>

namespace lips {

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
  std::vector<const RunningTask*> asked;
  for (const RunningTask& run : cluster.running)
    if (run.leaves() || run.stays_until != TimePoint{}) asked.push_back(&run);
  if (asked.empty()) return;
  std::sort(asked.begin(), asked.end(), [](const auto* a, const auto* b) { return a->task < b->task; });
  out.open("reclaimed", '[');  // task, pool for which it ends, not asked again before
  for (const RunningTask* run : asked)
    out.row(cell_of(run->task), cell_of(run->reclaimed_for), cell_of(run->stays_until));
  out.close(']');
}

}  // namespace lips
