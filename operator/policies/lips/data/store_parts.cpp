#include "policies/lips/data/store_parts.h"

#include <algorithm>

#include "policies/lips/demand/shared_data.h"

namespace lips {

namespace {

constexpr double free_for_all = 0.5;  // of a store
constexpr Mebibytes rounding(1e-6);

}  // namespace

std::string name_space_of(const DataSet& data_set) {
  const std::size_t end = data_set.name.find('/');
  return end == std::string::npos ? "" : data_set.name.substr(0, end);
}

StoreParts::StoreParts(const ClusterSnapshot& cluster)
    : cluster_(cluster), all_copies_(cluster.stores.size(), Mebibytes(0)) {
  const IdVector<DataSetId, double> readers = pending_readers(cluster);
  for (const DataSetId id : cluster.data_sets.ids())
    if (readers[id] > 0) claim(cluster.data_sets[id]), waiting_.insert(name_space_of(cluster.data_sets[id]));
  for (const auto& [block, store] : cluster.extra_copies)
    if (const Replica* replica = cluster.blocks[block].on(store); replica && replica->extra) take(store, block);
}

StoreParts::Owner StoreParts::owner_of(BlockId block) const {
  const DataSetId id = cluster_.blocks[block].data_set;
  return id.valid() ? name_space_of(cluster_.data_sets[id]) : "";
}

// The heaviest pool of a namespace counts.
void StoreParts::claim(const DataSet& data_set) {
  const double weight = data_set.pool.valid() ? cluster_.pools[data_set.pool].weight : 1;
  double& known = weights_[name_space_of(data_set)];
  known = std::max({known, weight, 1e-9});
}

void StoreParts::take(StoreId store, BlockId block) {
  const Block& copied = cluster_.blocks[block];
  if (copied.data_set.valid()) claim(cluster_.data_sets[copied.data_set]);
  copies_[{store, owner_of(block)}] += copied.size;
  all_copies_[store] += copied.size;
}

void StoreParts::give_back(StoreId store, BlockId block) {
  const Mebibytes size = cluster_.blocks[block].size;
  copies_[{store, owner_of(block)}] -= size;
  all_copies_[store] -= size;
}

Mebibytes StoreParts::copies_of(const Owner& owner, StoreId store) const {
  const auto copies = copies_.find({store, owner});
  return copies == copies_.end() ? Mebibytes(0) : copies->second;
}

Mebibytes StoreParts::part_of(const Owner& owner, StoreId store, Mebibytes used) const {
  double all = 0;
  for (const auto& [name, weight] : weights_) all += weight;
  const auto known = weights_.find(owner);
  const double own = known == weights_.end() ? 1 : known->second;
  if (known == weights_.end()) all += own;
  return (cluster_.stores[store].capacity - used + all_copies_[store]) * (own / all) + rounding;
}

bool StoreParts::allow(StoreId id, BlockId block, Mebibytes used) const {
  const Mebibytes capacity = cluster_.stores[id].capacity, size = cluster_.blocks[block].size;
  if (capacity.value() == 0 || used + size <= capacity * free_for_all) return true;
  const Owner owner = owner_of(block);
  return copies_of(owner, id) + size <= part_of(owner, id, used);
}

bool StoreParts::exceed(StoreId id, BlockId block) const {
  const DataStore& store = cluster_.stores[id];
  if (store.capacity.value() == 0 || store.used <= store.capacity * free_for_all) return false;
  const Owner owner = owner_of(block);
  const auto wants_more = [&](const Owner& other) {
    return other != owner && copies_of(other, id) < part_of(other, id, store.used) - 2 * rounding;
  };
  return copies_of(owner, id) > part_of(owner, id, store.used) && std::ranges::any_of(waiting_, wants_more);
}

}  // namespace lips
