#include "policies/papers/fair/demand_shares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lips::fair {

namespace {

constexpr double share_slack = 1e-9;

double room(const PoolDemand& pool) {
  return pool.maximum > 0 ? std::max(0.0, pool.maximum - pool.running) : std::numeric_limits<double>::infinity();
}

// Turns quotas into whole slots: the whole part of each, then one more in the order of the remainders.
void round_to_whole(const std::vector<std::size_t>& open, const std::vector<double>& quota,
                    const std::vector<PoolDemand>& pools, std::vector<double>& given) {
  double left = 0;
  std::vector<std::pair<double, std::size_t>> cut;
  for (const std::size_t pool : open) {
    given[pool] = std::floor(quota[pool] + share_slack);
    left += quota[pool] - given[pool];
    // Largest remainder first, then by pool; in billionths, so that rounding errors do not decide.
    cut.emplace_back(std::round((given[pool] - quota[pool]) / share_slack), pool);
  }
  std::ranges::sort(cut);
  for (const auto& [ignored, pool] : cut) {
    if (left <= share_slack) return;
    const double more = std::min({1.0, left, room(pools[pool]) - given[pool]});
    if (more <= 0) continue;
    given[pool] += more;
    if (const double whole = std::round(given[pool]); std::abs(given[pool] - whole) < share_slack) given[pool] = whole;
    left -= more;
  }
}

}  // namespace

std::vector<double> split_by_demand(double slots, const std::vector<PoolDemand>& pools) {
  std::vector<double> given(pools.size(), 0.0), quota(pools.size(), 0.0);
  std::vector<std::size_t> open;
  for (std::size_t pool = 0; pool < pools.size(); ++pool)
    if (pools[pool].pending > 0 && room(pools[pool]) > 0) open.push_back(pool);
  for (bool capped = true; capped && !open.empty();) {
    capped = false;
    double pending = 0;
    for (const std::size_t pool : open) pending += pools[pool].pending;
    for (const std::size_t pool : open) quota[pool] = slots * pools[pool].pending / pending;
    for (const std::size_t pool : open)
      if (quota[pool] > room(pools[pool])) {
        given[pool] = room(pools[pool]);
        slots -= given[pool];
        quota[pool] = 0;
        capped = true;
      }
    std::erase_if(open, [&](std::size_t pool) { return given[pool] > 0; });
  }
  round_to_whole(open, quota, pools, given);
  return given;
}

std::vector<double> demand_shares(double free, const std::vector<PoolDemand>& pools, ShareBase base) {
  std::vector<PoolDemand> asked = pools;
  double slots = free;
  if (base == ShareBase::all_slots)
    for (PoolDemand& pool : asked) slots += std::exchange(pool.running, 0.0);
  std::vector<double> shares = split_by_demand(slots, asked);
  for (std::size_t pool = 0; pool < pools.size(); ++pool) shares[pool] += asked[pool].running;
  return shares;
}

}  // namespace lips::fair
