#include "policies/drafting/cheapest_nodes.h"

#include <algorithm>
#include <functional>

#include "model/wanted_price.h"

namespace lips {

CheapestNodes::CheapestNodes(const ClusterSnapshot& cluster, FreeCapacity& free)
    : cluster_(cluster), free_(free), zones_(cluster.zones.size()) {
  for (NodeId node : free.open())
    zones_[cluster.nodes[node].zone].heap.emplace_back(wanted_price(cluster.nodes[node]).value(), node);
  for (ZoneNodes& zone : zones_) std::make_heap(zone.heap.begin(), zone.heap.end(), std::greater<>());
}

NodeId CheapestNodes::in_zone(FreeCapacity::Kind kind, ZoneId id) {
  ZoneNodes& zone = zones_[id];
  if (zone.first.size() <= kind) zone.first.resize(kind + 1, 0);
  // Room only shrinks during planning, so a node that was too full stays too full.
  for (std::size_t& next = zone.first[kind];; ++next) {
    if (next == zone.sorted.size()) {
      if (zone.heap.empty()) return NodeId::none();
      std::pop_heap(zone.heap.begin(), zone.heap.end(), std::greater<>());
      zone.sorted.push_back(zone.heap.back());
      zone.heap.pop_back();
    }
    if (const NodeId node = zone.sorted[next].second; free_.can_take(kind, node)) return node;
  }
}

bool CheapestNodes::cheaper(NodeId a, NodeId b) const {
  if (!b.valid()) return true;
  const UsdPerCpuSecond left = wanted_price(cluster_.nodes[a]), right = wanted_price(cluster_.nodes[b]);
  return left != right ? left < right : a < b;
}

NodeId CheapestNodes::among(FreeCapacity::Kind kind, ZoneSet zones) {
  NodeId best;
  for (ZoneId zone : zones_.ids())
    if (zones.contains(zone))
      if (const NodeId node = in_zone(kind, zone); node.valid() && cheaper(node, best)) best = node;
  return best;
}

NodeId CheapestNodes::anywhere(FreeCapacity::Kind kind) { return among(kind, ZoneSet(~std::uint64_t{0})); }

TaskOnNode prefer_replica(Draft& draft, JobId job, std::uint32_t group, NodeId node) {
  const ClusterSnapshot& cluster = draft.cluster;
  const TaskOnNode plain{draft.tasks.first(job, group), node};
  if (!cluster.groups[job][group].reads) return plain;
  if (const TaskId local = draft.tasks.on_node(job, node); local.valid() && cluster.tasks[local].group == group)
    return {local, node};
  const Node& wanted = cluster.nodes[node];
  const FreeCapacity::Kind kind = draft.free.kind_of(cluster.jobs[job]);
  TaskOnNode best = plain;
  for (const Replica& replica : cluster.blocks[cluster.tasks[plain.task].block].replicas) {
    const NodeId holder = cluster.stores[replica.store].node;
    if (!holder.valid() || cluster.nodes[holder].zone != wanted.zone ||
        wanted_price(cluster.nodes[holder]) != wanted_price(wanted))
      continue;
    if ((best.node == node || holder < best.node) && draft.free.can_take(kind, holder)) best.node = holder;
  }
  return best;
}

}  // namespace lips
