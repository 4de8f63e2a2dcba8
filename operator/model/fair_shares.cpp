#include "model/fair_shares.h"

#include <algorithm>

namespace lips {

// Freezes bounded shares by the sign of the total violation, as CSS flexible boxes resolve lengths: exact in at most n
// rounds.
std::vector<double> fair_shares(std::span<const Pool> pools, std::span<const double> demand, double capacity) {
  const std::size_t n = pools.size();
  std::vector<double> low(n), high(n), share(n);
  double wanted = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double maximum = pools[i].maximum.value();
    high[i] = maximum > 0 ? std::min(demand[i], maximum) : demand[i];
    low[i] = std::min(pools[i].minimum.value(), high[i]);
    wanted += high[i];
  }
  if (wanted <= capacity) return high;
  std::vector<bool> frozen(n, false);
  for (std::size_t round = 0; round <= n; ++round) {
    double left = capacity, weights = 0;
    for (std::size_t i = 0; i < n; ++i) (frozen[i] ? left -= share[i] : weights += pools[i].weight);
    if (weights <= 0) break;
    double violation = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (frozen[i]) continue;
      const double fair = std::max(0.0, left) * pools[i].weight / weights;
      share[i] = std::clamp(fair, low[i], high[i]);
      violation += share[i] - fair;
    }
    bool any = false;
    for (std::size_t i = 0; i < n; ++i) {
      if (frozen[i]) continue;
      const double fair = std::max(0.0, left) * pools[i].weight / weights;
      if ((violation <= 0 && share[i] < fair) || (violation >= 0 && share[i] > fair)) frozen[i] = any = true;
    }
    if (!any) break;
  }
  return share;
}

double jain_index(std::span<const double> values) {
  double sum = 0, squares = 0;
  for (double value : values) {
    sum += value;
    squares += value * value;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(values.size()) * squares) : 1;
}

}  // namespace lips
