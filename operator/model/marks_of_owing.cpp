#include "model/marks_of_owing.h"

#include <map>
#include <utility>

#include "model/marks.h"
#include "model/unpaid_room.h"

namespace lips {

void OwingPools::look(const ClusterSnapshot& cluster, Duration budget) {
  const CpuSeconds most = most_unpaid(cluster, budget);
  std::set<std::string> now;
  for (const Pool& pool : cluster.pools)
    if (pool.unpaid_room > most * (contains(pool.name) ? 0.5 : 1)) now.insert(pool.name);
  names_ = std::move(now);
}

std::vector<TaskId> marks_to_end(const ClusterSnapshot& cluster, const OwingPools& owing) {
  std::vector<TaskId> ended;
  if (owing.empty()) return ended;
  const std::map<NodeId, double> marked = marked_cores(cluster);
  for (const RunningTask& run : cluster.running) {
    if (!run.is_marked() || !owing.contains(cluster.pools[cluster.jobs[run.job].pool].name)) continue;
    const auto on = marked.find(run.node);
    if (on != marked.end() && cluster.free[run.node].cpu.value() > on->second) ended.push_back(run.task);
  }
  return ended;
}

}  // namespace lips
