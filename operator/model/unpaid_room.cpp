#include "model/unpaid_room.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/launch_room.h"
#include "model/marks.h"

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
    if (room.is_paid_for()) kept[cluster.jobs[room.job].pool] += room.room.cpu;
  return kept;
}

IdVector<PoolId, Cores> cores_left_to_late(const ClusterSnapshot& cluster, const std::vector<KeptRoom>& left) {
  IdVector<PoolId, Cores> late(cluster.pools.size());
  for (const KeptRoom& room : left)
    if (const ExpectedWork& work = cluster.expected[room.expected]; work.pool.valid() && work.at < cluster.now)
      late[work.pool] += Cores(room.work.value() / to_seconds(longest_delay_of_expected));
  for (const PoolId pool : late.ids())
    if (late[pool].value() > 0 &&
        std::ranges::all_of(cluster.pending, [&](JobId id) { return cluster.jobs[id].pool == pool; }))
      late[pool] = Cores(0);
  return late;
}

void UnpaidRoom::keep(const ClusterSnapshot& cluster, const std::vector<HeldRoom>& held,
                      const std::vector<KeptRoom>& left) {
  const std::vector<HeldRoom> marked = room_beside_marked(cluster);
  kept_ = {};
  if (held.empty() && left.empty() && marked.empty()) return;
  kept_ = cores_kept(cluster, held);
  const IdVector<PoolId, Cores> late = cores_left_to_late(cluster, left), beside = cores_kept(cluster, marked);
  for (const PoolId pool : kept_.ids()) kept_[pool] += late[pool] + beside[pool];
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
