#include "records/watched_records.h"

#include <functional>
#include <string>
#include <utility>

namespace lips {

namespace {

std::size_t mark_of(const ClusterSnapshot& cluster, const std::vector<ServicePods>& services) {
  std::size_t mark = 31 * (31 * cluster.tasks.size() + cluster.pending_tasks) + cluster.running.size();
  for (const Node& node : cluster.nodes)
    mark +=
        (std::hash<std::string>()(node.name) ^ std::hash<double>()(node.price.value())) * (node.schedulable ? 3 : 5);
  for (const ServicePods& service : services)
    mark += std::hash<std::string>()(service.workload) * (7 * std::size_t{service.pods()} + service.waiting + 1);
  return mark;
}

}  // namespace

std::optional<EpochRecord> WatchedRecords::add(WatchedCluster seen) {
  if (seen.anew) *this = {};
  const ClusterSnapshot& cluster = seen.state.snapshot();
  ended_.on_event(cluster, ClusterListed{});  // the ids of the last look are void
  for (const ClusterEvent& event : seen.ended) {
    seen.state.apply(event);
    ended_.on_event(cluster, event);
  }
  const std::size_t mark = mark_of(cluster, seen.services);
  if (std::exchange(mark_, mark) == mark && seen.ended.empty()) return std::nullopt;
  EpochRecord record;
  record.watched = true;
  record.services = std::move(seen.services);
  record.ended = ended_.take(cluster.now);
  record.snapshot = {std::move(seen.state).take(), std::move(seen.costs)};
  return record;
}

}  // namespace lips
