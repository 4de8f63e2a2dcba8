// Pods with required anti-affinity against this one keep it out of their domains, whoever placed them. The pod cache,
// which knows all pods, finds these domains.
#include "kubernetes/pods/filters/filter.h"
#include "model/eligibility.h"

namespace lips::kubernetes {
namespace {

std::string rejects(const PodNeeds& needs, const Offer& offer) {
  return meets_all(needs.excluded, offer.profile) ? "" : "node(s) didn't satisfy existing pods anti-affinity rules";
}

}  // namespace

const Filter anti_affinity_filter{"anti-affinity of other pods",
                                  [](const Pod&, const ClaimLookup&, PodNeeds&, std::vector<UnschedulableCause>&) {},
                                  rejects, "add nodes, or change the anti-affinity of the pods that are there"};

}  // namespace lips::kubernetes
