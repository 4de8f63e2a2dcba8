// First in, first out: each task to a free node that holds its input, else to the free node of least id.
#include <vector>

#include "policies/baselines/baselines.h"
#include "policies/drafting/draft.h"

namespace lips {

namespace {

class FirstOpen {
 public:
  explicit FirstOpen(FreeCapacity& free) : free_(free) {}
  NodeId node(FreeCapacity::Kind kind) {
    if (first_.size() <= kind) first_.resize(kind + 1, 0);
    const std::vector<NodeId>& open = free_.open();
    for (std::size_t& next = first_[kind]; next < open.size(); ++next)
      if (free_.can_take(kind, open[next])) return open[next];
    return NodeId::none();
  }

 private:
  FreeCapacity& free_;
  std::vector<std::size_t> first_;  // by kind: those before it are too full for it
};

NodeId holder(Draft& draft, const Task& task, FreeCapacity::Kind kind) {
  NodeId best;
  if (!task.block.valid()) return best;
  for (const Replica& replica : draft.cluster.blocks[task.block].replicas)
    if (const NodeId node = draft.cluster.stores[replica.store].node;
        node.valid() && (!best.valid() || node < best) && draft.free.can_take(kind, node))
      best = node;
  return best;
}

// False once nothing takes the job's tasks.
bool place_group(Draft& draft, FirstOpen& nodes, JobId job, std::uint32_t group) {
  const FreeCapacity::Kind kind = draft.free.kind_of(draft.cluster.jobs[job]);
  for (TaskId task = draft.tasks.first(job, group); task.valid(); task = draft.tasks.first(job, group)) {
    NodeId node = nodes.node(kind);
    if (!node.valid()) return false;
    if (const NodeId local = holder(draft, draft.cluster.tasks[task], kind); local.valid()) node = local;
    draft.assign(task, node);
  }
  return true;
}

class Fifo : public Policy {
 public:
  Cadence cadence() const override { return {}; }
  Result<Plan> decide(const PolicyInput& input) const override {
    Draft draft(input);
    FirstOpen nodes(draft.free);
    for (JobId job : input.cluster.pending) {
      if (draft.free.open_left() == 0) break;
      const std::vector<TaskGroup>& groups = input.cluster.groups[job];
      for (std::uint32_t group = 0; group < groups.size(); ++group)
        if (can_run(groups[group]) && !place_group(draft, nodes, job, group)) break;
    }
    return draft.finish(DeferralReason::no_capacity);
  }
};

}  // namespace

std::unique_ptr<Policy> make_fifo(const PolicySettings&) { return std::make_unique<Fifo>(); }

}  // namespace lips
