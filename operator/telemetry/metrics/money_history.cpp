#include "telemetry/metrics/money_history.h"

#include <utility>

namespace lips {

void MoneyHistory::add(MoneyPoint point) {
  const TimePoint now = point.at;
  points_.push_back(std::move(point));
  std::erase_if(points_, [&](const MoneyPoint& old) { return old.at + window < now; });
  if (points_.size() <= most_points) return;
  std::vector<MoneyPoint> kept;
  for (std::size_t i = 0; i < points_.size(); i += 2) kept.push_back(std::move(points_[i]));
  points_ = std::move(kept);
  between_ *= 2;
}

}  // namespace lips
