#include "model/peers.h"

#include <algorithm>
#include <numeric>

namespace lips {

std::map<WholeJobId, RunningPeers> running_peers(const ClusterSnapshot& cluster) {
  std::map<WholeJobId, RunningPeers> result;
  for (const RunningTask& run : cluster.running) {
    const Job& job = cluster.jobs[run.job];
    if (!job.whole.peers) continue;
    RunningPeers& peers = result[job.whole.id];
    peers.in_zone.resize(cluster.zones.size());
    peers.in_zone[cluster.nodes[run.node].zone] += peer_weight(job);
    ++peers.tasks;
    peers.one = run.task;
    if (job.coordinates) peers.driver = cluster.nodes[run.node].zone;
  }
  return result;
}

Usd exchange_cost(const CostModel& costs, Mebibytes size, const PeersByZone& from, const PeersByZone& to) {
  const double senders = std::accumulate(from.begin(), from.end(), 0.0);
  const double readers = std::accumulate(to.begin(), to.end(), 0.0);
  Usd usd;
  if (senders <= 0 || readers <= 0) return usd;
  for (const ZoneId here : from.ids())
    for (const ZoneId there : to.ids())
      if (here != there) usd += size * (from[here] / senders) * (to[there] / readers) * costs.transfer(here, there);
  return usd;
}

Usd exchange_cost(const CostModel& costs, Mebibytes size, const PeersByZone& in_zone) {
  return exchange_cost(costs, size, in_zone, in_zone);
}

std::map<WholeJobId, Usd> exchange_costs(const ClusterSnapshot& cluster, const CostModel& costs,
                                         std::span<const Assignment> assignments) {
  std::map<WholeJobId, PeersByZone> added;
  std::map<WholeJobId, Mebibytes> size;
  for (const Assignment& assignment : assignments) {
    const Job& job = cluster.jobs[cluster.tasks[assignment.task].job];
    if (!job.whole.peers) continue;
    PeersByZone& here = added[job.whole.id];
    here.resize(cluster.zones.size());
    here[cluster.nodes[assignment.node].zone] += peer_weight(job);
    size[job.whole.id] = job.shuffle;
  }
  std::map<WholeJobId, Usd> result;
  if (added.empty()) return result;
  std::map<WholeJobId, RunningPeers> running = running_peers(cluster);
  for (const auto& [id, here] : added) {
    PeersByZone& there = running[id].in_zone;
    there.resize(cluster.zones.size());
    const Usd before = exchange_cost(costs, size[id], there);
    for (const ZoneId zone : here.ids()) there[zone] += here[zone];
    result[id] = std::max(Usd(0), exchange_cost(costs, size[id], there) - before);
  }
  return result;
}

Usd exchange_cost(const ClusterSnapshot& cluster, const CostModel& costs, std::span<const Assignment> assignments) {
  Usd usd;
  for (const auto& [id, cost] : exchange_costs(cluster, costs, assignments)) usd += cost;
  return usd;
}

}  // namespace lips
