// Places the blocks of an erasure-coded stripe so that losing any n - k nodes, or a rack, loses none of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "model/snapshot.h"

namespace lips::simulation {

// How many blocks of one stripe could be placed at all: one per node, at most `most_per_rack` per rack (0: no limit).
// Nodes of a zone that have no rack form one.
std::uint32_t stripe_room(const ClusterSnapshot& cluster, std::span<const NodeId> nodes, std::uint32_t most_per_rack);

// `blocks` different random nodes, at most `most_per_rack` of a rack; fewer when there is no room.
std::vector<NodeId> place_stripe(const ClusterSnapshot& cluster, std::span<const NodeId> nodes, std::uint32_t blocks,
                                 std::uint32_t most_per_rack, Random& random);

}  // namespace lips::simulation
