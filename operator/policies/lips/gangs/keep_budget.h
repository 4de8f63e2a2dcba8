// Held room is paid for (model/unpaid_room.h): a pool that owes more than its budget keeps no room for tasks to come,
// and none for the rest of a gang that others within their share want. Internal to peers.cpp.
#pragma once

#include <optional>
#include <vector>

#include "model/snapshot.h"

namespace lips {

class KeepBudget {
 public:
  KeepBudget(const ClusterSnapshot& cluster, Duration budget);

  bool is_spent(PoolId pool) const { return most_.value() <= 0 || cluster_.pools[pool].unpaid_room > most_; }
  // When the first of the pools that keep this room will have spent it; none: none of them will.
  std::optional<Duration> ends(const std::vector<HeldRoom>& held) const;

 private:
  const ClusterSnapshot& cluster_;
  CpuSeconds most_;
};

}  // namespace lips
