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

constexpr double part_of_task = 1e-6;  // of a task

// Tasks that start together or not at all.
struct Lot {
  std::vector<TaskId> tasks;
  ZoneId within;      // none: anywhere
  bool gang = false;  // in one zone
  bool peers = false;
};

class Taking {
 public:
  Taking(const ReclaimScene& scene, Plan& plan)
      : scene_(scene), cluster_(scene.input.cluster), plan_(plan), starts_(planned_starts(cluster_, plan.assignments)) {
    const Workload& workload = scene.market.workload;
    for (const Portion& portion : workload.portions)
      commodities_[{portion.job, portion.group}] = &workload.commodities[portion.commodity];
  }

  bool run() {
    const std::vector<PoolId> owners = furthest_below_first();
    if (owners.empty()) return false;
    units_ = reclaim_units(cluster_, scene_.input.costs, scene_.shares, starts_.now);
    ReclaimRoom room(cluster_, scene_.shares, units_, losses(), scene_.free);
    missing_ = short_gangs(cluster_);
    for (const Assignment& assignment : starts_.now) started_.insert(assignment.task);
    for (const Deferral& deferral : plan_.deferrals)
      if (deferral.reason == DeferralReason::waits_for_data || deferral.reason == DeferralReason::not_eligible)
        started_.insert(deferral.task);
    for (const PoolId pool : owners) serve(pool, room);
    if (places_.empty()) return false;
    write();
    return true;
  }

 private:
  // Those that allow it, and have waiting tasks and no nodes to come for them.
  std::vector<PoolId> furthest_below_first() {
    std::set<PoolId> get_nodes;
    for (const NodeRequest& request : plan_.node_requests.value_or(std::vector<NodeRequest>{}))
      get_nodes.insert(cluster_.jobs[cluster_.tasks[request.task].job].pool);
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
    std::vector<PoolId> pools;
    for (const auto& [part, pool] : below) pools.push_back(pool);
    return pools;
  }

  IdVector<PoolId, PoolLoss> losses() const {
    IdVector<PoolId, PoolLoss> losses;
    for (const PoolId pool : cluster_.pools.ids()) losses.push_back({runs_[pool], used_[pool]});
    return losses;
  }

  void serve(PoolId pool, ReclaimRoom& room) {
    room.begin(pool, [this](TaskId task, NodeId node) { return may_start(task, node); });
    std::vector<JobId> jobs;
    for (const JobId id : cluster_.pending)
      if (cluster_.jobs[id].pool == pool) jobs.push_back(id);
    std::stable_sort(jobs.begin(), jobs.end(),
                     [&](JobId a, JobId b) { return cluster_.jobs[a].priority > cluster_.jobs[b].priority; });
    bool peers = false;
    // A unit that turns out not to be needed leaves its pool others to give.
    for (bool more = true; more;) {
      more = false;
      for (const JobId id : jobs)
        for (const Lot& lot : lots_of(id, jobs)) {
          if (!place(pool, lot, room)) break;
          more = true, peers = peers || lot.peers;
          started_.insert(lot.tasks.begin(), lot.tasks.end());
        }
      more = more && room.settle(!peers);
      gangs_.clear();
    }
    places_.insert(places_.end(), room.places().begin(), room.places().end());
    for (const std::size_t unit : room.taken()) taken_.emplace_back(unit, pool);
  }

  // In the order in which they start. Empty where they wait for others, or by choice.
  std::vector<Lot> lots_of(JobId id, const std::vector<JobId>& jobs) {
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
      if (lot.tasks.size() == gang->second && !finds_room(lot)) lots.push_back(std::move(lot));
      return lots;
    }
    const double most =
        tasks_until_share(scene_.shares.of[job.pool], used_[job.pool], job.request, scene_.shares.capacity) +
        part_of_task;
    for (const TaskId task : waiting(id, most)) {
      lots.push_back({{task}, whole.peers ? zone_of_peers(whole.id) : ZoneId::none(), false, whole.peers});
      if (lots.size() == 1 && finds_room(lots.front())) return {};
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

  // The plan leaves room for it, so it waits by choice.
  bool finds_room(const Lot& lot) const {
    const Resources& request = request_of(lot.tasks.front());
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
           pays(what, node);
  }

  // It would rather start there than wait, at the plan's prices.
  bool pays(const Task& task, NodeId node) const {
    const NodeClasses& classes = scene_.market.classes;
    const auto known = commodities_.find({task.job, task.group});
    const ClassId there = classes.class_of[node];
    return known == commodities_.end() || !there.valid() ||
           price_in(classes, classes.classes[there], *known->second) <= known->second->unserved_price;
  }

  bool place(PoolId pool, const Lot& lot, ReclaimRoom& room) {
    if (!lot.gang) return place_in(pool, lot, lot.within, room);
    for (const ZoneId zone : cluster_.zones.ids())
      if (place_in(pool, lot, zone, room)) return true;
    return place_in(pool, lot, ZoneId::none(), room);
  }

  // All of it, within what the pool is entitled to.
  bool place_in(PoolId pool, const Lot& lot, ZoneId zone, ReclaimRoom& room) {
    const ResourceAmounts before = used_[pool];
    const auto fits_share = [&](TaskId task) {
      const bool fit = tasks_until_share(scene_.shares.of[pool], used_[pool], request_of(task),
                                         scene_.shares.capacity) >= 1 - part_of_task;
      if (fit) add_amounts(used_[pool], request_of(task), 1);
      return fit;
    };
    const auto all = std::all_of(lot.tasks.begin(), lot.tasks.end(), fits_share);
    const bool single = lot.tasks.size() == 1;
    std::optional<ReclaimRoom::Mark> mark;
    if (!single) mark = room.mark();
    if (all && std::all_of(lot.tasks.begin(), lot.tasks.end(), [&](TaskId task) { return room.place(task, zone); }))
      return true;
    if (mark) room.go_back(*mark);
    used_[pool] = before;
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
    for (const TaskId task : put_off) plan_.deferrals.push_back({task, DeferralReason::no_capacity});
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
  Plan& plan_;
  PlannedStarts starts_;
  std::map<std::pair<JobId, std::uint32_t>, const Commodity*> commodities_;  // of a job's group
  std::vector<ReclaimUnit> units_;
  IdVector<PoolId, ResourceAmounts> runs_;  // tasks that stay
  IdVector<PoolId, ResourceAmounts> used_;  // and starts of the plan, and what is placed here
  std::map<WholeJobId, std::uint32_t> missing_;
  std::set<WholeJobId> gangs_;          // that had their turn
  std::unordered_set<TaskId> started_;  // or may start nowhere
  std::vector<ReclaimPlace> places_;
  std::vector<std::pair<std::size_t, PoolId>> taken_;
};

}  // namespace

bool take_back(const ReclaimScene& scene, Plan& plan) {
  if (std::none_of(scene.input.cluster.pools.begin(), scene.input.cluster.pools.end(),
                   [](const Pool& pool) { return pool.reclaims(); }))
    return false;
  return Taking(scene, plan).run();
}

}  // namespace lips
