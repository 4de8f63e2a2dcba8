// The loss of nodes and stores of a simulated cluster: all that ran, was read or was copied there ends.
#pragma once

#include <cstdint>

#include "simulation/world.h"

namespace lips::simulation {

// Ends everything that ran on the node. Its stores are left alone.
void lose_node(World& world, const Peers& peers, NodeId node, bool data_lost);

struct LostStore {
  StoreId store;
  bool comes_back = false;
  std::uint32_t failure = 0;  // after which it comes back
};
void lose_store(World& world, const Peers& peers, const LostStore& lost);

}  // namespace lips::simulation
