#include "telemetry/metrics/zone_nodes.h"

#include <array>
#include <vector>

#include "model/offered_nodes.h"

namespace lips {

namespace {

constexpr std::array zone_sums{MetricLabel{"lips_node_dollars_total", "zone"},
                               MetricLabel{"lips_node_core_seconds_total", "zone"}};

}  // namespace

ZoneNodes::Count ZoneNodes::look(const ClusterSnapshot& cluster, bool lists_absent) {
  std::vector<std::array<std::uint64_t, 2>> nodes(cluster.zones.size());
  const IdVector<NodeId, bool> absent = absent_nodes(cluster, lists_absent);
  for (const NodeId id : cluster.nodes.ids()) {
    const Node& node = cluster.nodes[id];
    if (!absent[id] && cluster.zones.contains(node.zone)) ++nodes[node.zone.index()][node.schedulable];
  }
  Count count;
  std::set<std::string> gone = zones_;
  for (const ZoneId zone : cluster.zones.ids()) {
    const std::string& name = *zones_.insert(cluster.zones[zone].name).first;
    gone.erase(name);
    registry_.set("lips_nodes", {name, "false"}, static_cast<double>(nodes[zone.index()][0]));
    registry_.set("lips_nodes", {name, "true"}, static_cast<double>(nodes[zone.index()][1]));
    count.all += nodes[zone.index()][0] + nodes[zone.index()][1];
    count.schedulable += nodes[zone.index()][1];
  }
  for (const std::string& zone : gone) {
    registry_.remove({"lips_nodes", "zone"}, zone);
    for (const MetricLabel sum : zone_sums) registry_.fold(sum, zone, all_gone);
    zones_.erase(zone);
  }
  return count;
}

}  // namespace lips
