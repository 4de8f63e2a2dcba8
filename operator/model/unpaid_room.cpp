#include "model/unpaid_room.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/launch_room.h"

namespace lips {

namespace {

constexpr Cores most_launchable(1000);

}  // namespace

// The solution of d unpaid / dt = kept - used - fade * unpaid.
CpuSeconds unpaid_after(CpuSeconds before, Cores kept, Cores used, Duration passed) {
  const double time = to_seconds(std::max(Duration{}, passed)), fade = std::numbers::ln2 / to_seconds(unpaid_half_life);
  const double level = (kept - used).value() / fade;
  return CpuSeconds(std::max(0.0, level + (before.value() - level) * std::exp(-fade * time)));
}

CpuSeconds most_unpaid(const ClusterSnapshot& cluster, Duration budget) {
  Cores cores, launchable;
  for (const Node& node : cluster.nodes)
    if (node.schedulable) cores += std::max(Cores(0), node.capacity.cpu - node.others.cpu);
  LaunchRoom room(cluster);
  for (const OfferId offer : cluster.offers.ids()) {
    const std::uint32_t nodes = room.nodes(offer);
    room.take(offer, nodes);
    launchable += cluster.nodes[cluster.offers[offer].like].capacity.cpu * double{1} * nodes;
    if (launchable > most_launchable) break;
  }
  return CpuSeconds((cores + std::min(launchable, most_launchable)).value() * to_seconds(budget));
}

IdVector<PoolId, Cores> cores_kept(const ClusterSnapshot& cluster, const std::vector<HeldRoom>& held) {
  IdVector<PoolId, Cores> kept(cluster.pools.size());
  for (const HeldRoom& room : held)
    if (is_for_tasks_to_come(room.reason)) kept[cluster.jobs[room.job].pool] += room.room.cpu;
  return kept;
}

void UnpaidRoom::keep(const ClusterSnapshot& cluster, const std::vector<HeldRoom>& held) {
  kept_ = held.empty() ? IdVector<PoolId, Cores>{} : cores_kept(cluster, held);
}

void UnpaidRoom::pass(ClusterSnapshot& cluster, TimePoint until) const {
  for (const PoolId id : cluster.pools.ids()) {
    Pool& pool = cluster.pools[id];
    const Cores kept = kept_.contains(id) ? kept_[id] : Cores(0);
    if (kept.value() > 0 || pool.unpaid_room.value() > 0)
      pool.unpaid_room = unpaid_after(pool.unpaid_room, kept, cluster.pool_cores[id], until - cluster.now);
  }
}

void UnpaidRoom::leave(const ClusterSnapshot& cluster) {
  for (const Pool& pool : cluster.pools)
    if (pool.unpaid_room.value() > 0) gone_[pool.name] = {pool.unpaid_room, cluster.now};
  kept_ = {};
}

void UnpaidRoom::enter(ClusterSnapshot& cluster) {
  if (gone_.empty()) return;
  std::erase_if(gone_, [&](const auto& entry) { return cluster.now - entry.second.at > 20 * unpaid_half_life; });
  for (Pool& pool : cluster.pools)
    if (const auto gone = gone_.extract(pool.name); !gone.empty())
      pool.unpaid_room = unpaid_after(gone.mapped().unpaid, Cores(0), Cores(0), cluster.now - gone.mapped().at);
}

}  // namespace lips
