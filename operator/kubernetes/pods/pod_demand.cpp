#include "kubernetes/pods/pod_demand.h"

#include "kubernetes/pods/amounts.h"

namespace lips::kubernetes {
namespace {

void raise(ResourceAmounts& most, const ResourceAmounts& other) {
  for (const auto& [resource, amount] : other) {
    const std::int64_t missing = amount - amount_of(most, resource);
    if (missing > 0) add(most, {{resource, missing}});
  }
}

// The most that a container may have now or will have, as k8s.io/component-helpers/resource counts for the scheduler.
ResourceAmounts counted(const Amounts& amounts, bool resize_infeasible) {
  if (amounts.allocated.empty() && amounts.actual.empty()) return amounts.requests;
  ResourceAmounts most = amounts.allocated;
  raise(most, amounts.actual);
  if (!resize_infeasible) raise(most, amounts.requests);
  return most;
}

ResourceAmounts counted(const Container& container, const std::map<std::string, Amounts>& given, bool infeasible) {
  Amounts amounts = container.amounts;
  if (const auto status = given.find(container.name); status != given.end()) {
    amounts.allocated = status->second.allocated;
    amounts.actual = status->second.actual;
  }
  return counted(amounts, infeasible);
}

}  // namespace

// k8s.io/component-helpers/resource PodRequests: init containers run one after another beside the sidecars started
// before them; all sidecars run beside the containers; a request for the whole pod replaces the sum; overhead comes on
// top.
ResourceAmounts total(const Demand& demand) {
  ResourceAmounts sidecars, peak, sum;
  for (const Container& container : demand.init_containers) {
    ResourceAmounts now = counted(container, demand.given_to_init, demand.resize_infeasible);
    add(now, sidecars);
    if (container.sidecar) sidecars = now;
    raise(peak, now);
  }
  for (const Container& container : demand.containers)
    add(sum, counted(container, demand.given, demand.resize_infeasible));
  add(sum, sidecars);
  raise(sum, peak);
  if (!demand.pod_level.requests.empty())
    for (const auto& [resource, amount] : counted(demand.pod_level, demand.resize_infeasible))
      add(sum, {{resource, amount - amount_of(sum, resource)}});
  add(sum, demand.overhead);
  std::erase_if(sum, [](const auto& entry) { return entry.second == 0; });
  sum.shrink_to_fit();
  return sum;
}

}  // namespace lips::kubernetes
