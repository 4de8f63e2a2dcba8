#include "policies/lips/classes.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace lips {

namespace {

// Above this many, nodes of different sizes share classes although some pending task fits only some of them: the bound
// stays valid, and packing looks at each node.
constexpr std::size_t most_exact_classes = 128;

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

// Mean seconds that a pending task keeps a core of speed 1 busy.
double mean_task_seconds(const ClusterSnapshot& cluster) {
  double work = 0, tasks = 0;
  for (JobId id : cluster.pending) {
    const Job& job = cluster.jobs[id];
    work += job.pending_work.value() / cores_of(job.request);
    tasks += job.pending;
  }
  return ratio(work, tasks);
}

// Numbers profiles by the pending constraints that they meet, and capacities by the pending requests that fit them:
// what no pending task asks about separates no nodes.
class Kinds {
 public:
  explicit Kinds(const ClusterSnapshot& cluster) : cluster_(cluster), of_profile_(cluster.profiles.size(), -1) {
    std::set<ConstraintId> constraints;
    std::set<Resources> requests;
    for (JobId id : cluster.pending) {
      constraints.insert(cluster.jobs[id].constraint);
      requests.insert(cluster.jobs[id].request);
    }
    constraints_.assign(constraints.begin(), constraints.end());
    requests_.assign(requests.begin(), requests.end());
  }

  int by_profile(NodeId node) {
    int& known = of_profile_[cluster_.nodes[node].profile];
    if (known >= 0) return known;
    std::vector<bool> takes;
    for (ConstraintId constraint : constraints_) takes.push_back(cluster_.eligible(constraint, node));
    return known = profile_kinds_.try_emplace(std::move(takes), static_cast<int>(profile_kinds_.size())).first->second;
  }

  int by_capacity(const Resources& capacity) {
    const auto [known, added] = of_capacity_.try_emplace(capacity, 0);
    if (!added) return known->second;
    std::vector<bool> takes;
    for (const Resources& request : requests_) takes.push_back(fits(request, capacity));
    const int next = static_cast<int>(capacity_kinds_.size());
    return known->second = capacity_kinds_.try_emplace(std::move(takes), next).first->second;
  }

 private:
  const ClusterSnapshot& cluster_;
  std::vector<ConstraintId> constraints_;
  std::vector<Resources> requests_;
  IdVector<ProfileId, int> of_profile_;
  std::map<Resources, int> of_capacity_;
  std::map<std::vector<bool>, int> profile_kinds_, capacity_kinds_;
};

// Resource by resource. The bindings name every field: one that is added to Resources does not compile here until it
// is.
template <class Choose>
Resources of_both(const Resources& a, const Resources& b, Choose choose) {
  const auto& [cpu_a, memory_a, slots_a, extended_a] = a;
  const auto& [cpu_b, memory_b, slots_b, extended_b] = b;
  Resources result{choose(cpu_a, cpu_b), choose(memory_a, memory_b), choose(slots_a, slots_b), {}};
  for (const auto& [resource, amount] : extended_a) result.extended.set(resource, choose(amount, extended_b[resource]));
  for (const auto& [resource, amount] : extended_b) result.extended.set(resource, choose(extended_a[resource], amount));
  return result;
}

// What a further CPU-second on the node adds to the bill. The hours of a fixed node are paid whatever runs there; a
// small part of its price still tells what to use first of what costs nothing more.
UsdPerCpuSecond marginal_price(const Node& node, Billing billing) {
  constexpr double order_only = 0.05;
  return billing == Billing::invoice && node.fleet == FleetKind::fixed ? node.cpu_price * order_only : node.cpu_price;
}

void group_nodes(const ClusterSnapshot& cluster, Billing billing, bool by_capacity, NodeClasses& result) {
  using Key = std::tuple<ZoneId, UsdPerCpuSecond, double, NodeId>;
  using Alike = std::tuple<ZoneId, UsdPerCpuSecond, double, int, int, double, double>;
  Kinds kinds(cluster);
  std::map<Alike, NodeId> least;  // so that classes of equal price come by their least node
  std::map<Key, std::vector<NodeId>> by_key;
  for (NodeId id : cluster.nodes.ids()) {
    const Node& node = cluster.nodes[id];
    const double cores = node.capacity.cpu.value();
    if (!node.schedulable || cores <= 0) continue;
    const UsdPerCpuSecond price = marginal_price(node, billing);
    const Alike alike{node.zone,
                      price,
                      node.speed,
                      kinds.by_profile(id),
                      by_capacity ? kinds.by_capacity(node.capacity) : 0,
                      node.capacity.memory.value() / cores,
                      node.capacity.slots / cores};
    const NodeId first = least.try_emplace(alike, id).first->second;
    by_key[{node.zone, price, node.speed, first}].push_back(id);
  }
  result.classes = {};
  result.class_of = IdVector<NodeId, ClassId>(cluster.nodes.size());
  for (auto& [key, nodes] : by_key) {
    const ClassId id(static_cast<std::uint32_t>(result.classes.size()));
    NodeClass added;
    std::tie(added.zone, added.price, added.speed, std::ignore) = key;
    added.shape = added.least = cluster.nodes[nodes.front()].capacity;
    added.nodes = std::move(nodes);
    for (NodeId node : added.nodes) {
      const Resources& capacity = cluster.nodes[node].capacity;
      added.shape = of_both(added.shape, capacity, [](auto x, auto y) { return std::max(x, y); });
      added.least = of_both(added.least, capacity, [](auto x, auto y) { return std::min(x, y); });
      result.class_of[node] = id;
      added.cores += cluster.nodes[node].capacity.cpu;
    }
    result.classes.push_back(std::move(added));
  }
}

// What a span of a core's or MiB's time from `free_at` on gives to the time slot [from, to), in seconds.
double overlap(double free_at, double from, double to) { return std::max(0.0, to - std::max(from, free_at)); }

void add_totals(const ClusterSnapshot& cluster, NodeClasses& result) {
  for (const NodeClass& group : result.classes) {
    result.cores += group.cores;
    result.work_rate += group.cores.value() * group.speed;
    const UsdPerCpuSecond by_use = cluster.nodes[group.nodes.front()].cpu_price;
    result.mean_price += group.cores.value() * by_use;
    result.dearest = std::max(result.dearest, by_use);
  }
  result.mean_price = UsdPerCpuSecond(ratio(result.mean_price.value(), result.cores.value()));
}

void add_free(const ClusterSnapshot& cluster, const TimeSlotSettings& time_slots, NodeClasses& result) {
  const double mean_task = mean_task_seconds(cluster);
  for (ClassId c : result.classes.ids()) {
    const NodeClass& group = result.classes[c];
    double cpu = 0, memory = 0, slots = 0;
    for (NodeId node : group.nodes) {
      cpu += std::max(0.0, cluster.free[node].cpu.value());
      memory += std::max(0.0, cluster.free[node].memory.value());
      slots += std::max(0, cluster.free[node].slots);
    }
    for (std::size_t b = 0; b < result.steps[c].size(); ++b) {
      double span = to_seconds(time_slots.edges[b + 1] - time_slots.edges[b]);
      if (b == 0 && time_slots.stretch_first)
        span = std::max({span, to_seconds(time_slots.least_window), mean_task / group.speed});
      if (b == 0) result.now_window[c] = span;
      const double waiting = time_slots.waiting_price * result.mean_price.value() * to_hours(time_slots.edges[b]);
      result.steps[c][b] = {cpu * span * group.speed, memory * span, slots * span, waiting};
    }
  }
}

}  // namespace

NodeClasses make_classes(const ClusterSnapshot& cluster, const TimeSlotSettings& given) {
  TimeSlotSettings time_slots = given;
  if (time_slots.edges.size() < 2) time_slots.edges = {Duration(0), time_slots.least_window};
  NodeClasses result;
  group_nodes(cluster, given.billing, true, result);
  if (result.classes.size() > most_exact_classes) group_nodes(cluster, given.billing, false, result);
  add_totals(cluster, result);
  const std::size_t count = time_slots.edges.size() - 1;
  result.steps.resize(result.classes.size(), std::vector<CapacityStep>(count));
  result.now_window.resize(result.classes.size());
  add_free(cluster, time_slots, result);
  std::vector<double> edges;
  for (Duration edge : time_slots.edges) edges.push_back(to_seconds(edge));
  for (const RunningTask& run : cluster.running) {
    const ClassId c = result.class_of[run.node];
    if (!c.valid()) continue;
    const Resources& request = cluster.jobs[cluster.tasks[run.task].job].request;
    const double free_at = to_seconds(run.expected_end - cluster.now);
    const double cores = request.cpu.value(), memory = request.memory.value(), speed = result.classes[c].speed;
    std::vector<CapacityStep>& steps = result.steps[c];
    for (std::size_t b = count; b-- > 0 && edges[b + 1] > free_at;) {
      const double open = overlap(free_at, edges[b], edges[b + 1]);
      steps[b].work += cores * open * speed;
      steps[b].memory += memory * open;
      steps[b].slots += request.slots * open;
    }
  }
  return result;
}

}  // namespace lips
