#include "policies/lips/gangs/keep_budget.h"

#include <algorithm>

#include "model/unpaid_room.h"

namespace lips {

KeepBudget::KeepBudget(const ClusterSnapshot& cluster, Duration budget)
    : cluster_(cluster), most_(most_unpaid(cluster, budget)) {}

std::optional<Duration> KeepBudget::ends(const std::vector<HeldRoom>& held) const {
  const IdVector<PoolId, Cores> kept = cores_kept(cluster_, held);
  std::optional<Duration> first;
  for (const PoolId pool : kept.ids()) {
    const double more = (kept[pool] - cluster_.pool_cores[pool]).value();
    if (more <= 0) continue;
    const double left = (most_ - cluster_.pools[pool].unpaid_room).value() / more;
    const Duration ends = seconds(std::clamp(left, 0.0, 1e6));
    first = std::min(first.value_or(ends), ends);
  }
  return first;
}

}  // namespace lips
