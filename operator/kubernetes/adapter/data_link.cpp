#include "kubernetes/adapter/data_link.h"

#include <algorithm>
#include <limits>
#include <set>
#include <variant>

namespace lips::kubernetes {
namespace {

Mebibytes mebibytes(std::int64_t bytes) { return Mebibytes(static_cast<double>(bytes) / bytes_per_mebibyte); }

StoreKind model_kind(StoreKind kind) {
  switch (kind) {
    case StoreKind::node_directory:
      return StoreKind::node_directory;
    case StoreKind::zonal_volume:
      return StoreKind::zonal_volume;
    case StoreKind::bucket:
      return StoreKind::bucket;
  }
  return StoreKind::bucket;
}

BlockId block_id(const ModelIndex& index, const std::string& data_set, std::uint32_t block) {
  const ModelIndex::KnownDataSet* known = index.data_set(data_set);
  return known && block < known->blocks ? BlockId(known->first.index() + block) : BlockId::none();
}

}  // namespace

DataLink::DataLink(Surroundings around, DataSettings settings)
    : settings_(std::move(settings)),
      catalog_(settings_.mover.work.name_space),
      mover_(around.client, catalog_, around.events, settings_.mover, around.may_act, around.is_read) {}

void DataLink::take(const DataSetChanged& change) {
  sets_.erase(change.data_set);
  const CatalogDataSet* set = catalog_.data_set(change.data_set);
  if (!set || !set->usable()) return;
  DataSetEntry entry;
  entry.name = change.data_set;
  entry.code = {set->layout->code.n, set->layout->code.k};
  entry.native_blocks = set->layout->native;
  for (const BlockSpan& block : set->layout->blocks) entry.blocks.push_back({mebibytes(block.size), {}});
  sets_[change.data_set] = std::move(entry);
}

void DataLink::take_replicas(const ReplicasAppeared& change, const ModelIndex& index,
                             std::vector<ClusterEvent>& events) {
  const auto set = sets_.find(change.data_set);
  if (set == sets_.end()) return;
  const StoreId store = index.store(change.store);
  for (std::uint32_t block : change.blocks.blocks()) {
    going_.erase({change.data_set, block, change.store});
    auto& stores = set->second.blocks[block].stores;
    std::erase_if(stores, [&](const auto& held) { return held.first == change.store; });
    stores.emplace_back(change.store, change.extra);
    const BlockId id = block_id(index, change.data_set, block);
    if (id.valid() && store.valid()) events.emplace_back(ReplicaAdded{id, {store, change.extra, {}}});
  }
}

void DataLink::take_replicas(const ReplicasGone& change, const ModelIndex& index, std::vector<ClusterEvent>& events) {
  const auto set = sets_.find(change.data_set);
  if (set == sets_.end()) return;
  const StoreId store = index.store(change.store);
  for (std::uint32_t block : change.blocks.blocks()) {
    going_.erase({change.data_set, block, change.store});
    std::erase_if(set->second.blocks[block].stores, [&](const auto& held) { return held.first == change.store; });
    const BlockId id = block_id(index, change.data_set, block);
    if (id.valid() && store.valid()) events.emplace_back(ReplicaRemoved{id, store});
  }
}

bool DataLink::poll(const ModelIndex& index, bool listed, TimePoint now, std::vector<ClusterEvent>& events) {
  bool must_list = false;
  std::vector<ClusterEvent> said;
  for (const CatalogChange& change : catalog_.poll()) {
    if (const auto* appeared = std::get_if<ReplicasAppeared>(&change)) {
      // Where the set or the store is new, the listing says it.
      take_replicas(*appeared, index, said);
    } else if (const auto* gone = std::get_if<ReplicasGone>(&change)) {
      take_replicas(*gone, index, said);
    } else {
      must_list = true;
      if (const auto* set = std::get_if<DataSetChanged>(&change)) take(*set);
      if (const auto* none = std::get_if<DataSetGone>(&change)) sets_.erase(none->data_set);
    }
  }
  if (must_list)
    std::erase_if(going_, [this](const auto& place) { return !catalog_.data_set(std::get<0>(place.first)); });
  mover_.tick(now);
  for (const MoveOutcome& outcome : mover_.take_outcomes()) {
    const MoveRequest& request = outcome.request;
    const auto requested = requested_.find({request.data_set, request.block, request.to});
    if (requested == requested_.end()) continue;
    requested_.erase(requested);
    if (const CatalogDataSet* set = catalog_.data_set(request.data_set); set && set->usable())
      ended_.emplace_back(outcome.committed, mebibytes(set->layout->blocks[request.block].size));
    if (request.id && moves_.erase(*request.id) > 0) said.emplace_back(MoveEnded{*request.id, outcome.committed});
  }
  keep_not_dropped(index, said);
  review_moves_of_others(said);
  if (listed && !must_list) std::move(said.begin(), said.end(), std::back_inserter(events));
  return must_list;
}

// Moves that are under way though this process did not ask for them, by what they will bring about.
std::map<DataLink::Place, MoveEntry> DataLink::moves_of_others() const {
  std::set<Place> own;
  for (const auto& [id, move] : moves_) own.insert({move.data_set, move.block, move.to});
  std::map<Place, MoveEntry> result;
  for (const auto& [name, move] : catalog_.moves()) {
    const MovePhase phase = move.status.phase;
    if (move.spec.to.empty() || move.spec.cancel || move.meta.deleting) continue;
    if (phase == MovePhase::committed || phase == MovePhase::failed) continue;
    const std::string set_name = move.spec.data_set_name_space + '/' + move.spec.data_set;
    const CatalogDataSet* set = catalog_.data_set(set_name);
    const HeldBlocks* held = set ? find_held(set->object, move.spec.from) : nullptr;
    const bool fixed = phase == MovePhase::copying || phase == MovePhase::verifying;
    const BlockRanges all = held ? held->blocks : BlockRanges();
    for (const std::uint32_t block : (fixed ? move.status.blocks : move.spec.blocks.value_or(all)).blocks())
      if (Place place{set_name, block, move.spec.to}; !own.contains(place))
        result.try_emplace(std::move(place), MoveEntry{MoveId::none(), set_name, block, move.spec.from, move.spec.to});
  }
  return result;
}

// The end of those that were listed. What begins meanwhile is said by the next listing: should the policy want the same
// until then, the mover finds the DataMove that is there.
void DataLink::review_moves_of_others(std::vector<ClusterEvent>& events) {
  if (others_.empty() || others_reviewed_ == catalog_.version()) return;
  others_reviewed_ = catalog_.version();
  const std::map<Place, MoveEntry> now = moves_of_others();
  for (auto other = others_.begin(); other != others_.end();) {
    if (now.contains(other->first)) {
      ++other;
      continue;
    }
    const auto& [data_set, block, to] = other->first;
    const CatalogDataSet* set = catalog_.data_set(data_set);
    const HeldBlocks* held = set ? find_held(set->object, to) : nullptr;
    events.emplace_back(MoveEnded{other->second.id, held && held->blocks.contains(block)});
    other = others_.erase(other);
  }
}

void DataLink::keep_not_dropped(const ModelIndex& index, std::vector<ClusterEvent>& events) {
  for (const DropRequest& kept : mover_.take_not_dropped()) {
    const auto going = going_.extract(Place{kept.data_set, kept.block, kept.store});
    if (going.empty()) continue;
    const BlockId id = block_id(index, kept.data_set, kept.block);
    const StoreId store = index.store(kept.store);
    if (id.valid() && store.valid()) events.emplace_back(ReplicaAdded{id, {store, going.mapped(), {}}});
  }
}

DataSetEntry DataLink::without_going(DataSetEntry set) const {
  for (auto going = going_.lower_bound({set.name, 0, ""}); going != going_.end(); ++going) {
    const auto& [name, block, store] = going->first;
    if (name != set.name) break;
    if (block < set.blocks.size())
      std::erase_if(set.blocks[block].stores, [&, &gone = store](const auto& held) { return held.first == gone; });
  }
  return set;
}

const DataView& DataLink::view() {
  view_ = {};
  for (const auto& [name, pool] : catalog_.pools())
    view_.pools.push_back({name, catalog_.weight_of(pool), Cores(pool.spec.minimum), Cores(pool.spec.maximum),
                           UsdPerCpuSecond(pool.spec.shortfall_usd_per_cpu_hour / 3600.0)});
  for (const auto& [name, store] : catalog_.stores()) {
    const StoreKind kind = model_kind(store.spec.kind);
    view_.stores.push_back({name, kind, store.spec.zone, store.spec.node, mebibytes(store.spec.capacity),
                            settings_.storage_price ? settings_.storage_price(kind) : UsdPerMebibyteHour(0)});
  }
  for (const auto& [name, set] : sets_) view_.data_sets.push_back(without_going(set));
  for (const auto& [id, move] : moves_) view_.moves.push_back(move);
  std::map<Place, MoveEntry> others = moves_of_others();
  for (auto& [place, move] : others) {
    const auto known = others_.find(place);
    move.id = known != others_.end() ? known->second.id : MoveId(++last_move_);
    view_.moves.push_back(move);
  }
  others_ = std::move(others);
  return view_;
}

void DataLink::start(MoveId id, const DataMove& move, const ModelIndex& index) {
  const auto [data_set, block] = index.block_name(move.block);
  MoveRequest request;
  request.id = id;
  request.data_set = data_set;
  request.block = block;
  request.from = index.store_name(move.from);
  request.to = index.store_name(move.to);
  request.drop_source = move.drop_source;
  request.extra = !move.drop_source;
  requested_.emplace(Place{data_set, block, request.to}, zone_of(request.to));
  moves_[id] = {id, data_set, block, request.from, request.to};
  last_move_ = std::max(last_move_, id.index());
  mover_.start(request);
}

std::string DataLink::zone_of(const std::string& store) const {
  const DataStoreResource* known = catalog_.store(store);
  return known ? known->spec.zone : "";
}

// Whether a move that brings the block into that zone is under way.
bool DataLink::comes_to(const std::string& data_set, std::uint32_t block, const std::string& zone) const {
  const auto begin = requested_.lower_bound({data_set, block, ""}),
             end = requested_.lower_bound({data_set, block + 1, ""});
  if (std::any_of(begin, end, [&](const auto& request) { return request.second == zone; })) return true;
  for (auto other = others_.lower_bound({data_set, block, ""}); other != others_.end(); ++other) {
    const auto& [name, number, to] = other->first;
    if (name != data_set || number != block) return false;
    if (zone_of(to) == zone) return true;
  }
  return false;
}

void DataLink::keep_copy(const PodRecord& reader, const std::string& store) {
  for (std::uint32_t i = 0; i < reader.block_count; ++i) {
    const std::uint32_t block = reader.first_block + i;
    const DataStoreResource* from = holder(reader.data_set, block, reader.read_from);
    const DataStoreResource* near = holder(reader.data_set, block, store);
    const std::string zone = zone_of(store);
    if (!from || !near || near->spec.zone == zone || comes_to(reader.data_set, block, zone)) continue;
    requested_.emplace(Place{reader.data_set, block, store}, zone);
    mover_.start({std::nullopt, reader.data_set, block, from->meta.object.name, store, false, true});
  }
}

void DataLink::drop(const ReplicaDrop& drop, const ModelIndex& index, std::vector<ClusterEvent>& events) {
  const auto [data_set, block] = index.block_name(drop.block);
  const std::string& store = index.store_name(drop.store);
  const auto set = sets_.find(data_set);
  if (set == sets_.end() || block >= set->second.blocks.size()) return;
  for (const auto& [name, extra] : set->second.blocks[block].stores) {
    if (name != store || !going_.try_emplace(Place{data_set, block, store}, extra).second) continue;
    events.emplace_back(ReplicaRemoved{drop.block, drop.store});
    mover_.drop({data_set, block, store});
    return;
  }
}

std::map<MovePhase, std::uint64_t> DataLink::moves_by_phase() const {
  using enum MovePhase;
  std::map<MovePhase, std::uint64_t> count{{pending, 0}, {copying, 0}, {verifying, 0}, {committed, 0}, {failed, 0}};
  for (const auto& [name, move] : catalog_.moves()) ++count[move.status.phase == none ? pending : move.status.phase];
  return count;
}

const DataStoreResource* DataLink::holder(const std::string& data_set, std::uint32_t block,
                                          const std::string& wanted) const {
  const auto set = sets_.find(data_set);
  if (set == sets_.end() || block >= set->second.blocks.size()) return nullptr;
  const DataStoreResource* first = catalog_.store(wanted);
  const DataStoreResource* best = nullptr;
  for (const auto& [name, extra] : set->second.blocks[block].stores) {
    const DataStoreResource* store = catalog_.store(name);
    if (!store) continue;
    if (name == wanted) return store;
    const bool near = first && store->spec.zone == first->spec.zone;
    if (!best || near) best = store;
  }
  return best;
}

}  // namespace lips::kubernetes
