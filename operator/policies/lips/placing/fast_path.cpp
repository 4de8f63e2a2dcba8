#include "policies/lips/placing/fast_path.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "model/jobs_in_parts.h"
#include "policies/lips/placing/offers.h"
#include "policies/lips/placing/pool_room.h"
#include "policies/lips/placing/waiting_priority.h"

namespace lips {

namespace {

// Served outside of the program, or small and of no lower priority than what the program serves.
std::vector<bool> small_jobs(const ClusterSnapshot& cluster, const FastPathSettings& settings,
                             UsdPerCpuSecond dearest) {
  const std::vector<bool>& skip = settings.commodities.skip;
  const auto is_small = [&](JobId id) { return all_work(cluster.jobs[id]) * dearest <= settings.limit; };
  WaitingPriority large(cluster, settings.pools);
  for (const JobId id : cluster.pending)
    if ((skip.empty() || !skip[id.index()]) && !is_small(id)) large.add(cluster.jobs[id]);
  std::vector<bool> small(cluster.jobs.size(), false);
  for (const JobId id : cluster.pending)
    small[id.index()] = (skip.empty() || !skip[id.index()]) && is_small(id) && large.is_reached(cluster.jobs[id]);
  return small;
}

class SmallJobs {
 public:
  SmallJobs(const PolicyInput& input, FastPathSettings settings, const std::vector<bool>& small, NodeClasses& classes,
            IdVector<NodeId, Resources>& free)
      : cluster_(input.cluster),
        classes_(classes),
        free_(free),
        limit_(settings.limit),
        pools_(std::move(settings.pools)),
        offers_(cluster_, classes, free, no_promises_) {
    result_.served = std::move(settings.commodities.skip);
    result_.served.resize(cluster_.jobs.size(), false);
    settings.commodities.skip = small;
    settings.commodities.skip.flip();
    result_.workload = make_commodities(cluster_, input.costs, classes, settings.commodities);
    for (const JobId id : cluster_.pending)
      if (small[id.index()]) result_.served[id.index()] = true;
  }

  FastPath run() {
    const IdVector<PortionId, Portion>& portions = result_.workload.portions;
    std::vector<PortionId> order;
    for (const PortionId id : portions.ids()) order.push_back(id);
    const auto rank = [&](PortionId id) {
      const Job& job = cluster_.jobs[portions[id].job];
      const double urgency = result_.workload.commodities[portions[id].commodity].urgency;
      return std::tuple(-std::int64_t{job.priority}, -urgency, began(job));
    };
    std::stable_sort(order.begin(), order.end(), [&](PortionId a, PortionId b) { return rank(a) < rank(b); });
    for (const PortionId id : order)
      if (leave_above_share(portions[id].job)) place(id);
    result_.pools = std::move(pools_);
    return std::move(result_);
  }

 private:
  // False: the job is the program's, since its pool has no room for all of it.
  bool leave_above_share(JobId id) {
    const Job& job = cluster_.jobs[id];
    if (!result_.served[id.index()]) return false;
    if (judged_.insert(id).second && !pools_.express(job.pool, job.request, job.pending))
      result_.served[id.index()] = false;
    return result_.served[id.index()];
  }

  void place(PortionId id) {
    const Portion& portion = result_.workload.portions[id];
    const Job& job = cluster_.jobs[portion.job];
    const Commodity& commodity = result_.workload.commodities[portion.commodity];
    std::uint32_t left = portion.tasks;
    while (left > 0 && pools_.tasks_below_maximum(job.pool, job.request) >= 1) {
      std::optional<PlaceOffer> offer = offers_.cheapest_now(commodity, job.request, portion.work);
      if (!offer || is_worth_waiting(*offer, portion, left)) {
        result_.waiting = true;
        return;
      }
      offer->node = beside_data(*offer, job, cluster_.groups[portion.job][portion.group]);
      const NodeClass& group = classes_.classes[offer->of_class];
      const double seconds = portion.work / (cores_of(job.request) * group.speed);
      const double most = std::min(static_cast<double>(fit_count(job.request, free_[offer->node])),
                                   pools_.tasks_below_maximum(job.pool, job.request));
      const auto count = static_cast<std::uint32_t>(std::min<double>(left, most));
      for (std::uint32_t i = 0; i < count; ++i) offers_.take(*offer, job.request, seconds);
      pools_.take(job.pool, job.request, count);
      classes_.take_now(offer->of_class, job.request, count);
      result_.placements.push_back({id, count, offer->node, 0, {}});
      left -= count;
    }
  }

  // A start at once costs more than a later one by more than what is worth planning.
  bool is_worth_waiting(const PlaceOffer& now, const Portion& portion, std::uint32_t tasks) {
    const Commodity& commodity = result_.workload.commodities[portion.commodity];
    const std::optional<PlaceOffer> best =
        offers_.cheapest(commodity, cluster_.jobs[portion.job].request, portion.work);
    return best && Usd((now.price - best->price) * (portion.work * tasks)) > limit_;
  }

  // A node of the offer's class that holds a replica of the group's first task, if one has room.
  NodeId beside_data(const PlaceOffer& offer, const Job& job, const TaskGroup& group) const {
    if (const BlockId block = cluster_.tasks[group.first].block; block.valid())
      for (const Replica& replica : cluster_.blocks[block].replicas) {
        const NodeId node = cluster_.stores[replica.store].node;
        if (node.valid() && classes_.class_of[node] == offer.of_class && fits(job.request, free_[node])) return node;
      }
    return offer.node;
  }

  const ClusterSnapshot& cluster_;
  NodeClasses& classes_;
  IdVector<NodeId, Resources>& free_;
  const Usd limit_;
  PoolRoom pools_;
  std::unordered_set<JobId> judged_;  // looked up only
  PromisedRoom no_promises_;
  Offers offers_;
  FastPath result_;
};

}  // namespace

FastPath serve_small_jobs(const PolicyInput& input, FastPathSettings settings, NodeClasses& classes,
                          IdVector<NodeId, Resources>& free) {
  const std::vector<bool> small = small_jobs(input.cluster, settings, classes.dearest);
  if (std::find(small.begin(), small.end(), true) == small.end())
    return {{}, {}, std::move(settings.commodities.skip), false, std::move(settings.pools)};
  return SmallJobs(input, std::move(settings), small, classes, free).run();
}

}  // namespace lips
