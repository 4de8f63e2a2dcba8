// Dollars over the last day, in few points: the invoice, and what each pool has spent by use. Reads no clock.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/units.h"
#include "model/job_dollars.h"  // data_pool

namespace lips {

// Sums since the counting began.
struct MoneyPoint {
  TimePoint at{};
  double paid = 0, idle = 0;            // the invoice; the part of it for nodes on which nothing ran
  std::map<std::string, double> spent;  // by pool
};

class MoneyHistory {
 public:
  static constexpr std::size_t most_points = 48;
  static constexpr Duration window = std::chrono::hours(24);

  // Says whether enough time has passed since the last point.
  bool due(TimePoint now) const { return points_.empty() || now >= points_.back().at + between_; }
  // Points come closer together while the history is short: every second one goes when there are too many, until a day
  // fits.
  void add(MoneyPoint point);
  const std::vector<MoneyPoint>& points() const { return points_; }  // oldest first

 private:
  Duration between_ = std::chrono::seconds(30);
  std::vector<MoneyPoint> points_;
};

}  // namespace lips
