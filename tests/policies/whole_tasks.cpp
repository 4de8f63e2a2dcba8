#include "tests/policies/whole_tasks.h"

#include <algorithm>
#include <tuple>

#include "model/task_bill.h"
#include "policies/lips/demand/commodities.h"  // least_work

namespace lips::testing {
namespace {

// CPU-seconds at the class's speed, MiB-seconds, slot-seconds.
struct Load {
  double cpu = 0, memory = 0, slots = 0;
  Load& operator+=(const Load& other) {
    cpu += other.cpu, memory += other.memory, slots += other.slots;
    return *this;
  }
  friend Load operator+(Load a, const Load& b) { return a += b; }
  bool within(const Load& room) const {
    const auto fits = [](double used, double have) { return used <= have * (1 + 1e-9) + 1e-5; };
    return fits(cpu, room.cpu) && fits(memory, room.memory) && fits(slots, room.slots);
  }
};

struct Class {
  NodeId first;
  Load room;
};

// Nodes of equal zone, price, speed and proportions that the same pending jobs may use.
class Classes {
 public:
  Classes(const RandomWorld& world, Duration horizon) : world_(world), of_(world.cluster.nodes.size(), -1) {
    using Alike = std::tuple<ZoneId, double, double, double, double, std::vector<bool>>;
    std::map<Alike, int> known;
    const ClusterSnapshot& cluster = world.cluster;
    const double span = to_seconds(horizon);
    for (NodeId id : cluster.nodes.ids()) {
      const Node& node = cluster.nodes[id];
      if (!node.schedulable) continue;
      std::vector<bool> takes;
      for (JobId job : cluster.pending) takes.push_back(may_run(job, id));
      const double cores = node.capacity.cpu.value();
      const auto [found, added] =
          known.try_emplace({node.zone, node.cpu_price.value(), node.speed, node.capacity.memory.value() / cores,
                             node.capacity.slots / cores, std::move(takes)},
                            static_cast<int>(classes.size()));
      if (added) classes.push_back({id, {}});
      of_[id] = found->second;
      const Resources& free = cluster.free[id];
      classes[of_[id]].room += {std::max(0.0, free.cpu.value()) * node.speed * span,
                                std::max(0.0, free.memory.value()) * span, std::max(0, free.slots) * span};
    }
    for (const RunningTask& run : cluster.running) {
      if (of_[run.node] < 0) continue;
      const double left = std::clamp(to_seconds(run.expected_end - cluster.now), 0.0, span);
      const Resources& request = cluster.jobs[cluster.tasks[run.task].job].request;
      classes[of_[run.node]].room += {request.cpu.value() * cluster.nodes[run.node].speed * (span - left),
                                      request.memory.value() * (span - left), request.slots * (span - left)};
    }
  }

  bool may_run(JobId job, NodeId node) const {
    const Job& of = world_.cluster.jobs[job];
    return fits(of.request, world_.cluster.nodes[node].capacity) && world_.cluster.eligible(of.constraint, node);
  }
  int of(NodeId node) const { return of_[node]; }

  // The part of the class's time that one task takes when it reads inside the zone, or from afar.
  Load load(const Task& task, NodeId node, bool near) const {
    const ClusterSnapshot& cluster = world_.cluster;
    const Resources& request = cluster.jobs[task.job].request;
    const double speed = cluster.nodes[node].speed, cores = std::max(1e-3, request.cpu.value());
    double seconds = std::max(least_work, task.cpu.value()) / (cores * speed);
    const double bandwidth = cluster.network.stream(near ? Locality::zone : Locality::remote).value();
    if (task.block.valid() && bandwidth > 0) seconds = std::max(seconds, task.input.value() / bandwidth);
    return {cores * speed * seconds, request.memory.value() * seconds, request.slots * seconds};
  }

  std::vector<Class> classes;

 private:
  const RandomWorld& world_;
  IdVector<NodeId, int> of_;
};

bool starts_at_once(const RandomWorld& world, const Plan& plan) {
  IdVector<NodeId, Resources> free = world.cluster.free;
  for (const Assignment& assignment : plan.assignments) {
    const Resources& request = world.cluster.jobs[world.cluster.tasks[assignment.task].job].request;
    if (!fits(request, free[assignment.node])) return false;
    free[assignment.node] -= request;
  }
  return true;
}

bool keeps_maxima(const RandomWorld& world, const Plan& plan, bool at_once, double horizon) {
  const ClusterSnapshot& cluster = world.cluster;
  IdVector<PoolId, double> used(cluster.pools.size(), 0.0);  // cores at once, or core-seconds
  for (PoolId pool : cluster.pools.ids()) used[pool] = at_once ? cluster.pool_cores[pool].value() : 0;
  for (const RunningTask& run : cluster.running) {
    const Job& job = cluster.jobs[cluster.tasks[run.task].job];
    const double left = std::clamp(to_seconds(run.expected_end - cluster.now), 0.0, horizon);
    if (!at_once) used[job.pool] += job.request.cpu.value() * left;
  }
  for (const Assignment& assignment : plan.assignments) {
    const Task& task = cluster.tasks[assignment.task];
    const Job& job = cluster.jobs[task.job];
    used[job.pool] += at_once ? job.request.cpu.value() : task.cpu.value() / cluster.nodes[assignment.node].speed;
  }
  for (PoolId pool : cluster.pools.ids()) {
    const double most = cluster.pools[pool].maximum.value() * (at_once ? 1 : horizon);
    if (most > 0 && used[pool] > most + 1e-6) return false;
  }
  return true;
}

bool keeps_links(const RandomWorld& world, const Plan& plan, double horizon) {
  const ClusterSnapshot& cluster = world.cluster;
  const double most = cluster.network.zone_link.value() * horizon;
  if (most <= 0) return true;
  std::map<std::pair<ZoneId, ZoneId>, double> crossed;
  for (const Assignment& assignment : plan.assignments)
    if (assignment.read_from.valid())
      crossed[{cluster.stores[assignment.read_from].zone, cluster.nodes[assignment.node].zone}] +=
          cluster.tasks[assignment.task].input.value();
  for (const DataMove& move : plan.moves)
    crossed[{cluster.stores[move.from].zone, cluster.stores[move.to].zone}] += cluster.blocks[move.block].size.value();
  return std::all_of(crossed.begin(), crossed.end(), [&](const auto& link) {
    return link.first.first == link.first.second || link.second <= most + 1e-6;
  });
}

bool keeps_classes(const RandomWorld& world, const Plan& plan, Duration horizon) {
  const Classes model(world, horizon);
  std::vector<Load> used(model.classes.size());
  for (const Assignment& assignment : plan.assignments) {
    const int c = model.of(assignment.node);
    if (c < 0) return false;
    const bool near = !assignment.read_from.valid() ||
                      world.cluster.stores[assignment.read_from].zone == world.cluster.nodes[assignment.node].zone;
    used[c] += model.load(world.cluster.tasks[assignment.task], assignment.node, near);
  }
  for (std::size_t c = 0; c < used.size(); ++c)
    if (!used[c].within(model.classes[c].room)) return false;
  return true;
}

// A replica that there is, or one that is on its way.
StoreId cheapest_source(const RandomWorld& world, BlockId block, NodeId node) {
  const ClusterSnapshot& cluster = world.cluster;
  StoreId best = nearest_replica(cluster, world.costs, block, node).store;
  const auto price = [&](StoreId store) {
    return store.valid() ? world.costs.transfer(cluster.stores[store].zone, cluster.nodes[node].zone).value() : 1e300;
  };
  for (const MoveInFlight& move : cluster.moves)
    if (move.block == block && best.valid() && price(move.to) < price(best)) best = move.to;
  return best;
}

// Tries all classes for one task after the other; leaves a branch when even its cheapest end costs too much.
class Search {
 public:
  Search(const RandomWorld& world, const std::map<TaskId, Assignment>& tasks, Duration horizon)
      : model_(world, horizon), used_(model_.classes.size()) {
    const ClusterSnapshot& cluster = world.cluster;
    for (const auto& [id, unused] : tasks) {
      const Task& task = cluster.tasks[id];
      std::vector<Choice> choices;
      for (std::size_t c = 0; c < model_.classes.size(); ++c) {
        const NodeId node = model_.classes[c].first;
        if (!model_.may_run(task.job, node)) continue;
        const StoreId from = cheapest_source(world, task.block, node);
        const bool near = !from.valid() || cluster.stores[from].zone == cluster.nodes[node].zone;
        choices.push_back({task_bill(cluster, world.costs, task, {id, node, from, {}}).total().value(), c,
                           model_.load(task, node, near)});
      }
      std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) { return a.usd < b.usd; });
      choices_.push_back(std::move(choices));
    }
    // Those with most to lose first.
    std::sort(choices_.begin(), choices_.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    rest_.assign(choices_.size() + 1, 0.0);
    for (std::size_t i = choices_.size(); i-- > 0;)
      rest_[i] = rest_[i + 1] + (choices_[i].empty() ? 1e300 : choices_[i].front().usd);
  }

  std::optional<double> run() {
    go(0, 0);
    return best_ < 1e299 ? std::optional(best_) : std::nullopt;
  }

 private:
  struct Choice {
    double usd;
    std::size_t of_class;
    Load load;
  };

  void go(std::size_t task, double usd) {
    if (usd + rest_[task] >= best_ * (1 - 1e-12)) return;
    if (task == choices_.size()) {
      best_ = usd;
      return;
    }
    for (const Choice& choice : choices_[task]) {
      const Load before = used_[choice.of_class];
      used_[choice.of_class] += choice.load;
      if (used_[choice.of_class].within(model_.classes[choice.of_class].room)) go(task + 1, usd + choice.usd);
      used_[choice.of_class] = before;
    }
  }

  Classes model_;
  std::vector<std::vector<Choice>> choices_;
  std::vector<double> rest_;
  std::vector<Load> used_;
  double best_ = 1e300;
};

}  // namespace

bool within_the_model(const RandomWorld& world, const Plan& plan, const PolicySettings& settings) {
  const double horizon = to_seconds(settings.lips.horizon);
  const bool at_once = starts_at_once(world, plan);
  return keeps_maxima(world, plan, at_once, horizon) && keeps_links(world, plan, horizon) &&
         (at_once || keeps_classes(world, plan, settings.lips.horizon));
}

std::optional<double> cheapest_whole_tasks(const RandomWorld& world, const std::map<TaskId, Assignment>& tasks,
                                           Duration horizon) {
  return Search(world, tasks, horizon).run();
}

}  // namespace lips::testing
