#include "policies/lips/packing.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

namespace lips {

namespace {

constexpr std::size_t look_ahead = 24;  // entries of a list that are tried when the first does not fit

constexpr std::size_t spill_nodes = 64;  // of a class that are tried for a task that is left over

// A list of quotas that is used up from its front, with holes.
struct Queue {
  std::vector<Quota> quotas;
  std::size_t first = 0;
  void trim() {
    while (first < quotas.size() && quotas[first].tasks == 0) ++first;
  }
  bool empty() const { return first >= quotas.size(); }
};

class Packing {
 public:
  Packing(const ClusterSnapshot& cluster, const NodeClasses& classes, const Units& units, IdVector<NodeId, Resources>& free)
      : cluster_(cluster), classes_(classes), units_(units), free_now_(free), timeline_(cluster.nodes.size()) {
    for (NodeId node : cluster.nodes.ids()) timeline_[node].free = free[node];
    for (PoolId pool : cluster.pools.ids())
      pool_room_.push_back(cluster.pools[pool].maximum.value() > 0
                               ? cluster.pools[pool].maximum.value() - cluster.pool_cores[pool].value()
                               : 1e300);
  }

  void load(WholeQuotas quotas) {
    zone_.clear();
    class_.clear();
    for (auto& list : quotas.zone) zone_.push_back({std::move(list), 0});
    for (auto& list : quotas.in_class) class_.push_back({std::move(list), 0});
  }

  void add_releases(double window) {
    for (const RunningTask& run : cluster_.running) {
      const double at = std::max(0.0, to_seconds(run.expected_end - cluster_.now));
      if (at < window) timeline_[run.node].releases.push({at, cluster_.jobs[cluster_.tasks[run.task].job].request});
    }
  }

  void run(const PackingSettings& settings, std::vector<double>& open_work, std::vector<Placement>& placements) {
    settings_ = settings;
    std::vector<Slot> first;
    for (std::uint32_t c = 0; c < classes_.classes.size(); ++c) {
      const std::uint32_t zone = classes_.classes[c].zone.index();
      if (class_[c].empty() && (zone_[zone].empty() || open_work[c] <= 0)) continue;
      for (NodeId node : classes_.classes[c].nodes) {
        const Timeline& line = timeline_[node];
        if (!full(line.free))
          add_slot(first, node, c, line.time);
        else if (!line.releases.empty())
          add_slot(first, node, c, std::max(line.time, line.releases.top().at));
      }
    }
    std::priority_queue<Slot, std::vector<Slot>, std::greater<>> slots(std::greater<>(), std::move(first));
    while (!slots.empty()) {
      const Slot slot = slots.top();
      slots.pop();
      const NodeId node(std::get<2>(slot));
      const std::uint32_t c = classes_.class_of[node];
      Timeline& line = timeline_[node];
      line.time = std::get<0>(slot);
      while (!line.releases.empty() && line.releases.top().at <= line.time) {
        line.free = line.free + line.releases.top().resources;
        line.releases.pop();
      }
      while (place(node, c, open_work, placements)) {
      }
      if (!wanted(c, open_work) || line.releases.empty()) continue;
      const double next = line.releases.top().at;
      if (within(next)) slots.emplace(next, rank(c), node.index());
    }
  }

  // The rest, task by task, to the cheapest class with room whatever its zone, at the earliest time that a node of it has.
  void spill(std::vector<double>& left, std::vector<Placement>& placements) {
    std::vector<std::size_t> cursor(classes_.classes.size(), 0);
    WholeQuotas rest = leftover();
    for (auto* lists : {&rest.in_class, &rest.zone})
      for (auto& list : *lists)
        for (Quota& quota : list) spill(quota, left, cursor, placements);
  }

  WholeQuotas leftover() {
    WholeQuotas result;
    for (auto* from : {&zone_, &class_}) {
      auto& to = from == &zone_ ? result.zone : result.in_class;
      for (Queue& queue : *from) {
        std::erase_if(queue.quotas, [](const Quota& quota) { return quota.tasks == 0; });
        to.push_back(std::move(queue.quotas));
      }
    }
    return result;
  }

 private:
  void spill(Quota& quota, std::vector<double>& left, std::vector<std::size_t>& cursor, std::vector<Placement>& placements) {
    const Portion& portion = units_.portions[quota.portion];
    const Job& job = cluster_.jobs[portion.job];
    const Unit& unit = units_.units[portion.unit];
    if (pool_room_[job.pool.index()] < job.request.cpu.value()) return;
    std::vector<std::pair<double, std::uint32_t>> order;
    for (std::uint32_t c = 0; c < classes_.classes.size(); ++c)
      if (left[c] >= portion.work && fits(job.request, classes_.classes[c].shape) &&
          cluster_.eligible(job.constraint, classes_.classes[c].nodes.front()))
        order.emplace_back(classes_.classes[c].price.value() + unit.extra[classes_.classes[c].zone.index()], c);
    std::sort(order.begin(), order.end());
    for (const auto& [price, c] : order) {
      const std::vector<NodeId>& nodes = classes_.classes[c].nodes;
      for (std::size_t tried = 0; tried < std::min(spill_nodes, nodes.size()); ++tried) {
        const NodeId node = nodes[cursor[c] % nodes.size()];
        while (quota.tasks > 0 && left[c] >= portion.work && advance_until_fits(node, job.request)) {
          start(node, c, quota, 1, placements);
          left[c] -= portion.work;
        }
        if (quota.tasks == 0) return;
        if (left[c] < portion.work) break;
        ++cursor[c];
      }
    }
  }

  // Lets the node's time run to the first moment before the window's end at which the request fits.
  bool advance_until_fits(NodeId node, const Resources& request) {
    Timeline& line = timeline_[node];
    while (!fits(request, line.free)) {
      if (line.releases.empty()) return false;
      line.time = line.releases.top().at;
      line.free = line.free + line.releases.top().resources;
      line.releases.pop();
    }
    return line.time < settings_.window;
  }

  struct Release {
    double at;
    Resources resources;
    bool operator<(const Release& other) const { return at > other.at; }
  };
  struct Timeline {
    double time = 0;
    Resources free;
    std::priority_queue<Release> releases;
  };
  using Slot = std::tuple<double, std::uint32_t, std::uint32_t>;  // time, class's rank by price, node

  bool within(double time) const { return time < settings_.window || time == 0; }

  void add_slot(std::vector<Slot>& slots, NodeId node, std::uint32_t c, double time) {
    if (within(time)) slots.emplace_back(time, rank(c), node.index());
  }

  // Most nodes are, most of the time: they wait for their first release without a look at any task.
  static bool full(const Resources& free) { return free.slots <= 0 && free.cpu.value() <= 0; }

  std::uint32_t rank(std::uint32_t c) {
    if (rank_.empty()) {
      std::vector<std::uint32_t> order(classes_.classes.size());
      for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
      std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return classes_.classes[a].price < classes_.classes[b].price;
      });
      rank_.resize(order.size());
      for (std::uint32_t i = 0; i < order.size(); ++i) rank_[order[i]] = i;
    }
    return rank_[c];
  }

  bool wanted(std::uint32_t c, const std::vector<double>& open_work) {
    Queue& zone = zone_[classes_.classes[c].zone.index()];
    class_[c].trim();
    zone.trim();
    return !class_[c].empty() || (!zone.empty() && open_work[c] > 0);
  }

  // How many of the quota's tasks may start on the node now.
  std::uint32_t takes(const Quota& quota, const Resources& free, std::uint32_t c, double open_work, bool open) const {
    const Portion& portion = units_.portions[quota.portion];
    const Job& job = cluster_.jobs[portion.job];
    std::int64_t count = std::min<std::int64_t>(quota.tasks, fit_count(job.request, free));
    const double pool_tasks = std::floor((pool_room_[job.pool.index()] + 1e-7) / std::max(1e-9, job.request.cpu.value()));
    count = static_cast<std::int64_t>(std::min(static_cast<double>(count), pool_tasks));
    if (count <= 0 || !open) return static_cast<std::uint32_t>(std::max<std::int64_t>(0, count));
    if (settings_.strict) return static_cast<std::uint32_t>(std::min<double>(count, std::max(0.0, (open_work + 1e-6) / portion.work)));
    // A task starts where half of it, or half of what a slot offers now, is left of the class's amount.
    const double core_window = classes_.now_window[c] * classes_.classes[c].speed * job.request.cpu.value();
    const double room = (open_work - 0.5 * std::min(portion.work, core_window)) / portion.work;
    return room < 0 ? 0 : static_cast<std::uint32_t>(std::min<double>(count, room + 1));
  }

  bool place(NodeId node, std::uint32_t c, std::vector<double>& open_work, std::vector<Placement>& placements) {
    Queue& zone = zone_[classes_.classes[c].zone.index()];
    class_[c].trim();
    zone.trim();
    std::size_t in_class = class_[c].first, in_zone = open_work[c] > 0 ? zone.first : zone.quotas.size();
    Quota* best = nullptr;
    bool best_in_class = false;
    std::uint32_t best_count = 0;
    double best_fit = -1;
    for (std::size_t tried = 0; tried < look_ahead; ++tried) {
      const bool from_class = in_class < class_[c].quotas.size();
      const bool from_zone = in_zone < zone.quotas.size();
      if (!from_class && !from_zone) break;
      const bool use_class = from_class && (!from_zone || more_urgent(class_[c].quotas[in_class], zone.quotas[in_zone]));
      Quota& quota = use_class ? class_[c].quotas[in_class++] : zone.quotas[in_zone++];
      if (quota.tasks == 0) continue;
      const std::uint32_t count = takes(quota, timeline_[node].free, c, open_work[c], !use_class);
      if (count == 0) continue;
      const double fit = settings_.balance ? alignment(quota, node) : 0;
      if (fit <= best_fit) continue;
      best = &quota;
      best_in_class = use_class;
      best_count = settings_.balance ? 1 : count;
      best_fit = fit;
      if (!settings_.balance) break;
    }
    if (!best) return false;
    start(node, c, *best, best_count, placements);
    if (!best_in_class) open_work[c] -= best_count * units_.portions[best->portion].work;
    return true;
  }

  // Cosine of the angle between what the task asks for and what the node has left, both against the node's capacity: tasks
  // that use up what is plentiful leave room for the others (Grandl et al., SIGCOMM 2014, call it alignment).
  double alignment(const Quota& quota, NodeId node) const {
    const Resources& request = cluster_.jobs[units_.portions[quota.portion].job].request;
    const Resources& free = timeline_[node].free;
    const Resources& capacity = cluster_.nodes[node].capacity;
    const double cpu = request.cpu / capacity.cpu, memory = request.memory / capacity.memory;
    const double free_cpu = free.cpu / capacity.cpu, free_memory = free.memory / capacity.memory;
    const double length = std::sqrt((cpu * cpu + memory * memory) * (free_cpu * free_cpu + free_memory * free_memory));
    return length > 0 ? (cpu * free_cpu + memory * free_memory) / length : 0;
  }

  bool more_urgent(const Quota& a, const Quota& b) const {
    const Portion& left = units_.portions[a.portion];
    const Portion& right = units_.portions[b.portion];
    const std::int32_t high = cluster_.jobs[left.job].priority, low = cluster_.jobs[right.job].priority;
    return high != low ? high > low : left.urgency <= right.urgency;
  }

  void start(NodeId node, std::uint32_t c, Quota& quota, std::uint32_t count, std::vector<Placement>& placements) {
    const Portion& portion = units_.portions[quota.portion];
    const Resources& request = cluster_.jobs[portion.job].request;
    const Resources taken{request.cpu * count, request.memory * count, static_cast<std::int32_t>(request.slots * count)};
    Timeline& line = timeline_[node];
    const double span = portion.work / std::max(1e-9, request.cpu.value() * classes_.classes[c].speed);
    placements.push_back({quota.portion, count, node, line.time});
    quota.tasks -= count;
    pool_room_[cluster_.jobs[portion.job].pool.index()] -= taken.cpu.value();
    line.free = line.free - taken;
    if (line.time == 0) free_now_[node] = free_now_[node] - taken;
    if (line.time + span < settings_.window) line.releases.push({line.time + span, taken});
  }

  const ClusterSnapshot& cluster_;
  const NodeClasses& classes_;
  const Units& units_;
  IdVector<NodeId, Resources>& free_now_;
  IdVector<NodeId, Timeline> timeline_;
  std::vector<Queue> zone_, class_;
  std::vector<std::uint32_t> rank_;
  std::vector<double> pool_room_;  // cores; what starts later in the window is not given back
  PackingSettings settings_;
};

// Work that each class could still take in its first bucket.
std::vector<double> remaining_work(const NodeClasses& classes, const Units& units, const std::vector<Placement>& placements) {
  std::vector<double> left;
  for (const auto& steps : classes.steps) left.push_back(steps.front().work);
  for (const Placement& placement : placements)
    left[classes.class_of[placement.node]] -= placement.tasks * units.portions[placement.portion].work;
  return left;
}

}  // namespace

std::vector<Placement> pack(const ClusterSnapshot& cluster, const NodeClasses& classes, const Units& units, const Amounts& amounts,
                            WholeQuotas quotas, const PackingSettings& settings, IdVector<NodeId, Resources>& free) {
  std::vector<Placement> placements;
  Packing packing(cluster, classes, units, free);
  packing.load(std::move(quotas));
  packing.add_releases(settings.window);
  std::vector<double> open_work = amounts.open_work;
  packing.run(settings, open_work, placements);
  if (!settings.strict) return placements;
  // What rounding left over: first in the same zone or class, then task by task wherever there is room.
  std::vector<double> left = remaining_work(classes, units, placements);
  packing.load(packing.leftover());
  packing.run(settings, left, placements);
  packing.spill(left, placements);
  return placements;
}

}  // namespace lips
