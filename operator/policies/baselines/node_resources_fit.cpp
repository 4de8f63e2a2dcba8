// kube-scheduler's score NodeResourcesFit: each task goes to the node that is least, or most, allocated with it,
// wherever its data is.
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "policies/allocated_share.h"
#include "policies/baselines/baselines.h"
#include "policies/drafting/draft.h"

namespace lips {

namespace {

enum class Strategy : std::uint8_t { least_allocated, most_allocated };

// Nodes for one kind of task, the one with the best score on top; least id among equals. A node has an entry for each
// share that it has had; only the last one counts.
class NodesByScore {
 public:
  NodesByScore(const ClusterSnapshot& cluster, FreeCapacity& free, FreeCapacity::Kind kind, Strategy strategy)
      : cluster_(cluster), free_(free), kind_(kind), strategy_(strategy) {
    for (NodeId node : free.open()) add(node);
  }

  // `taken`: all nodes that were given tasks during this decision, in that order.
  NodeId best(const std::vector<NodeId>& taken) {
    for (; seen_ < taken.size(); ++seen_) add(taken[seen_]);
    while (!heap_.empty()) {
      const auto [known, node] = heap_.front();
      if (free_.can_take(kind_, node) && score(node) == known) return node;
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
    }
    return NodeId::none();
  }

 private:
  void add(NodeId node) {
    if (!free_.can_take(kind_, node)) return;
    heap_.emplace_back(score(node), node);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  // The lower the better: the mean share of CPU and memory that would be requested, or less it.
  double score(NodeId node) const {
    const double share = allocated_share(cluster_.nodes[node].capacity, free_.left(node) - free_.request(kind_));
    return strategy_ == Strategy::least_allocated ? share : -share;
  }

  const ClusterSnapshot& cluster_;
  FreeCapacity& free_;
  FreeCapacity::Kind kind_;
  Strategy strategy_;
  std::size_t seen_ = 0;
  std::vector<std::pair<double, NodeId>> heap_;
};

class NodeResourcesFit : public Policy {
 public:
  explicit NodeResourcesFit(Strategy strategy) : strategy_(strategy) {}
  Cadence cadence() const override { return {}; }
  Result<Plan> decide(const PolicyInput& input) const override {
    Draft draft(input);
    std::vector<NodesByScore> nodes;  // by kind
    std::vector<NodeId> taken;
    if (draft.free.open_left() > 0)
      for (JobId job : jobs_by_priority(input.cluster)) {
        if (draft.free.open_left() == 0) break;
        const FreeCapacity::Kind kind = draft.free.kind_of(input.cluster.jobs[job]);
        while (nodes.size() <= kind)
          nodes.emplace_back(input.cluster, draft.free, static_cast<FreeCapacity::Kind>(nodes.size()), strategy_);
        place(draft, nodes[kind], taken, job);
      }
    return draft.finish(DeferralReason::no_capacity);
  }

 private:
  static void place(Draft& draft, NodesByScore& nodes, std::vector<NodeId>& taken, JobId job) {
    const std::vector<TaskGroup>& groups = draft.cluster.groups[job];
    for (std::uint32_t group = 0; group < groups.size(); ++group) {
      if (!can_run(groups[group])) continue;
      for (TaskId task = draft.tasks.first(job, group); task.valid(); task = draft.tasks.first(job, group)) {
        const NodeId node = nodes.best(taken);
        if (!node.valid()) return;
        draft.assign(task, node);
        taken.push_back(node);
      }
    }
  }

  Strategy strategy_;
};

}  // namespace

std::unique_ptr<Policy> make_spread(const PolicySettings&) {
  return std::make_unique<NodeResourcesFit>(Strategy::least_allocated);
}

std::unique_ptr<Policy> make_most_allocated(const PolicySettings&) {
  return std::make_unique<NodeResourcesFit>(Strategy::most_allocated);
}

}  // namespace lips
