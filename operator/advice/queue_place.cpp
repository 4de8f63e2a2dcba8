#include "advice/queue_place.h"

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "advice/lips_classes.h"
#include "policies/lips/demand/commodities.h"

namespace lips::advice {

namespace {

// The least goes first.
using Order = std::tuple<std::int32_t, bool, double>;
using GroupOfJob = std::pair<JobId, std::uint32_t>;

std::map<GroupOfJob, Order> by_arrival(const ClusterSnapshot& cluster) {
  std::map<GroupOfJob, Order> orders;
  for (const JobId id : cluster.pending)
    for (std::uint32_t group = 0; group < cluster.groups[id].size(); ++group)
      orders[{id, group}] = {-cluster.jobs[id].priority, false, to_seconds(cluster.jobs[id].arrival)};
  return orders;
}

std::map<GroupOfJob, Order> by_urgency(const Question& question) {
  const ClusterSnapshot& cluster = question.cluster;
  const LipsSettings& settings = question.settings.lips;
  const auto [classes, weights, wait, small_first] = lips_classes(question);
  CommoditySettings commodities;
  commodities.order = job_order(cluster, settings, weights.in_order, wait);
  const bool fast = settings.horizon == Duration(0) && small_first;
  std::map<GroupOfJob, Order> orders;
  for (const Portion& portion : make_commodities(cluster, question.costs, classes, commodities).portions) {
    const Job& job = cluster.jobs[portion.job];
    const bool small = fast && all_work(job) * classes.dearest <= settings.fast_path_limit;
    orders[{portion.job, portion.group}] = {-job.priority, !small, small ? to_seconds(began(job)) : portion.urgency};
  }
  return orders;
}

}  // namespace

QueuePlace place_in_queue(const Question& question, const Outcome& outcome, TaskId task) {
  const ClusterSnapshot& cluster = question.cluster;
  const std::map<GroupOfJob, Order> orders = question.policy == "lips" ? by_urgency(question) : by_arrival(cluster);
  std::map<GroupOfJob, std::uint64_t> starting;
  for (const Assignment& assignment : outcome.starting)
    ++starting[{cluster.tasks[assignment.task].job, cluster.tasks[assignment.task].group}];
  QueuePlace place;
  place.waiting = cluster.pending_tasks - outcome.starting.size();
  const auto own = orders.find({cluster.tasks[task].job, cluster.tasks[task].group});
  if (own == orders.end()) return place;
  for (const auto& [group, order] : orders)
    if (order < own->second) place.ahead += cluster.groups[group.first][group.second].count - starting[group];
  return place;
}

}  // namespace lips::advice
