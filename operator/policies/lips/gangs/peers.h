// Jobs of peers (docs/spark.md): all tasks of one start together, in the zone where CPU, waiting, reads and exchange
// cost least and whole tasks find room node by node, on nodes that are there or can be ordered; in several zones only
// where that is cheaper, or no zone is large enough.
#pragma once

#include <optional>
#include <vector>

#include "policies/lips/demand/waiting_weights.h"
#include "policies/lips/gangs/kept_spot.h"
#include "policies/lips/placing/packing.h"
#include "policies/lips/placing/pool_room.h"
#include "policies/policy.h"

namespace lips {

struct PeersSettings {
  double waiting_price = 1;
  Duration settle, keep_room, keep_budget;  // see LipsSettings
  bool buys = false;                        // nodes may be asked for
  PoolRoom pools = {};
  // [job] its turn comes after that of the program's tasks; empty: of none.
  std::vector<bool> later = {};
  bool last = false;            // it is their turn
  WaitingWeights weights = {};  // of the jobs
};

// Tasks that start now, as portions and placements of their own. Their capacity, and room that is kept for peers to
// come, is removed from `free` and from time slot 0. served[job] is set for every job of peers that is not left to the
// program.
struct PeersPlan {
  Workload workload;
  std::vector<Placement> placements;
  std::vector<Deferral> deferrals;
  std::vector<NodeRequest> requests;   // of jobs that get room in one zone only on new nodes: for all of it
  std::vector<bool> served;            // empty: there are no peers
  PoolRoom pools;                      // with these, and with room that is kept
  std::vector<HeldRoom> held;          // that room
  std::vector<KeptSpot> kept;          // room, by node
  std::vector<bool> later;             // [job] as in the settings, and of pools that are at their entitlement
  std::optional<Duration> look_again;  // a job will have settled, or find room
  std::uint32_t apart = 0;             // jobs that start in several zones
};

PeersPlan place_peers(const PolicyInput& input, PeersSettings settings, NodeClasses& classes,
                      IdVector<NodeId, Resources>& free);

}  // namespace lips
