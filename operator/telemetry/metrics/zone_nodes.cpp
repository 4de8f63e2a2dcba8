#include "telemetry/metrics/zone_nodes.h"

#include <array>
#include <vector>

namespace lips {

namespace {

constexpr std::array zone_sums{MetricLabel{"lips_node_dollars_total", "zone"},
                               MetricLabel{"lips_node_core_seconds_total", "zone"}};

}  // namespace

std::uint64_t ZoneNodes::look(const ClusterSnapshot& cluster) {
  std::vector<std::array<std::uint64_t, 2>> nodes(cluster.zones.size());
  for (const Node& node : cluster.nodes)
    if (cluster.zones.contains(node.zone)) ++nodes[node.zone.index()][node.schedulable];
  std::uint64_t schedulable = 0;
  std::set<std::string> gone = zones_;
  for (const ZoneId zone : cluster.zones.ids()) {
    const std::string& name = *zones_.insert(cluster.zones[zone].name).first;
    gone.erase(name);
    registry_.set("lips_nodes", {name, "false"}, static_cast<double>(nodes[zone.index()][0]));
    registry_.set("lips_nodes", {name, "true"}, static_cast<double>(nodes[zone.index()][1]));
    schedulable += nodes[zone.index()][1];
  }
  for (const std::string& zone : gone) {
    registry_.remove({"lips_nodes", "zone"}, zone);
    for (const MetricLabel sum : zone_sums) registry_.fold(sum, zone, all_gone);
    zones_.erase(zone);
  }
  return schedulable;
}

}  // namespace lips
