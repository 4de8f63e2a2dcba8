#include "twin/recorded_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/offered_nodes.h"
#include "model/stripe.h"
#include "twin/find_or_add.h"

namespace lips::twin {

namespace {

// Ids of extended resources change from record to record.
Resources plain_size(const Node& node) {
  Resources size = node.capacity;
  size.extended = {};
  return size;
}

// The room that others leave, as the whole node.
Node without_others(Node node) {
  node.capacity -= node.others;
  node.others = Resources{Cores(0), Mebibytes(0), 0};
  return node;
}

bool of_one_type(const Node& one, const Node& other) {
  return one.zone == other.zone && one.instance_type == other.instance_type && one.capacity_type == other.capacity_type;
}

double apart(const Resources& one, const Resources& other) {
  const auto share = [](double a, double b) { return std::abs(a - b) / std::max({std::abs(a), std::abs(b), 1e-9}); };
  return share(one.cpu.value(), other.cpu.value()) + share(one.memory.value(), other.memory.value()) +
         share(one.slots, other.slots);
}

// Its zone, its rack and its profile are found by name in the tables of the cluster.
template <class Seen>
std::optional<Node> placed(const Seen& seen, ClusterSnapshot& cluster) {
  Node node = without_others(seen.node);
  const auto zone = std::ranges::find(cluster.zones.items(), seen.zone, &Zone::name);
  if (zone == cluster.zones.items().end()) return std::nullopt;
  node.zone = ZoneId(static_cast<std::uint32_t>(zone - cluster.zones.items().begin()));
  node.rack = seen.rack.empty() ? RackId::none() : find_or_add(cluster.racks, Rack{seen.rack, node.zone}, of_one_name);
  node.profile = find_or_add(cluster.profiles, seen.profile, equal);
  node.capacity.extended = {};
  for (const auto& [name, amount] : seen.extended)
    node.capacity.extended.set(find_or_add(cluster.extended_names, name, equal), amount);
  node.schedulable = true;
  return node;
}

}  // namespace

RecordedCluster::OfferKey RecordedCluster::key_of(const ClusterSnapshot& record, const Node& like) {
  return {record.zones[like.zone].name, like.instance_type, like.capacity_type, plain_size(like)};
}

RecordedCluster::SeenNode RecordedCluster::seen(const ClusterSnapshot& record, const Node& node) {
  SeenNode result;
  result.node = node;
  result.zone = record.zones[node.zone].name;
  if (node.rack.valid()) result.rack = record.racks[node.rack].name;
  if (node.profile.valid()) result.profile = record.profiles[node.profile];
  for (const auto& [resource, amount] : node.capacity.extended)
    result.extended.emplace_back(record.extended_names[resource], amount - node.others.extended[resource]);
  result.elastic = node.fleet == FleetKind::elastic;
  return result;
}

RecordedCluster::TakenOn RecordedCluster::taken_by(const std::vector<ServicePods>& services) {
  TakenOn taken;
  for (const ServicePods& service : services)
    for (const auto& [node, pods] : service.on) {
      Taken& here = taken[node];
      here.plain += service.request * static_cast<std::int32_t>(pods);
      for (const auto& [name, amount] : service.extended) here.extended[name] += amount * pods;
    }
  return taken;
}

// The rest of the others is there on every node of its kind, such as DaemonSets.
Node RecordedCluster::without_services(const ClusterSnapshot& record, Node node) const {
  const auto found = taken_.find(node.name);
  if (found == taken_.end()) return node;
  const Taken& taken = found->second;
  node.others.cpu = std::max(Cores(0), node.others.cpu - taken.plain.cpu);
  node.others.memory = std::max(Mebibytes(0), node.others.memory - taken.plain.memory);
  node.others.slots = std::max(0, node.others.slots - taken.plain.slots);
  for (const ResourceId resource : record.extended_names.ids())
    if (const auto amount = taken.extended.find(record.extended_names[resource]); amount != taken.extended.end())
      node.others.extended.set(resource, std::max(0.0, node.others.extended[resource] - amount->second));
  return node;
}

// Two offers of one type may differ in size, and offers leave out what DaemonSets take: a node is of the offer that is
// nearest to what it leaves.
std::uint32_t RecordedCluster::launched_like(const ClusterSnapshot& record, const Node& like) const {
  std::uint32_t count = 0;
  for (const Node& node : record.nodes) {
    if (!node.schedulable || node.fleet != FleetKind::elastic || !of_one_type(node, like)) continue;
    const Resources size = plain_size(without_others(without_services(record, node)));
    const double distance = apart(size, plain_size(like));
    count += std::ranges::none_of(record.offers, [&](const Offer& other) {
      const Node& another = record.nodes[other.like];
      return of_one_type(another, like) && apart(size, plain_size(another)) < distance;
    });
  }
  return count;
}

void RecordedCluster::add(const ClusterSnapshot& record, const std::vector<ServicePods>& services) {
  if (records_++ == 0) began_ = record.now;
  taken_ = taken_by(services);
  add_nodes(record);
  add_offers(record);
  add_data(record);
}

// A node that is not listed, or takes no tasks, is away.
void RecordedCluster::add_nodes(const ClusterSnapshot& record) {
  const IdVector<NodeId, bool> offered = offered_only(record);
  for (const NodeId id : record.nodes.ids()) {
    const Node& node = record.nodes[id];
    if (offered[id] || (node.fleet == FleetKind::elastic && !record.offers.empty())) {
      elastic_at_first_ += records_ == 1 && node.schedulable && !offered[id];
      continue;
    }
    const auto [known, added] = node_of_.try_emplace(node.name, nodes_.size());
    if (added) {
      nodes_.push_back(seen(record, without_services(record, node)));
      if (records_ > 1) nodes_.back().down_since = began_;
    }
    SeenNode& here = nodes_[known->second];
    here.record = records_;
    if (!node.schedulable) {
      if (!here.down_since) here.down_since = record.now;
      continue;
    }
    price_changes_ += here.node.price != node.price;
    if (here.down_since)
      here.away.push_back({NodeId(), *here.down_since, record.now - *here.down_since, lost_data(record, node.name)});
    SeenNode now = seen(record, without_services(record, node));
    now.away = std::move(here.away), now.ever_up = true, now.record = records_;
    here = std::move(now);
  }
  for (SeenNode& node : nodes_)
    if (node.record != records_ && !node.down_since) node.down_since = record.now;
}

// Says of a node that is back whether none of the blocks that its directory had is there any more. While it is away
// nobody sees them.
bool RecordedCluster::lost_data(const ClusterSnapshot& record, const std::string& node) const {
  std::string directory;
  for (const SeenStore& store : stores_)
    if (store.node == node) directory = store.store.name;
  if (directory.empty()) return false;
  for (const Block& block : record.blocks)
    for (const Replica& replica : block.replicas)
      if (record.stores[replica.store].name == directory) return false;
  return std::ranges::any_of(data_sets_, [&](const SeenDataSet& data_set) {
    return std::ranges::any_of(data_set.replicas, [&](const auto& replicas) {
      return std::ranges::any_of(replicas, [&](const auto& replica) { return replica.first == directory; });
    });
  });
}

void RecordedCluster::add_offers(const ClusterSnapshot& record) {
  for (const Offer& offer : record.offers) {
    const Node& like = record.nodes[offer.like];
    const OfferKey key = key_of(record, like);
    std::uint32_t& most = most_[key];
    most = std::max({most, std::min(most_offered, offer.left), launched_like(record, like)});
    const auto [price, added] = offer_price_.try_emplace(key, like.price);
    price_changes_ += !added && std::exchange(price->second, like.price) != like.price;
  }
}

// Data as they were when they were whole for the first time.
void RecordedCluster::add_data(const ClusterSnapshot& record) {
  for (const DataStore& store : record.stores)
    if (store_of_.try_emplace(store.name, stores_.size()).second)
      stores_.push_back({store, store.zone.valid() ? record.zones[store.zone].name : "",
                         store.node.valid() ? record.nodes[store.node].name : ""});
  for (const DataSet& data_set : record.data_sets) {
    const auto [known, added] = data_set_of_.try_emplace(data_set.name, data_sets_.size());
    if (added) data_sets_.emplace_back();
    SeenDataSet& here = data_sets_[known->second];
    if (here.whole) continue;
    here = {data_set, {}, {}, true};
    const std::uint32_t blocks = data_set.blocks + (is_coded(data_set) ? parity_blocks(data_set) : 0);
    for (std::uint32_t i = 0; i < blocks; ++i) {
      const Block& block = record.blocks[BlockId(data_set.first_block.index() + i)];
      here.sizes.push_back(block.size);
      here.whole &= !block.replicas.empty();
      auto& replicas = here.replicas.emplace_back();
      for (const Replica& replica : block.replicas)
        replicas.emplace_back(record.stores[replica.store].name, replica.extra);
    }
  }
}

void RecordedCluster::place_nodes(bool offers, Start& start, std::unordered_map<std::string, NodeId>& places) const {
  for (const SeenNode& seen : nodes_) {
    if (seen.elastic && offers) continue;
    if (!seen.ever_up) {
      ++start.never_up;
      continue;
    }
    std::optional<Node> node = placed(seen, start.cluster);
    if (!node) {
      ++start.elsewhere;
      continue;
    }
    start.elastic_stay |= seen.elastic;
    node->fleet = FleetKind::fixed;
    const NodeId id = start.cluster.nodes.push_back(*std::move(node));
    places[seen.node.name] = id;
    for (simulation::NodeFailure away : seen.away) {
      away.node = id, away.at = TimePoint(away.at - began_);
      start.failures.push_back(away);
    }
    if (seen.down_since) start.failures.push_back({id, TimePoint(*seen.down_since - began_), Duration(0), false});
  }
  start.fixed = start.cluster.nodes.size();
  std::ranges::stable_sort(start.failures, {}, &simulation::NodeFailure::at);
}

void RecordedCluster::place_offers(const ClusterSnapshot& last, Start& start) const {
  simulation::AutoscalerSettings& autoscaler = start.fleet.autoscaler;
  start.fleet.limits = last.launch_limits;
  for (const Offer& offer : last.offers) {
    const Node& like = last.nodes[offer.like];
    const std::uint32_t launched = launched_like(last, like),
                        limit = std::min(most_offered, most_.at(key_of(last, like)));
    if (limit == 0) continue;
    start.fleet.offers.push_back({NodeId(static_cast<std::uint32_t>(start.cluster.nodes.size())), limit, offer.boot,
                                  offer.interruptions, offer.within});
    if (offer.within.valid()) start.fleet.limits[offer.within].give_back(like.capacity, launched);
    const StoreId directory = last.node_store.contains(offer.like) ? last.node_store[offer.like] : StoreId::none();
    for (std::uint32_t i = 0; i < limit; ++i) {
      Node node = without_others(like);
      node.name += fmt::format("-{}", i);
      node.fleet = FleetKind::elastic;
      node.schedulable = true;
      const NodeId id = start.cluster.nodes.push_back(std::move(node));
      if (!directory.valid()) continue;
      DataStore store = last.stores[directory];
      store.name = start.cluster.nodes[id].name, store.node = id, store.used = Mebibytes(0);
      start.cluster.stores.push_back(std::move(store));
    }
    if (offer.idle >= simulation::longest_idle)
      autoscaler.consolidation = simulation::Consolidation::never;
    else
      autoscaler.consolidate_after =
          std::max(Duration(0), offer.idle - simulation::idle_time(simulation::AutoscalerSettings{}));
  }
}

// Stores but those of nodes that are left out or elastic, and data with its own replicas; of a block that has only
// extra copies, these.
void RecordedCluster::place_data(const std::unordered_map<std::string, NodeId>& places,
                                 ClusterSnapshot& cluster) const {
  std::unordered_map<std::string, StoreId> stores;
  for (const SeenStore& seen : stores_) {
    DataStore store = seen.store;
    store.zone = ZoneId::none(), store.node = NodeId::none(), store.used = Mebibytes(0);
    for (const ZoneId zone : cluster.zones.ids())
      if (cluster.zones[zone].name == seen.zone) store.zone = zone;
    const auto node = places.find(seen.node);
    if (!seen.node.empty() && node == places.end()) continue;
    if (!store.zone.valid()) continue;
    if (!seen.node.empty()) store.node = node->second;
    stores[seen.store.name] = cluster.stores.push_back(std::move(store));
  }
  for (const SeenDataSet& seen : data_sets_) {
    DataSet data_set = seen.data_set;
    data_set.first_block = BlockId(static_cast<std::uint32_t>(cluster.blocks.size()));
    const DataSetId id = cluster.data_sets.push_back(std::move(data_set));
    for (std::size_t i = 0; i < seen.sizes.size(); ++i) {
      Block block;
      block.data_set = id, block.size = seen.sizes[i];
      for (const bool extra : {false, true})
        for (const auto& [name, is_extra] : seen.replicas[i])
          if (const auto store = stores.find(name);
              is_extra == extra && store != stores.end() && (!extra || block.replicas.empty()))
            block.replicas.push_back({store->second, false, TimePoint{}});
      std::ranges::sort(block.replicas, {}, &Replica::store);
      cluster.blocks.push_back(std::move(block));
    }
  }
}

RecordedCluster::Start RecordedCluster::start(const ClusterSnapshot& last) const {
  Start result;
  ClusterSnapshot& cluster = result.cluster;
  cluster.zones = last.zones;
  cluster.racks = last.racks;
  cluster.extended_names = last.extended_names;
  cluster.profiles = last.profiles;
  cluster.constraints = last.constraints;
  cluster.network = last.network;
  cluster.pools = last.pools;
  for (Pool& pool : cluster.pools) pool.waiting_factor = 1, pool.unpaid_room = CpuSeconds(0);
  std::unordered_map<std::string, NodeId> places;
  place_nodes(!last.offers.empty(), result, places);
  place_data(places, cluster);
  place_offers(last, result);
  return result;
}

}  // namespace lips::twin
