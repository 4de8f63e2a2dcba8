// Requests of CPU, memory, number of pods and every other resource that nodes list.
#include <fmt/format.h>

#include <algorithm>

#include "kubernetes/pods/filters/filter.h"

namespace lips::kubernetes {
namespace {

void collect(const Pod& pod, const ClaimLookup&, PodNeeds& needs, std::vector<Obstacle>&) {
  needs.requests = pod.requests;
}

std::string rejects(const PodNeeds& needs, const Offer& offer) {
  const auto left = [&](std::string_view resource) {
    return amount_of(offer.node.allocatable, resource) - amount_of(offer.taken, resource);
  };
  if (left("pods") < 1) return "have too many pods";
  for (const auto& [resource, amount] : needs.requests)
    if (amount > left(resource)) return fmt::format("have too little {}", resource);
  return "";
}

}  // namespace

const Filter resource_filter{"resources", collect, rejects, "ask for less or add larger nodes"};

}  // namespace lips::kubernetes
