#include "policies/papers/degraded/pacing.h"

namespace lips {

MapProgress map_progress(const Draft& draft, JobId id) {
  const Job& job = draft.cluster.jobs[id];
  const std::vector<TaskGroup>& groups = draft.cluster.groups[id];
  std::uint32_t maps_left = 0, degraded = 0, degraded_left = 0;
  for (std::uint32_t group = 0; group < groups.size(); ++group) {
    if (groups[group].count == 0 || groups[group].kind != TaskKind::map) continue;
    const std::uint32_t left = draft.tasks.left(id, group);
    maps_left += left;
    if (!groups[group].degraded) continue;
    degraded += groups[group].count;
    degraded_left += left;
  }
  MapProgress progress;
  progress.maps = job.map_tasks;
  progress.launched = job.map_tasks - maps_left;
  progress.degraded = job.degraded_launched + degraded;
  progress.degraded_launched = progress.degraded - degraded_left;
  return progress;
}

}  // namespace lips
