// The tasks of one job for a reporting node, degraded ones aside: a map whose block it holds, else one of its rack,
// else any (Algorithm 1's local and remote tasks), then tasks without input; one reduce per heartbeat, as in Hadoop.
#pragma once

#include "policies/drafting/draft.h"

namespace lips {

class NodeAnswer {
 public:
  explicit NodeAnswer(Draft& draft) : tasks_(draft.tasks) {}

  void begin() { reduce_given_ = false; }
  TaskId next(JobId job, NodeId node) {
    if (const TaskId task = tasks_.on_node(job, node); task.valid()) return task;
    if (const TaskId task = tasks_.near(job, node); task.valid()) return task;
    if (const TaskId task = tasks_.remote(job); task.valid()) return task;
    if (const TaskId task = tasks_.without_input(job); task.valid()) return task;
    const TaskId task = reduce_given_ ? TaskId::none() : tasks_.reduce(job);
    reduce_given_ |= task.valid();
    return task;
  }

 private:
  Unassigned& tasks_;
  bool reduce_given_ = false;
};

}  // namespace lips
