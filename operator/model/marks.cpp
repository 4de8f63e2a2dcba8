#include "model/marks.h"

#include <algorithm>
#include <utility>

namespace lips {

namespace {

constexpr double least_cores = 1e-3;  // of a task that requests none

double cores_of_marked(const ClusterSnapshot& cluster, const RunningTask& run) {
  return std::max(least_cores, cluster.jobs[run.job].request.cpu.value());
}

}  // namespace

std::map<NodeId, double> marked_cores(const ClusterSnapshot& cluster) {
  std::map<NodeId, double> marked;
  for (const RunningTask& run : cluster.running)
    if (run.is_marked() && cluster.nodes[run.node].fleet == FleetKind::elastic)
      marked[run.node] += cores_of_marked(cluster, run);
  return marked;
}

std::vector<HeldRoom> room_beside_marked(const ClusterSnapshot& cluster) {
  const std::map<NodeId, double> marked = marked_cores(cluster);
  std::map<std::pair<JobId, ZoneId>, HeldRoom> rooms;
  for (const RunningTask& run : cluster.running) {
    const auto on = run.is_marked() ? marked.find(run.node) : marked.end();
    if (on == marked.end()) continue;
    const ZoneId zone = cluster.nodes[run.node].zone;
    const auto [place, added] = rooms.try_emplace({run.job, zone});
    HeldRoom& room = place->second;
    if (added) room.reason = HeldFor::marked_tasks, room.job = run.job, room.zone = zone;
    const double part = cores_of_marked(cluster, run) / on->second;
    const Resources& free = cluster.free[run.node];
    ++room.tasks;
    room.room.cpu += std::max(Cores(0), free.cpu * part);
    room.room.memory += std::max(Mebibytes(0), free.memory * part);
  }
  std::vector<HeldRoom> all;
  for (const auto& [key, room] : rooms) all.push_back(room);
  return all;
}

}  // namespace lips
