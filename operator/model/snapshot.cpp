#include "model/snapshot.h"

#include <algorithm>

#include "model/degraded_read.h"
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

Bill task_bill(const ClusterSnapshot& cluster, const CostModel& costs, const Task& task, const Assignment& assignment) {
  const Node& node = cluster.nodes[assignment.node];
  const Job& job = cluster.jobs[task.job];
  Bill bill;
  bill.cpu = CostModel::cpu(task.cpu, node);
  if (task.kind == TaskKind::reduce) {
    for (std::uint32_t zone = 0; zone < job.map_output.size(); ++zone)
      bill.shuffle += (job.map_output[zone] / job.all_reduces()) * costs.transfer(ZoneId(zone), node.zone);
  } else if (assignment.read_from.valid()) {
    bill.transfer = task.input * costs.transfer(cluster.stores[assignment.read_from].zone, node.zone);
  }
  for (const StripeSource& source : assignment.sources)
    bill.transfer += source_read(cluster, task, source) * costs.transfer(cluster.stores[source.store].zone, node.zone);
  return bill;
}

}  // namespace lips
