#include "policies/lips/data/store_room.h"

namespace lips {

StoreRoom::StoreRoom(const ClusterSnapshot& cluster, const Plan& plan)
    : cluster_(cluster), taken_(cluster.stores.size()) {
  for (const DataMove& move : plan.moves) taken_[move.to] += cluster.blocks[move.block].size;
  for (const Assignment& assignment : plan.assignments)
    if (assignment.keep_in.valid())
      taken_[assignment.keep_in] += cluster.blocks[cluster.tasks[assignment.task].block].size;
}

bool StoreRoom::take(StoreId id, BlockId block) {
  const DataStore& store = cluster_.stores[id];
  const Mebibytes size = cluster_.blocks[block].size;
  if (store.capacity.value() != 0 && store.used + taken_[id] + size > store.capacity) return false;
  taken_[id] += size;
  return true;
}

bool StoreRoom::take_copy(StoreId id, BlockId block) {
  if (cluster_.stores[id].capacity.value() == 0) return take(id, block);
  if (!shares_) shares_.emplace(cluster_);
  if (!shares_->allow(id, block, cluster_.stores[id].used + taken_[id]) || !take(id, block)) return false;
  shares_->take(id, block);
  return true;
}

StoreId StoreRoom::take_near(NodeId node, BlockId block) {
  if (const StoreId own = cluster_.node_store[node]; own.valid() && take_copy(own, block)) return own;
  for (const StoreId id : cluster_.stores.ids()) {
    const DataStore& store = cluster_.stores[id];
    if (!store.node.valid() && store.zone == cluster_.nodes[node].zone && take_copy(id, block)) return id;
  }
  return StoreId::none();
}

}  // namespace lips
