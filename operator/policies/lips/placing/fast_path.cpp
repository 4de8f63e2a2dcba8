#include "policies/lips/placing/fast_path.h"

#include <algorithm>

#include "policies/lips/placing/pool_room.h"

namespace lips {

namespace {

class FastPathPacking {
 public:
  FastPathPacking(const PolicyInput& input, const FastPathSettings& settings, NodeClasses& classes,
                  IdVector<NodeId, Resources>& free)
      : cluster_(input.cluster),
        reads_(input.costs, cluster_.zones.size()),
        settings_(settings),
        classes_(classes),
        free_(free),
        pools_(cluster_, settings.pool_cores.empty() ? cluster_.pool_cores : settings.pool_cores),
        first_open_(classes.classes.size(), 0) {
    result_.served = settings.skip;
    result_.served.resize(cluster_.jobs.size(), false);
    if (settings.copies != CopyPricing::none) readers_.emplace(cluster_);
  }

  FastPath run() {
    std::vector<JobId> small;
    for (JobId id : cluster_.pending)
      if (!result_.served[id.index()] && all_work(cluster_.jobs[id]) * classes_.dearest <= settings_.limit)
        small.push_back(id);
    const auto rank = [&](JobId id) { return std::pair(-std::int64_t{cluster_.jobs[id].priority}, began(cluster_.jobs[id])); };
    std::stable_sort(small.begin(), small.end(), [&](JobId a, JobId b) { return rank(a) < rank(b); });
    for (JobId id : small) serve(id);
    result_.pool_cores = pools_.in_use();
    return std::move(result_);
  }

 private:
  void serve(JobId id) {
    const Job& job = cluster_.jobs[id];
    for (std::uint32_t g = 0; g < cluster_.groups[id].size(); ++g) {
      const TaskGroup& group = cluster_.groups[id][g];
      if (group.count == 0) continue;
      if (group.reads && group.zones.empty()) continue;
      non_cpu_costs(cluster_, reads_, job, group, job.memory.home, non_cpu_cost_);
      if (settings_.copies != CopyPricing::none)
        discount_shared_copy(reads_, *readers_, id, group, non_cpu_cost_);
      const PortionId portion =
          result_.workload.portions.push_back({id, g, group.count, group.cpu.value(), to_seconds(job.arrival), {}});
      place(job, group, portion);
    }
    result_.served[id.index()] = true;
  }

  void place(const Job& job, const TaskGroup& group, PortionId portion) {
    std::uint32_t left = group.count;
    while (left > 0 && pools_.tasks(job.pool, job.request) >= 1) {
      const ClassId c = cheapest_open(job, group);
      if (!c.valid()) {
        result_.waiting = true;
        return;
      }
      const NodeId node = open_node(c, job, group);
      const auto most =
          std::min(static_cast<double>(fit_count(job.request, free_[node])), pools_.tasks(job.pool, job.request));
      const auto count = static_cast<std::uint32_t>(std::min<double>(left, most));
      pools_.take(job.pool, job.request.cpu * count);
      free_[node] -= job.request * static_cast<std::int32_t>(count);
      CapacityStep& now = classes_.steps[c].front();
      now.work = std::max(
          0.0, now.work - job.request.cpu.value() * count * classes_.now_window[c] * classes_.classes[c].speed);
      now.memory = std::max(0.0, now.memory - job.request.memory.value() * count * classes_.now_window[c]);
      now.slots = std::max(0.0, now.slots - job.request.slots * static_cast<double>(count) * classes_.now_window[c]);
      result_.placements.push_back({portion, count, node, 0, {}});
      left -= count;
    }
  }

  ClassId cheapest_open(const Job& job, const TaskGroup& group) {
    ClassId best;
    double best_usd = 0;
    for (ClassId c : classes_.classes.ids()) {
      const NodeClass& candidate = classes_.classes[c];
      const double usd = (group.cpu * candidate.price).value() + non_cpu_cost_[candidate.zone];
      if (best.valid() && usd >= best_usd) continue;
      if (!cluster_.eligible(job.constraint, candidate.like) || !open_node(c, job, group).valid()) continue;
      best = c;
      best_usd = usd;
    }
    return best;
  }

  // A node of the class with room: one that holds a replica of the group's first task if there is one.
  NodeId open_node(ClassId c, const Job& job, const TaskGroup& group) {
    const NodeClass& candidate = classes_.classes[c];
    if (const BlockId block = cluster_.tasks[group.first].block; block.valid())
      for (const Replica& replica : cluster_.blocks[block].replicas) {
        const NodeId node = cluster_.stores[replica.store].node;
        if (node.valid() && classes_.class_of[node] == c && fits(job.request, free_[node])) return node;
      }
    std::size_t& first = first_open_[c];
    while (first < candidate.nodes.size() && free_[candidate.nodes[first]].slots <= 0) ++first;
    for (std::size_t i = first; i < candidate.nodes.size(); ++i)
      if (fits(job.request, free_[candidate.nodes[i]])) return candidate.nodes[i];
    return NodeId::none();
  }

  const ClusterSnapshot& cluster_;
  ReadPrices reads_;
  FastPathSettings settings_;
  NodeClasses& classes_;
  IdVector<NodeId, Resources>& free_;
  PoolRoom pools_;
  IdVector<ClassId, std::size_t> first_open_;
  std::optional<OtherReaders> readers_;
  ByZone non_cpu_cost_;
  FastPath result_;
};

}  // namespace

FastPath serve_small_jobs(const PolicyInput& input, const FastPathSettings& settings, NodeClasses& classes,
                          IdVector<NodeId, Resources>& free) {
  return FastPathPacking(input, settings, classes, free).run();
}

}  // namespace lips
