#include "policies/lips/placing/node_requests.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "policies/lips/placing/limits_by_zone.h"
#include "policies/lips/placing/pool_room.h"

namespace lips {

namespace {

constexpr double least_nodes = 1e-9;

class Requests {
 public:
  Requests(const SolvedMarket& market, WholeQuotas quotas, PoolRoom pools, Plan& plan)
      : cluster_(market.cluster),
        classes_(market.classes),
        workload_(market.workload),
        quotas_(std::move(quotas)),
        plan_(plan),
        pools_(std::move(pools)),
        room_(classes_.room) {
    for (const Assignment& assignment : plan.assignments) {
      const Job& job = cluster_.jobs[cluster_.tasks[assignment.task].job];
      taken_.insert(assignment.task);
      pools_.take(job.pool, job.request, 1);
    }
    plan_.node_requests.emplace();
  }

  // Most tasks are placed where the program meant them; a second choice may be anywhere.
  void leave_out(const std::vector<Placement>& placements) {
    for (const Placement& placement : placements) {
      std::uint32_t left = placement.tasks;
      const ClassId c = classes_.class_of[placement.node];
      const bool any_class = workload_.commodities[workload_.portions[placement.portion].commodity].any_class;
      leave_out(placement.portion, any_class ? quotas_.zone[classes_.classes[c].zone] : quotas_.in_class[c], left);
      for (auto list = quotas_.zone.begin(); any_class && left > 0 && list != quotas_.zone.end(); ++list)
        leave_out(placement.portion, *list, left);
      for (auto list = quotas_.in_class.begin(); !any_class && left > 0 && list != quotas_.in_class.end(); ++list)
        leave_out(placement.portion, *list, left);
    }
  }

  // An urgent task that waits for a node which is there asks in the place of one that is alike and less urgent.
  void let_urgent_ask() {
    const IdVector<CommodityId, Commodity>& commodities = workload_.commodities;
    if (std::all_of(commodities.begin(), commodities.end(), [](const Commodity& each) { return each.urgency == 1; }))
      return;
    std::map<Alike, std::vector<Quota*>> waiting;
    for (const ClassId c : classes_.classes.ids())
      for (Quota& quota : quotas_.in_class[c])
        if (!classes_.classes[c].offer.valid() && quota.tasks > 0) waiting[alike(quota)].push_back(&quota);
    for (const ClassId c : classes_.classes.ids()) {
      if (!classes_.classes[c].offer.valid()) continue;
      std::vector<Quota> asking;
      for (Quota quota : quotas_.in_class[c]) {
        if (const auto found = waiting.find(alike(quota)); found != waiting.end())
          for (Quota* other : found->second)
            if (quota.tasks > 0 && is_more_urgent(other->portion, quota.portion)) {
              const std::uint32_t tasks = std::min(quota.tasks, other->tasks);
              asking.push_back({other->portion, tasks});
              other->tasks -= tasks, quota.tasks -= tasks;
            }
        asking.push_back(quota);
      }
      quotas_.in_class[c] = std::move(asking);
    }
  }

  // Nodes; `shared_work`: of the zone's quotas, CPU-seconds.
  double wanted(ClassId c, double shared_work) const {
    const NodeClass& offer = classes_.classes[c];
    double nodes = 0;
    for (const Quota& quota : quotas_.in_class[c]) nodes += quota.tasks * nodes_for_a_task(offer, quota);
    for (const Quota& quota : quotas_.zone[offer.zone]) {
      if (shared_work <= 0) break;
      const double task = workload_.portions[quota.portion].work, work = std::min(shared_work, quota.tasks * task);
      nodes += work / task * nodes_for_a_task(offer, quota);
      shared_work -= work;
    }
    return nodes;
  }

  void ask_for(ClassId c, double& nodes, double shared_work) {
    const NodeClass& offer = classes_.classes[c];
    for (Quota& quota : quotas_.in_class[c]) ask_for(offer, quota, nodes);
    if (shared_work > least_work)
      for (Quota& quota : quotas_.zone[offer.zone]) ask_for(offer, quota, nodes);
  }
  void lift_shares() { pools_.lift_shares(); }

 private:
  using Alike = std::tuple<ConstraintId, Resources, PoolId, double>;
  Alike alike(const Quota& quota) const {
    const Portion& portion = workload_.portions[quota.portion];
    const Job& job = cluster_.jobs[portion.job];
    return {job.constraint, job.request, job.pool, portion.work};
  }

  // With data in the same zones, or none.
  bool is_more_urgent(PortionId a, PortionId b) const {
    const Portion &one = workload_.portions[a], &other = workload_.portions[b];
    const Commodity &left = workload_.commodities[one.commodity], &right = workload_.commodities[other.commodity];
    return left.urgency > right.urgency && one.urgency < other.urgency &&
           cluster_.jobs[one.job].priority >= cluster_.jobs[other.job].priority && left.zones == right.zones &&
           left.input_per_work == right.input_per_work;
  }

  static void leave_out(PortionId portion, std::vector<Quota>& list, std::uint32_t& left) {
    for (Quota& quota : list) {
      if (quota.portion != portion) continue;
      const std::uint32_t placed = std::min(left, quota.tasks);
      quota.tasks -= placed, left -= placed;
    }
  }

  // The part of a node that a task takes while it runs.
  double share(const NodeClass& offer, const Quota& quota) const {
    const Resources& request = cluster_.jobs[workload_.portions[quota.portion].job].request;
    return 1 / static_cast<double>(std::max<std::int64_t>(1, fit_count(request, offer.shape)));
  }
  // While the node drains, whole tasks run in the same room one after another: the dearer their wait, the fewer, as
  // the best time of a drain is (offer_classes.cpp).
  double nodes_for_a_task(const NodeClass& offer, const Quota& quota) const {
    const Portion& portion = workload_.portions[quota.portion];
    const double task = portion.work / (cores_of(cluster_.jobs[portion.job].request) * offer.speed);
    const double drain = offer.drain / std::sqrt(workload_.commodities[portion.commodity].urgency);
    return share(offer, quota) / std::max(1.0, std::floor(drain / task));
  }

  void ask_for(const NodeClass& offer, Quota& quota, double& nodes) {
    if (quota.tasks == 0 || nodes < least_nodes) return;
    const Portion& portion = workload_.portions[quota.portion];
    const Job& job = cluster_.jobs[portion.job];
    const double of_node = share(offer, quota);
    for (const TaskId task : cluster_.tasks_of(cluster_.groups[portion.job][portion.group])) {
      if (quota.tasks == 0 || nodes < least_nodes) return;
      if (taken_.contains(task)) continue;
      if (pools_.tasks(job.pool, job.request) < 1 || !room_.take_for(offer.offer, job.request)) return;
      pools_.take(job.pool, job.request, 1);
      taken_.insert(task);
      plan_.node_requests->push_back({task, offer.offer});
      plan_.deferrals.push_back({task, DeferralReason::waits_for_node});
      --quota.tasks;
      nodes -= of_node;
    }
  }

  const ClusterSnapshot& cluster_;
  const NodeClasses& classes_;
  const Workload& workload_;
  WholeQuotas quotas_;
  Plan& plan_;
  PoolRoom pools_;
  LaunchRoom room_;
  std::unordered_set<TaskId> taken_;  // looked up only
};

}  // namespace

void request_nodes(const SolvedMarket& market, WholeQuotas quotas, const std::vector<Placement>& placements,
                   PoolRoom pools, Plan& plan) {
  const auto& [cluster, classes, workload, amounts] = market;
  const bool compete = pools.compete();
  Requests requests(market, std::move(quotas), std::move(pools), plan);
  if (workload.commodities.empty()) return;
  requests.leave_out(placements);
  requests.let_urgent_ask();
  // First come those whose work would cost most elsewhere or later, by the zone's price, then those of which most is
  // wanted: each zone has its part of a limit, and the rest goes to whoever comes first.
  std::vector<WantedNodes> offers;
  for (ClassId c : classes.classes.ids()) {
    const NodeClass& offer = classes.classes[c];
    if (!offer.offer.valid()) continue;
    const double own = offer.price.value() + classes.steps[c].front().waiting_price;
    offers.push_back(
        {c, std::min(0.0, own - amounts.zone_price[offer.zone]), requests.wanted(c, amounts.open_work[c])});
  }
  std::sort(offers.begin(), offers.end(), [](const WantedNodes& a, const WantedNodes& b) {
    return std::tuple(a.rent, -a.nodes, a.offer) < std::tuple(b.rent, -b.nodes, b.offer);
  });
  LimitsByZone limits(cluster, classes, offers);
  const auto ask = [&](const auto& most) {
    for (WantedNodes& wanted : offers) {
      const double nodes = most(wanted);
      double left = nodes;
      requests.ask_for(wanted.offer, left, amounts.open_work[wanted.offer]);
      wanted.nodes -= nodes - left;
      limits.take(wanted.offer, nodes - left);
    }
  };
  const auto all = [](const WantedNodes& wanted) { return wanted.nodes; };
  ask([&](const WantedNodes& wanted) { return limits.nodes(wanted); });
  ask(all);
  if (!compete) return;
  requests.lift_shares();
  ask(all);
}

}  // namespace lips
