// A pod runs where it can reach the volumes of its claims, or where they can get one.
#include <fmt/format.h>

#include <algorithm>

#include "kubernetes/pods/filters/filter.h"
#include "model/eligibility.h"

namespace lips::kubernetes {
namespace {

void collect(const Pod& pod, const ClaimLookup& claims, PodNeeds& needs, std::vector<UnschedulableCause>& causes) {
  constexpr UnschedulableReason reason = UnschedulableReason::volume_not_ready;
  for (const std::string& claim : pod.claims) {
    const ClaimedVolume* volume = claims.find(pod.meta.name_space, claim);
    if (!volume)
      causes.push_back({reason, fmt::format("there is no PersistentVolumeClaim '{}'", claim)});
    else if (!volume->why_not.empty())
      causes.push_back({reason, fmt::format("PersistentVolumeClaim '{}' {}", claim, volume->why_not)});
    else if (!volume->node_terms.empty())
      needs.constraint.volumes.push_back(volume->node_terms);
  }
  std::sort(needs.constraint.volumes.begin(), needs.constraint.volumes.end());
}

std::string rejects(const PodNeeds& needs, const Offer& offer) {
  return reaches_volumes(needs.constraint, offer.profile) ? "" : "node(s) had volume node affinity conflict";
}

}  // namespace

const Filter volume_topology_filter{"volume topology", collect, rejects, "add nodes where the pod's volumes are"};

}  // namespace lips::kubernetes
