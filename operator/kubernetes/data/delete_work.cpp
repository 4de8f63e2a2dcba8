#include "kubernetes/data/delete_work.h"

#include <set>

namespace lips::kubernetes {

std::vector<std::string> paths_to_delete(const DataCatalog& catalog, const CatalogDataSet& set,
                                         const LedgerEntry& entry, bool clean) {
  const HeldBlocks* held = find_held(set.object, clean ? entry.to : entry.from);
  if (!held) return {};
  BlockRanges going = held->leaving.intersection(entry.blocks), originals = held->blocks;
  going.remove(held->blocks);
  originals.remove(held->copies);
  std::set<std::uint32_t> files_in_use;
  for (const std::uint32_t block : originals.blocks())
    if (block < set.layout->count()) files_in_use.insert(set.layout->span(block).file);
  std::set<std::string> copies, files;
  for (const std::uint32_t block : going.blocks()) {
    if (block >= set.layout->count()) continue;
    const std::string path = held_part(set.object, *set.layout, *held, block).path;
    if (held->copies.contains(block))
      copies.insert(path);
    else if (!files_in_use.contains(set.layout->span(block).file))
      files.insert(path);
  }
  for (const std::string& shared :
       catalog.shared_files(full_name(set.object.meta.object), held->store, {files.begin(), files.end()}))
    files.erase(shared);
  copies.merge(files);
  return {copies.begin(), copies.end()};
}

void show_another_replica(const DataCatalog& catalog, const CatalogDataSet& set, const LedgerEntry& entry,
                          DeleteWork& drop) {
  BlockRanges going = entry.blocks.intersection(BlockRanges::all(set.layout->count()));
  if (const HeldBlocks* own = find_held(set.object, entry.from)) going.remove(own->blocks);
  for (const HeldBlocks& held : set.object.status.replicas) {
    const DataStoreResource* store = catalog.store(held.store);
    if (!store || held.store == entry.from || !catalog.readable(held.store)) continue;
    BlockRanges stays = held.blocks;
    stays.remove(held.leaving);
    if (!stays.contains(going) || needs_source_pod(store->spec, drop.store->spec)) continue;
    drop.from = store;
    for (const std::uint32_t block : going.blocks())
      drop.blocks.push_back({block, held_part(set.object, *set.layout, held, block), {}});
    return;
  }
}

}  // namespace lips::kubernetes
