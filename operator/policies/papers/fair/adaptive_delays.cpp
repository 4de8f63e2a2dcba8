#include "policies/papers/fair/adaptive_delays.h"

namespace lips::fair {

Delays mean_waits(const ClusterSnapshot& cluster, const Delays& defaults) {
  Duration node{}, rack{};
  std::int64_t on_node = 0, on_rack = 0;
  for (const Job& job : cluster.jobs) {
    node += job.memory.node_waits.sum;
    on_node += job.memory.node_waits.count;
    rack += job.memory.rack_waits.sum;
    on_rack += job.memory.rack_waits.count;
  }
  return {on_node > 0 ? node / on_node : defaults.node, on_rack > 0 ? rack / on_rack : defaults.rack};
}

}  // namespace lips::fair
