// The part of ClusterState that follows replicas and moves of blocks.
#include <algorithm>
#include <utility>

#include "model/cluster_state.h"
#include "model/stripe.h"

namespace lips {

namespace {

ZoneSet coming_to(const ClusterSnapshot& cluster, BlockId id) {
  ZoneSet zones;
  for (const MoveInFlight& move : cluster.moves)
    if (move.block == id) zones.insert(cluster.stores[move.to].zone);
  return zones - cluster.blocks[id].zones;
}

}  // namespace

void ClusterState::regroup_readers(BlockId block) {
  std::vector<TaskId>& readers = readers_[block];
  std::erase_if(readers, [&](TaskId id) { return snapshot_.tasks[id].state == TaskState::finished; });
  for (TaskId id : readers) {
    if (snapshot_.tasks[id].state != TaskState::pending) continue;
    unlink(id);
    make_pending(id);
  }
}

// When one block of a stripe changes, the others may become decodable or cease to be.
void ClusterState::regroup_stripe(BlockId block) {
  const DataSetId id = snapshot_.blocks[block].data_set;
  if (!id.valid() || !is_coded(snapshot_.data_sets[id])) return;
  const Stripe stripe = stripe_of(snapshot_.data_sets[id], block);
  for (std::uint32_t member = 0; member < stripe.natives; ++member)
    if (const BlockId other = stripe.block(member); other != block && snapshot_.blocks[other].replicas.empty())
      regroup_readers(other);
}

void ClusterState::begin_move(const MoveInFlight& move) {
  snapshot_.moves.push_back(move);
  const Block& block = snapshot_.blocks[move.block];
  expect_copies(move.block, (block.coming | ZoneSet::of(snapshot_.stores[move.to].zone)) - block.zones);
}

void ClusterState::end_move(MoveId id) {
  std::vector<BlockId> blocks;
  std::erase_if(snapshot_.moves, [&](const MoveInFlight& move) {
    if (move.id == id) blocks.push_back(move.block);
    return move.id == id;
  });
  for (const BlockId block : blocks) expect_copies(block, coming_to(snapshot_, block));
}

// Its readers are told apart by where it is and where it soon will be.
void ClusterState::expect_copies(BlockId id, ZoneSet coming) {
  if (std::exchange(snapshot_.blocks[id].coming, coming) != coming) regroup_readers(id);
}

// A user may say of an extra copy that it stays, or of a replica that it may be dropped.
void ClusterState::mark_extra(BlockId id, const Replica& replica, bool extra) {
  if (replica.extra == extra) return;
  for (Replica& each : snapshot_.blocks[id].replicas)
    if (each.store == replica.store) each.extra = extra;
  if (extra)
    snapshot_.extra_copies.emplace_back(id, replica.store);
  else
    std::erase(snapshot_.extra_copies, std::pair(id, replica.store));
}

void ClusterState::add_replica(BlockId id, const Replica& added) {
  Block& block = snapshot_.blocks[id];
  if (const Replica* there = block.on(added.store)) return mark_extra(id, *there, added.extra);
  const auto position = std::lower_bound(block.replicas.begin(), block.replicas.end(), added.store,
                                         [](const Replica& replica, StoreId store) { return replica.store < store; });
  block.replicas.insert(position, added);
  if (added.extra) snapshot_.extra_copies.emplace_back(id, added.store);
  DataStore& store = snapshot_.stores[added.store];
  store.used += block.size;
  if (store.node.valid())
    for (TaskId reader : readers_[id])
      if (snapshot_.tasks[reader].state != TaskState::finished)
        snapshot_.locality[snapshot_.tasks[reader].job].since[store.node].push_back(reader);
  if (!block.zones.contains(store.zone)) {
    block.zones.insert(store.zone);
    block.coming = block.coming - block.zones;
    regroup_readers(id);
    if (block.replicas.size() == 1) regroup_stripe(id);
  }
}

void ClusterState::remove_replicas(const ReplicaRemoved& removed) {
  const std::uint32_t first = removed.block.index(), end = first + removed.blocks;
  std::erase_if(snapshot_.extra_copies, [&](const std::pair<BlockId, StoreId>& copy) {
    return copy.second == removed.store && copy.first.index() >= first && copy.first.index() < end;
  });
  for (std::uint32_t i = first; i < end; ++i) remove_replica(BlockId(i), removed.store);
}

void ClusterState::remove_replica(BlockId id, StoreId store) {
  Block& block = snapshot_.blocks[id];
  if (!block.on(store)) return;
  std::erase_if(block.replicas, [&](const Replica& replica) { return replica.store == store; });
  snapshot_.stores[store].used -= block.size;
  ZoneSet zones;
  for (const Replica& replica : block.replicas) zones.insert(snapshot_.stores[replica.store].zone);
  if (zones == block.zones) return;
  block.zones = zones;
  block.coming = coming_to(snapshot_, id);
  regroup_readers(id);
  if (block.replicas.empty()) regroup_stripe(id);
}

}  // namespace lips
