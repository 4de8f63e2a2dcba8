#include "spending/peer_exchange.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lips {
namespace {

std::uint32_t all_peers(const Job& job) { return std::max(job.all_maps(), job.whole.expected); }

}  // namespace

Usd PeerExchange::price(const CostModel& costs, const Job& job, const Sum& sum) {
  const double here = std::accumulate(sum.in_zone.begin(), sum.in_zone.end(), 0.0);
  const std::uint32_t all = all_peers(job), to_come = all > sum.tasks ? all - sum.tasks : 0;
  return here > 0 ? exchange_cost(costs, job.shuffle * (here / (here + to_come)), sum.in_zone) : Usd(0);
}

Usd PeerExchange::add(const ClusterSnapshot& cluster, const CostModel& costs, TaskId task, NodeId node) {
  const Job& job = cluster.jobs[cluster.tasks[task].job];
  if (!job.whole.peers) return Usd(0);
  Sum& sum = sums_[job.whole.id];
  sum.in_zone.resize(cluster.zones.size());
  sum.in_zone[cluster.nodes[node].zone] += peer_weight(job);
  ++sum.tasks;
  const Usd now = price(costs, job, sum);
  return now - std::exchange(sum.told, now);
}

void PeerExchange::remove(const ClusterSnapshot& cluster, const CostModel& costs, TaskId task, NodeId node) {
  const Job& job = cluster.jobs[cluster.tasks[task].job];
  const auto found = sums_.find(job.whole.id);
  if (!job.whole.peers || found == sums_.end()) return;
  Sum& sum = found->second;
  double& there = sum.in_zone[cluster.nodes[node].zone];
  there = std::max(0.0, there - peer_weight(job));
  if (--sum.tasks == 0) return forget(job.whole.id);
  sum.told = price(costs, job, sum);
}

bool PeerExchange::complete(const ClusterSnapshot& cluster, TaskId task) const {
  const Job& job = cluster.jobs[cluster.tasks[task].job];
  const auto found = sums_.find(job.whole.id);
  return found != sums_.end() && found->second.tasks >= all_peers(job);
}

}  // namespace lips
