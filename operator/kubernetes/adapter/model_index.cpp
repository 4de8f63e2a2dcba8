#include "kubernetes/adapter/model_index.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

#include "kubernetes/adapter/listed_blocks.h"
#include "kubernetes/pods/amounts.h"
#include "kubernetes/pods/node_annotations.h"
#include "kubernetes/pods/node_pool.h"
#include "kubernetes/pods/zone_gate.h"
#include "model/node_labels.h"

namespace lips::kubernetes {
namespace {

// The node has a PreferNoSchedule taint, or may be removed soon.
bool is_to_be_avoided(const Node& node) {
  return std::any_of(node.taints.begin(), node.taints.end(), [](const Taint& taint) {
    return taint.effect == "PreferNoSchedule" || taint.key == "DeletionCandidateOfClusterAutoscaler";
  });
}

// Another node is used instead if it costs at most this factor more.
constexpr double avoidance = 1.05;

// By which StorageClasses and volumes name zones; the drivers write them on their nodes.
constexpr std::array zone_labels_of_drivers{"topology.ebs.csi.aws.com/zone", "topology.gke.io/zone",
                                            "topology.disk.csi.azure.com/zone"};

// A node has no limit of a resource for which it has no number.
constexpr double unlimited = 1e6;

template <class IdType>
IdType found(const std::map<std::string, IdType>& ids, const std::string& name) {
  const auto place = ids.find(name);
  return place == ids.end() ? IdType::none() : place->second;
}

// A store outside all zones has a zone of its own in the model, whose name no label can have.
std::string zone_of(const StoreEntry& store) {
  return end_kind(store.kind) == EndKind::zone ? store.zone : "store/" + store.name;
}

}  // namespace

TextMap place_labels(const OfferEntry& offer) {
  TextMap place = place_selector(offer.zone, offer.capacity_type);
  if (!offer.pool.empty()) place.emplace_back(node_pool_label, offer.pool);
  std::sort(place.begin(), place.end());
  return place;
}

ModelIndex::Listing ModelIndex::list(const NodeCache& nodes, const PodClasses& classes, const DataView& data) {
  auto start = std::make_shared<ClusterSnapshot>();
  *this = ModelIndex(settings_);
  if (settings_.offers) {
    Offered offered = settings_.offers(nodes);
    for (OfferEntry& entry : offered.offers) {
      TextMap place = place_labels(entry);
      offers_.push_back({std::move(entry), std::move(place), {}, {}, {}, false});
    }
    limits_ = start->launch_limits = std::move(offered.limits);
  }
  extended_ = classes.extended();
  label_keys_ = classes.label_keys();
  classes_version_ = classes.version();
  start->extended_names = extended_.names();
  start->network = settings_.network;
  add_places(nodes, data, *start);
  add_nodes(nodes, *start);
  add_offers(*start);
  for (const PoolEntry& pool : data.pools)
    pools_[pool.name] = start->pools.push_back({.name = pool.name,
                                                .weight = pool.weight,
                                                .minimum = pool.minimum,
                                                .maximum = pool.maximum,
                                                .shortfall_price = pool.shortfall_price,
                                                .targets = pool.targets,
                                                .reclaim = pool.reclaim});
  add_data(nodes, data, *start);
  add_moves(data, *start);
  costs_ = costs(*start);
  if (settings_.prices_in_use) settings_.prices_in_use(prices_in_use_);
  return {std::move(start), costs_};
}

// Ids follow the order of names, not of arrival.
void ModelIndex::add_places(const NodeCache& nodes, const DataView& data, ClusterSnapshot& start) {
  std::map<std::pair<std::string, std::string>, RackId> racks;
  for (const auto& [name, record] : nodes.all()) {
    if (!record.node) continue;
    const NodePlace place = place_of(*record.node);
    zones_[place.zone];
    ends_[place.zone] = {EndKind::zone, place.region, place.zone};
    if (!place.rack.empty()) racks[{place.rack, place.zone}];
  }
  for (const KnownOffer& offer : offers_) {
    const OfferEntry& entry = offer.entry;
    zones_[entry.zone];
    ends_.try_emplace(entry.zone, TransferEnd{EndKind::zone, entry.region, entry.zone});
  }
  for (const StoreEntry& store : data.stores) {
    if (store.zone.empty()) continue;
    const std::string zone = zone_of(store);
    zones_[zone];
    const auto place = ends_.find(store.zone);
    const std::string of_zone = place == ends_.end() ? "" : place->second.region;
    const std::string region = store.region.empty() ? of_zone : store.region;
    ends_.try_emplace(zone, TransferEnd{end_kind(store.kind), region, zone});
  }
  for (auto entry = zones_.begin(); entry != zones_.end();) {
    if (start.zones.size() == ZoneSet::max_zones) {
      entry = zones_.erase(entry);
      continue;
    }
    entry->second = start.zones.push_back({entry->first});
    zone_names_.push_back(entry->first);
    ++entry;
  }
  for (auto& [key, id] : racks)
    if (const ZoneId zone = found(zones_, key.second); zone.valid())
      racks_[key.first + '\n' + key.second] = start.racks.push_back({key.first, zone});
}

void ModelIndex::add_nodes(const NodeCache& nodes, ClusterSnapshot& start) {
  for (const auto& [name, record] : nodes.all()) {
    if (!record.node) continue;
    const NodeProfile profile = projected(*record.node);
    if (const auto [known, added] = profiles_.try_emplace(profile); added)
      known->second = start.profiles.push_back(profile);
    if (!found(zones_, place_of(*record.node).zone).valid()) {
      ++left_out_;
      continue;
    }
    const NodeId id = start.nodes.push_back(model_node(*record.node, record.of_others()));
    nodes_[name] = id;
    node_names_.push_back(name);
    node_zones_.push_back(start.nodes[id].zone);
    const lips::Node& added = start.nodes[id];
    const PriceQuestion question{ends_[zone_names_[added.zone]].region, zone_names_[added.zone], added.instance_type,
                                 added.capacity_type, added.capacity.cpu};
    if (stated_price(*record.node)) continue;
    const NodePrice price = settings_.node_price(question);
    if (!price.known) unknown_prices_.emplace_back(name, added.instance_type);
    prices_in_use_.note(price, question.instance_type, question.zone);
  }
}

// As nodes that take no task, after those that are there. NodePools can allow hundreds of types: of those of a pool
// that no pod can tell apart, the cheapest.
void ModelIndex::add_offers(ClusterSnapshot& start) {
  using Alike = std::tuple<std::string, ZoneId, CapacityType, NodeProfile, Resources>;
  std::map<Alike, std::size_t> alike;
  std::vector<std::pair<KnownOffer, lips::Node>> kept;
  for (KnownOffer& offer : offers_) {
    if (!found(zones_, offer.entry.zone).valid()) continue;
    lips::Node like = like_node(offer.entry, offer.profile);
    offer.capacity = like.capacity;
    if (!offer.entry.pool.empty()) {
      const Alike kind{offer.entry.pool, like.zone, like.capacity_type, offer.profile, like.capacity};
      const auto [known, added] = alike.try_emplace(kind, kept.size());
      if (!added) {
        merged_offers_ = true;
        if (like.cpu_price < kept[known->second].second.cpu_price)
          kept[known->second] = {std::move(offer), std::move(like)};
        continue;
      }
    }
    kept.emplace_back(std::move(offer), std::move(like));
  }
  offers_ = {};
  for (auto& [offer, like] : kept) {
    const auto [profile, added] = profiles_.try_emplace(offer.profile);
    if (added) profile->second = start.profiles.push_back(offer.profile);
    like.profile = profile->second;
    node_names_.push_back(like.name);
    node_zones_.push_back(like.zone);
    offer.like = start.nodes.push_back(std::move(like));
    const OfferEntry& entry = offer.entry;
    start.offers.push_back({offer.like, entry.left, entry.boot, entry.idle, entry.interruptions, entry.within,
                            entry.capacity.cpu, entry.capacity.memory});
    const PriceQuestion question{entry.region, entry.zone, entry.instance_type, entry.capacity_type,
                                 entry.capacity.cpu};
    prices_in_use_.note(settings_.node_price(question), entry.instance_type, entry.zone);
    offers_.push_back(std::move(offer));
  }
  if (!review_sold_out()) return;
  for (const OfferId id : offers_.ids()) start.offers[id].left = offers_[id].left();
}

// Without its profile's id.
lips::Node ModelIndex::like_node(const OfferEntry& entry, NodeProfile& profile) const {
  Node node;
  node.labels = place_labels(entry);
  node.labels.insert(node.labels.end(), entry.labels.begin(), entry.labels.end());
  node.labels.emplace_back(node_label::instance_type, entry.instance_type);
  if (!entry.region.empty()) node.labels.emplace_back(node_label::region, entry.region);
  for (const char* key : zone_labels_of_drivers) node.labels.emplace_back(key, entry.zone);
  std::sort(node.labels.begin(), node.labels.end());
  node.labels.erase(std::unique(node.labels.begin(), node.labels.end()), node.labels.end());
  node.taints = entry.taints;
  node.meta.name = "offer/" + entry.instance_type + '/' + entry.zone + '/';
  node.meta.name += to_string(entry.capacity_type);
  if (!entry.pool.empty()) node.meta.name += '/' + entry.pool;
  profile = projected(node);
  lips::Node like = model_node(node, {});
  like.fleet = FleetKind::elastic;
  const ExtendedAmounts unlimited_ones = std::move(like.capacity.extended);
  like.capacity = settings_.allocatable ? settings_.allocatable(entry) : entry.capacity;
  like.capacity.extended.add(unlimited_ones, 1);
  like.price = entry.price;
  if (like.capacity.cpu.value() > 0) like.cpu_price = full_packing_price(like.price, like.capacity.cpu, like.speed);
  like.schedulable = false;
  return like;
}

void ModelIndex::add_data(const NodeCache& nodes, const DataView& data, ClusterSnapshot& start) {
  for (const StoreEntry& entry : data.stores) {
    const NodeId node = found(nodes_, entry.node);
    const ZoneId zone = node.valid() ? start.nodes[node].zone : found(zones_, zone_of(entry));
    if (!zone.valid() || (entry.kind == StoreKind::node_directory && !node.valid())) continue;  // its node is missing
    if (entry.kind == StoreKind::node_directory) store_readable_[node] = nodes.find(entry.node)->node->ready;
    stores_[entry.name] = start.stores.push_back({entry.name, entry.kind, zone,
                                                  entry.kind == StoreKind::node_directory ? node : NodeId::none(),
                                                  entry.capacity, Mebibytes(0), entry.price});
    store_names_.push_back(entry.name);
    store_zones_.push_back(zone);
  }
  // The directory of a node that is not ready cannot be read.
  const auto readable_store = [&](const std::string& name) {
    const StoreId id = store(name);
    if (!id.valid()) return id;
    const NodeId on = start.stores[id].node;
    return !on.valid() || store_readable_[on] ? id : StoreId::none();
  };
  std::size_t blocks = 0;
  for (const DataSetEntry& entry : data.data_sets) blocks += entry.layout.count();
  start.blocks.reserve(blocks);
  block_sizes_.reserve(blocks);
  for (const DataSetEntry& entry : data.data_sets) {
    const DataLayout& layout = entry.layout;
    const BlockId first(static_cast<std::uint32_t>(start.blocks.size()));
    const auto pool = pools_.find(entry.pool);
    const DataSetId id = start.data_sets.push_back({entry.name, first, layout.native, Mebibytes(0), layout.code,
                                                    pool == pools_.end() ? PoolId::none() : pool->second});
    add_blocks(entry, id, readable_store, start);
    for (std::uint32_t number = 0; number < layout.count(); ++number)
      block_sizes_.push_back(start.blocks[BlockId(first.index() + number)].size);
    data_sets_[entry.name] = {id, first, layout.count(), layout.native, layout.code};
    if (layout.count() > 0) first_blocks_[first] = entry.name;
  }
}

void ModelIndex::add_moves(const DataView& data, ClusterSnapshot& start) const {
  for (const MoveEntry& move : data.moves) {
    const KnownDataSet* set = data_set(move.data_set);
    const StoreId from = store(move.from), to = store(move.to);
    if (set && move.block < set->blocks && from.valid() && to.valid())
      start.moves.push_back({move.id, BlockId(set->first.index() + move.block), from, to});
  }
}

CostModel ModelIndex::costs(const ClusterSnapshot& start) const {
  std::vector<TransferEnd> ends;
  for (ZoneId zone : start.zones.ids()) ends.push_back(ends_.at(zone_names_[zone]));
  return CostModel(transfer_table(ends, settings_.transfer_price));
}

// Keeps only labels that some pod selects on: nodes that no pod can tell apart share a profile.
NodeProfile ModelIndex::projected(const Node& node) const {
  NodeProfile profile = profile_of(node);
  std::erase_if(profile.labels, [&](const auto& entry) { return !label_keys_.contains(entry.first); });
  return profile;
}

lips::Node ModelIndex::model_node(const Node& node, const ResourceAmounts& others) const {
  const NodePlace place = place_of(node);
  lips::Node result;
  result.name = node.meta.name;
  result.zone = found(zones_, place.zone);
  if (!place.rack.empty()) result.rack = found(racks_, place.rack + '\n' + place.zone);
  if (const auto profile = profiles_.find(projected(node)); profile != profiles_.end())
    result.profile = profile->second;
  result.instance_type = place.instance_type;
  result.capacity_type = place.capacity_type;
  result.fleet = fleet_of(node);
  result.capacity = capacity_of(node);
  result.others = resources_of(others, extended_);
  result.others.cpu = std::max(result.others.cpu, Cores(0));  // a shrunken pod of ours frees nothing for others
  result.others.memory = std::max(result.others.memory, Mebibytes(0));
  const PriceQuestion question{place.region, place.zone, place.instance_type, place.capacity_type, result.capacity.cpu};
  const std::optional<UsdPerHour> stated = stated_price(node);
  const NodePrice price = settings_.node_price(question);
  result.price = stated.value_or(price.price);
  result.speed =
      price.speed == 1 && settings_.learned_speed ? settings_.learned_speed(place.instance_type) : price.speed;
  if (result.capacity.cpu.value() > 0)
    result.cpu_price = full_packing_price(result.price, result.capacity.cpu, result.speed);
  if (is_to_be_avoided(node)) result.preference = avoidance;
  result.schedulable = node.ready && !node.unschedulable && !node.deleting;
  return result;
}

Resources ModelIndex::capacity_of(const Node& node) const {
  Resources capacity = resources_of(node.allocatable, extended_);
  for (const ResourceId resource : extended_.names().ids()) {
    const std::string& name = extended_.names()[resource];
    const auto named = [&](const auto& entry) { return entry.first == name; };
    if (name.starts_with(volumes_of_driver) && std::none_of(node.allocatable.begin(), node.allocatable.end(), named))
      capacity.extended.set(resource, unlimited);
  }
  return capacity;
}

std::optional<lips::Node> ModelIndex::node_now(const NodeRecord& record, std::vector<ClusterEvent>& events) {
  if (!record.node) return std::nullopt;
  const NodePlace place = place_of(*record.node);
  lips::Node node = model_node(*record.node, record.of_others());
  const bool rack_known = place.rack.empty() || node.rack.valid();
  if (!node.zone.valid() || !rack_known) return std::nullopt;
  if (!node.profile.valid()) node.profile = profile_id(projected(*record.node), events);
  return node;
}

ProfileId ModelIndex::profile_id(const NodeProfile& profile, std::vector<ClusterEvent>& events) {
  const auto [known, added] = profiles_.try_emplace(profile, ProfileId(static_cast<std::uint32_t>(profiles_.size())));
  if (added) events.emplace_back(ProfileAdded{profile});
  return known->second;
}

bool ModelIndex::store_moved(const NodeRecord& record) const {
  if (!record.node) return false;
  const auto readable = store_readable_.find(node(record.node->meta.name));
  return readable != store_readable_.end() && readable->second != record.node->ready;
}

bool ModelIndex::learn(const PodClasses& classes, const NodeCache& nodes, std::vector<ClusterEvent>& events) {
  if (std::exchange(classes_version_, classes.version()) == classes.version()) return false;
  std::set<std::string> fresh_labels, fresh_resources;
  for (const std::string& key : classes.label_keys())
    if (label_keys_.insert(key).second) fresh_labels.insert(key);
  for (const std::string& name : classes.extended().names()) {
    if (extended_.find(name).valid()) continue;
    extended_.add({{name, 0}});
    fresh_resources.insert(name);
    events.emplace_back(ResourceAdded{name});
  }
  const bool volumes = std::any_of(fresh_resources.begin(), fresh_resources.end(),
                                   [](const std::string& name) { return name.starts_with(volumes_of_driver); });
  const auto any_of = [](const auto& entries, const std::set<std::string>& names) {
    return std::any_of(entries.begin(), entries.end(), [&](const auto& entry) { return names.contains(entry.first); });
  };
  for (const auto& [name, record] : nodes.all()) {
    const NodeId id = node(name);
    if (!id.valid() || !record.node) continue;
    const bool by_label = any_of(record.node->labels, fresh_labels) || fresh_labels.contains(node_name_key);
    const bool by_resource =
        volumes || any_of(record.node->allocatable, fresh_resources) || any_of(record.of_others(), fresh_resources);
    if (!by_label && !by_resource) continue;
    if (const std::optional<lips::Node> now = node_now(record, events)) events.emplace_back(NodeChanged{id, *now});
  }
  for (KnownOffer& offer : offers_) {
    NodeProfile profile;
    lips::Node like = like_node(offer.entry, profile);
    if (profile == offer.profile && like.capacity == offer.capacity) continue;
    offer.profile = std::move(profile);
    offer.capacity = like.capacity;
    like.profile = profile_id(offer.profile, events);
    events.emplace_back(NodeChanged{offer.like, std::move(like)});
  }
  return merged_offers_ && !fresh_labels.empty();
}

NodeId ModelIndex::node(const std::string& name) const { return found(nodes_, name); }
ZoneId ModelIndex::zone(const std::string& name) const { return found(zones_, name); }

ZoneId ModelIndex::zone_of_node(const std::string& name) const {
  const NodeId id = node(name);
  return id.valid() ? node_zones_[id] : ZoneId::none();
}
StoreId ModelIndex::store(const std::string& name) const { return found(stores_, name); }

std::optional<UsdPerMebibyte> ModelIndex::transfer_price(const std::string& from, const std::string& to) const {
  const StoreId source = store(from), target = store(to);
  if (!source.valid() || !target.valid()) return std::nullopt;
  return costs_.transfer(store_zones_[source], store_zones_[target]);
}

std::optional<UsdPerMebibyte> ModelIndex::read_price(const std::string& from, const std::string& node) const {
  const StoreId source = store(from);
  const ZoneId zone = zone_of_node(node);
  if (!source.valid() || !zone.valid()) return std::nullopt;
  return costs_.transfer(store_zones_[source], zone);
}

UsdPerHour ModelIndex::price_of(const Node& node) const {
  if (const std::optional<UsdPerHour> stated = stated_price(node)) return *stated;
  const NodePlace place = place_of(node);
  return settings_
      .node_price({place.region, place.zone, place.instance_type, place.capacity_type, capacity_of(node).cpu})
      .price;
}

StoreId ModelIndex::nearest(const std::vector<std::string>& stores, ZoneId zone) const {
  StoreId best;
  const auto distance = [&](StoreId id) {
    return std::tuple(store_zones_[id] != zone, costs_.transfer(store_zones_[id], zone).value(), id);
  };
  for (const std::string& name : stores)
    if (const StoreId id = store(name); id.valid() && (!best.valid() || distance(id) < distance(best))) best = id;
  return best;
}

const ModelIndex::KnownDataSet* ModelIndex::data_set(const std::string& name) const {
  const auto known = data_sets_.find(name);
  return known == data_sets_.end() ? nullptr : &known->second;
}

std::pair<std::string, std::uint32_t> ModelIndex::block_name(BlockId block) const {
  const auto after = first_blocks_.upper_bound(block);
  const auto& [first, name] = *std::prev(after);
  return {name, block.index() - first.index()};
}

Mebibytes ModelIndex::size_of(BlockId first, std::uint32_t blocks) const {
  Mebibytes size;
  for (std::uint32_t i = 0; i < blocks; ++i) size += block_sizes_[BlockId(first.index() + i)];
  return size;
}

ConstraintId ModelIndex::constraint(const PlacementConstraint& constraint, std::vector<ClusterEvent>& events) {
  const auto [known, added] =
      constraints_.try_emplace(constraint, ConstraintId(static_cast<std::uint32_t>(constraints_.size())));
  if (added) events.emplace_back(ConstraintAdded{constraint});
  return known->second;
}

// An undefined pool is a namespace with weight one.
PoolId ModelIndex::pool(const std::string& name, std::vector<ClusterEvent>& events) {
  const auto [known, added] = pools_.try_emplace(name, PoolId(static_cast<std::uint32_t>(pools_.size())));
  if (added) events.emplace_back(PoolAdded{{name, 1, {}, {}, {}}});
  return known->second;
}

std::string ModelIndex::pool_name(PoolId pool) const {
  const auto named = std::find_if(pools_.begin(), pools_.end(), [&](const auto& each) { return each.second == pool; });
  return named == pools_.end() ? "" : named->first;
}

WholeJobId ModelIndex::whole_job(const std::string& key) {
  return whole_jobs_.try_emplace(key, WholeJobId(static_cast<std::uint32_t>(whole_jobs_.size()))).first->second;
}

StoredShares ModelIndex::stored(const ShareMemory& shares) const {
  StoredShares result{shares, std::vector<std::string>(pools_.size())};
  for (const auto& [name, id] : pools_) result.pools[id.index()] = name;
  return result;
}

std::optional<ShareMemory> ModelIndex::remembered(const StoredShares& stored) const {
  if (stored.pools.size() != pools_.size()) return std::nullopt;
  ShareMemory shares = stored.shares;
  std::set<PoolId> placed;
  for (std::size_t i = 0; i < stored.pools.size(); ++i) {
    const PoolId id = found(pools_, stored.pools[i]);
    if (!id.valid() || !placed.insert(id).second) return std::nullopt;
    shares.slots[id.index()] = stored.shares.slots[i];
  }
  return shares;
}

Resources ModelIndex::request(const PodNeeds& needs) const { return request_of(needs.requests, extended_); }

}  // namespace lips::kubernetes
