#include "policies/drafting/cheapest_with_data.h"

namespace lips {

namespace {

// The bytes that each of the group's tasks brings into the zone: its block, or its share of the map output.
Usd data_cost(const Draft& draft, const Job& job, const TaskGroup& group, ZoneId zone) {
  if (group.reads) return group.input * draft.costs.transfer(group.zones, zone);
  Usd cost;
  if (group.kind == TaskKind::reduce)
    for (std::uint32_t from = 0; from < job.map_output.size(); ++from)
      cost += (job.map_output[from] / job.all_reduces()) * draft.costs.transfer(ZoneId(from), zone);
  return cost;
}

}  // namespace

CheapestWithData::CheapestWithData(const Draft& draft, JobId job, std::uint32_t group)
    : cluster_(draft.cluster), work_(draft.cluster.groups[job][group].cpu), data_(draft.cluster.zones.size()) {
  for (ZoneId zone : data_.ids()) data_[zone] = data_cost(draft, cluster_.jobs[job], cluster_.groups[job][group], zone);
}

NodeId CheapestWithData::node(CheapestNodes& nodes, FreeCapacity::Kind kind) const {
  NodeId best;
  Usd least;
  for (ZoneId zone : data_.ids()) {
    const NodeId node = nodes.in_zone(kind, zone);
    if (!node.valid()) continue;
    const Usd cost = CostModel::cpu(work_, cluster_.nodes[node]) + data_[zone];
    if (best.valid() && (cost > least || (cost == least && best < node))) continue;
    best = node;
    least = cost;
  }
  return best;
}

}  // namespace lips
