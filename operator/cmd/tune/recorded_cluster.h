// The cluster of a record as the start of a simulation: without jobs, without the copies that LiPS made, and with the
// nodes that an autoscaler may launch as offers. Knows no jobs and no files.
#pragma once

#include <cstddef>

#include "model/snapshot.h"
#include "simulation/fleet.h"

namespace lips::cmd {

struct RecordedCluster {
  ClusterSnapshot cluster;
  simulation::Fleet fleet;
  std::size_t fixed = 0;          // nodes
  std::size_t unschedulable = 0;  // nodes that are left out: cordoned, not ready or gone
  bool elastic_stay = false;      // elastic nodes are taken as fixed, because the record has no offers
};

RecordedCluster recorded_cluster(const ClusterSnapshot& record);

// The most nodes of an offer at once.
inline constexpr std::uint32_t most_offered = 100;

}  // namespace lips::cmd
