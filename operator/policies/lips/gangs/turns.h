// Whose turn it is among jobs of peers. Internal to peers.cpp.
#pragma once

#include <map>
#include <vector>

#include "model/peers.h"

namespace lips {

// Pending jobs by the whole job of which they are parts.
using PendingPeers = std::map<WholeJobId, std::vector<JobId>>;
using PeersThatRun = std::map<WholeJobId, RunningPeers>;

// Says whether room is kept for those that have not arrived or do not run yet, beside those that run.
bool keeps_room(const ClusterSnapshot& cluster, const PeersThatRun& running, WholeJobId whole, TimePoint arrived,
                Duration keep_room);

// Room for a driver that has to come is kept so many times as long as room for others, because its workers do nothing
// without it; then it finds its room as any task does.
inline constexpr int turns_for_driver = 4;

// By priority, then arrival. Those for which room is kept come first: others that have waited for longer would take it,
// and leave them half started. Two that arrived together go by name: ids depend on who listed the jobs.
std::vector<WholeJobId> pending_in_turn(const ClusterSnapshot& cluster, const PendingPeers& pending,
                                        const PeersThatRun& running, Duration keep_room);
// Those of which none waits: by the arrival of their last peer.
std::vector<WholeJobId> running_in_turn(const ClusterSnapshot& cluster, const PendingPeers& pending,
                                        const PeersThatRun& running);

// A gang that finds room nowhere keeps what becomes free for it, then leaves it to others for as long, in turns that
// double: so it starts when a turn outlasts the tasks that run, and others start in every pause. `since` it arrived.
Duration turn_left(Duration since, Duration first);

}  // namespace lips
