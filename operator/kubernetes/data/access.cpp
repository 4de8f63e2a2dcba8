#include "kubernetes/data/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kubernetes/data/hdfs_access.h"

namespace lips::kubernetes {
namespace {

using Source = DiscoveryRequest::Source;

bool names(const std::vector<std::string>& list, const std::string& name_space) {
  return std::any_of(list.begin(), list.end(),
                     [&](const std::string& each) { return each == "*" || each == name_space; });
}

std::string refusal(const std::string& name_space, const std::string& store, const std::string& path) {
  return fmt::format(
      "{} may not name '{}' in DataStore {}; allowed: its own folder {}/, or any path if "
      "spec.allowedNamespaces of the store lists the namespace",
      name_space, path.substr(0, 200), store, name_space);
}

// Stores that are declared to hold originals of the data set. Copies lie in a folder of their own.
std::set<std::string> stores_of_originals(const DataSetResource& set) {
  std::set<std::string> stores;
  for (const PlacedBlocks& placed : set.spec.stores) stores.insert(placed.store);
  if (set.spec.discover.source == Source::listing) stores.insert(set.spec.discover.store);
  for (const HeldBlocks& held : set.status.replicas) {
    BlockRanges originals = held.blocks;
    originals.add(held.leaving);
    originals.remove(held.copies);
    if (!originals.empty()) stores.insert(held.store);
  }
  return stores;
}

}  // namespace

bool may_read(const DataSetResource& set, const std::string& name_space) {
  return set.meta.object.name_space == name_space || names(set.spec.readers, name_space);
}

bool may_lie(const DataStoreSpec& store, const std::string& name_space, const std::string& path) {
  if (lies_in(path, copies_root)) return false;
  return names(store.allowed_name_spaces, name_space) || lies_in(path, name_space);
}

bool has_originals(const DataSetResource& set, const std::string& store) {
  if (const HeldBlocks* held = find_held(set, store)) {
    BlockRanges originals = held->blocks;
    originals.add(held->leaving);
    originals.remove(held->copies);
    if (!originals.empty()) return true;
    if (set.spec.discover.source == Source::none) return false;
  }
  const auto is_it = [&](const auto& each) { return each.store == store; };
  return std::any_of(set.spec.stores.begin(), set.spec.stores.end(), is_it) ||
         (set.spec.discover.source == Source::listing && set.spec.discover.store == store);
}

std::string foreign_data(const DataSetResource& set, const DataLayout& layout, const StoreMap& stores) {
  if (set.spec.discover.source == Source::hdfs) return {};  // data in HDFS is read from HDFS, and not moved
  const std::string& name_space = set.meta.object.name_space;
  for (const std::string& name : stores_of_originals(set)) {
    const auto store = stores.find(name);
    if (store == stores.end()) continue;
    if (!layout.folder.empty() && !may_lie(store->second.spec, name_space, layout.folder))
      return refusal(name_space, name, layout.folder);
    if (!layout.files) continue;
    for (const DataFile& file : *layout.files)
      if (!may_lie(store->second.spec, name_space, file.path)) return refusal(name_space, name, file.path);
  }
  return {};
}

bool names_original(const DataSetResource& set, const Result<DataLayout>& layout, const std::string& store,
                    const std::string& path) {
  if (set.spec.discover.source == Source::hdfs || !has_originals(set, store)) return false;
  const auto touches = [&](const std::string& own) { return lies_in(own, path); };
  const auto any = [&](const std::vector<DataFile>& files) {
    return std::any_of(files.begin(), files.end(), [&](const DataFile& file) { return touches(file.path); });
  };
  if (layout)
    return layout->has_file(path) || (layout->files && any(*layout->files)) ||
           (!layout->folder.empty() && touches(layout->folder));
  const std::string folder =
      folder_path(set.spec.discover.source == Source::none ? set.spec.path : set.spec.discover.path);
  return any(set.spec.files) || any(set.status.files) || folder.empty() || lies_in(path, folder) || touches(folder);
}

std::string foreign_discovery(const DataSetResource& set, const StoreMap& stores, const TenantRules& rules) {
  const DiscoveryRequest& discover = set.spec.discover;
  if (discover.source == Source::listing) {
    const auto store = stores.find(discover.store);
    const std::string& name_space = set.meta.object.name_space;
    const std::string folder = folder_path(discover.path);
    if (store != stores.end() && !may_lie(store->second.spec, name_space, folder))
      return refusal(name_space, discover.store, folder);
    return {};
  }
  if (discover.source != Source::hdfs) return {};
  return foreign_hdfs(discover, set.meta.object.name_space, rules.discover_from);
}

}  // namespace lips::kubernetes
