#include "kubernetes/adapter/listed_blocks.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace lips::kubernetes {
namespace {

using ReadableStores = std::vector<std::pair<StoreId, const StoredBlocks*>>;

template <class Use>
void each_replica(const ReadableStores& stores, std::uint32_t blocks, const Use& use) {
  for (const auto& [store, held] : stores)
    for (const BlockRanges::Range& range : held->blocks.ranges())
      for (std::uint32_t number = range.first; number <= range.last && number < blocks; ++number)
        use(number, store, held->extra);
}

}  // namespace

void add_blocks(const DataSetEntry& set, DataSetId id, const std::function<StoreId(const std::string&)>& readable_store,
                ClusterSnapshot& start) {
  const std::uint32_t blocks = set.layout.count();
  ReadableStores stores;
  bool any_extra = false;
  for (const auto& [name, held] : set.stores)
    if (const StoreId store = readable_store(name); store.valid()) {
      stores.emplace_back(store, &held);
      any_extra = any_extra || !held.extra.empty();
    }
  std::vector<std::uint32_t> copies(blocks, 0);  // of each block: with millions of them memory is what a listing costs
  each_replica(stores, blocks, [&](std::uint32_t number, StoreId, const BlockRanges&) { ++copies[number]; });
  const auto first = static_cast<std::uint32_t>(start.blocks.size());
  for (std::uint32_t number = 0; number < blocks; ++number) {
    Block added;
    added.data_set = id;
    added.size = mebibytes(set.layout.span(number).size);
    added.replicas.reserve(copies[number]);
    start.blocks.push_back(std::move(added));
  }
  each_replica(stores, blocks, [&](std::uint32_t number, StoreId store, const BlockRanges& extra) {
    start.blocks[BlockId(first + number)].replicas.push_back({store, !extra.empty() && extra.contains(number), {}});
  });
  for (std::uint32_t number = 0; any_extra && number < blocks; ++number)
    for (const Replica& replica : start.blocks[BlockId(first + number)].replicas)
      if (replica.extra) start.extra_copies.emplace_back(BlockId(first + number), replica.store);
}

}  // namespace lips::kubernetes
