#include "simulation/network_paths.h"

namespace lips::simulation {

NetworkPaths::NetworkPaths(const ClusterSnapshot& cluster, RackLink rack_link, SharedNetwork& network)
    : cluster_(cluster), rack_link_(rack_link) {
  const auto links = [&](std::size_t count, MebibytesPerSecond capacity) {
    std::vector<LinkId> made;
    if (capacity.value() > 0)
      for (std::size_t i = 0; i < count; ++i) made.push_back(network.add_link(capacity));
    return made;
  };
  node_out_ = links(cluster.nodes.size(), cluster.network.node_link);
  node_in_ = links(cluster.nodes.size(), cluster.network.node_link);
  rack_out_ = links(cluster.racks.size(), cluster.network.rack_link);
  rack_in_ = links(cluster.racks.size(), cluster.network.rack_link);
  zone_pair_ = links(cluster.zones.size() * cluster.zones.size(), cluster.network.zone_link);
  racks_of_zone_.assign(cluster.zones.size(), 0);
  for (const Rack& rack : cluster.racks)
    if (rack.zone.valid()) ++racks_of_zone_[rack.zone.index()];
}

NetworkPaths::Place NetworkPaths::place(StoreId store) const {
  const DataStore& found = cluster_.stores[store];
  return found.node.valid() ? place(found.node) : Place{found.zone, RackId::none(), NodeId::none()};
}

NetworkPaths::Place NetworkPaths::place(NodeId node) const {
  return {cluster_.nodes[node].zone, cluster_.nodes[node].rack, node};
}

Path NetworkPaths::shuffle(ZoneId from, NodeId to) const {
  Place here = place(to);
  // In a zone with one rack, map output is in the rack of the reader.
  if (from == here.zone && racks_of_zone_[from.index()] <= 1) here.rack = RackId::none();
  return between({from, RackId::none(), NodeId::none()}, here);
}

Path NetworkPaths::between(const Place& from, const Place& to) const {
  Path path;
  if (from.node.valid() && from.node == to.node) {
    path.limit = cluster_.network.local_read;
    return path;
  }
  const bool across_zones = from.zone != to.zone;
  const bool across_racks = from.rack != to.rack;
  if (from.node.valid() && !node_out_.empty()) path.cross(node_out_[from.node.index()]);
  if (across_racks && from.rack.valid() && !rack_out_.empty()) path.cross(rack_out_[from.rack.index()]);
  if (across_zones && !zone_pair_.empty())
    path.cross(zone_pair_[from.zone.index() * cluster_.zones.size() + to.zone.index()]);
  const bool into_rack = across_racks || rack_link_ == RackLink::all;
  if (into_rack && to.rack.valid() && !rack_in_.empty()) path.cross(rack_in_[to.rack.index()]);
  if (to.node.valid() && !node_in_.empty()) path.cross(node_in_[to.node.index()]);
  path.limit = across_zones ? cluster_.network.remote_stream : cluster_.network.zone_stream;
  return path;
}

}  // namespace lips::simulation
