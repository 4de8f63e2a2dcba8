#include "model/work_left.h"

#include <algorithm>

#include "model/costs.h"
#include "model/launch_room.h"

namespace lips {

CpuSeconds work_left(const Job& job) {
  const double tasks = job.tasks() - job.finished_maps - job.finished_reduces;
  return CpuSeconds(job.work.value() * tasks / std::max(1U, job.tasks()));
}

double seconds_at_full_speed(const ClusterSnapshot& cluster, JobId id, double work_rate) {
  const Job& job = cluster.jobs[id];
  double longest = 0;
  for (const TaskGroup& group : cluster.groups[id])
    if (group.count > 0)
      longest = std::max(longest, group.cpu.value() / std::max(least_cores, job.request.cpu.value()));
  if (job.reduce_tasks > 0 && !job.all_maps_finished()) longest *= 2;
  return longest + work_left(job).value() / std::max(work_rate, 1e-9);
}

double work_rate(const ClusterSnapshot& cluster) {
  double rate = 0;
  for (const Node& node : cluster.nodes)
    if (node.schedulable) rate += node.capacity.cpu.value() * node.speed;
  return rate + launchable_work_rate(cluster);
}

}  // namespace lips
