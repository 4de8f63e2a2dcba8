#include "policies/lips/supply/paid_until.h"

#include <algorithm>

namespace lips {

IdVector<NodeId, double> paid_until(const ClusterSnapshot& cluster) {
  Duration idle{};
  for (const Offer& offer : cluster.offers) idle = std::max(idle, offer.idle);
  IdVector<NodeId, double> until(cluster.nodes.size(), 0.0);
  bool elastic = false;
  for (const NodeId id : cluster.nodes.ids())
    if (cluster.nodes[id].fleet == FleetKind::elastic) until[id] = to_seconds(idle), elastic = true;
  if (!elastic) return until;
  for (const RunningTask& run : cluster.running)
    if (cluster.nodes[run.node].fleet == FleetKind::elastic)
      until[run.node] = std::max(until[run.node], to_seconds(run.expected_end - cluster.now + idle));
  return until;
}

}  // namespace lips
