#include "cmd/tune/recorded_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/offered_nodes.h"

namespace lips::cmd {

namespace {

// The room that others leave, as the whole node.
Node without_others(Node node) {
  node.capacity -= node.others;
  node.others = Resources{Cores(0), Mebibytes(0), 0};
  return node;
}

// Returns for each node of the record its place here, or none.
IdVector<NodeId, NodeId> add_fixed_nodes(const ClusterSnapshot& record, RecordedCluster& result) {
  IdVector<NodeId, NodeId> places(record.nodes.size());
  const IdVector<NodeId, bool> offered = offered_only(record);
  for (const NodeId id : record.nodes.ids()) {
    const Node& node = record.nodes[id];
    const bool elastic = node.fleet == FleetKind::elastic;
    if (offered[id] || (elastic && !record.offers.empty())) continue;
    if (!node.schedulable) {
      ++result.unschedulable;
      continue;
    }
    result.elastic_stay |= elastic;
    Node kept = without_others(node);
    kept.fleet = FleetKind::fixed;
    places[id] = result.cluster.nodes.push_back(std::move(kept));
  }
  result.fixed = result.cluster.nodes.size();
  return places;
}

std::uint32_t launched_like(const ClusterSnapshot& record, const Node& like) {
  return static_cast<std::uint32_t>(std::count_if(record.nodes.begin(), record.nodes.end(), [&](const Node& node) {
    return node.schedulable && node.fleet == FleetKind::elastic && node.zone == like.zone &&
           node.instance_type == like.instance_type && node.capacity_type == like.capacity_type;
  }));
}

void add_offers(const ClusterSnapshot& record, RecordedCluster& result) {
  simulation::AutoscalerSettings& autoscaler = result.fleet.autoscaler;
  result.fleet.limits = record.launch_limits;
  for (const Offer& offer : record.offers) {
    const Node& like = record.nodes[offer.like];
    const std::uint32_t limit =
        std::min(most_offered, std::min(most_offered, offer.left) + launched_like(record, like));
    if (limit == 0) continue;
    result.fleet.offers.push_back({NodeId(static_cast<std::uint32_t>(result.cluster.nodes.size())), limit, offer.boot,
                                   offer.interruptions, offer.within});
    if (offer.within.valid()) result.fleet.limits[offer.within].give_back(like.capacity, launched_like(record, like));
    for (std::uint32_t i = 0; i < limit; ++i) {
      Node node = without_others(like);
      node.name += fmt::format("-{}", i);
      node.fleet = FleetKind::elastic;
      node.schedulable = true;
      result.cluster.nodes.push_back(std::move(node));
    }
    if (offer.idle >= simulation::longest_idle)
      autoscaler.consolidation = simulation::Consolidation::never;
    else
      autoscaler.consolidate_after =
          std::max(Duration(0), offer.idle - simulation::idle_time(simulation::AutoscalerSettings{}));
  }
}

// Stores but those of nodes that are gone, and data with its own replicas; of a block that has only extra copies,
// these.
void add_data(const ClusterSnapshot& record, const IdVector<NodeId, NodeId>& places, ClusterSnapshot& cluster) {
  IdVector<StoreId, StoreId> stores(record.stores.size());
  for (const StoreId id : record.stores.ids()) {
    DataStore store = record.stores[id];
    if (store.node.valid()) {
      store.node = places[store.node];
      if (!store.node.valid()) continue;
    }
    stores[id] = cluster.stores.push_back(std::move(store));
  }
  cluster.data_sets = record.data_sets;
  for (const Block& had : record.blocks) {
    Block block = had;
    block.replicas.clear();
    for (const bool extra : {false, true})
      for (const Replica& replica : had.replicas)
        if (replica.extra == extra && stores[replica.store].valid() && (!extra || block.replicas.empty()))
          block.replicas.push_back({stores[replica.store], false, TimePoint{}});
    cluster.blocks.push_back(std::move(block));
  }
}

}  // namespace

RecordedCluster recorded_cluster(const ClusterSnapshot& record) {
  RecordedCluster result;
  ClusterSnapshot& cluster = result.cluster;
  cluster.zones = record.zones;
  cluster.racks = record.racks;
  cluster.extended_names = record.extended_names;
  cluster.profiles = record.profiles;
  cluster.constraints = record.constraints;
  cluster.network = record.network;
  cluster.pools = record.pools;
  for (Pool& pool : cluster.pools) pool.waiting_factor = 1;
  const IdVector<NodeId, NodeId> places = add_fixed_nodes(record, result);
  add_offers(record, result);
  add_data(record, places, cluster);
  return result;
}

}  // namespace lips::cmd
