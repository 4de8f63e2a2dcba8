#include "policies/lips/copies.h"

#include <unordered_set>

#include "policies/lips/commodities.h"

namespace lips {

namespace {
constexpr Duration review_every = std::chrono::minutes(10);
}

void drop_idle_copies(const ClusterSnapshot& cluster, Duration idle, Plan& plan) {
  if (cluster.extra_copies.empty() || cluster.now < cluster.copies_reviewed + review_every) return;
  plan.copies_reviewed = true;
  const IdVector<DataSetId, double> readers = pending_readers(cluster);
  std::unordered_set<BlockId> dropped;
  for (const auto& [block, store] : cluster.extra_copies) {
    const Replica* replica = cluster.blocks[block].on(store);
    if (!replica || !replica->extra || cluster.now < replica->last_read + idle ||
        cluster.blocks[block].replicas.size() < 2)
      continue;
    const DataSetId data_set = cluster.blocks[block].data_set;
    if (data_set.valid() && readers[data_set] > 0) continue;
    if (dropped.insert(block).second) plan.drops.push_back({block, store});  // one of a block at a time: never the last
  }
}

}  // namespace lips
