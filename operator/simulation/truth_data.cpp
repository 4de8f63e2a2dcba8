#include "simulation/truth_data.h"

#include <algorithm>
#include <utility>

#include "model/stripe.h"

namespace lips::simulation {

namespace {

constexpr Duration move_refusal_time = std::chrono::seconds(1);

auto holds(StoreId store) {
  return [store](const Replica& replica) { return replica.store == store; };
}

}  // namespace

TruthData::TruthData(World& world)
    : world_(world), held_(world.scenario.cluster.stores.size()), away_(world.scenario.failures.size()) {
  const ClusterSnapshot& cluster = world.scenario.cluster;
  const bool nodes_fail = world.scenario.nodes_go();
  world.replicas.reserve(cluster.blocks.size());
  for (BlockId block : cluster.blocks.ids()) {
    world.replicas.push_back({});
    std::vector<Replica> given = cluster.blocks[block].replicas;
    std::sort(given.begin(), given.end(), [](const Replica& a, const Replica& b) { return a.store < b.store; });
    for (const Replica& replica : given) {
      change_used(replica.store, cluster.blocks[block].size);
      if (replica.extra) change_extra(replica.store, cluster.blocks[block].size);
      if (nodes_fail) held_[replica.store].push_back(block);
    }
    world.replicas[block] = std::move(given);
  }
  copies_away_.assign(nodes_fail ? world.replicas.size() : 0, 0);
}

void TruthData::return_replicas(std::uint32_t failure) {
  for (const auto& [block, replica] : away_[failure]) {
    --copies_away_[block.index()];
    add_replica(block, replica);
  }
  away_[failure].clear();
}

bool TruthData::has_space(StoreId store, Mebibytes size) const {
  const Mebibytes capacity = world_.scenario.cluster.stores[store].capacity;
  const StoreRecord& record = world_.stores[store];
  return capacity.value() <= 0 || record.used + record.reserved + size <= capacity * (1 + 1e-9);
}

namespace {

// Calls told(kept, for how long) for the bytes in the store so far.
template <class Told>
void change(Mebibytes& kept, TimePoint& since, Mebibytes by, TimePoint now, Told told) {
  if (kept.value() > 0 && now > since) told(kept, now - since);
  kept += by;
  since = now;
}

}  // namespace

void TruthData::change_used(StoreId store, Mebibytes by) {
  StoreRecord& record = world_.stores[store];
  change(record.used, record.used_since, by, world_.now,
         [&](Mebibytes kept, Duration span) { world_.listener.on_kept(store, kept, span); });
}

void TruthData::change_extra(StoreId store, Mebibytes by) {
  StoreRecord& record = world_.stores[store];
  change(record.extra, record.extra_since, by, world_.now,
         [&](Mebibytes kept, Duration span) { world_.listener.on_extra_kept(store, kept, span); });
}

void TruthData::add_replica(BlockId block, const Replica& replica) {
  std::vector<Replica>& replicas = world_.replicas[block];
  if (std::any_of(replicas.begin(), replicas.end(), holds(replica.store))) return;
  const auto position = std::lower_bound(replicas.begin(), replicas.end(), replica,
                                         [](const Replica& a, const Replica& b) { return a.store < b.store; });
  replicas.insert(position, replica);
  const Mebibytes size = world_.scenario.cluster.blocks[block].size;
  change_used(replica.store, size);
  if (replica.extra) change_extra(replica.store, size);
  if (world_.scenario.nodes_go()) held_[replica.store].push_back(block);
  world_.emit(ReplicaAdded{block, replica});
}

void TruthData::remove_replica(BlockId block, StoreId store) {
  std::vector<Replica>& replicas = world_.replicas[block];
  const auto found = std::find_if(replicas.begin(), replicas.end(), holds(store));
  if (found == replicas.end()) return;
  const Mebibytes size = world_.scenario.cluster.blocks[block].size;
  change_used(store, -size);
  if (found->extra) change_extra(store, -size);
  replicas.erase(found);
  world_.emit(ReplicaRemoved{block, store});
}

void TruthData::start_move(MoveId id, const DataMove& what) {
  const std::vector<Replica>& replicas = world_.replicas[what.block];
  const Mebibytes size = world_.scenario.cluster.blocks[what.block].size;
  const NodeId target = world_.scenario.cluster.stores[what.to].node;
  Move move;
  move.id = id;
  move.what = what;
  move.start = move.end = world_.now;
  move.live = true;
  move.needless = std::any_of(replicas.begin(), replicas.end(), holds(what.to));
  move.refused = !move.needless && (std::none_of(replicas.begin(), replicas.end(), holds(what.from)) ||
                                    !has_space(what.to, size) || (target.valid() && !world_.up[target.index()]));
  if (move.refused) {
    move.end = world_.now + move_refusal_time;
  } else if (!move.needless) {
    send(move);
  }
  add_move(move);
}

// Starts to send its bytes. A call of add_move must follow at once.
void TruthData::send(Move& move) {
  const DataMove& what = move.what;
  const Mebibytes size = world_.scenario.cluster.blocks[what.block].size;
  world_.last_progress = world_.now;
  world_.stores[what.to].reserved += size;
  if (what.from == what.to) return;
  const Path path = world_.paths.copy(what.from, what.to);
  if (path.count > 0 && size.value() > 0)
    move.flow = world_.start_flow(path, size, {FlowUse::move, static_cast<std::uint32_t>(world_.moves.size()), 0});
  else if (path.limit.value() > 0)
    move.end = world_.now + size / path.limit;
}

void TruthData::add_move(const Move& move) {
  if (!move.flow.valid())
    world_.queue.add(move.end, {SimEvent::Kind::move_end, static_cast<std::uint32_t>(world_.moves.size()), 0});
  ++world_.moves_live;
  world_.moves.push_back(move);
}

void TruthData::end_move(std::uint32_t index, bool whole) {
  Move& move = world_.moves[index];
  const DataMove what = move.what;
  move.live = false;
  --world_.moves_live;
  if (!move.refused && !move.needless) {
    Mebibytes copied = world_.scenario.cluster.blocks[what.block].size;
    world_.stores[what.to].reserved -= copied;
    bool extra = true;
    for (const Replica& replica : world_.replicas[what.block])
      if (replica.store == what.from && what.drop_source) extra = replica.extra;
    if (move.flow.valid()) {
      copied -= world_.network.stop(move.flow, world_.now);
    } else if (!whole && move.end > move.start) {
      copied *= std::min(1.0, to_seconds(world_.now - move.start) / to_seconds(move.end - move.start));
    }
    world_.listener.on_copied(what.from, what.to, copied);
    if (whole) add_replica(what.block, {what.to, extra, world_.now});
  }
  world_.emit(MoveEnded{move.id, whole});
  if (whole && what.drop_source && what.from != what.to) remove_replica(what.block, what.from);
}

void TruthData::drop(const ReplicaDrop& drop) {
  if (world_.replicas[drop.block].size() <= 1) return;  // the last one stays
  const bool being_copied =
      world_.moves_live > 0 && std::any_of(world_.moves.begin(), world_.moves.end(), [&](const Move& move) {
        return move.live && move.what.block == drop.block && move.what.from == drop.store;
      });
  if (!being_copied) remove_replica(drop.block, drop.store);
}

void TruthData::lose_replicas(StoreId store, bool comes_back, std::uint32_t failure) {
  std::vector<BlockId> blocks = std::move(held_[store]);
  held_[store].clear();
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  for (BlockId block : blocks) {
    const auto found = std::find_if(world_.replicas[block].begin(), world_.replicas[block].end(), holds(store));
    if (found == world_.replicas[block].end()) continue;
    if (comes_back) {
      away_[failure].emplace_back(block, *found);
      ++copies_away_[block.index()];
    }
    remove_replica(block, store);
  }
}

bool TruthData::lost_for_good(BlockId block) const {
  if (!gone_for_good(block)) return false;
  const DataSetId id = world_.scenario.cluster.blocks[block].data_set;
  if (!id.valid() || !is_coded(world_.scenario.cluster.data_sets[id])) return true;
  const Stripe stripe = stripe_of(world_.scenario.cluster.data_sets[id], block);
  std::uint32_t left = 0;
  for (std::uint32_t member = 0; member < stripe.size(); ++member) left += gone_for_good(stripe.block(member)) ? 0 : 1;
  return left < stripe.natives;
}

}  // namespace lips::simulation
