#include "policies/lips/placing/packing.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "policies/lips/placing/packing_budget.h"
#include "policies/lips/placing/quota_queue.h"
#include "policies/lips/prices/price_terms.h"

namespace lips {

namespace {

constexpr int look_ahead = 24;  // entries of a list that are tried when the first does not fit

constexpr std::uint64_t not_full = std::numeric_limits<std::uint64_t>::max();

constexpr std::size_t spill_nodes = 64;  // of a class, tried for a leftover task

// Nodes by their next moment, one entry each. Nodes of one moment come by rank.
class NodeQueue {
 public:
  struct Entry {
    double time;
    std::uint32_t rank;
    NodeId node;
    bool operator>(const Entry& other) const { return time != other.time ? time > other.time : rank > other.rank; }
  };

  explicit NodeQueue(std::vector<Entry> entries) : heap_(std::move(entries)) {
    std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
  bool empty() const { return heap_.empty(); }
  const Entry& top() const { return heap_.front(); }
  void pop() {
    const Entry last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
  }
  // The n-th node of the heap: the next ones are among the first few.
  NodeId at(std::size_t n) const { return heap_[n].node; }
  std::size_t size() const { return heap_.size(); }
  // The first node goes on at a later time.
  void postpone(double time) { sink({time, heap_.front().rank, heap_.front().node}); }

 private:
  // Puts the entry in place of the first.
  void sink(Entry entry) {
    std::size_t at = 0;
    for (std::size_t child = 1; child < heap_.size(); child = 2 * at + 1) {
      if (child + 1 < heap_.size() && heap_[child] > heap_[child + 1]) ++child;
      if (!(entry > heap_[child])) break;
      heap_[at] = heap_[child];
      at = child;
    }
    heap_[at] = entry;
  }

  std::vector<Entry> heap_;
};

class Packing {
 public:
  Packing(const PackingFacts& facts, const PackingSettings& settings, IdVector<NodeId, Resources>& free)
      : cluster_(facts.market.cluster),
        classes_(facts.market.classes),
        workload_(facts.market.workload),
        settings_(settings),
        demands_(facts.demands),
        rank_(facts.rank),
        free_now_(free),
        timeline_(cluster_.nodes.size()),
        pools_(settings.pools),
        full_since_(demands_.lanes(), not_full),
        promised_(settings.promised),
        budget_(cluster_, facts.costs, classes_, workload_, demands_, {settings.pool_budget, settings.link_budget}) {
    for (NodeId node : cluster_.nodes.ids()) timeline_[node].free = free[node];
  }

  void load(WholeQuotas quotas) {
    zone_ = {};
    class_ = {};
    for (auto& list : quotas.zone) zone_.push_back(QuotaQueue(std::move(list), demands_));
    for (auto& list : quotas.in_class) class_.push_back(QuotaQueue(std::move(list), demands_));
  }

  void add_releases() {
    for (const RunningTask& run : cluster_.running) {
      const double at = std::max(0.0, to_seconds(run.expected_end - cluster_.now));
      if (at >= settings_.window) continue;
      const Job& job = cluster_.jobs[run.job];
      timeline_[run.node].add({at, &job.request, 1});
      pools_.release(job.pool, job.request, 1, at);
    }
  }

  // Goes on where an earlier run ended on each node.
  void run(IdVector<ClassId, double>& open_work, std::vector<Placement>& placements) {
    std::vector<NodeQueue::Entry> first;
    for (ClassId c : classes_.classes.ids()) {
      const ZoneId zone = classes_.classes[c].zone;
      if (class_[c].empty() && (zone_[zone].empty() || open_work[c] <= 0)) continue;
      for (NodeId node : classes_.classes[c].nodes) {
        const Timeline& line = timeline_[node];
        if (!full(line.free))
          add_slot(first, node, line.time);
        else if (!line.releases.empty())
          add_slot(first, node, std::max(line.time, line.next()));
      }
    }
    NodeQueue queue(std::move(first));
    while (!queue.empty()) {
      const auto [time, rank, node] = queue.top();
      fetch_next(queue);
      const ClassId c = classes_.class_of[node];
      Timeline& line = timeline_[node];
      line.time = time;
      pools_.advance(line.time);
      while (!line.releases.empty() && line.next() <= line.time) line.end_first();
      while (place(node, c, open_work, placements)) {
      }
      if (!line.releases.empty() && within(line.next()) && wanted(c, open_work))
        queue.postpone(line.next());
      else
        queue.pop();
    }
    pools_.stay_at_peak();
  }

  // Nodes come in no order of memory, and most of the time goes into waiting for theirs.
  void fetch_next(const NodeQueue& queue) const {
    for (std::size_t n = 1; n < std::min<std::size_t>(3, queue.size()); ++n)
      __builtin_prefetch(timeline_[queue.at(n)].releases.data());
    for (std::size_t n = 3; n < std::min<std::size_t>(7, queue.size()); ++n) {
      __builtin_prefetch(&timeline_[queue.at(n)]);
      __builtin_prefetch(&timeline_[queue.at(n)].releases);
    }
  }

  const PoolRoom& pools() const { return pools_; }
  const PromisedRoom& promised() const { return promised_; }
  bool room_left() const {
    for (const NodeId node : cluster_.nodes.ids())
      if (classes_.class_of[node].valid() && fits(demands_.least(), free_now_[node])) return true;
    return false;
  }
  double work_left(ClassId c) const { return budget_.work_left(c); }

  // The part of each class that its free slots take, where `used` is all that the model knew to be free now.
  IdVector<ClassId, double> beyond_mean_tasks(const IdVector<ClassId, double>& used) const {
    IdVector<ClassId, double> open(classes_.classes.size(), 0.0);
    for (ClassId c : classes_.classes.ids()) {
      Cores free{0};
      for (NodeId node : classes_.classes[c].nodes) free += classes_.usable.of(cluster_.free[node].cpu);
      const double now = free.value() * classes_.now_window[c] * classes_.classes[c].speed;
      if (now > 0 && used[c] > now * (1 - 1e-6)) open[c] = 1e300;
    }
    return open;
  }

  // The rest, task by task, to the cheapest class with room whatever its zone, at the earliest time that a node of it
  // has.
  void spill(std::vector<Placement>& placements) {
    IdVector<ClassId, std::size_t> cursor(classes_.classes.size(), 0);
    WholeQuotas rest = leftover();
    const auto spill_all = [&](auto& lists) {
      for (auto& list : lists)
        for (Quota& quota : list) spill(quota, cursor, placements);
    };
    spill_all(rest.in_class);
    spill_all(rest.zone);
  }

  WholeQuotas leftover() {
    WholeQuotas result;
    const auto collect = [](auto& from, auto& to) {
      for (QuotaQueue& queue : from) to.push_back(std::move(queue).left());
    };
    collect(zone_, result.zone);
    collect(class_, result.in_class);
    return result;
  }

 private:
  bool may_take(const Quota& quota, ClassId c) const {
    return quota.tasks > 0 && pool_tasks(demands_[quota.portion]) >= 1 && budget_.tasks(quota.portion, c) >= 1;
  }

  double pool_tasks(const Demand& demand) const { return pools_.tasks(demand.pool, *demand.request); }

  void spill(Quota& quota, IdVector<ClassId, std::size_t>& cursor, std::vector<Placement>& placements) {
    const Portion& portion = workload_.portions[quota.portion];
    const Job& job = cluster_.jobs[portion.job];
    const Commodity& commodity = workload_.commodities[portion.commodity];
    std::vector<std::pair<double, ClassId>> order;
    for (ClassId c : classes_.classes.ids())
      if (may_take(quota, c) && classes_.takes(c, job.constraint, job.request))
        order.emplace_back(price_in(classes_, classes_.classes[c], commodity), c);
    std::sort(order.begin(), order.end());
    for (const auto& [price, c] : order) {
      const std::vector<NodeId>& nodes = classes_.classes[c].nodes;
      for (std::size_t tried = 0; tried < std::min(spill_nodes, nodes.size()); ++tried) {
        const NodeId node = nodes[cursor[c] % nodes.size()];
        while (may_take(quota, c) && advance_until_fits(node, job.request)) start(node, c, quota, 1, placements);
        if (quota.tasks == 0) return;
        if (!may_take(quota, c)) break;
        ++cursor[c];
      }
    }
  }

  // Lets the node's time run to the first moment before the window's end at which the request fits.
  bool advance_until_fits(NodeId node, const Resources& request) {
    Timeline& line = timeline_[node];
    while (!fits(request, line.free)) {
      if (line.releases.empty()) return false;
      line.time = line.next();
      line.end_first();
    }
    return line.time < settings_.window;
  }

  struct Release {
    double at;
    const Resources* request;
    std::uint32_t tasks;
    bool operator<(const Release& other) const { return at > other.at; }
  };
  struct Timeline {
    double time = 0;
    Resources free;
    std::vector<Release> releases;  // a heap, the first to end on top

    double next() const { return releases.front().at; }
    void add(const Release& release) {
      releases.push_back(release);
      std::push_heap(releases.begin(), releases.end());
    }
    // The node gets back what the tasks that end first held.
    void end_first() {
      free += *releases.front().request * static_cast<std::int32_t>(releases.front().tasks);
      std::pop_heap(releases.begin(), releases.end());
      releases.pop_back();
    }
  };
  bool within(double time) const { return time < settings_.window || time == 0; }

  void add_slot(std::vector<NodeQueue::Entry>& slots, NodeId node, double time) const {
    if (within(time)) slots.push_back({time, rank_[node], node});
  }

  // Most nodes are full most of the time: they wait for their first release without looking at any task.
  static bool full(const Resources& free) { return free.slots <= 0 && free.cpu.value() <= 0; }

  bool wanted(ClassId c, const IdVector<ClassId, double>& open_work) const {
    return !class_[c].empty() || (!zone_[classes_.classes[c].zone].empty() && open_work[c] > 0);
  }

  // The pool has no room for a task of the lane. Until some task of the pool ends, that stays so.
  bool is_full(const Demand& demand) {
    const std::uint64_t ended = pools_.ended(demand.pool);
    std::uint64_t& since = full_since_[demand.lane];
    if (since != ended && pool_tasks(demand) < 1) since = ended;
    return since == ended;
  }

  // The walk's next quota whose pool has room for its tasks.
  std::uint32_t next_that_may(QuotaQueue& queue) {
    std::uint32_t i = queue.next();
    for (; i != QuotaQueue::none && is_full(demands_[queue[i].portion]); i = queue.next()) queue.skip_lane();
    return i;
  }

  // How many of the quota's tasks may start on the node now.
  std::uint32_t takes(const Quota& quota, NodeId node, ClassId c, double open_work, bool open) const {
    const Demand& demand = demands_[quota.portion];
    std::int64_t count = std::min<std::int64_t>(quota.tasks, fit_count(*demand.request, timeline_[node].free));
    if (count > 0 && promised_.on(node)) count = promised_.tasks(node, *demand.request, end_on(node, c, demand), count);
    count = static_cast<std::int64_t>(std::min(static_cast<double>(count), pool_tasks(demand)));
    if (count > 0 && settings_.strict)
      count = static_cast<std::int64_t>(std::min(static_cast<double>(count), budget_.tasks(quota.portion, c)));
    if (count <= 0 || !open) return static_cast<std::uint32_t>(std::max<std::int64_t>(0, count));
    if (settings_.strict)
      return static_cast<std::uint32_t>(std::min<double>(count, std::max(0.0, (open_work + 1e-6) / demand.work)));
    // A task starts where half of it, or half of what a slot offers now, is left of the class's amount.
    const double core_window = classes_.now_window[c] * classes_.classes[c].speed * demand.request->cpu.value();
    const double room = (open_work - 0.5 * std::min(demand.work, core_window)) / demand.work;
    return room < 0 ? 0 : static_cast<std::uint32_t>(std::min<double>(count, room + 1));
  }

  bool place(NodeId node, ClassId c, IdVector<ClassId, double>& open_work, std::vector<Placement>& placements) {
    if (!fits(demands_.least(), timeline_[node].free)) return false;
    QuotaQueue& in_class = class_[c];
    QuotaQueue& in_zone = zone_[classes_.classes[c].zone];
    in_class.restart();
    in_zone.restart();
    struct {
      QuotaQueue* queue = nullptr;
      std::uint32_t at = 0, tasks = 0;
      double fit = -1;
    } best;
    for (int tried = 0; tried < look_ahead; ++tried) {
      const std::uint32_t of_class = next_that_may(in_class);
      const std::uint32_t of_zone = open_work[c] > 0 ? next_that_may(in_zone) : QuotaQueue::none;
      if (of_class == QuotaQueue::none && of_zone == QuotaQueue::none) break;
      const bool use_class = of_class != QuotaQueue::none &&
                             (of_zone == QuotaQueue::none ||
                              demands_[in_class[of_class].portion].before(demands_[in_zone[of_zone].portion]));
      QuotaQueue& queue = use_class ? in_class : in_zone;
      const std::uint32_t at = use_class ? of_class : of_zone;
      const Quota& quota = queue[at];
      queue.skip();
      const std::uint32_t count = takes(quota, node, c, open_work[c], !use_class);
      if (count == 0) continue;
      const double fit = settings_.balance ? alignment(quota, node) : 0;
      if (fit <= best.fit) continue;
      best = {&queue, at, settings_.balance ? 1 : count, fit};
      if (!settings_.balance) break;
    }
    if (!best.queue) return false;
    Quota& quota = (*best.queue)[best.at];
    start(node, c, quota, best.tasks, placements);
    if (best.queue == &in_zone) open_work[c] -= best.tasks * demands_[quota.portion].work;
    best.queue->settle(best.at);
    return true;
  }

  // Cosine of the angle between the task's request and the node's free resources, both relative to the node's
  // capacity: tasks that use plentiful resources leave room for the others (Grandl et al., SIGCOMM 2014, call it
  // alignment).
  double alignment(const Quota& quota, NodeId node) const {
    const Resources& request = *demands_[quota.portion].request;
    const Resources& free = timeline_[node].free;
    const Resources& capacity = cluster_.nodes[node].capacity;
    const double cpu = request.cpu / capacity.cpu, memory = request.memory / capacity.memory;
    const double free_cpu = free.cpu / capacity.cpu, free_memory = free.memory / capacity.memory;
    const double length = std::sqrt((cpu * cpu + memory * memory) * (free_cpu * free_cpu + free_memory * free_memory));
    return length > 0 ? (cpu * free_cpu + memory * free_memory) / length : 0;
  }

  void start(NodeId node, ClassId c, Quota& quota, std::uint32_t count, std::vector<Placement>& placements) {
    const Demand& demand = demands_[quota.portion];
    const Resources& request = *demand.request;
    const Resources taken = request * static_cast<std::int32_t>(count);
    Timeline& line = timeline_[node];
    const double end = end_on(node, c, demand);
    const ZoneId from = settings_.strict ? budget_.take(quota.portion, c, count) : ZoneId::none();
    placements.push_back({quota.portion, count, node, line.time, from});
    quota.tasks -= count;
    line.free = line.free - taken;
    if (line.time == 0) free_now_[node] = free_now_[node] - taken;
    if (end < settings_.window) line.add({end, demand.request, count});
    pools_.take(demand.pool, request, count);
    if (end < settings_.window) pools_.release(demand.pool, request, count, end);
    promised_.take(node, request, end, count);
  }

  // Seconds from now at which a task that starts on the node at its time ends.
  double end_on(NodeId node, ClassId c, const Demand& demand) const {
    const Commodity& commodity = workload_.commodities[demand.commodity];
    return timeline_[node].time + run_seconds(cluster_, commodity, classes_.classes[c], *demand.request, demand.work);
  }

  const ClusterSnapshot& cluster_;
  const NodeClasses& classes_;
  const Workload& workload_;
  const PackingSettings& settings_;
  const Demands& demands_;
  const IdVector<NodeId, std::uint32_t>& rank_;
  IdVector<NodeId, Resources>& free_now_;
  IdVector<NodeId, Timeline> timeline_;
  IdVector<ZoneId, QuotaQueue> zone_;
  IdVector<ClassId, QuotaQueue> class_;
  PoolRoom pools_;
  std::vector<std::uint64_t> full_since_;  // by lane: tasks of its pool that had ended when the pool became full
  PromisedRoom promised_;
  PackingBudget budget_;
};

}  // namespace

PackingFacts::PackingFacts(const SolvedMarket& solved, const CostModel& prices, const IdVector<PortionId, bool>& first)
    : market(solved),
      costs(prices),
      demands(solved.cluster, solved.workload, first),
      rank(solved.cluster.nodes.size()) {
  const NodeClasses& classes = market.classes;
  std::vector<ClassId> order;
  for (ClassId c : classes.classes.ids()) order.push_back(c);
  std::stable_sort(order.begin(), order.end(),
                   [&](ClassId a, ClassId b) { return classes.classes[a].price < classes.classes[b].price; });
  std::uint32_t next = 0;
  for (const ClassId c : order) {
    std::vector<NodeId> nodes = classes.classes[c].nodes;
    std::sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) {
      const double left = classes.paid_until[a], right = classes.paid_until[b];
      return left != right ? left > right : a < b;
    });
    for (const NodeId node : nodes) rank[node] = next++;
  }
}

Packed pack(const PackingFacts& facts, WholeQuotas quotas, const PackingSettings& settings,
            IdVector<NodeId, Resources>& free) {
  const NodeClasses& classes = facts.market.classes;
  const Amounts& amounts = facts.market.amounts;
  std::vector<Placement> placements;
  Packing packing(facts, settings, free);
  packing.load(std::move(quotas));
  packing.add_releases();
  IdVector<ClassId, double> open_work = settings.open_work.empty() ? amounts.open_work : settings.open_work;
  packing.run(open_work, placements);
  if (settings.fill) {
    IdVector<ClassId, double> more = packing.beyond_mean_tasks(amounts.open_work);
    packing.load(packing.leftover());
    packing.run(more, placements);
  }
  if (!settings.strict)
    return {std::move(placements), packing.leftover(), packing.room_left(), packing.pools(), packing.promised()};
  // Places the leftovers of rounding: first in the same zone or class, then task by task wherever there is room.
  IdVector<ClassId, double> left;
  for (ClassId c : classes.classes.ids()) left.push_back(packing.work_left(c));
  packing.load(packing.leftover());
  packing.run(left, placements);
  packing.spill(placements);
  return {std::move(placements), {}, false, packing.pools(), packing.promised()};
}

}  // namespace lips
