// Requests of CPU, memory, number of pods and every other resource that nodes list.
#include <algorithm>
#include <limits>

#include "kubernetes/pods/filters/filter.h"

namespace lips::kubernetes {
namespace {

void collect(const Pod& pod, const ClaimLookup&, PodNeeds& needs, std::vector<UnschedulableCause>&) {
  needs.requests = pod.requests;
}

std::string rejects(const PodNeeds& needs, const Offer& offer) {
  if (left_of(offer, "pods") < 1) return "Too many pods";
  for (const auto& [resource, amount] : needs.requests)
    if (amount > left_of(offer, resource)) return lacking(resource);
  return "";
}

}  // namespace

std::string lacking(const std::string& resource) {
  return resource.starts_with(volumes_of_driver) ? "node(s) exceed max volume count" : "Insufficient " + resource;
}

std::int64_t left_of(const Offer& offer, const std::string& resource) {
  const auto& has = offer.node.allocatable;
  const bool listed = std::any_of(has.begin(), has.end(), [&](const auto& entry) { return entry.first == resource; });
  if (!listed && resource.starts_with(volumes_of_driver)) return std::numeric_limits<std::int64_t>::max();
  return amount_of(has, resource) - amount_of(offer.taken, resource);
}

const Filter resource_filter{"resources", collect, rejects, "ask for less or add larger nodes", true};

}  // namespace lips::kubernetes
