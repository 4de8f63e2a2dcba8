#include "advice/place.h"

#include "model/degraded_read.h"
#include "model/task_bill.h"

namespace lips::advice {

Place place_of(const Question& question, const Assignment& assignment) {
  const ClusterSnapshot& cluster = question.cluster;
  const Task& task = cluster.tasks[assignment.task];
  Place place;
  place.node = assignment.node;
  place.read_from = assignment.read_from;
  if (assignment.read_from.valid())
    place.locality = locality_of(cluster, assignment.read_from, assignment.node);
  else if (!assignment.sources.empty())
    place.locality = locality_of(cluster, assignment.sources, assignment.node);
  place.bill = task_bill(cluster, question.costs, task, assignment);
  return place;
}

Place place_on(const Question& question, TaskId task, NodeId node) {
  const ClusterSnapshot& cluster = question.cluster;
  const BlockId block = cluster.tasks[task].block;
  Assignment assignment{task, node, nearest_replica(cluster, question.costs, block, node).store, StoreId::none()};
  if (block.valid() && !assignment.read_from.valid() && decodable(cluster, block))
    assignment.sources = degraded_sources(cluster, question.costs, block, node, {SourceChoice::nearest, question.seed});
  return place_of(question, assignment);
}

bool takes(const ClusterSnapshot& cluster, TaskId task, NodeId id) {
  const Node& node = cluster.nodes[id];
  const Job& job = cluster.jobs[cluster.tasks[task].job];
  return node.schedulable && fits(job.request, node.capacity - node.others) && cluster.eligible(job.constraint, id);
}

std::optional<Place> cheapest_of(const Question& question, TaskId task, const std::vector<NodeId>& nodes) {
  std::optional<Place> best;
  for (const NodeId node : nodes)
    if (const Place place = place_on(question, task, node);
        !best || place.bill.total().value() < best->bill.total().value())
      best = place;
  return best;
}

}  // namespace lips::advice
