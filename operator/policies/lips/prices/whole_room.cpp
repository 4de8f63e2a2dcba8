#include "policies/lips/prices/whole_room.h"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

#include "model/task_ends.h"

namespace lips {

namespace {

bool holds_only_one(const NodeClass& group, const Resources& request) {
  return !group.whole && !group.nodes.empty() && fit_count(request, group.shape) == 1;
}

std::vector<Resources> large_requests(const ClusterSnapshot& cluster, const NodeClasses& classes) {
  std::map<Resources, double> work;  // that is pending
  for (const JobId id : cluster.pending) work[cluster.jobs[id].request] += cluster.jobs[id].pending_work.value();
  std::vector<std::pair<double, Resources>> found;
  for (const auto& [request, pending] : work)
    if (std::any_of(classes.classes.begin(), classes.classes.end(),
                    [&](const NodeClass& group) { return holds_only_one(group, request); }))
      found.emplace_back(pending, request);
  std::sort(found.begin(), found.end(), std::greater<>());
  std::vector<Resources> result;
  for (std::size_t i = 0; i < std::min(found.size(), most_room_waits); ++i) result.push_back(found[i].second);
  return result;
}

bool has_room(const ClusterSnapshot& cluster, const NodeClass& group, const Resources& request) {
  return std::any_of(group.nodes.begin(), group.nodes.end(),
                     [&](NodeId node) { return fits(request, cluster.free[node]); });
}

// How much longer than for as much room on all nodes of the class together; none of them has it now.
double wait_for_one_node(const ClusterSnapshot& cluster, const NodeClass& group, const Resources& request,
                         const std::vector<TaskEnd>& ends) {
  Resources together{Cores(0), Mebibytes(0), 0};
  for (const NodeId node : group.nodes) together += cluster.free[node];
  double as_much = fits(request, together) ? 0 : -1;
  std::unordered_map<NodeId, Resources> free;
  for (const TaskEnd& end : ends) {
    together += *end.request;
    if (as_much < 0 && fits(request, together)) as_much = end.at;
    Resources& of_node = free.try_emplace(end.node, cluster.free[end.node]).first->second;
    of_node += *end.request;
    if (fits(request, of_node)) return end.at - as_much;
  }
  return 0;  // nobody knows
}

}  // namespace

void find_room_waits(const ClusterSnapshot& cluster, NodeClasses& classes) {
  const std::vector<Resources> requests = large_requests(cluster, classes);
  std::vector<std::pair<ClassId, const Resources*>> waiting;
  for (const ClassId c : classes.classes.ids())
    for (const Resources& request : requests)
      if (const NodeClass& group = classes.classes[c];
          holds_only_one(group, request) && !has_room(cluster, group, request))
        waiting.emplace_back(c, &request);
  if (waiting.empty()) return;
  const auto ends =
      task_ends<ClassId>(cluster, classes.classes.size(), [&](NodeId node) { return classes.class_of[node]; });
  for (const auto& [c, request] : waiting) {
    NodeClass& group = classes.classes[c];
    const double wait = wait_for_one_node(cluster, group, *request, ends[c]);
    if (wait <= 0) continue;
    group.room_waits.push_back({*request, wait});
    if (!waits_for_room(classes, *request)) classes.wait_for_room.push_back(*request);
  }
}

}  // namespace lips
