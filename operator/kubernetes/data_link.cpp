#include "kubernetes/data_link.h"

#include <algorithm>
#include <limits>
#include <variant>

namespace lips::kubernetes {
namespace {

constexpr double bytes_per_mebibyte = 1024.0 * 1024.0;

constexpr std::uint64_t first_kept = std::uint64_t{1} << 40;  // ids beyond those of the model's moves

Mebibytes mebibytes(std::int64_t bytes) { return Mebibytes(static_cast<double>(bytes) / bytes_per_mebibyte); }

StoreKind model_kind(DataStoreKind kind) {
  switch (kind) {
    case DataStoreKind::node_directory:
      return StoreKind::node_directory;
    case DataStoreKind::volume:
      return StoreKind::zonal_volume;
    case DataStoreKind::bucket:
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
  mover_.tick(now);
  for (const MoveOutcome& outcome : mover_.take_outcomes()) {
    if (const CatalogDataSet* set = catalog_.data_set(outcome_set_[outcome.id].first); set && set->usable())
      ended_.emplace_back(outcome.committed, mebibytes(set->layout->blocks[outcome_set_[outcome.id].second].size));
    outcome_set_.erase(outcome.id);
    if (outcome.id >= first_kept) continue;
    const MoveId id(static_cast<std::uint32_t>(outcome.id));
    if (moves_.erase(id) > 0) said.emplace_back(MoveEnded{id, outcome.committed});
  }
  if (listed && !must_list) std::move(said.begin(), said.end(), std::back_inserter(events));
  return must_list;
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
  for (const auto& [name, set] : sets_) view_.data_sets.push_back(set);
  for (const auto& [id, move] : moves_) view_.moves.push_back(move);
  return view_;
}

void DataLink::start(MoveId id, const DataMove& move, const ModelIndex& index) {
  const auto [data_set, block] = index.block_name(move.block);
  MoveRequest request;
  request.id = id.index();
  request.data_set = data_set;
  request.block = block;
  request.from = index.store_name(move.from);
  request.to = index.store_name(move.to);
  request.drop_source = move.drop_source;
  request.extra = !move.drop_source;
  outcome_set_[request.id] = {data_set, block};
  moves_[id] = {id, data_set, block, request.from, request.to};
  mover_.start(request);
}

void DataLink::keep_copy(const PodRecord& reader, const std::string& store) {
  for (std::uint32_t i = 0; i < reader.block_count; ++i) {
    const std::uint32_t block = reader.first_block + i;
    const DataStoreResource* from = holder(reader.data_set, block, reader.read_from);
    if (!from || holder(reader.data_set, block, store) == catalog_.store(store)) continue;
    outcome_set_[first_kept + ++kept_] = {reader.data_set, block};
    mover_.start({first_kept + kept_, reader.data_set, block, from->meta.object.name, store, false, true});
  }
}

void DataLink::drop(const ReplicaDrop& drop, const ModelIndex& index) {
  const auto [data_set, block] = index.block_name(drop.block);
  mover_.drop({data_set, block, index.store_name(drop.store)});
}

std::map<lips::MovePhase, std::uint64_t> DataLink::moves_by_phase() const {
  using To = lips::MovePhase;
  std::map<To, std::uint64_t> count{
      {To::pending, 0}, {To::copying, 0}, {To::verifying, 0}, {To::committed, 0}, {To::failed, 0}};
  for (const auto& [name, move] : catalog_.moves()) switch (move.status.phase) {
      case MovePhase::none:
      case MovePhase::pending:
        ++count[To::pending];
        break;
      case MovePhase::copying:
        ++count[To::copying];
        break;
      case MovePhase::verifying:
        ++count[To::verifying];
        break;
      case MovePhase::committed:
        ++count[To::committed];
        break;
      case MovePhase::failed:
        ++count[To::failed];
        break;
    }
  return count;
}

std::string DataLink::pool_of(const std::string& name_space) const {
  const PoolResource* pool = catalog_.pool_of_name_space(name_space);
  return pool ? pool->meta.object.name : name_space;
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
