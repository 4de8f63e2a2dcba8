#include "policies/lips/demand/homes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/launch_room.h"
#include "policies/home_zones/home_zone.h"
#include "policies/lips/demand/data_costs.h"

namespace lips {

namespace {

// The Jobs that are planned, with the parts of a whole job together.
std::vector<std::vector<JobId>> whole_jobs(const ClusterSnapshot& cluster, const std::vector<bool>& skip) {
  std::vector<std::vector<JobId>> result;
  std::map<WholeJobId, std::size_t> place_of;
  for (const JobId id : cluster.pending) {
    if (!skip.empty() && skip[id.index()]) continue;
    const WholeJobId whole = cluster.jobs[id].whole.id;
    const auto [place, added] = place_of.try_emplace(whole, result.size());
    if (!whole.valid() || added) {
      place->second = result.size();
      result.emplace_back();
    }
    result[place->second].push_back(id);
  }
  return result;
}

// Zones with an existing or offered node that could run one of the part's tasks if none of our tasks ran there.
ZoneSet zones_with_room(const ClusterSnapshot& cluster, const Job& job) {
  ZoneSet zones;
  for (const NodeId id : cluster.nodes.ids()) {
    const Node& node = cluster.nodes[id];
    if (node.schedulable && !zones.contains(node.zone) && fits(job.request, node.capacity - node.others) &&
        cluster.eligible(job.constraint, id))
      zones.insert(node.zone);
  }
  for (const Offer& offer : cluster.offers) {
    const Node& node = cluster.nodes[offer.like];
    if (!zones.contains(node.zone) && nodes_left(cluster, offer) > 0 && fits(job.request, node.capacity) &&
        cluster.eligible(job.constraint, offer.like))
      zones.insert(node.zone);
  }
  return zones;
}

CpuSeconds all_reduce_work(const ClusterSnapshot& cluster, const Job& job) {
  if (job.whole.id.valid()) return job.whole.reduce_work;
  CpuSeconds work;
  for (std::uint32_t r = 0; r < job.reduce_tasks; ++r)
    work += cluster.tasks[TaskId(job.first_task.index() + job.map_tasks + r)].cpu;
  return work;
}

HomeJob home_job(const ClusterSnapshot& cluster, const std::vector<JobId>& parts) {
  const Job& job = cluster.jobs[parts.front()];
  HomeJob result;
  double maps = 0;
  for (const JobId id : parts)
    for (const TaskGroup& group : cluster.groups[id]) {
      if (group.count == 0) continue;
      if (group.kind == TaskKind::reduce) {
        result.reduce_work += group.cpu * group.count;
        continue;
      }
      result.maps.push_back({group.zones_soon(), static_cast<double>(group.count),
                             CpuSeconds(std::max(least_work, group.cpu.value())), group.input});
      maps += group.count;
    }
  if (job.all_reduces() == 0 || job.all_maps() == 0 || (job.memory.home_decided && !job.memory.home.valid()))
    return result;
  if (!job.all_maps_finished()) result.reduce_work = all_reduce_work(cluster, job);
  result.shuffle = job.shuffle * (maps / job.all_maps());
  result.map_output = job.map_output;
  result.home = job.memory.home;
  return result;
}

// For each whole job, the zones with room for a reduce of every part; empty if there is none.
std::map<WholeJobId, ZoneSet> room_for_parts(const ClusterSnapshot& cluster) {
  std::map<WholeJobId, ZoneSet> result;
  for (const Job& job : cluster.jobs) {
    if (!job.whole.id.valid() || job.reduce_tasks == 0 || job.finished() || !chooses_home(job)) continue;
    const ZoneSet zones = zones_with_room(cluster, job);
    const auto [place, added] = result.try_emplace(job.whole.id, zones);
    if (!added) place->second = ZoneSet(place->second.bits() & zones.bits());
  }
  return result;
}

}  // namespace

bool chooses_home(const Job& job) {
  return !job.memory.home_decided && job.all_reduces() > 0 && job.shuffle.value() > 0 && !job.all_maps_finished();
}

Homes choose_homes(const PolicyInput& input, const NodeClasses& classes, const std::vector<bool>& skip) {
  const ClusterSnapshot& cluster = input.cluster;
  Homes homes;
  const std::vector<std::vector<JobId>> planned = whole_jobs(cluster, skip);
  for (const std::vector<JobId>& parts : planned)
    for (const JobId id : parts)
      if (chooses_home(cluster.jobs[id])) homes.decided.push_back(id);
  if (homes.decided.empty()) return homes;
  std::sort(homes.decided.begin(), homes.decided.end(), [&](JobId a, JobId b) {
    return std::pair(cluster.jobs[a].arrival, a) < std::pair(cluster.jobs[b].arrival, b);
  });
  HomeInput problem;
  problem.costs = input.costs;
  problem.zones.resize(cluster.zones.size());
  for (ClassId c : classes.classes.ids())
    for (const CapacityStep& step : classes.steps[c])
      if (step.work > 0)
        problem.zones[classes.classes[c].zone.index()].push_back(
            {CpuSeconds(step.work), classes.classes[c].price + UsdPerCpuSecond(step.waiting_price)});
  const bool in_parts = std::any_of(homes.decided.begin(), homes.decided.end(),
                                    [&](JobId id) { return cluster.jobs[id].whole.id.valid(); });
  const std::map<WholeJobId, ZoneSet> room = in_parts ? room_for_parts(cluster) : std::map<WholeJobId, ZoneSet>{};
  for (const std::vector<JobId>& parts : planned) {
    problem.jobs.push_back(home_job(cluster, parts));
    const Job& job = cluster.jobs[parts.front()];
    if (!chooses_home(job)) continue;
    if (!job.whole.id.valid()) problem.jobs.back().homes = zones_with_room(cluster, job);
    if (const auto found = room.find(job.whole.id); found != room.end()) problem.jobs.back().homes = found->second;
  }
  const HomePlan plan = plan_homes(problem, {.max_nodes = 0});
  homes.gap = plan.gap;
  homes.zone.resize(cluster.jobs.size());
  for (std::size_t j = 0; j < planned.size(); ++j)
    for (const JobId id : planned[j])
      if (chooses_home(cluster.jobs[id])) homes.zone[id.index()] = plan.jobs[j].home;
  return homes;
}

void remember_homes(const ClusterSnapshot& cluster, const Homes& homes, Plan& plan) {
  if (!homes.decided.empty()) plan.account.home_gap = homes.gap;
  for (const JobId id : homes.decided) {
    JobMemory memory = cluster.jobs[id].memory;
    memory.home = homes.zone[id.index()];
    memory.home_decided = true;
    plan.remember.push_back({id, memory});
  }
}

}  // namespace lips
