// The default spreading of kube-scheduler: each task goes to the node that is least allocated with it, wherever its
// data is.
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "policies/baselines/baselines.h"
#include "policies/drafting/draft.h"

namespace lips {

namespace {

// Nodes for one kind of task, the least allocated on top. Shares only grow during planning, so a stale entry sinks
// when it is read.
class LeastAllocated {
 public:
  LeastAllocated(const ClusterSnapshot& cluster, FreeCapacity& free, FreeCapacity::Kind kind)
      : cluster_(cluster), free_(free), kind_(kind) {
    for (NodeId node : free.open())
      if (free.can_take(kind, node)) heap_.emplace_back(share(node), node);
    std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  NodeId node() {
    while (!heap_.empty()) {
      const auto [known, id] = heap_.front();
      const bool room = free_.can_take(kind_, id);
      const double now = room ? share(id) : 0;
      if (room && now == known) return id;
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
      if (!room) continue;
      heap_.emplace_back(now, id);
      std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    }
    return NodeId::none();
  }

 private:
  // The mean share of CPU and memory that would be requested.
  double share(NodeId node) const {
    const Resources& capacity = cluster_.nodes[node].capacity;
    const Resources left = free_.left(node) - free_.request(kind_);
    double sum = 0;
    int parts = 0;
    if (capacity.cpu.value() > 0) sum += 1 - left.cpu / capacity.cpu, ++parts;
    if (capacity.memory.value() > 0) sum += 1 - left.memory / capacity.memory, ++parts;
    return parts > 0 ? sum / parts : 0;
  }

  const ClusterSnapshot& cluster_;
  FreeCapacity& free_;
  FreeCapacity::Kind kind_;
  std::vector<std::pair<double, NodeId>> heap_;
};

class Spread : public Policy {
 public:
  Cadence cadence() const override { return {}; }
  Result<Plan> decide(const PolicyInput& input) const override {
    Draft draft(input);
    std::vector<LeastAllocated> nodes;  // by kind
    if (draft.free.open_left() > 0)
      for (JobId job : jobs_by_priority(input.cluster)) {
        if (draft.free.open_left() == 0) break;
        const FreeCapacity::Kind kind = draft.free.kind_of(input.cluster.jobs[job]);
        while (nodes.size() <= kind)
          nodes.emplace_back(input.cluster, draft.free, static_cast<FreeCapacity::Kind>(nodes.size()));
        place(draft, nodes[kind], job);
      }
    return draft.finish(DeferralReason::no_capacity);
  }

 private:
  static void place(Draft& draft, LeastAllocated& nodes, JobId job) {
    const std::vector<TaskGroup>& groups = draft.cluster.groups[job];
    for (std::uint32_t group = 0; group < groups.size(); ++group) {
      if (!can_run(groups[group])) continue;
      for (TaskId task = draft.tasks.first(job, group); task.valid(); task = draft.tasks.first(job, group)) {
        const NodeId node = nodes.node();
        if (!node.valid()) return;
        draft.assign(task, node);
      }
    }
  }
};

}  // namespace

std::unique_ptr<Policy> make_spread(const PolicySettings&) { return std::make_unique<Spread>(); }

}  // namespace lips
