// Jobs of peers: tasks that exchange data with each other while they run. Where they run, and what the exchange costs.
#pragma once

#include <map>
#include <span>

#include "model/snapshot.h"

namespace lips {

// Tasks, each times peer_weight().
using PeersByZone = IdVector<ZoneId, double>;

// A task's part in the exchange. One that starts the others (a Spark driver) draws them to its zone where little else
// does.
inline constexpr double weight_of_driver = 0.1;
inline double peer_weight(const Job& job) { return job.coordinates ? weight_of_driver : 1; }

// Peers that run or are bound.
struct RunningPeers {
  PeersByZone in_zone;
  std::uint32_t tasks = 0;
  TaskId one;     // any of them
  ZoneId driver;  // of one that starts the others; none: none runs
};
std::map<WholeJobId, RunningPeers> running_peers(const ClusterSnapshot& cluster);

// The cost when tasks `to` read `size` from tasks `from`, each from all alike.
Usd exchange_cost(const CostModel& costs, Mebibytes size, const PeersByZone& from, const PeersByZone& to);

// The cost when these tasks exchange `size`, each with each alike: with one price between zones, price x size x
// (1 - sum of squared shares of the zones).
Usd exchange_cost(const CostModel& costs, Mebibytes size, const PeersByZone& in_zone);

// The dollars that the assignments add to the exchange of the peers that run, by job; nothing where they lessen it.
std::map<WholeJobId, Usd> exchange_costs(const ClusterSnapshot& cluster, const CostModel& costs,
                                         std::span<const Assignment> assignments);
// The cost of all jobs.
Usd exchange_cost(const ClusterSnapshot& cluster, const CostModel& costs, std::span<const Assignment> assignments);

}  // namespace lips
