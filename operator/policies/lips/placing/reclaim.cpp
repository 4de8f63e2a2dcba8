#include "policies/lips/placing/reclaim.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/gangs.h"
#include "model/peers.h"
#include "policies/lips/placing/reclaim_room.h"
#include "policies/lips/prices/price_terms.h"

namespace lips {

namespace {

// Tasks that start together or not at all.
struct Lot {
  std::vector<TaskId> tasks;
  ZoneId within;      // none: anywhere
  bool gang = false;  // in one zone
  bool peers = false;
};

class Taking {
 public:
  Taking(const ReclaimScene& scene, const IdVector<PoolId, PriorityGap>& gaps, Plan& plan)
      : scene_(scene),
        cluster_(scene.input.cluster),
        gaps_(gaps),
        plan_(plan),
        starts_(planned_starts(cluster_, plan.assignments)) {
    const Workload& workload = scene.market.workload;
    for (const Portion& portion : workload.portions)
      commodities_[{portion.job, portion.group}] = &workload.commodities[portion.commodity];
  }

  bool run() {
    const std::vector<ReclaimTurn> turns = furthest_below_first();
    if (turns.empty()) return false;
    units_ = reclaim_units({cluster_, scene_.input.costs, scene_.shares, gaps_}, starts_.now);
    ReclaimRoom room(cluster_, scene_.shares, units_, losses(), scene_.free);
    missing_ = short_gangs(cluster_);
    for (const Assignment& assignment : starts_.now) started_.insert(assignment.task);
    for (const Deferral& deferral : plan_.deferrals)
      if (deferral.reason == DeferralReason::waits_for_data || deferral.reason == DeferralReason::not_eligible)
        started_.insert(deferral.task);
    for (const ReclaimTurn& turn : turns) serve(turn, room);
    if (places_.empty()) return false;
    write();
    return true;
  }

 private:
  // Pools that allow it, and have waiting tasks and no nodes to come for them. Then those whose own tasks give way.
  std::vector<ReclaimTurn> furthest_below_first() {
    std::set<PoolId> get_nodes;
    for (const NodeRequest& request : plan_.node_requests.value_or(std::vector<NodeRequest>{})) {
      get_nodes.insert(cluster_.jobs[cluster_.tasks[request.task].job].pool);
      if (request.to_come == 0) started_.insert(request.task);
    }
    used_ =
        IdVector<PoolId, ResourceAmounts>(cluster_.pools.size(), ResourceAmounts(scene_.shares.capacity.size(), 0.0));
    for (const RunningTask& run : cluster_.running)
      if (const Job& job = cluster_.jobs[run.job]; !run.leaves()) add_amounts(used_[job.pool], job.request, 1);
    runs_ = used_;
    for (const Assignment& start : starts_.now) {
      const Job& job = cluster_.jobs[cluster_.tasks[start.task].job];
      add_amounts(used_[job.pool], job.request, 1);
    }
    std::vector<std::pair<double, PoolId>> below;
    for (const PoolId pool : cluster_.pools.ids()) {
      const double share = scene_.shares.of[pool].share, part = dominant_share(used_[pool], scene_.shares.capacity);
      if (cluster_.pools[pool].reclaims() && part < share && !get_nodes.contains(pool) &&
          has_waiting_tasks(cluster_, pool))
        below.emplace_back(part / share, pool);
    }
    std::sort(below.begin(), below.end());
    std::vector<ReclaimTurn> turns;
    for (const auto& [part, pool] : below) turns.push_back({pool, true, gaps_[pool]});
    for (const PoolId pool : cluster_.pools.ids())
      if (gaps_[pool].is_open() &&
          std::none_of(below.begin(), below.end(), [&](const auto& turn) { return turn.second == pool; }))
        turns.push_back({pool, false, gaps_[pool]});
    return turns;
  }

  IdVector<PoolId, PoolLoss> losses() const {
    IdVector<PoolId, PoolLoss> losses;
    for (const PoolId pool : cluster_.pools.ids()) losses.push_back({runs_[pool], used_[pool]});
    return losses;
  }

  void serve(const ReclaimTurn& turn, ReclaimRoom& room) {
    room.begin(turn, [this](TaskId task, NodeId node) { return may_start(task, node); });
    std::vector<JobId> jobs;
    for (const JobId id : cluster_.pending)
      if (const Job& job = cluster_.jobs[id]; job.pool == turn.pool && (turn.borrows || turn.gap.preempts_up_to(job)))
        jobs.push_back(id);
    std::stable_sort(jobs.begin(), jobs.end(),
                     [&](JobId a, JobId b) { return cluster_.jobs[a].priority > cluster_.jobs[b].priority; });
    bool peers = false;
    // A unit that turns out not to be needed leaves its pool others to give.
    for (bool more = true; more;) {
      more = false;
      for (const JobId id : jobs)
        for (const Lot& lot : lots_of(id, jobs, room.used())) {
          if (!place(lot, room)) break;
          more = true, peers = peers || lot.peers;
          started_.insert(lot.tasks.begin(), lot.tasks.end());
        }
      more = more && room.settle(!peers);
      gangs_.clear();
    }
    places_.insert(places_.end(), room.places().begin(), room.places().end());
    for (const std::size_t unit : room.taken()) {
      taken_.emplace_back(unit, turn.pool);
      if (units_[unit].starts) started_.erase(units_[unit].tasks.front().task);  // it waits again
    }
  }

  // In the order in which they start. Empty where they wait for others, or by choice.
  std::vector<Lot> lots_of(JobId id, const std::vector<JobId>& jobs, const ResourceAmounts& used) {
    const Job& job = cluster_.jobs[id];
    const WholeJob& whole = job.whole;
    std::vector<Lot> lots;
    if (whole.peers && (whole.expected > whole.arrivals || whole.lacks_driver)) return lots;
    const auto gang = missing_.find(whole.id);
    if (whole.peers && gang != missing_.end()) {
      if (!gangs_.insert(whole.id).second) return lots;
      Lot lot{{}, {}, true, true};
      for (const JobId part : jobs)
        if (cluster_.jobs[part].whole.id == whole.id)
          for (const TaskId task : waiting(part, gang->second))
            if (lot.tasks.size() < gang->second) lot.tasks.push_back(task);
      if (lot.tasks.size() == gang->second && !waits_by_choice(lot, used)) lots.push_back(std::move(lot));
      return lots;
    }
    double most = tasks_until_share(scene_.shares.of[job.pool], used, job.request, scene_.shares.capacity);
    if (gaps_[job.pool].preempts_up_to(job)) most = std::max(most, tasks_in_all(job.request));
    most += part_of_task;
    for (const TaskId task : waiting(id, most)) {
      lots.push_back({{task}, whole.peers ? zone_of_peers(whole.id) : ZoneId::none(), false, whole.peers});
      if (lots.size() == 1 && waits_by_choice(lots.front(), used)) return {};
    }
    return lots;
  }

  // At most so many.
  std::vector<TaskId> waiting(JobId id, double most) const {
    std::vector<TaskId> tasks;
    for (const TaskGroup& group : cluster_.groups[id]) {
      if (group.degraded || (group.reads && group.zones.empty())) continue;
      for (const TaskId task : cluster_.tasks_of(group)) {
        if (static_cast<double>(tasks.size()) + 1 > most) return tasks;
        if (!started_.contains(task)) tasks.push_back(task);
      }
    }
    return tasks;
  }

  // Tasks that the whole cluster has room for.
  double tasks_in_all(const Resources& request) const {
    Entitlement all;
    all.amounts = scene_.shares.capacity;
    return tasks_until_share(all, ResourceAmounts(all.amounts.size(), 0.0), request, all.amounts);
  }

  // The plan leaves room for it, and its pool may use more.
  bool waits_by_choice(const Lot& lot, const ResourceAmounts& used) const {
    const Resources& request = request_of(lot.tasks.front());
    const Cores maximum = cluster_.pools[cluster_.jobs[cluster_.tasks[lot.tasks.front()].job].pool].maximum;
    if (maximum.value() > 0 && used.front() + request.cpu.value() > maximum.value() * (1 + part_of_task)) return false;
    std::int64_t tasks = 0;
    for (const NodeId node : cluster_.nodes.ids())
      if (may_start(lot.tasks.front(), node) && fits(request, scene_.free[node]))
        tasks += std::max<std::int64_t>(1, fit_count(request, scene_.free[node]));
    return tasks >= static_cast<std::int64_t>(lot.tasks.size());
  }

  // The zone in which most of them run; none: anywhere.
  ZoneId zone_of_peers(WholeJobId whole) const {
    IdVector<ZoneId, std::uint32_t> count(cluster_.zones.size(), 0);
    ZoneId most;
    for (const RunningTask& run : cluster_.running)
      if (cluster_.jobs[run.job].whole.id == whole)
        if (const ZoneId zone = cluster_.nodes[run.node].zone; ++count[zone] > (most.valid() ? count[most] : 0))
          most = zone;
    return most;
  }

  const Resources& request_of(TaskId task) const { return cluster_.jobs[cluster_.tasks[task].job].request; }

  bool may_start(TaskId task, NodeId node) const {
    const Task& what = cluster_.tasks[task];
    return cluster_.nodes[node].schedulable && cluster_.eligible(cluster_.jobs[what.job].constraint, node) &&
           pays(what, node) && !buys_again(what, node);
  }

  // It would pay to read there what is copied to that zone already.
  bool buys_again(const Task& task, NodeId node) const {
    const ZoneId zone = cluster_.nodes[node].zone;
    if (!task.block.valid() || !cluster_.blocks[task.block].coming.contains(zone)) return false;
    const StoreId from = nearest_replica(cluster_, scene_.input.costs, task.block, node).store;
    return from.valid() && scene_.input.costs.transfer(cluster_.stores[from].zone, zone).value() > 0;
  }

  // It would rather start there than wait, at the plan's prices.
  bool pays(const Task& task, NodeId node) const {
    const NodeClasses& classes = scene_.market.classes;
    const auto known = commodities_.find({task.job, task.group});
    const ClassId there = classes.class_of[node];
    return known == commodities_.end() || !there.valid() ||
           price_in(classes, classes.classes[there], *known->second) <= known->second->unserved_price;
  }

  bool place(const Lot& lot, ReclaimRoom& room) {
    if (!lot.gang) return place_in(lot, lot.within, room);
    for (const ZoneId zone : cluster_.zones.ids())
      if (place_in(lot, zone, room)) return true;
    return place_in(lot, ZoneId::none(), room);
  }

  // All of it.
  bool place_in(const Lot& lot, ZoneId zone, ReclaimRoom& room) {
    const bool single = lot.tasks.size() == 1;
    std::optional<ReclaimRoom::Mark> mark;
    if (!single) mark = room.mark();
    if (std::all_of(lot.tasks.begin(), lot.tasks.end(), [&](TaskId task) { return room.place(task, zone); }))
      return true;
    if (mark) room.go_back(*mark);
    return false;
  }

  void write() {
    std::set<TaskId> moved, put_off;
    for (const auto& [task, node] : places_) moved.insert(task);
    for (const auto& [unit, pool] : taken_)
      for (Reclaim reclaim : units_[unit].tasks) {
        reclaim.pool = pool;
        if (units_[unit].starts)
          put_off.insert(reclaim.task);
        else
          plan_.reclaims.push_back(reclaim);
      }
    std::erase_if(plan_.deferrals, [&](const Deferral& deferral) { return moved.contains(deferral.task); });
    std::erase_if(starts_.now, [&](const Assignment& start) { return put_off.contains(start.task); });
    std::erase_if(starts_.later, [&](const Assignment& start) { return moved.contains(start.task); });
    for (const TaskId task : put_off)
      if (!moved.contains(task)) plan_.deferrals.push_back({task, DeferralReason::no_capacity});
    // A node serves its queue in order: what is placed here goes before all that waits for others to end.
    plan_.assignments = std::move(starts_.now);
    for (const auto& [task, node] : places_) {
      const BlockId block = cluster_.tasks[task].block;
      const StoreId from =
          block.valid() ? nearest_replica(cluster_, scene_.input.costs, block, node).store : StoreId::none();
      plan_.assignments.push_back({task, node, from, StoreId::none()});
    }
    plan_.assignments.insert(plan_.assignments.end(), starts_.later.begin(), starts_.later.end());
  }

  const ReclaimScene& scene_;
  const ClusterSnapshot& cluster_;
  const IdVector<PoolId, PriorityGap>& gaps_;
  Plan& plan_;
  PlannedStarts starts_;
  std::map<std::pair<JobId, std::uint32_t>, const Commodity*> commodities_;  // of a job's group
  std::vector<ReclaimUnit> units_;
  IdVector<PoolId, ResourceAmounts> runs_;  // tasks that stay
  IdVector<PoolId, ResourceAmounts> used_;  // and starts of the plan
  std::map<WholeJobId, std::uint32_t> missing_;
  std::set<WholeJobId> gangs_;          // that had their turn
  std::unordered_set<TaskId> started_;  // or may start nowhere
  std::vector<ReclaimPlace> places_;
  std::vector<std::pair<std::size_t, PoolId>> taken_;
};

}  // namespace

bool take_back(const ReclaimScene& scene, Plan& plan) {
  const ClusterSnapshot& cluster = scene.input.cluster;
  const IdVector<PoolId, PriorityGap> gaps = priority_gaps(cluster);
  if (std::none_of(cluster.pools.begin(), cluster.pools.end(), [](const Pool& pool) { return pool.reclaims(); }) &&
      std::none_of(gaps.begin(), gaps.end(), [](const PriorityGap& gap) { return gap.is_open(); }))
    return false;
  return Taking(scene, gaps, plan).run();
}

}  // namespace lips
