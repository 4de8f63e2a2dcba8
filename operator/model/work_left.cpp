#include "model/work_left.h"

#include <algorithm>

#include "model/costs.h"
#include "model/launch_room.h"

namespace lips {

CpuSeconds work_left(const Job& part) {
  const double tasks = part.tasks() - part.finished_maps - part.finished_reduces;
  return CpuSeconds(part.work.value() * tasks / std::max(1U, part.tasks()));
}

double seconds_alone(const Job& job, const TaskGroup& group) {
  return group.cpu.value() / std::max(least_cores, job.request.cpu.value());
}

double longest_task(const ClusterSnapshot& cluster, const PendingParts& parts, JobId id) {
  double longest = 0;
  parts.each(id, [&](JobId part) {
    for (const TaskGroup& group : cluster.groups[part])
      if (group.count > 0) longest = std::max(longest, seconds_alone(cluster.jobs[part], group));
  });
  return longest;
}

double seconds_at_full_speed(const ClusterSnapshot& cluster, const PendingParts& parts, JobId id, double work_rate) {
  const Job& job = cluster.jobs[id];
  double longest = longest_task(cluster, parts, id);
  if (job.all_reduces() > 0 && !job.all_maps_finished()) longest *= 2;
  return longest + all_work_left(job).value() / std::max(work_rate, 1e-9);
}

double fastest_node(const ClusterSnapshot& cluster) {
  double fastest = 0;
  for (const Node& node : cluster.nodes)
    if (node.schedulable) fastest = std::max(fastest, node.speed);
  for (const Offer& offer : cluster.offers) fastest = std::max(fastest, cluster.nodes[offer.like].speed);
  return fastest > 0 ? fastest : 1;
}

double work_rate(const ClusterSnapshot& cluster) {
  double rate = 0;
  for (const Node& node : cluster.nodes)
    if (node.schedulable) rate += node.capacity.cpu.value() * node.speed;
  return rate + launchable_work_rate(cluster);
}

}  // namespace lips
