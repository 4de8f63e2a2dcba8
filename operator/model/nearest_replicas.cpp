#include "model/nearest_replicas.h"

namespace lips {

Location location_of(const ClusterSnapshot& cluster, NodeId node) {
  return {node, cluster.nodes[node].zone, cluster.nodes[node].rack};
}

Location location_of(const ClusterSnapshot& cluster, StoreId id) {
  const DataStore& store = cluster.stores[id];
  return {store.node, store.zone, store.node.valid() ? cluster.nodes[store.node].rack : RackId::none()};
}

Locality locality_of(const Location& store, const Location& reader) {
  if (store.node == reader.node) return Locality::node;
  if (store.zone != reader.zone) return Locality::remote;
  return reader.rack.valid() && store.rack == reader.rack ? Locality::rack : Locality::zone;
}

Locality locality_of(const ClusterSnapshot& cluster, StoreId store, NodeId node) {
  return locality_of(location_of(cluster, store), location_of(cluster, node));
}

namespace {

template <class LocationOf>
NearestReplica nearest(const std::vector<Replica>& replicas, const Location& reader, const CostModel& costs,
                       LocationOf location_of) {
  NearestReplica best;
  UsdPerMebibyte best_price;
  for (const Replica& replica : replicas) {
    const Location& where = location_of(replica.store);
    const Locality level = locality_of(where, reader);
    if (level > best.locality) continue;
    const UsdPerMebibyte price = costs.transfer(where.zone, reader.zone);
    if (level < best.locality || price < best_price) {
      best = {level, replica.store};
      best_price = price;
    }
  }
  return best;
}

}  // namespace

NearestReplica nearest_replica(const ClusterSnapshot& cluster, const CostModel& costs, BlockId block, NodeId node) {
  return block.valid() ? nearest_of(cluster.blocks[block].replicas, cluster, costs, node) : NearestReplica{};
}

NearestReplica nearest_of(const std::vector<Replica>& replicas, const ClusterSnapshot& cluster, const CostModel& costs,
                          NodeId node) {
  return nearest(replicas, location_of(cluster, node), costs,
                 [&](StoreId store) { return location_of(cluster, store); });
}

NearestReplicas::NearestReplicas(const ClusterSnapshot& cluster, const CostModel& costs)
    : cluster_(cluster), costs_(costs) {
  nodes_.reserve(cluster.nodes.size());
  for (const NodeId node : cluster.nodes.ids()) nodes_.push_back(location_of(cluster, node));
  stores_.reserve(cluster.stores.size());
  for (const StoreId store : cluster.stores.ids()) stores_.push_back(location_of(cluster, store));
}

NearestReplica NearestReplicas::of(BlockId block, const Location& reader) const {
  if (!block.valid()) return {};
  return nearest(cluster_.blocks[block].replicas, reader, costs_,
                 [&](StoreId store) -> const Location& { return stores_[store]; });
}

}  // namespace lips
