#include "policies/lips/gangs/giving_way.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace lips {

namespace {

constexpr std::int64_t most_node_looks = 1'000'000;  // at nodes, for all pools together

class GivingWay {
 public:
  GivingWay(const ClusterSnapshot& cluster, const KeepBudget& budget, PoolRoom pools,
            const IdVector<NodeId, Resources>& free, const std::vector<KeptSpot>& kept)
      : cluster_(cluster), pools_(std::move(pools)), left_(free), kept_(kept), result_(kept.size(), 0) {
    for (std::size_t i = kept.size(); i-- > 0;) {
      const PoolId pool = cluster.jobs[kept[i].job].pool;
      if (!is_for_tasks_to_come(kept[i].reason) && !budget.is_spent(pool)) continue;
      on_node_[kept[i].node].push_back(i);
      keepers_.insert(pool);
    }
    looks_.resize(cluster.pools.size(), most_node_looks / static_cast<std::int64_t>(cluster.pools.size()));
  }

  // The number of tasks of each spot that give way.
  std::vector<std::uint32_t> run() {
    if (keepers_.empty()) return std::move(result_);
    for (const JobId id : cluster_.pending) {
      const Job& job = cluster_.jobs[id];
      const bool alone = keepers_.size() == 1 && keepers_.contains(job.pool);
      if (!job.whole.peers && !alone) serve(job);
    }
    return std::move(result_);
  }

 private:
  // First the room that is free, node by node, then that which is kept for others.
  void serve(const Job& job) {
    const double most = std::max(0.0, pools_.tasks(job.pool, job.request));
    auto wanted = static_cast<std::int64_t>(std::min(double{1} * job.pending, most));
    const std::int64_t before = wanted;
    for (const NodeId node : cluster_.nodes.ids()) {
      if (wanted == 0 || --looks_[job.pool] < 0) break;
      wanted -= take(job, node, wanted);
    }
    for (std::size_t i = kept_.size(); i-- > 0;)
      while (wanted > 0 && --looks_[job.pool] > 0 && give(job, kept_[i].node))
        wanted -= take(job, kept_[i].node, wanted);
    pools_.take(job.pool, job.request, static_cast<double>(before - wanted));
  }

  std::int64_t take(const Job& job, NodeId node, std::int64_t most) {
    if (!cluster_.nodes[node].schedulable) return 0;
    const std::int64_t tasks = std::min(most, fit_count(job.request, left_[node]));
    if (tasks <= 0 || !cluster_.eligible(job.constraint, node)) return 0;
    left_[node] -= job.request * static_cast<std::int32_t>(tasks);
    return tasks;
  }

  // The least that makes room for one task is given. False: nothing is kept there for others, or it is not enough.
  bool give(const Job& job, NodeId node) {
    if (!cluster_.eligible(job.constraint, node)) return false;
    Resources room = left_[node];
    std::vector<std::pair<std::size_t, std::uint32_t>> given;
    const auto kept = on_node_.find(node);
    if (kept == on_node_.end()) return false;
    for (const std::size_t i : kept->second) {
      const KeptSpot& spot = kept_[i];
      if (cluster_.jobs[spot.job].pool == job.pool) continue;
      std::uint32_t tasks = 0;
      for (; result_[i] + tasks < spot.tasks && !fits(job.request, room); ++tasks) room += spot.request;
      given.emplace_back(i, tasks);
    }
    if (!fits(job.request, room)) return false;
    left_[node] = room;
    for (const auto& [i, tasks] : given) result_[i] += tasks;
    return true;
  }

  const ClusterSnapshot& cluster_;
  PoolRoom pools_;
  IdVector<NodeId, Resources> left_;
  const std::vector<KeptSpot>& kept_;
  std::map<NodeId, std::vector<std::size_t>> on_node_;  // the last first
  std::set<PoolId> keepers_;
  IdVector<PoolId, std::int64_t> looks_;  // left to each pool: many jobs of one do not hide those of another
  std::vector<std::uint32_t> result_;
};

void release(const ClusterSnapshot& cluster, const KeptSpot& spot, std::uint32_t tasks, const RoomOfPlan& plan) {
  const Resources room = spot.request * static_cast<std::int32_t>(tasks);
  const WholeJobId whole = cluster.jobs[spot.job].whole.id;
  plan.free[spot.node] += room;
  plan.classes.take_now(plan.classes.class_of[spot.node], spot.request, -double{1} * tasks);
  plan.pools.hold(cluster.jobs[spot.job].pool, spot.request, -double{1} * tasks);
  for (HeldRoom& held : plan.held)
    if (held.job == spot.job && held.zone == cluster.nodes[spot.node].zone && held.reason == spot.reason) {
      held.tasks -= tasks;
      held.room -= room;
    }
  for (NodeRequest& request : plan.requests) {
    if (tasks == 0) break;
    if (request.to_come == 0 || !spot.asks.valid() || request.offer != spot.asks ||
        cluster.jobs[cluster.tasks[request.task].job].whole.id != whole)
      continue;
    const std::uint32_t less = std::min(tasks, request.to_come);
    request.to_come -= less, tasks -= less;
    if (request.to_come == 0) request.offer = OfferId::none();
  }
}

}  // namespace

void give_way(const ClusterSnapshot& cluster, const KeepBudget& budget, std::vector<KeptSpot>& kept,
              const RoomOfPlan& plan) {
  if (kept.empty()) return;
  const std::vector<std::uint32_t> tasks = GivingWay(cluster, budget, plan.pools, plan.free, kept).run();
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (tasks[i] > 0) release(cluster, kept[i], tasks[i], plan), kept[i].tasks -= tasks[i];
  std::erase_if(plan.held, [](const HeldRoom& held) { return held.tasks == 0; });
  std::erase_if(plan.requests, [](const NodeRequest& request) { return !request.offer.valid(); });
}

}  // namespace lips
