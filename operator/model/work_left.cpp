#include "model/work_left.h"

#include <algorithm>

#include "model/launch_room.h"

namespace lips {

CpuSeconds work_left(const Job& job) {
  const double tasks = job.tasks() - job.finished_maps - job.finished_reduces;
  return CpuSeconds(job.work.value() * tasks / std::max(1U, job.tasks()));
}

double work_rate(const ClusterSnapshot& cluster) {
  double rate = 0;
  for (const Node& node : cluster.nodes)
    if (node.schedulable) rate += node.capacity.cpu.value() * node.speed;
  return rate + launchable_work_rate(cluster);
}

}  // namespace lips
