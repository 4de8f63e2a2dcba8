#include "model/snapshot.h"

#include <algorithm>

#include "model/stripe.h"

namespace lips {

bool ClusterSnapshot::eligible(ConstraintId constraint, NodeId node) const {
  const NodeProfile& profile = profiles[nodes[node].profile];
  if (!constraint.valid()) return profile.taints.empty() || lips::eligible(PlacementConstraint{}, profile);
  return lips::eligible(constraints[constraint], profile);
}

IdVector<ZoneId, EndKind> zone_ends(const ClusterSnapshot& cluster) {
  IdVector<ZoneId, EndKind> ends(cluster.zones.size(), EndKind::zone);
  for (const DataStore& store : cluster.stores) ends[store.zone] = end_kind(store.kind);
  for (const Node& node : cluster.nodes) ends[node.zone] = EndKind::zone;
  return ends;
}

Duration expected_duration(const ClusterSnapshot& cluster, const Task& task, NodeId node, Locality level) {
  const Node& where = cluster.nodes[node];
  const Cores cpu = cluster.jobs[task.job].request.cpu;
  double span = cpu.value() > 0 ? task.cpu.value() / (cpu.value() * where.speed) : 0;
  const MebibytesPerSecond bandwidth = cluster.network.stream(level);
  const double read = bandwidth.value() > 0 ? task.input.value() / bandwidth.value() : 0;
  if (task.degraded)  // it decodes before it computes
    span += read * stripe_of(cluster.data_sets[cluster.blocks[task.block].data_set], task.block).natives;
  else
    span = std::max(span, read);
  return seconds(span);
}

}  // namespace lips
