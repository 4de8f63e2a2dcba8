#include "policies/lips/prices/length_price.h"

#include <algorithm>

namespace lips {

namespace {

// The share of the pending tasks that take as long; the others go elsewhere. Measured: docs/results.md, a private
// cluster and a cloud; between a quarter and a sixteenth little changes.
constexpr double share_to_come_here = 1.0 / 8;

// The largest of the shares that the amount takes of each resource.
double share_of(const Resources& amount, const Resources& whole) {
  double share =
      std::max(ratio(amount.cpu.value(), whole.cpu.value()), ratio(amount.memory.value(), whole.memory.value()));
  for (const auto& [resource, of_it] : amount.extended) share = std::max(share, ratio(of_it, whole.extended[resource]));
  return share;
}

// The part of the node that is expected to be in use now, beside the commodity's own tasks.
double used_by_others(const NodeClasses& classes, const NodeClass& group, const Resources& pending) {
  return std::max(classes.in_use, share_to_come_here * share_of(pending, group.shape));
}

// The rest of the price of a CPU-second, for each CPU-second of so many tasks.
double rest_of(const NodeClasses& classes, const NodeClass& group, const Resources& request, double seconds,
               double tasks) {
  if (!group.whole || seconds <= classes.rest_from) return 0;
  const double beyond = 1 - ratio(group.paid, seconds / group.speed);
  const double used = std::max(used_by_others(classes, group, classes.pending.at_least(seconds)),
                               tasks * share_of(request, group.shape));
  return beyond > 0 && used < 1 ? beyond * (1 - used) / (1 + used) : 0;
}

}  // namespace

void find_rest(const ClusterSnapshot& cluster, NodeClasses& classes) {
  Resources all{Cores(0), Mebibytes(0), 0}, used = all;
  for (NodeClass& group : classes.classes) {
    if (!group.whole) continue;
    for (const NodeId node : group.nodes) {
      all += cluster.nodes[node].capacity;
      used += cluster.nodes[node].capacity - cluster.free[node];
      if (cluster.free[node].cpu.value() > 0) group.paid = std::max(group.paid, classes.paid_until[node]);
    }
  }
  // Without a node nobody knows.
  classes.in_use = all.cpu.value() > 0 ? std::min(1.0, share_of(used, all)) : 1;
  if (classes.in_use >= 1) return;
  classes.pending = PendingLengths(cluster);
  for (const NodeClass& group : classes.classes) {
    if (!group.whole) continue;
    const double few = classes.pending.first_without(
        [&](const Resources& pending) { return used_by_others(classes, group, pending) >= 1; });
    classes.rest_from = std::min(classes.rest_from, std::max(few, group.paid * group.speed));
  }
}

bool keep_rest(const NodeClasses& classes, const Resources& request, double seconds, double tasks) {
  return seconds > classes.rest_from &&
         std::any_of(classes.classes.begin(), classes.classes.end(),
                     [&](const NodeClass& group) { return rest_of(classes, group, request, seconds, tasks) > 0; });
}

double price_of_rest(const NodeClasses& classes, const NodeClass& group, const Commodity& commodity) {
  const double seconds = commodity.longest, tasks = ratio(commodity.work, seconds * cores_of(commodity.request));
  return rest_of(classes, group, commodity.request, seconds, tasks) * group.price.value() / commodity.urgency;
}

}  // namespace lips
