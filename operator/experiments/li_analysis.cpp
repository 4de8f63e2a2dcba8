#include "experiments/li_analysis.h"

#include <algorithm>

namespace lips::experiments {

namespace {
// All reads of the degraded tasks that a rack runs, one after the other.
double rack_reads(const LiCluster& cluster) {
  return cluster.native_blocks / (cluster.nodes * cluster.racks) * li_degraded_read(cluster);
}
}  // namespace

double li_block_seconds(const LiCluster& cluster) {
  return cluster.block_megabytes / 128 * (1000 / cluster.rack_megabits);
}

double li_degraded_read(const LiCluster& cluster) {
  return (cluster.racks - 1) * cluster.k * li_block_seconds(cluster) / cluster.racks;
}

double li_normal(const LiCluster& cluster) {
  return cluster.native_blocks * cluster.map_seconds / (cluster.nodes * cluster.map_slots);
}

double li_locality_first(const LiCluster& cluster) {
  return li_normal(cluster) + rack_reads(cluster) + cluster.map_seconds;
}

double li_degraded_first(const LiCluster& cluster) {
  const double rounds = cluster.native_blocks * cluster.map_seconds / ((cluster.nodes - 1) * cluster.map_slots);
  return std::max(rounds + cluster.map_seconds, rack_reads(cluster) + cluster.map_seconds);
}

double li_reduction(const LiCluster& cluster) { return 1 - li_degraded_first(cluster) / li_locality_first(cluster); }

}  // namespace lips::experiments
