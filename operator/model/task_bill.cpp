#include "model/task_bill.h"

#include <cstdint>

#include "model/degraded_read.h"

namespace lips {

Bill task_bill(const ClusterSnapshot& cluster, const CostModel& costs, const Task& task, const Assignment& assignment) {
  const Node& node = cluster.nodes[assignment.node];
  const Job& job = cluster.jobs[task.job];
  Bill bill;
  bill.cpu = CostModel::cpu(task.cpu, node);
  if (task.kind == TaskKind::reduce) {
    for (std::uint32_t zone = 0; zone < job.map_output.size(); ++zone)
      bill.shuffle += (job.map_output[zone] / job.all_reduces()) * costs.transfer(ZoneId(zone), node.zone);
  } else if (assignment.read_from.valid()) {
    bill.transfer = task.input * costs.transfer(cluster.stores[assignment.read_from].zone, node.zone);
  }
  for (const StripeSource& source : assignment.sources)
    bill.transfer += source_read(cluster, task, source) * costs.transfer(cluster.stores[source.store].zone, node.zone);
  return bill;
}

}  // namespace lips
