// Stratus (Chung, Park, Ganger, SoCC 2018): tasks that end at about the same time share a node, so that nodes are full
// or else empty and can go. Looks at run times and room, at no data.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "model/wanted_price.h"
#include "policies/baselines/baselines.h"
#include "policies/drafting/cheapest_offers.h"
#include "policies/drafting/draft.h"

namespace lips {

namespace {

// Run times of [1, 2), [2, 4), [4, 8)... seconds.
int bin(double seconds) { return std::ilogb(std::max(1.0, seconds)); }

class Nodes {
 public:
  explicit Nodes(Draft& draft) : draft_(draft), left_(draft.cluster.nodes.size(), 0) {
    for (const RunningTask& running : draft.cluster.running)
      prolong(running.node, to_seconds(running.expected_end - draft.cluster.now));
  }

  // In the order of the paper: a node of the task's bin, the one whose end is nearest; of the next higher bins, which
  // the task does not prolong; an empty one, the cheapest; of the next lower bins. In another bin the emptiest one.
  NodeId best(FreeCapacity::Kind kind, TaskId task) {
    NodeId best;
    Rank least;
    for (const NodeId node : draft_.free.open()) {
      if (!draft_.free.can_take(kind, node)) continue;
      const Rank rank = rank_of(node, run_time(task, node));
      if (best.valid() && !(rank < least)) continue;
      best = node;
      least = rank;
    }
    return best;
  }

  void assign(TaskId task, NodeId node) {
    prolong(node, run_time(task, node));
    draft_.assign(task, node);
  }

 private:
  using Rank = std::tuple<int, int, double>;

  Rank rank_of(NodeId node, double seconds) const {
    if (left_[node] <= 0) return {2, 0, wanted_price(draft_.cluster.nodes[node]).value()};
    const int apart = bin(left_[node]) - bin(seconds);
    if (apart == 0) return {0, 0, std::abs(left_[node] - seconds)};
    return {apart > 0 ? 1 : 3, std::abs(apart), -draft_.free.left(node).cpu.value()};
  }

  double run_time(TaskId id, NodeId node) const {
    const Task& task = draft_.cluster.tasks[id];
    const Locality level = task.block.valid() ? Locality::zone : Locality::none;
    return to_seconds(expected_duration(draft_.cluster, task, node, level));
  }

  void prolong(NodeId node, double seconds) { left_[node] = std::max({left_[node], seconds, 1.0}); }

  Draft& draft_;
  IdVector<NodeId, double> left_;  // seconds until the last task ends; 0: empty
};

struct Candidate {
  double seconds = 0;  // of each of its tasks, on a node of speed 1
  JobId job;
  std::uint32_t group = 0;
};

std::vector<Candidate> longest_first(const ClusterSnapshot& cluster) {
  std::vector<Candidate> all;
  for (const JobId id : cluster.pending) {
    const double cores = std::max(cluster.jobs[id].request.cpu.value(), least_cores);
    for (std::uint32_t group = 0; group < cluster.groups[id].size(); ++group)
      if (const TaskGroup& tasks = cluster.groups[id][group]; tasks.count > 0 && can_run(tasks))
        all.push_back({tasks.cpu.value() / cores, id, group});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  return all;
}

class Stratus : public Policy {
 public:
  Cadence cadence() const override { return {}; }
  Result<Plan> decide(const PolicyInput& input) const override {
    Draft draft(input);
    const bool elastic = draft.launch_on_request();
    const CheapestOffers offers(input.cluster);
    Nodes nodes(draft);
    for (const auto& [seconds, job, group] : longest_first(input.cluster)) {
      if (draft.free.open_left() == 0 && !elastic) break;
      fill(draft, nodes, job, group);
      if (!elastic || draft.tasks.left(job, group) == 0) continue;
      if (const OfferId offer = offers.anywhere(input.cluster.jobs[job]); offer.valid())
        draft.request_nodes(job, group, offer);
    }
    return draft.finish(DeferralReason::no_capacity);
  }

 private:
  // The tasks of a group are alike, so each node takes as many as fit.
  static void fill(Draft& draft, Nodes& nodes, JobId job, std::uint32_t group) {
    const FreeCapacity::Kind kind = draft.free.kind_of(draft.cluster.jobs[job]);
    for (TaskId task = draft.tasks.first(job, group); task.valid();) {
      const NodeId node = nodes.best(kind, task);
      if (!node.valid()) return;
      for (; task.valid() && draft.free.can_take(kind, node); task = draft.tasks.first(job, group))
        nodes.assign(task, node);
    }
  }
};

}  // namespace

std::unique_ptr<Policy> make_stratus(const PolicySettings&) { return std::make_unique<Stratus>(); }

}  // namespace lips
