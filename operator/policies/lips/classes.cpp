#include "policies/lips/classes.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace lips {

namespace {

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

// Mean seconds that a pending task keeps a core of speed 1 busy.
double mean_task_seconds(const ClusterSnapshot& cluster) {
  double work = 0, tasks = 0;
  for (JobId id : cluster.pending) {
    const Job& job = cluster.jobs[id];
    work += job.pending_work.value() / std::max(1e-9, job.request.cpu.value());
    tasks += job.pending;
  }
  return ratio(work, tasks);
}

void group_nodes(const ClusterSnapshot& cluster, NodeClasses& result) {
  using Key = std::tuple<ZoneId, UsdPerCpuSecond, double, ProfileId, double, double>;
  std::map<Key, std::vector<NodeId>> by_key;
  for (NodeId id : cluster.nodes.ids()) {
    const Node& node = cluster.nodes[id];
    const double cores = node.capacity.cpu.value();
    if (!node.schedulable || cores <= 0) continue;
    by_key[{node.zone, node.cpu_price, node.speed, node.profile, node.capacity.memory.value() / cores,
            node.capacity.slots / cores}]
        .push_back(id);
  }
  result.class_of.resize(cluster.nodes.size(), NodeClasses::no_class);
  for (auto& [key, nodes] : by_key) {
    NodeClass added;
    std::tie(added.zone, added.price, added.speed, added.profile, std::ignore, std::ignore) = key;
    added.shape = cluster.nodes[nodes.front()].capacity;
    added.nodes = std::move(nodes);
    for (NodeId node : added.nodes) {
      result.class_of[node] = static_cast<std::uint32_t>(result.classes.size());
      added.cores += cluster.nodes[node].capacity.cpu;
    }
    result.classes.push_back(std::move(added));
  }
}

// What a span of a core's or MiB's time from `free_at` on gives to the bucket [from, to), in seconds.
double overlap(double free_at, double from, double to) { return std::max(0.0, to - std::max(from, free_at)); }

}  // namespace

NodeClasses make_classes(const ClusterSnapshot& cluster, const BucketSettings& buckets) {
  NodeClasses result;
  group_nodes(cluster, result);
  const std::size_t classes = result.classes.size(), count = buckets.edges.size() - 1;
  for (const NodeClass& group : result.classes) {
    result.cores += group.cores.value();
    result.work_rate += group.cores.value() * group.speed;
    result.mean_price += group.cores.value() * group.price.value();
  }
  result.mean_price = ratio(result.mean_price, result.cores);
  result.steps.assign(classes, std::vector<CapacityStep>(count));
  result.now_window.resize(classes);
  const double mean_task = mean_task_seconds(cluster);

  for (std::size_t c = 0; c < classes; ++c) {
    const NodeClass& group = result.classes[c];
    double cpu = 0, memory = 0;
    for (NodeId node : group.nodes) {
      cpu += std::max(0.0, cluster.free[node].cpu.value());
      memory += std::max(0.0, cluster.free[node].memory.value());
    }
    for (std::size_t b = 0; b < count; ++b) {
      double span = to_seconds(buckets.edges[b + 1] - buckets.edges[b]);
      if (b == 0 && buckets.stretch_first)
        span = std::max({span, to_seconds(buckets.least_window), mean_task / group.speed});
      if (b == 0) result.now_window[c] = span;
      CapacityStep& step = result.steps[c][b];
      step.work = cpu * span * group.speed;
      step.memory = memory * span;
      step.waiting_price = buckets.waiting_price * result.mean_price * to_hours(buckets.edges[b]);
    }
  }
  std::vector<double> edges;
  for (Duration edge : buckets.edges) edges.push_back(to_seconds(edge));
  for (const RunningTask& run : cluster.running) {
    const std::uint32_t c = result.class_of[run.node];
    if (c == NodeClasses::no_class) continue;
    const Resources& request = cluster.jobs[cluster.tasks[run.task].job].request;
    const double free_at = to_seconds(run.expected_end - cluster.now);
    const double cores = request.cpu.value(), memory = request.memory.value(), speed = result.classes[c].speed;
    std::vector<CapacityStep>& steps = result.steps[c];
    for (std::size_t b = count; b-- > 0 && edges[b + 1] > free_at;) {
      const double open = overlap(free_at, edges[b], edges[b + 1]);
      steps[b].work += cores * open * speed;
      steps[b].memory += memory * open;
    }
  }
  return result;
}

}  // namespace lips
