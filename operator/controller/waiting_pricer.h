// Moves the price of waiting of each pool, before each plan, by what it has seen.
#pragma once

#include <optional>
#include <vector>

#include "base/ids.h"
#include "controller/observer.h"
#include "model/targets.h"

namespace lips {

class WaitingPricer : public Observer {
 public:
  // Times the setting waitingPrice, for the plan that follows.
  virtual IdVector<PoolId, double> factors(const ClusterSnapshot& cluster) = 0;
  // The debts that a restarted program has to know, now and then; else nothing.
  virtual std::optional<std::vector<TargetDebt>> to_remember(TimePoint now) = 0;
};

}  // namespace lips
