// Held room is paid for (docs/policies.md#what-else-is-held): core-seconds of room that plans keep empty for tasks of a
// pool, beyond the core-seconds that the pool's tasks use. They fade.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/snapshot.h"

namespace lips {

// Half of what is not paid for is forgotten in this time.
inline constexpr Duration unpaid_half_life = std::chrono::minutes(30);

// The cores of room that a plan keeps empty and that is paid for, by pool.
IdVector<PoolId, Cores> cores_kept(const ClusterSnapshot& cluster, const std::vector<HeldRoom>& held);
// The same of room that a plan leaves to expected work that is late, while tasks of other pools wait: as though it were
// kept empty for as long as somebody counts on that work.
IdVector<PoolId, Cores> cores_left_to_late(const ClusterSnapshot& cluster, const std::vector<KeptRoom>& left);

// So much after that time, in which the pool has kept and used so many cores. Equal whether the time passes at once or
// in parts.
CpuSeconds unpaid_after(CpuSeconds before, Cores kept, Cores used, Duration passed);

// So much may be unpaid before a pool keeps nothing more: for that time the cores of all nodes, and of up to a thousand
// that could be launched.
CpuSeconds most_unpaid(const ClusterSnapshot& cluster, Duration budget);

// Counts for ClusterState.
class UnpaidRoom {
 public:
  // The room that the plan keeps, and leaves to expected work, and that lies beside marked tasks, from now on, instead
  // of what was kept before.
  void keep(const ClusterSnapshot& cluster, const std::vector<HeldRoom>& held, const std::vector<KeptRoom>& left);
  // Changes Pool::unpaid_room to what it is at that time.
  void pass(ClusterSnapshot& cluster, TimePoint until) const;
  // Pools may come back under the same name with another id.
  void leave(const ClusterSnapshot& cluster);
  void enter(ClusterSnapshot& cluster);

 private:
  struct Gone {
    CpuSeconds unpaid;
    TimePoint at{};
  };
  IdVector<PoolId, Cores> kept_;  // may be shorter than the table
  std::map<std::string, Gone> gone_;
};

}  // namespace lips
