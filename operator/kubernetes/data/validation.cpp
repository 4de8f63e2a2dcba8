#include "kubernetes/data/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/enum_array.h"
#include "kubernetes/data/bucket_place.h"

namespace lips::kubernetes {
namespace {

bool inside(const std::string& path, const std::string& folder) {
  return lies_in(folder_path(path), folder_path(folder));
}

bool overlap(const DataStoreSpec& a, const DataStoreSpec& b) {
  if (is_bucket(a.kind) && is_bucket(b.kind))  // one may call it zonal and the other regional
    return a.bucket == b.bucket && bucket_place(a) == bucket_place(b) &&
           (inside(a.prefix, b.prefix) || inside(b.prefix, a.prefix));
  if (a.kind != b.kind) return false;
  if (a.kind == StoreKind::zonal_volume) return a.claim == b.claim;
  return a.node == b.node && (inside(a.path, b.path) || inside(b.path, a.path));
}

bool older(const ResourceMeta& a, const ResourceMeta& b) {
  return a.created != b.created ? a.created < b.created : a.object.name < b.object.name;
}

const PoolResource* parent_of(const PoolResource& pool, const PoolMap& pools) {
  if (pool.spec.parent.empty()) return nullptr;
  const auto place = pools.find(pool.spec.parent);
  return place == pools.end() ? nullptr : &place->second;
}

bool in_a_circle(const PoolResource& pool, const PoolMap& pools) {
  std::set<std::string> seen{pool.meta.object.name};
  for (const PoolResource* at = parent_of(pool, pools); at; at = parent_of(*at, pools))
    if (!seen.insert(at->meta.object.name).second) return true;
  return false;
}

}  // namespace

std::string_view to_string(FindingReason reason) {
  constexpr EnumArray<FindingReason, std::string_view> names{
      "Usable",        "Malformed",        "Invalid",         "NotAllowed",     "NotDiscovered",   "LimitExceeded",
      "TooLarge",      "StoreMissing",     "BlocksMissing",   "NodeReplaced",   "NodeGone",        "Overlaps",
      "ParentMissing", "ParentsInACircle", "LimitsOfAParent", "NamespaceTaken", "TargetsMalformed"};
  return names[reason];
}

Finding review(const DataSetResource& set, const Result<DataLayout>& layout, const StoreMap& stores,
               const TenantRules& rules, const std::set<std::string>& gone) {
  if (std::string foreign = foreign_discovery(set, stores, rules); !foreign.empty())
    return {false, FindingReason::not_allowed, std::move(foreign)};
  if (!layout) {
    if (layout.error().code == ErrorCode::not_found)
      return {false, FindingReason::not_discovered, layout.error().message};
    return {false, FindingReason::invalid, layout.error().message};
  }
  if (std::string foreign = foreign_data(set, *layout, stores); !foreign.empty())
    return {false, FindingReason::not_allowed, std::move(foreign)};
  std::vector<std::string> missing;
  const auto look_for = [&](const std::string& store) {
    if (!stores.contains(store) && std::find(missing.begin(), missing.end(), store) == missing.end())
      missing.push_back(store);
  };
  for (const PlacedBlocks& placed : set.spec.stores) {
    if (placed.blocks && placed.blocks->end() > layout->count())
      return {false, FindingReason::invalid,
              fmt::format("spec.stores: {} is listed with block {}; allowed: 0 to {}", placed.store,
                          placed.blocks->end() - 1, std::int64_t{layout->count()} - 1)};
    look_for(placed.store);
  }
  for (const HeldBlocks& held : set.status.replicas)
    if (!held.blocks.empty()) look_for(held.store);
  if (set.spec.discover.source == DiscoveryRequest::Source::listing) look_for(set.spec.discover.store);
  for (const HostStore& host : set.spec.discover.hosts) look_for(host.store);
  if (!missing.empty())
    return {true, FindingReason::store_missing,
            fmt::format("there is no DataStore {}{}; its blocks are not used", missing.front(),
                        missing.size() > 1 ? fmt::format(" (and {} more)", missing.size() - 1) : "")};
  BlockRanges held = BlockRanges::all(layout->native);
  for (const HeldBlocks& replicas : set.status.replicas)
    if (!gone.contains(replicas.store)) held.remove(replicas.blocks);
  const auto recorded = [&](const std::string& store) { return find_held(set, store) != nullptr; };
  for (const PlacedBlocks& placed : set.spec.stores)  // counts once: from then on the status does
    if (!recorded(placed.store) && !gone.contains(placed.store))
      held.remove(placed.blocks.value_or(BlockRanges::all(layout->count())));
  if (!held.empty() && layout->code.n == 0)
    return {
        true, FindingReason::blocks_missing,
        fmt::format("no store holds {} of {} blocks: {}", held.count(), layout->native, held.text().substr(0, 200))};
  return {};
}

Finding review(const DataStoreResource& store, const StoreMap& stores, const NodeOfStore& node) {
  const DataStoreSpec& spec = store.spec;
  if (spec.kind == StoreKind::node_directory && !good_path(folder_path(spec.path)))
    return {
        false, FindingReason::invalid,
        fmt::format("spec.nodeDirectory.path: found '{}'; allowed: a directory below the root, without '.' and '..'",
                    spec.path)};
  if (!store.status.node_uid.empty() && !node.uid.empty() && store.status.node_uid != node.uid)
    return {false, FindingReason::node_replaced,
            fmt::format("node {} is another one than the node that held the files, under the same name: what lay there "
                        "counts as lost; where it does not, delete the DataStore and make it anew",
                        spec.node)};
  for (const auto& [name, other] : stores) {
    if (name == store.meta.object.name || !overlap(store.spec, other.spec) || !older(other.meta, store.meta)) continue;
    return {false, FindingReason::overlaps,
            fmt::format("shares its files with the older DataStore {}; allowed: a place of its own", name)};
  }
  if (node.gone)
    return {true, FindingReason::node_gone,
            fmt::format("there is no node {}: what lies there cannot be read", spec.node)};
  return {};
}

Finding review(const PoolResource& pool, const PoolMap& pools) {
  if (pool.spec.maximum > 0 && pool.spec.minimum > pool.spec.maximum)
    return {
        false, FindingReason::invalid,
        fmt::format("spec.minimum: found {}; allowed: up to spec.maximum, {}", pool.spec.minimum, pool.spec.maximum)};
  if (pool.spec.weight <= 0) return {false, FindingReason::invalid, "spec.weight: found 0; allowed: more than 0"};
  if (!pool.spec.targets_refused.empty())
    return {true, FindingReason::targets_malformed,
            fmt::format("{}; the pool counts as one without targets", pool.spec.targets_refused)};
  if (in_a_circle(pool, pools))
    return {
        true, FindingReason::parents_in_a_circle,
        fmt::format("spec.parent: {} leads back to this pool; it counts as a pool without a parent", pool.spec.parent)};
  if (!pool.spec.parent.empty() && !parent_of(pool, pools))
    return {
        true, FindingReason::parent_missing,
        fmt::format("spec.parent: there is no Pool {}; this pool counts as one without a parent", pool.spec.parent)};
  for (const auto& [name, other] : pools) {
    if (name == pool.meta.object.name) continue;
    if (other.spec.parent == pool.meta.object.name && (pool.spec.minimum > 0 || pool.spec.maximum > 0))
      return {true, FindingReason::limits_of_a_parent,
              fmt::format("minimum and maximum do not apply to a pool with children ({})", name)};
    for (const std::string& name_space : pool.spec.name_spaces)
      if (older(other.meta, pool.meta) && std::find(other.spec.name_spaces.begin(), other.spec.name_spaces.end(),
                                                    name_space) != other.spec.name_spaces.end())
        return {true, FindingReason::namespace_taken,
                fmt::format("spec.namespaces: {} belongs to the older Pool {}", name_space, name)};
  }
  return {};
}

double flat_weight(const PoolResource& pool, const PoolMap& pools) {
  const PoolResource* parent = parent_of(pool, pools);
  if (!parent || in_a_circle(pool, pools)) return pool.spec.weight;
  double siblings = 0;
  for (const auto& [name, other] : pools)
    if (other.spec.parent == pool.spec.parent) siblings += other.spec.weight;
  return flat_weight(*parent, pools) * pool.spec.weight / siblings;
}

}  // namespace lips::kubernetes
