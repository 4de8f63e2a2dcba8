// nearest_replica() for many reads: where the stores are lies close together.
#pragma once

#include "model/snapshot.h"

namespace lips {

// Where a store or a node is, and its node: all that the nearness of a read depends on.
struct Location {
  NodeId node;
  ZoneId zone;
  RackId rack;
};
Location location_of(const ClusterSnapshot& cluster, StoreId store);
Location location_of(const ClusterSnapshot& cluster, NodeId node);
Locality locality_of(const Location& store, const Location& reader);

// nearest_replica() of these.
NearestReplica nearest_of(const std::vector<Replica>& replicas, const ClusterSnapshot& cluster, const CostModel& costs,
                          NodeId node);

class NearestReplicas {
 public:
  NearestReplicas(const ClusterSnapshot& cluster, const CostModel& costs);
  NearestReplica of(BlockId block, const Location& reader) const;
  const Location& at(StoreId store) const { return stores_[store]; }
  const Location& at(NodeId node) const { return nodes_[node]; }

 private:
  const ClusterSnapshot& cluster_;
  const CostModel& costs_;
  IdVector<StoreId, Location> stores_;
  IdVector<NodeId, Location> nodes_;
};

}  // namespace lips
