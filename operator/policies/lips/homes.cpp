#include "policies/lips/homes.h"

#include <algorithm>

#include "policies/home_zones/home_zone.h"
#include "policies/lips/units.h"

namespace lips {

namespace {

bool asks(const Job& job) {
  return !job.memory.home_decided && job.reduce_tasks > 0 && job.shuffle.value() > 0 &&
         job.finished_maps < job.map_tasks;
}

HomeJob home_job(const ClusterSnapshot& cluster, JobId id) {
  const Job& job = cluster.jobs[id];
  HomeJob result;
  double maps = 0;
  for (const TaskGroup& group : cluster.groups[id]) {
    if (group.count == 0) continue;
    if (group.kind == TaskKind::reduce) {
      result.reduce_work += group.cpu * group.count;
      continue;
    }
    result.maps.push_back({group.zones, static_cast<double>(group.count),
                           CpuSeconds(std::max(least_work, group.cpu.value())), group.input});
    maps += group.count;
  }
  if (job.reduce_tasks == 0 || job.map_tasks == 0 || (job.memory.home_decided && !job.memory.home.valid()))
    return result;
  if (job.finished_maps < job.map_tasks)
    for (std::uint32_t r = 0; r < job.reduce_tasks; ++r)
      result.reduce_work += cluster.tasks[TaskId(job.first_task.index() + job.map_tasks + r)].cpu;
  result.shuffle = job.shuffle * (maps / job.map_tasks);
  result.map_output = job.map_output;
  result.home = job.memory.home;
  return result;
}

}  // namespace

Homes choose_homes(const PolicyInput& input, const NodeClasses& classes, const std::vector<bool>& skip) {
  const ClusterSnapshot& cluster = input.cluster;
  Homes homes;
  std::vector<JobId> planned;
  for (JobId id : cluster.pending) {
    if (!skip.empty() && skip[id.index()]) continue;
    planned.push_back(id);
    if (asks(cluster.jobs[id])) homes.decided.push_back(id);
  }
  if (homes.decided.empty()) return homes;
  HomeInput problem;
  problem.costs = input.costs;
  problem.zones.resize(cluster.zones.size());
  for (std::size_t c = 0; c < classes.classes.size(); ++c)
    for (const CapacityStep& step : classes.steps[c])
      if (step.work > 0)
        problem.zones[classes.classes[c].zone.index()].push_back(
            {CpuSeconds(step.work), classes.classes[c].price + UsdPerCpuSecond(step.waiting_price)});
  for (JobId id : planned) problem.jobs.push_back(home_job(cluster, id));
  const HomePlan plan = plan_homes(problem, {.max_nodes = 0});
  homes.gap = plan.gap;
  homes.zone.resize(cluster.jobs.size());
  for (std::size_t j = 0; j < planned.size(); ++j)
    if (asks(cluster.jobs[planned[j]])) homes.zone[planned[j].index()] = plan.jobs[j].home;
  return homes;
}

}  // namespace lips
