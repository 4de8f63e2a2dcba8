#include "model/work_left.h"

#include <algorithm>

#include "model/costs.h"
#include "model/launch_room.h"

namespace lips {

CpuSeconds work_left(const Job& job) {
  const double tasks = job.tasks() - job.finished_maps - job.finished_reduces;
  return CpuSeconds(job.work.value() * tasks / std::max(1U, job.tasks()));
}

double seconds_alone(const Job& job, const TaskGroup& group) {
  return group.cpu.value() / std::max(least_cores, job.request.cpu.value());
}

namespace {

// At speed 1, of those that wait.
double longest_task(const ClusterSnapshot& cluster, JobId id) {
  double longest = 0;
  for (const TaskGroup& group : cluster.groups[id])
    if (group.count > 0) longest = std::max(longest, seconds_alone(cluster.jobs[id], group));
  return longest;
}

}  // namespace

double least_seconds_left(const ClusterSnapshot& cluster, JobId id, double work_rate, double fastest) {
  const Job& job = cluster.jobs[id];
  const double started = job.running * job.work.value() / std::max(1U, job.tasks());
  return std::max(longest_task(cluster, id) / fastest, (work_left(job).value() - started) / std::max(work_rate, 1e-9));
}

double seconds_at_full_speed(const ClusterSnapshot& cluster, JobId id, double work_rate) {
  const Job& job = cluster.jobs[id];
  double longest = longest_task(cluster, id);
  if (job.reduce_tasks > 0 && !job.all_maps_finished()) longest *= 2;
  return longest + work_left(job).value() / std::max(work_rate, 1e-9);
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
