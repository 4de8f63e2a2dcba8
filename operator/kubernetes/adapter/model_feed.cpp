#include "kubernetes/adapter/model_feed.h"

#include <optional>

namespace lips::kubernetes {

std::shared_ptr<ClusterSnapshot> ModelFeed::list(const NodeCache& nodes, const PodClasses& classes,
                                                 const DataView& data) {
  ModelIndex::Listing listing = index_.list(nodes, classes, data);
  events_.emplace_back(ClusterListed{listing.start, std::move(listing.costs)});
  task_pods_ = {};
  task_inputs_ = {};
  over_ = 0;
  ++listings_;
  must_list_ = false;
  listed_ = true;
  return listing.start;
}

void ModelFeed::add_task(PodRecord& pod, Mebibytes input) {
  pod.task = task_pods_.push_back(pod.meta);
  task_inputs_.push_back(input);
}

void ModelFeed::started(const PodRecord& pod) {
  const NodeId node = index_.node(pod.node);
  if (listed_ && pod.task.valid() && node.valid()) events_.emplace_back(TaskStarted{pod.task, node});
}

void ModelFeed::lost(const PodRecord& pod) {
  if (listed_ && pod.task.valid()) events_.emplace_back(TaskLost{pod.task});
}

void ModelFeed::found(PodRecord& pod, TimePoint now) {
  const NodeId node = index_.node(pod.node);
  if (!listed_ || !pod.task.valid()) return;
  if (node.valid())
    events_.emplace_back(TaskFound{pod.task, node, now});
  else
    ended(pod, false, now);
}

void ModelFeed::ended(PodRecord& pod, bool finished, TimePoint now) {
  const TaskId task = std::exchange(pod.task, TaskId::none());
  if (!listed_ || !task.valid()) return;
  ++over_;
  const NodeId node = index_.node(pod.node);
  const std::optional<Duration> ran = pod.ran(now);
  if (finished && node.valid()) events_.emplace_back(TaskFinished{task, node, ran, !pod.succeeded});
  events_.emplace_back(TaskWithdrawn{task, ran});  // no effect on a finished task
}

}  // namespace lips::kubernetes
