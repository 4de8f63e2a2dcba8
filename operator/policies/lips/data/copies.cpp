#include "policies/lips/data/copies.h"

#include <algorithm>
#include <unordered_set>

#include "model/leaving.h"
#include "policies/lips/data/store_parts.h"

namespace lips {

namespace {
constexpr Duration review_every = std::chrono::minutes(10);
}

CopiesToKeep::CopiesToKeep(const PolicyInput& input, Billing billing, Usd move_cost)
    : cluster_(input.cluster), costs_(input.costs), billing_(billing), move_cost_(move_cost) {}

bool CopiesToKeep::is_read_again(BlockId id) const {
  const Block& block = cluster_.blocks[id];
  const auto was_read = [](const Replica& replica) { return replica.last_read != TimePoint{}; };
  if (std::any_of(block.replicas.begin(), block.replicas.end(), was_read)) return true;
  if (!pending_) pending_.emplace(cluster_);
  return pending_->readers(id) > 1;
}

bool CopiesToKeep::operator()(BlockId block, ZoneId from, ZoneId reader) const {
  const UsdPerMebibyte transfer = costs_.transfer(from, reader);
  if (billing_ == Billing::use || transfer.value() <= 0) return transfer.value() > 0;
  return cluster_.blocks[block].size * transfer > move_cost_ && is_read_again(block);
}

void drop_idle_copies(const ClusterSnapshot& cluster, Duration idle, Plan& plan) {
  if (cluster.extra_copies.empty() || cluster.now < cluster.copies_reviewed + review_every) return;
  plan.copies_reviewed = true;
  const IdVector<DataSetId, double> readers = pending_readers(cluster);
  const IdVector<StoreId, bool> leaving = leaving_stores(cluster);
  StoreParts shares(cluster);
  std::unordered_set<BlockId> dropped;
  for (const auto& [block, store] : cluster.extra_copies) {
    const Replica* replica = cluster.blocks[block].on(store);
    if (!replica || !replica->extra) continue;
    const bool exceeds = cluster.now >= replica->last_read + review_every && shares.exceed(store, block);
    if (!exceeds && cluster.now < replica->last_read + idle) continue;
    const std::vector<Replica>& all = cluster.blocks[block].replicas;
    if (std::none_of(all.begin(), all.end(),
                     [&, kept = store](const Replica& other) { return other.store != kept && !leaving[other.store]; }))
      continue;  // what stays beside it would be nothing, or go with its nodes
    const DataSetId data_set = cluster.blocks[block].data_set;
    if (!exceeds && data_set.valid() && readers[data_set] > 0) continue;
    if (!dropped.insert(block).second) continue;  // one of a block at a time: never the last
    plan.drops.push_back({block, store});
    shares.give_back(store, block);
  }
}

}  // namespace lips
