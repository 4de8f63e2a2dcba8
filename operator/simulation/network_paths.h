// The links that a read, a shuffle or a copy crosses. Unlimited links are left out, and so cost nothing.
#pragma once

#include <vector>

#include "model/snapshot.h"
#include "simulation/network_sharing.h"
#include "simulation/scenario.h"

namespace lips::simulation {

class NetworkPaths {
 public:
  // Adds the limited links of the cluster to the network. Cluster and network must outlive this.
  NetworkPaths(const ClusterSnapshot& cluster, RackLink rack_link, SharedNetwork& network);

  Path read(StoreId from, NodeId to) const { return between(place(from), place(to)); }
  // Map output is spread over a zone, so no single interface sends it.
  Path shuffle(ZoneId from, NodeId to) const;
  // Map output that goes to some node of a rack.
  Path push(NodeId from, RackId to) const {
    return between(place(from), {cluster_.racks[to].zone, to, NodeId::none()});
  }
  Path copy(StoreId from, StoreId to) const { return between(place(from), place(to)); }

 private:
  struct Place {
    ZoneId zone;
    RackId rack;  // none: outside of the racks
    NodeId node;  // none: not a node
  };
  Place place(StoreId store) const;
  Place place(NodeId node) const;
  Path between(const Place& from, const Place& to) const;

  const ClusterSnapshot& cluster_;
  RackLink rack_link_;
  std::vector<LinkId> node_out_, node_in_, rack_out_, rack_in_, zone_pair_;  // empty: unlimited
  std::vector<std::uint32_t> racks_of_zone_;
};

}  // namespace lips::simulation
