// From whole tasks in zones and classes to nodes and times: list scheduling on every node's timeline, cheapest classes and
// earliest slots first, most urgent tasks first, never more at once than a node holds.
#pragma once

#include <vector>

#include "policies/lips/rounding.h"

namespace lips {

// Tasks of one portion that start together on one node.
struct Placement {
  std::uint32_t portion = 0;
  std::uint32_t tasks = 0;
  NodeId node;
  double start = 0;  // seconds from now
};

struct PackingSettings {
  double window = 0;    // seconds: tasks start before it ends, and may run past it
  bool strict = false;  // a class takes no more work than the model gave it, and what is left over spills to the next cheapest
  bool balance = false; // memory binds too: of the most urgent tasks the one whose request is shaped like what is free goes first
};

// `free` is what each node has left now; what is placed at 0 is taken from it.
std::vector<Placement> pack(const ClusterSnapshot& cluster, const NodeClasses& classes, const Units& units, const Amounts& amounts,
                            WholeQuotas quotas, const PackingSettings& settings, IdVector<NodeId, Resources>& free);

}  // namespace lips
