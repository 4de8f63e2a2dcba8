// Where the blocks of an erasure-coded stripe go, so that the loss of any n - k nodes, or of a rack, loses none of
// them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "model/snapshot.h"

namespace lips::simulation {

// How many blocks of one stripe could be placed at all: one a node, at most so many a rack (0: no limit). Nodes without
// a rack are in that of their zone.
std::uint32_t stripe_room(const ClusterSnapshot& cluster, std::span<const NodeId> nodes, std::uint32_t most_per_rack);

// `blocks` different nodes at random, at most so many of a rack; fewer where there is no room for more.
std::vector<NodeId> place_stripe(const ClusterSnapshot& cluster, std::span<const NodeId> nodes, std::uint32_t blocks,
                                 std::uint32_t most_per_rack, Random& random);

}  // namespace lips::simulation
